/**
 * Runs component tests in WebKitGTK: an X server without a screen, the WebDriver beside it, and one window of
 * MiniBrowser that visits each test page in turn.
 *
 * Owns both processes from start to end; speaks plain WebDriver over HTTP (W3C WebDriver level 1). Knows nothing of
 * where the programs come from (browsers.ts).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { BrowserLauncher } from '@web/test-runner';
import { findPort } from '../../support/proxy/node-servers.js';
import type { WebKit } from '../machine/browsers.js';

/** How long the driver may take until it answers, milliseconds. */
const startTimeoutMs = 180_000;

/** Named keys of the test commands, as WebDriver writes them (W3C WebDriver section 17.4.2). */
const namedKeys: Readonly<Record<string, string>> = {
  Backspace: '\uE003',
  Tab: '\uE004',
  Enter: '\uE007',
  Shift: '\uE008',
  Control: '\uE009',
  Escape: '\uE00C',
  Space: ' ',
  PageUp: '\uE00E',
  PageDown: '\uE00F',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Delete: '\uE017',
};

/** Sends one WebDriver command of the open session and gives its `value`. */
type Command = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<unknown>;

/** A launcher for the test runner. `sendKeys` is what its commands call on launchers of this type. */
export function webKitLauncher(
  webKit: WebKit,
): BrowserLauncher & { sendKeys(sessionId: string, keys: readonly string[]): Promise<void> } {
  const processes: ChildProcess[] = [];
  let opening: Promise<Command> | undefined;
  let active: string | undefined;
  const endProcesses = () => processes.splice(0).forEach((child) => child.kill());
  const window = () => (opening ??= openWindow(webKit, processes));

  return {
    name: 'WebKit',
    type: 'webdriver',
    concurrency: 1,
    initialize() {
      process.on('exit', endProcesses);
    },
    async startSession(sessionId, url) {
      const command = await window();
      active = sessionId;
      await command('POST', '/url', { url });
    },
    isActive: (sessionId) => sessionId === active,
    async getBrowserUrl() {
      return (await (
        await window()
      )('GET', '/url')) as string;
    },
    async stopSession() {
      await (
        await window()
      )('POST', '/url', { url: 'about:blank' });
      active = undefined;
      return {};
    },
    async stop() {
      await opening?.then((command) => command('DELETE', '')).catch(() => undefined);
      endProcesses();
    },
    startDebugSession: () => Promise.reject(new Error('WebKit cannot be debugged from here')),
    async sendKeys(_sessionId, keys) {
      await (
        await window()
      )('POST', '/actions', { actions: [typing(keys)] });
    },
  };
}

function typing(keys: readonly string[]): object {
  const actions = keys
    .map((key) => namedKeys[key] ?? key)
    .flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
  return { type: 'key', id: 'keyboard', actions };
}

async function openWindow(webKit: WebKit, processes: ChildProcess[]): Promise<Command> {
  const xServer = spawn(
    webKit.display,
    ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  processes.push(xServer);
  const display = `:${await firstLine(xServer.stdio[3] as Readable)}`;

  // The driver cannot tell which one it chose by itself.
  const port = await findPort();
  const driver = spawn(webKit.driver, [`--port=${port}`], {
    stdio: 'ignore',
    // No graphics card is there to lay layers over each other, and doing it in software takes a third of the time.
    env: { ...process.env, DISPLAY: display, WEBKIT_DISABLE_COMPOSITING_MODE: '1' },
  });
  processes.push(driver);
  return openSession(`http://127.0.0.1:${port}`, webKit.browser);
}

async function openSession(driverUrl: string, binary: string): Promise<Command> {
  await untilReady(`${driverUrl}/status`);
  const capabilities = {
    alwaysMatch: {
      browserName: 'MiniBrowser',
      // A page whose test module cannot be loaded never finishes loading here; the runner has its own time-outs.
      pageLoadStrategy: 'none',
      'webkitgtk:browserOptions': { binary, args: ['--automation'] },
    },
  };
  const opened = await send('POST', `${driverUrl}/session`, { capabilities });
  const { sessionId } = opened as { sessionId: string };
  return (method, path, body) => send(method, `${driverUrl}/session/${sessionId}${path}`, body);
}

async function send(method: string, url: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    method,
    ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
  });
  const { value } = (await response.json()) as { value: unknown };
  if (!response.ok) throw new Error(`WebDriver: ${JSON.stringify(value)}`);
  return value;
}

async function untilReady(statusUrl: string): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs;
  for (;;) {
    try {
      await send('GET', statusUrl);
      return;
    } catch (error) {
      if (Date.now() > giveUpAt) throw error;
      await delay(50);
    }
  }
}

/** Reads to the end of the line: the X server writes it in two pieces, and dies if the second is not taken. */
async function firstLine(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += String(chunk);
    if (text.includes('\n')) return text.trim();
  }
  throw new Error('The X server did not start');
}
