/** Gives tests their browser contexts: one browser serves all tests of a file, and storage is a context's own. */
import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import { after, type TestContext } from 'node:test';
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core';
import { launchChromium, lenderVariable, protocolTimeout } from './browsers.js';

let line: Socket | undefined;
let browser: Promise<Browser> | undefined;

after(async () => {
  const opened = await browser;
  if (line === undefined) await opened?.close();
  else await opened?.disconnect();
  line?.destroy();
});

/** A new context, with storage and permissions of its own, that is closed with the test. */
export async function openContext(t: TestContext): Promise<BrowserContext> {
  const context = await useContext();
  t.after(() => context.close());
  return context;
}

/** A new context for several tests of a file. */
export async function useContext(): Promise<BrowserContext> {
  browser ??= openBrowser();
  return (await browser).createBrowserContext();
}

/** The one that the run lends to this file, else one of its own. */
async function openBrowser(): Promise<Browser> {
  const port = process.env[lenderVariable];
  if (port === undefined) return launchChromium();
  line = dial(Number(port), '127.0.0.1');
  const [address] = (await once(line, 'data')) as [Buffer];
  const lent = await puppeteer.connect({ browserWSEndpoint: address.toString(), protocolTimeout });
  // What a file left open that broke off.
  const left = lent.browserContexts().filter((one) => one !== lent.defaultBrowserContext());
  await Promise.all(left.map((context) => context.close()));
  return lent;
}
