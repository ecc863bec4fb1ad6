/** Starts the Chromium that end-to-end tests steer. */
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumArgs, findChromium } from '../../tools/machine/browsers.js';

/** A busy machine may take long for one command of the debugger: a test has limits of its own. */
const protocolTimeout = 300_000;

/** Starts a Chromium, which ends with this process. */
export function launchChromium(): Promise<Browser> {
  const args = [...chromiumArgs];
  return puppeteer.launch({ executablePath: findChromium(), args, protocolTimeout });
}
