/** Which browser engines component tests run in, as launchers for the test runner. */
import { chromeLauncher, type BrowserLauncher } from '@web/test-runner';
import * as puppeteer from 'puppeteer-core';
import { chromiumArgs, findChromium, findFirefox, findWebKit } from '../machine/browsers.js';
import { webKitLauncher } from './wtr-webkit.js';

/** Engines in the order they are reported. */
const engines = ['chromium', 'firefox', 'webkit'] as const;

/**
 * Launchers for the engines named in `TEST_ENGINES`; default: all with `CI=true`, else Chromium alone.
 *
 * @throws if one of them is not on this machine
 */
export function engineLaunchers(): BrowserLauncher[] {
  const named = process.env['TEST_ENGINES']?.split(/\s+/).filter((name) => name !== '');
  const chosen = named ?? (process.env['CI'] === 'true' ? engines : ['chromium']);
  return chosen.map((engine) => {
    const launcher = launcherOf(engine);
    if (launcher !== null) return launcher;
    throw new Error(`${engine} is not on this machine and cannot be installed`);
  });
}

function launcherOf(engine: string): BrowserLauncher | null {
  switch (engine) {
    case 'chromium':
      return puppeteerLauncher('chrome', findChromium());
    case 'firefox': {
      const path = findFirefox();
      return path === null ? null : puppeteerLauncher('firefox', path);
    }
    case 'webkit': {
      const webKit = findWebKit();
      return webKit === null ? null : webKitLauncher(webKit);
    }
    default:
      throw new Error(`TEST_ENGINES names ${engine}; known are ${engines.join(', ')}`);
  }
}

function puppeteerLauncher(browser: 'chrome' | 'firefox', executablePath: string): BrowserLauncher {
  const args = browser === 'chrome' ? [...chromiumArgs] : [];
  return chromeLauncher({ puppeteer, launchOptions: { browser, executablePath, args } });
}
