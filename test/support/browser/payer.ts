/**
 * What a payer does with the checkout on a page, and what they see of it. Everything goes through the page as a person
 * would go: roles, labels and words, and the events that a merchant's page hears.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'vitest';
import type { BrowserContext, Page } from 'puppeteer-core';
import type { Phase } from '../../../src/checkout/machine/state.js';
import { openContext } from './contexts.js';
import { decodeQr } from './qr.js';
import { openShop, type OrderPage, type PageOptions, type Shop, type ShopOptions } from './shop.js';

/** What everybody types. */
export const typed = {
  name: 'Maria da Silva',
  cpf_cnpj: '529.982.247-25',
  email: 'maria@example.com',
} as const;

/** One DOM event that the page heard. */
export interface HeardEvent {
  readonly type: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

declare global {
  interface Window {
    /** What the recorder of {@link openPage} has heard, in order. */
    heard: HeardEvent[];
    /** Lets time pass on a page whose time can jump. */
    passTime: (byMs: number) => void;
  }
}

/** Where a page stands: a shop, whose clock the page's follows. */
type Place = Pick<Shop, 'speed' | 'clock'>;

/** Runs before anything of a page is loaded. */
export type Prepare = (page: Page) => Promise<void>;

/** Opens a page whose events are recorded, and waits for the element. */
export async function openPage(
  context: BrowserContext,
  { speed, clock }: Place,
  url: string,
  prepare?: Prepare,
): Promise<Page> {
  const page = await context.newPage();
  // Longer than a busy machine needs: a test that waits for what never comes fails all the same.
  page.setDefaultTimeout(60_000);
  await page.evaluateOnNewDocument(() => {
    window.heard = [];
    const names = 'ready submit created status copy paid expired error'.split(' ');
    for (const name of [...names.map((name) => `pix-${name}`), 'securitypolicyviolation']) {
      addEventListener(name, (event) => {
        const { violatedDirective, sourceFile } = event as SecurityPolicyViolationEvent;
        const detail = (event as CustomEvent).detail ?? { violatedDirective, sourceFile };
        window.heard.push({ type: event.type, detail });
      });
    }
    // No back-off waits longer than it must.
    Math.random = () => 0;
  });
  if (speed !== 1) await speedUp(page, speed);
  if (clock !== null) await page.evaluateOnNewDocument(letTimeJump);
  await prepare?.(page);
  await page.goto(url);
  await page.waitForSelector('pix-checkout:defined');
  return page;
}

/** A payer at the page of one order. */
export interface Visit extends OrderPage {
  readonly context: BrowserContext;
  readonly page: Page;
}

/** Lays the page of an order out and opens it, in a context of its own. */
export async function visit(
  t: TestContext,
  shop: Shop,
  { prepare, ...options }: PageOptions & { readonly prepare?: Prepare } = {},
): Promise<Visit> {
  const context = await openContext(t);
  const order = await shop.addPage(options);
  return { ...order, context, page: await openPage(context, shop, order.url, prepare) };
}

/** The same at a shop of its own, so that faults, counts and what stands between stay apart. */
export async function visitShop(
  t: TestContext,
  {
    speed,
    proxy,
    ...options
  }: Parameters<typeof visit>[2] & Pick<ShopOptions, 'speed' | 'proxy'> = {},
): Promise<Visit & { readonly shop: Shop }> {
  const shop = await openShop({ ...(speed !== undefined && { speed }), ...(proxy && { proxy }) });
  t.onTestFinished(() => shop.close());
  return { shop, ...(await visit(t, shop, options)) };
}

/**
 * Makes time pass faster on a page, in what it measures and in what it waits for: minutes of a payment are seconds of a
 * test. Call it before the page is opened.
 */
async function speedUp(page: Page, speed: number): Promise<void> {
  await page.evaluateOnNewDocument((times) => {
    const now = performance.now.bind(performance);
    const wait = setTimeout.bind(window);
    // Named functions of an object literal would be wrapped by the compiler in what no page knows.
    performance.now = () => now() * times;
    window.setTimeout = ((run: () => void, ms = 0) => wait(run, ms / times)) as typeof setTimeout;
    Object.assign(window, { unhurriedSetTimeout: wait });
  }, speed);
}

/** Runs inside the page, before anything else. */
function letTimeJump(): void {
  const [now, wait] = [performance.now.bind(performance), setTimeout.bind(window)];
  const cancel = clearTimeout.bind(window);
  const timers = new Map<number, { run: () => void; atMs: number; handle: unknown }>();
  let aheadMs = 0;
  let lastId = 1_000_000;
  function arm(id: number): void {
    const timer = timers.get(id);
    if (!timer) return;
    cancel(timer.handle as number);
    const run = () => void (timers.delete(id) && timer.run());
    timer.handle = wait(run, timer.atMs - now() - aheadMs);
  }
  performance.now = () => now() + aheadMs;
  window.setTimeout = ((run: () => void, ms = 0) => {
    lastId += 1;
    timers.set(lastId, { run, atMs: now() + aheadMs + ms, handle: 0 });
    arm(lastId);
    return lastId;
  }) as typeof setTimeout;
  window.clearTimeout = (id) => {
    cancel(timers.get(Number(id))?.handle as number);
    timers.delete(Number(id));
  };
  window.passTime = (byMs) => {
    aheadMs += byMs;
    for (const id of timers.keys()) arm(id);
  };
}

/** Lets time pass at the shop and on a page of it, at once. */
export async function passTime(page: Page, { clock }: Place, byMs: number): Promise<void> {
  assert.ok(clock, 'the time of this shop can jump');
  clock.putForward(byMs);
  await page.evaluate((ms) => window.passTime(ms), byMs);
}

/** Lets the page wait as long as it means to again: a hurried one gives up what a busy machine has not answered yet. */
export async function stopHurry(page: Page): Promise<void> {
  await page.evaluate(() => {
    const wait: unknown = Reflect.get(window, 'unhurriedSetTimeout');
    if (wait) Object.assign(window, { setTimeout: wait });
  });
}

/** Waits until the checkout is in a phase. */
export async function untilPhase(page: Page, phase: Phase): Promise<void> {
  await page.waitForFunction(
    (expected) => document.querySelector('pix-checkout')?.phase === expected,
    { polling: 50 },
    phase,
  );
}

/**
 * Waits until the checkout has drawn this part. It is looked for in each frame: of what changes in a shadow root that came after
 * the question, the browser's driver hears nothing.
 */
export function untilDrawn(page: Page, part: string) {
  return page.waitForSelector(`pix-checkout >>> ${part}`, { visible: true });
}

/** Waits until the checkout shows a text. */
export async function untilShown(page: Page, text: string): Promise<void> {
  await page.waitForFunction(
    (expected) =>
      document
        .querySelector('pix-checkout')
        ?.shadowRoot?.textContent?.replaceAll(/\s+/g, ' ')
        .includes(expected),
    { polling: 50 },
    text,
  );
}

/** Waits until the page has heard an event, and gives the first of it. */
export async function untilHeard(page: Page, type: string): Promise<HeardEvent> {
  const found = await page.waitForFunction(
    (name) => window.heard.find((event) => event.type === name),
    { polling: 50 },
    type,
  );
  return (await found.jsonValue()) as HeardEvent;
}

/** All that the page has heard so far. */
export const heardOn = (page: Page): Promise<HeardEvent[]> => page.evaluate(() => window.heard);

/** Details of the events of one name that the page has heard so far. */
export async function heardOf(page: Page, name: string): Promise<HeardEvent['detail'][]> {
  return (await heardOn(page)).filter(({ type }) => type === name).map(({ detail }) => detail);
}

/** Fills in who pays, each field at once, as a browser does that knows the payer. */
export async function fillForm(
  page: Page,
  values: Readonly<Record<string, string>> = typed,
): Promise<void> {
  for (const [field, value] of Object.entries(values)) {
    await page.focus(`pix-checkout >>> #${field}`);
    await page.keyboard.sendCharacter(value);
  }
}

/** Presses the button with these words, whenever it is there. */
export async function press(page: Page, words: string): Promise<void> {
  await page.locator(`pix-checkout >>> button ::-p-text(${words})`).click();
}

/** Chooses how to pay. */
export async function chooseMethod(page: Page, method: 'Pix' | 'Cartão'): Promise<void> {
  // A choice that was made is one line, with a button for the other method.
  const made = 'pix-checkout >>> div.line button';
  const box = `pix-checkout >>> .methods b ::-p-text(${method})`;
  await page.locator((await page.$(made)) ? made : box).click();
}

/** From the form to the code on the screen. Gives the code. */
export async function askForCode(page: Page): Promise<string> {
  await fillForm(page);
  await press(page, 'Gerar código Pix');
  await untilPhase(page, 'awaiting');
  return shownCode(page);
}

/** The code as text, as a payer would copy it by hand. */
export function shownCode(page: Page): Promise<string> {
  return page.$eval('pix-checkout >>> textarea', (textarea) => textarea.value);
}

/** Nothing may be written to the clipboard, in any way. Call it before the page is opened. */
export async function barClipboard(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;
  });
}

/** What a camera that is held in front of the screen reads, once the screen has faded in. */
export async function scanScreen(page: Page): Promise<string | null> {
  await page.waitForFunction(
    () => {
      // A code that a server has drawn is there at once. Rings and the deadline's bar never stand still.
      const moving = document.querySelector('pix-checkout')?.shadowRoot?.getAnimations() ?? [];
      return !moving.some((one) => 'animationName' in one && one.animationName === 'appear');
    },
    { polling: 50 },
  );
  return decodeQr(await page.screenshot({ fullPage: true }));
}

/** Presses Tab until a control of the checkout has the focus; a ring of more than thirty stops has no such one. */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 30; stops += 1) {
    const focused = await page.$eval(
      'pix-checkout',
      ({ shadowRoot }, wanted) => shadowRoot?.activeElement?.matches(wanted),
      selector,
    );
    if (focused === true) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab never reaches ${selector}`);
}

/** Tag and id of what has the focus inside the checkout. */
export function focusedElement(page: Page): Promise<string> {
  return page.$eval('pix-checkout', ({ shadowRoot }) => {
    const { localName, id } = shadowRoot?.activeElement ?? {};
    return `${localName}#${id}`;
  });
}
