/**
 * Browsers for the files of a run, each started once and lent to one file after another: files that run at the same time
 * share neither a clipboard nor the debugger's line.
 */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import puppeteer, { type Browser } from 'puppeteer-core';
import { chromiumArgs, findChromium } from '../../support/machine/browsers.js';

/** The environment variable that names the port of the lender. */
export const lenderVariable = 'TEST_BROWSERS_PORT';

/** A busy machine may take long for one command of the debugger: a test has limits of its own. */
export const protocolTimeout = 300_000;

/** Starts a Chromium. */
export function launchChromium(): Promise<Browser> {
  const args = [...chromiumArgs];
  return puppeteer.launch({ executablePath: findChromium(), args, protocolTimeout });
}

/** Lends a browser for as long as a connection is open, and writes its address there. @returns closes all of them */
export async function lendBrowsers(): Promise<() => Promise<void>> {
  const started: Promise<Browser>[] = [];
  const idle: Promise<Browser>[] = [];
  const server = createServer((socket) => {
    const browser = idle.pop() ?? launchChromium();
    if (!started.includes(browser)) started.push(browser);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // One that crashed is of no use to the next file.
      browser.then(
        (one) => isRunning(one) && idle.push(browser),
        () => undefined,
      );
    });
    browser.then(
      (one) => {
        socket.write(one.wsEndpoint());
        // The file steers it alone: another listener to its pages would only slow them down.
        return one.disconnect();
      },
      (error: unknown) => {
        console.log(error);
        socket.resetAndDestroy();
      },
    );
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  process.env[lenderVariable] = String((server.address() as AddressInfo).port);
  return async () => {
    delete process.env[lenderVariable];
    server.close();
    for (const browser of await Promise.allSettled(started)) {
      if (browser.status === 'fulfilled') await stop(browser.value);
    }
  };
}

async function stop(browser: Browser): Promise<void> {
  if (!isRunning(browser)) return;
  const process = browser.process()!;
  const ended = once(process, 'exit');
  process.kill('SIGTERM');
  await ended;
}

function isRunning(browser: Browser): boolean {
  const process = browser.process();
  return process?.exitCode === null && process.signalCode === null;
}
