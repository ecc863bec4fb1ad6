/**
 * Takes pictures of the gallery's frames, and writes down what a screen reader finds there. Clock, font, movement and the
 * screen are always the same.
 */
import type { Page, SerializedAXNode } from 'puppeteer-core';
import { PNG } from 'pngjs';

/** One frame. */
export interface Shot {
  readonly picture: PNG;
  /** The accessibility tree, one line for each thing that is said. */
  readonly tree: string;
}

/** Takes all pictures, page by page. @param open a new page @param url of the gallery */
export async function shoot(
  open: () => Promise<Page>,
  url: string,
  names: readonly string[],
): Promise<Map<string, Shot>> {
  const shots = new Map<string, Shot>();
  for (const screen of screens) {
    const together = names.filter((name) => screenOf(name) === screen);
    if (together.length === 0) continue;
    const page = await open();
    const { width, hasTouch } = screen;
    await page.setViewport({ width, hasTouch, height: 800, deviceScaleFactor: 1 });
    await page.emulateTimezone('America/Sao_Paulo');
    await page.goto(`${url}/gallery?only=${together.join(',')}`);
    await page.waitForSelector('html[data-settled]');
    const whole = PNG.sync.read(Buffer.from(await page.screenshot({ fullPage: true })));
    const frames = await page.$$('div.frame');
    const boxes = await Promise.all(frames.map((frame) => frame.evaluate(boxOf)));
    for (const [i, frame] of frames.entries()) {
      const { name, ...box } = boxes[i]!;
      // The tree of one frame is sought in that of all that is shown.
      await frame.evaluate(showAlone);
      const tree = await page.accessibility.snapshot({ root: frame });
      shots.set(name, { picture: cut(whole, box), tree: toText(tree) });
    }
    await page.close();
  }
  return shots;
}

/** Runs inside the page. */
function boxOf(frame: HTMLElement) {
  const { x, y, width, height } = frame.getBoundingClientRect();
  const top = Math.round(y + scrollY);
  const bottom = Math.round(y + scrollY + height);
  return { name: frame.dataset['name'] ?? '', x, y: top, width, height: bottom - top };
}

/** Runs inside the page. */
function showAlone(frame: HTMLElement): void {
  for (const one of document.querySelectorAll<HTMLElement>('.frame')) {
    one.style.display = one === frame ? '' : 'none';
  }
}

/** A phone, a larger text on it (which is the root's, so that it takes a page of its own), a small phone, a window. */
const screens = [
  { width: 390, hasTouch: true, fits: /^[\w-]+(\.(en|es|dark|long|rtl))*$/ },
  { width: 390, hasTouch: true, fits: /\.200\b/ },
  { width: 320, hasTouch: true, fits: /\.320\b/ },
  // A narrow column stands on a wide page.
  { width: 1000, hasTouch: false, fits: /\.(240|1000)\b/ },
] as const;

/** @throws Error if a frame would need another screen */
function screenOf(name: string): (typeof screens)[number] {
  const screen = screens.find(({ fits }) => fits.test(name));
  if (!screen) throw new Error(`There is no screen for ${name}`);
  return screen;
}

/** Part of a picture, its colours rounded: what no eye tells apart need not be kept. */
function cut(
  whole: PNG,
  { x, y, width, height }: Readonly<Record<'x' | 'y' | 'width' | 'height', number>>,
): PNG {
  const part = new PNG({ width, height });
  PNG.bitblt(whole, part, x, y, width, height, 0, 0);
  for (let at = 0; at < part.data.length; at += 4) {
    for (let channel = at; channel < at + 3; channel += 1) {
      part.data[channel] = Math.round(part.data[channel]! / 17) * 17;
    }
  }
  return part;
}

/** What matters of a node, beside its role and name. */
const properties = [
  'value',
  'description',
  'checked',
  'expanded',
  'disabled',
  'required',
  'invalid',
  'level',
] as const;

/** Roles by Chromium's own names: those of the standard, where there is one. */
const roles: Readonly<Record<string, string>> = {
  StaticText: 'text',
  DisclosureTriangle: 'summary',
};

function toText(node: SerializedAXNode | null, depth = 0): string {
  if (!node) return '';
  const name = (node.name ?? '').replaceAll(/\s+/g, ' ').trim();
  const isEmptyText = ['StaticText', 'LineBreak'].includes(node.role) && name === '';
  if (isEmptyText) return '';
  const said = [
    roles[node.role] ?? node.role,
    name && JSON.stringify(name),
    ...properties
      .filter((key) => node[key] !== undefined && node[key] !== false && node[key] !== 'false')
      .map((key) => `${key}=${String(node[key]).replaceAll(/\s+/g, ' ')}`),
  ];
  const line = `${'  '.repeat(depth)}${said.filter(Boolean).join(' ')}\n`;
  return line + (node.children ?? []).map((child) => toText(child, depth + 1)).join('');
}
