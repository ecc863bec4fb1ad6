/** Gives an end-to-end file its browser. */
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumArgs, findChromium } from '../../support/browsers.js';

/**
 * One Chromium per file; close it in `after`. A test takes a `browser.createBrowserContext()` of its own where storage
 * matters.
 */
export function launchChromium(): Promise<Browser> {
  return puppeteer.launch({
    executablePath: findChromium(),
    headless: true,
    args: [...chromiumArgs],
    // A busy machine may take long for one command of the debugger: a test has limits of its own.
    protocolTimeout: 300_000,
  });
}
