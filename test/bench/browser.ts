/**
 * What a payer's browser does until the QR is there, beside a floor of the same libraries: Slow 4G, a processor four times slower, each
 * load in a context of its own, the subjects in turn.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser } from 'puppeteer-core';
import { renderInvoice } from '../../src/html.js';
import { toPixCode } from '../support/pix-code.js';
import { launchChromium } from '../support/browser/browsers.js';
import { root } from '../tools/tools.js';
import { median, range, table } from './table.js';

/** DevTools' own "Slow 4G". */
const slow4g = {
  offline: false,
  latency: 562.5,
  downloadThroughput: 180_000,
  uploadThroughput: 84_375,
};

const invoice = {
  invoice_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  order_code: 'PED-1042',
  external_id: '1042',
  status: 'pending',
  total_cents: 12_990,
  qr_code_pix: toPixCode({ totalCents: 12_990 }),
};

const element = '<script type="module" src="/pix-checkout.min.js"></script>';
const attributes = 'endpoint="/pix" external-id="1042" total-price-cents="12990" payer-fields=""';
const early = `<script>early = fetch('/pix/invoices', { method: 'POST' })</script>`;
/** Before the element's script runs: a form that gives way would make the page jump. */
const handOver = `<script>
  document.querySelector('pix-checkout').invoice = early.then((r) => r.json()).then(({ data }) => data);
</script>`;
const floor = '<script type="module" src="/floor.js"></script>';
const json = JSON.stringify(invoice).replaceAll('"', '&quot;');

/** Pages by name; each makes a QR appear. */
const pages: Readonly<Record<string, (styles: string, start: string) => string>> = {
  'floor: Lit + qrcode': () => `${floor}<pix-floor></pix-floor>`,
  'auto-start': () => `${element}<pix-checkout ${attributes} auto-start></pix-checkout>`,
  'auto-start, started by a file': () =>
    `<script async src="/pix-checkout-start.min.js"></script>${element}<pix-checkout ${attributes} auto-start></pix-checkout>`,
  'auto-start, started in the page': (_, start) =>
    `<script>${start}</script>${element}<pix-checkout ${attributes} auto-start></pix-checkout>`,
  'floor, early fetch': () => `${early}${floor}<pix-floor></pix-floor>`,
  'invoice given': () => `${early}${element}<pix-checkout ${attributes}></pix-checkout>${handOver}`,
  'drawn on the server': (styles) =>
    `<style>${styles}</style>${element}<pix-checkout ${attributes} invoice="${json}">${renderInvoice(invoice, { totalPriceCents: 12_990 })}</pix-checkout>`,
};

/** What one load was like; milliseconds, but for the shift. */
type Load = Awaited<ReturnType<typeof load>>;

declare global {
  interface Window {
    seen: { qrMs: number; tasks: number[]; shift: number };
  }
}

/** @returns lines of Markdown tables */
export async function measureBrowser(rounds: number): Promise<string[]> {
  const server = await serve();
  const browser = await launchChromium();
  try {
    const found = new Map<string, Load[]>(Object.keys(pages).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const [name, loads] of found) {
        loads.push(await loadThrottled(browser, `${server.url}/${encodeURIComponent(name)}`));
      }
    }
    const heads = ',QR visible (Slow 4G),script,longest task,blocking time,CLS'.split(',');
    const keys = ['qrMs', 'scriptMs', 'longestMs', 'blockedMs', 'shift'] as const;
    const rows = [...found].map(([name, loads]) => [
      name,
      ...keys.map((key) => {
        const values = loads.map((one) => one[key]);
        return range(values, key === 'shift' ? 3 : 0);
      }),
    ]);
    return table(heads, rows);
  } finally {
    await browser.close();
    server.close();
  }
}

/** What the start costs beside the floor, by name of the page. */
const startPages = [
  'floor: Lit + qrcode',
  'auto-start',
  'auto-start, started by a file',
  'auto-start, started in the page',
  'drawn on the server',
];

/** CPU time of the main thread as Chromium counts it, which a busy machine does not blur; seconds. */
const costs = {
  'all tasks': ['TaskDuration'],
  script: ['ScriptDuration'],
  'layout and style': ['LayoutDuration', 'RecalcStyleDuration'],
} as const;

/**
 * The start, each figure beside the floor's: CPU time of the main thread and nodes without throttles, then, every other round, long tasks
 * at a quarter of the speed and the QR on Slow 4G.
 *
 * @returns lines of two Markdown tables
 */
export async function measureStart(rounds: number): Promise<string[]> {
  const server = await serve();
  const browser = await launchChromium();
  const urlOf = (name: string) => `${server.url}/${encodeURIComponent(name)}`;
  try {
    const free: Rounds = new Map(startPages.map((name) => [name, []]));
    const throttled: Rounds = new Map(startPages.map((name) => [name, []]));
    // The first load also warms the browser.
    await start(browser, urlOf(startPages[0]!));
    for (let round = 0; round < rounds; round += 1) {
      for (const name of startPages) {
        free.get(name)!.push(await start(browser, urlOf(name)));
        if (round % 2 === 1) continue;
        const { longestMs, blockedMs, qrMs } = await loadThrottled(browser, urlOf(name));
        throttled.get(name)!.push({
          'longest task at 4x, ms': longestMs,
          'blocking at 4x, ms': blockedMs,
          'QR on Slow 4G, ms': qrMs,
        });
      }
    }
    return [...tableBesideFloor(free), '', ...tableBesideFloor(throttled)];
  } finally {
    await browser.close();
    server.close();
  }
}

/** What was measured, by name of the page. */
type Rounds = Map<string, Record<string, number>[]>;

function tableBesideFloor(found: Rounds): string[] {
  const keys = Object.keys(found.get(startPages[0]!)![0]!);
  const medians = [...found.values()].map((loads) =>
    keys.map((key) => median(loads.map((one) => one[key]!))),
  );
  const heads = ['page', ...keys.flatMap((key) => [key, '× floor'])];
  const rows = startPages.map((name, page) => [
    name,
    ...medians[page]!.flatMap((value, column) => [
      value.toFixed(0),
      (value / medians[0]![column]!).toFixed(2),
    ]),
  ]);
  return table(heads, rows);
}

async function start(browser: Browser, url: string): Promise<Record<string, number>> {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 800, height: 1_000 });
  await page.evaluateOnNewDocument('globalThis.__name = (value) => value');
  await page.evaluateOnNewDocument(watch);
  const cdp = await page.createCDPSession();
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => window.seen.qrMs > 0, { polling: 100 });
  await page.waitForFunction(isAtRest, { polling: 100 });
  const { metrics } = await cdp.send('Performance.getMetrics');
  // The nodes of the screen before are no longer there, though not yet collected.
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics: atRest } = await cdp.send('Performance.getMetrics');
  const read = (name: string, from = metrics) => from.find((one) => one.name === name)!.value;
  const cpuMs = Object.entries(costs).map(([what, names]): [string, number] => [
    `${what}, CPU ms`,
    names.reduce((sum, name) => sum + read(name) * 1_000, 0),
  ]);
  const { qrMs } = await page.evaluate(() => window.seen);
  const nodes = await page.evaluate(countNodes);
  await page.browserContext().close();
  const withTemplates = read('Nodes', atRest);
  return { ...Object.fromEntries(cpuMs), 'QR, ms': qrMs, nodes, 'with templates': withTemplates };
}

/** Runs in the page: nodes of the document and of the shadow root, texts and Lit's comments among them. */
function countNodes(): number {
  const host = document.querySelector('pix-checkout, pix-floor');
  let nodes = 0;
  for (const tree of [document, host?.shadowRoot]) {
    const walker = tree && document.createTreeWalker(tree);
    while (walker?.nextNode()) nodes += 1;
  }
  return nodes;
}

/** A load on a fast line, with the QR's time on a slow one. */
async function loadThrottled(browser: Browser, url: string): Promise<Load> {
  const fast = await load(browser, url, false);
  return { ...fast, qrMs: (await load(browser, url, true)).qrMs };
}

async function load(browser: Browser, url: string, isSlow: boolean) {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport({ width: 800, height: 1_000 });
  // The loader names functions by this; no page has it.
  await page.evaluateOnNewDocument('globalThis.__name = (value) => value');
  const cdp = await page.createCDPSession();
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await cdp.send('Performance.enable');
  if (isSlow) {
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', slow4g);
  }
  await page.evaluateOnNewDocument(watch);
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => window.seen.qrMs > 0, { polling: 100 });
  // The element has taken over, and what it does afterwards is over.
  await page.waitForFunction(isAtRest, { polling: 500 });
  const { metrics } = await cdp.send('Performance.getMetrics');
  const scriptS = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? Number.NaN;
  const { qrMs, tasks, shift } = await page.evaluate(() => window.seen);
  await page.browserContext().close();
  return {
    qrMs,
    shift,
    scriptMs: scriptS * 1_000,
    longestMs: Math.max(0, ...tasks),
    blockedMs: tasks.reduce((sum, ms) => sum + ms - 50, 0),
  };
}

/** Runs in the page: notes when a QR has been painted, long tasks and shifts. */
function watch(): void {
  window.seen = { qrMs: 0, tasks: [], shift: 0 };
  const { seen } = window;
  const observe = (type: string, note: (entry: PerformanceEntry & { value: number }) => void) => {
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) note(entry as PerformanceEntry & { value: number });
    }).observe({ type, buffered: true });
  };
  observe('longtask', ({ duration }) => seen.tasks.push(duration));
  observe('layout-shift', ({ value }) => (seen.shift += value));
  const look = () => {
    const host = document.querySelector('pix-checkout, pix-floor');
    // Of icons and of a QR on its way there are no such paths.
    const paths = (host?.shadowRoot ?? host)?.querySelectorAll('svg path') ?? [];
    const isThere = [...paths].some((path) => (path.getAttribute('d')?.length ?? 0) > 1_000);
    if (!isThere) return requestAnimationFrame(look);
    // This frame is painted when the next begins.
    return requestAnimationFrame(() => (seen.qrMs = performance.now()));
  };
  requestAnimationFrame(look);
}

function isAtRest(): boolean {
  const host = document.querySelector('pix-checkout');
  return host === null || host.phase === 'awaiting';
}

async function serve(): Promise<{ url: string; close: () => void }> {
  const files = new Map<string, Buffer>();
  for (const name of ['pix-checkout.min.js', 'pix-checkout-start.min.js']) {
    files.set(`/${name}`, brotliCompressSync(await readFile(`${root}/dist/${name}`)));
  }
  const { outputFiles } = await build({
    entryPoints: [`${root}/test/bench/parts/floor.ts`],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  files.set('/floor.js', brotliCompressSync(outputFiles[0]!.contents));
  const start = await readFile(`${root}/dist/pix-checkout-start.min.js`, 'utf8');
  const styles = await readFile(`${root}/dist/pix-checkout.css`, 'utf8');
  const server = createServer((incoming, outgoing) => {
    const path = decodeURIComponent(new URL(incoming.url ?? '/', 'http://localhost').pathname);
    const file = files.get(path);
    const page = pages[path.slice(1)];
    outgoing.setHeader('Cache-Control', 'no-store');
    if (file) {
      outgoing.setHeader('Content-Encoding', 'br').setHeader('Content-Type', 'text/javascript');
      outgoing.end(file);
    } else if (page) {
      outgoing.setHeader('Content-Encoding', 'br').setHeader('Content-Type', 'text/html');
      outgoing.end(brotliCompressSync(toPage(page(styles, start))));
    } else if (path.startsWith('/pix/invoices')) {
      outgoing.setHeader('Content-Type', 'application/json');
      outgoing.end(JSON.stringify({ data: toAnswer(incoming.method), message: '' }));
    } else outgoing.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}

function toAnswer(method = 'GET'): object {
  const moment = '2026-11-22T10:00:00-03:00';
  const rest = { is_pix: true, installments: 1, created_at: moment, updated_at: moment };
  return method === 'POST' ? invoice : { ...invoice, ...rest };
}

function toPage(body: string): string {
  return `<!doctype html><html lang="pt-BR"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Loja</title><link rel="icon" href="data:,">${body}</html>`;
}
