/**
 * Gives tests their browser contexts: storage is a context's own. One browser serves the files that a process runs one
 * after another; files that run at the same time share neither a clipboard nor the debugger's line.
 */
import type { TestContext } from 'vitest';
import type { Browser, BrowserContext } from 'puppeteer-core';
import { launchChromium } from './browsers.js';

let browser: Promise<Browser> | undefined;

/** A new context, with storage and permissions of its own, that is closed with the test. */
export async function openContext(t: TestContext): Promise<BrowserContext> {
  const context = await useContext();
  t.onTestFinished(() => context.close());
  return context;
}

/** A new context for several tests of a file. */
export async function useContext(): Promise<BrowserContext> {
  browser ??= openBrowser();
  return (await browser).createBrowserContext();
}

async function openBrowser(): Promise<Browser> {
  const opened = await launchChromium();
  // A browser that crashed is of no use to the next test.
  opened.once('disconnected', () => (browser = undefined));
  return opened;
}
