/** Starts the browser of an end-to-end file. Knows no page and no test. */
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
  });
}
