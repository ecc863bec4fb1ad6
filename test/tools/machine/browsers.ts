/**
 * Where the browsers of the tests are, and how they come onto a machine that has none.
 *
 * Owns the search order (a variable, the machine, Debian's package as root); knows nothing of how a browser is driven.
 */
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installDebianPackages } from './debian-packages.js';

/** The three programs that drive and show WebKitGTK. */
export interface WebKit {
  readonly driver: string;
  readonly browser: string;
  /** An X server that needs no screen: MiniBrowser does not start without one. */
  readonly display: string;
}

/** Flags for Chromium: it runs as root in containers, without a GPU and without calls of its own. */
export const chromiumArgs: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Path of a Chrome or Chromium: `CHROME_PATH`, else the machine's, else Debian's package installed as root.
 * @throws with one line that says what to install, if there is none
 */
export function findChromium(): string {
  const found = findOrInstall(locateChromium, ['chromium']);
  if (found === null) {
    throw new Error(
      'No browser found: install Chrome or Chromium, or set CHROME_PATH to its path.',
    );
  }
  return found;
}

/** Path of a Firefox: `FIREFOX_PATH`, else the machine's, else Debian's package installed as root; null: none. */
export const findFirefox = (): string | null => findOrInstall(locateFirefox, ['firefox-esr']);

/** WebKitGTK of the machine, else Debian's packages installed as root; null: none. */
export function findWebKit(): WebKit | null {
  return findOrInstall(locateWebKit, ['webkit2gtk-driver', 'xvfb']);
}

function findOrInstall<T>(locate: () => T | null, packages: readonly string[]): T | null {
  return locate() ?? (installDebianPackages(packages) ? locate() : null);
}

function locateChromium(): string | null {
  return (
    fromEnvironment('CHROME_PATH') ??
    firstOnPath(['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser']) ??
    firstExisting([
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '/Applications/Chromium.app/Contents/MacOS/Chromium',
      ...windowsPrograms('Google\\Chrome\\Application\\chrome.exe'),
    ])
  );
}

function locateFirefox(): string | null {
  return (
    fromEnvironment('FIREFOX_PATH') ??
    firstOnPath(['firefox', 'firefox-esr']) ??
    firstExisting([
      '/Applications/Firefox.app/Contents/MacOS/firefox',
      ...windowsPrograms('Mozilla Firefox\\firefox.exe'),
    ])
  );
}

function locateWebKit(): WebKit | null {
  const driver = firstOnPath(['WebKitWebDriver']);
  const display = firstOnPath(['Xvfb']);
  const browser = firstExisting(
    libraryFolders().flatMap((folder) =>
      ['webkitgtk-6.0', 'webkit2gtk-4.1', 'webkit2gtk-4.0'].map((version) =>
        join(folder, version, 'MiniBrowser'),
      ),
    ),
  );
  return driver !== null && display !== null && browser !== null
    ? { driver, browser, display }
    : null;
}

/** /usr/lib, /usr/libexec and Debian's folder for this architecture. */
function libraryFolders(): string[] {
  if (process.platform !== 'linux') return [];
  const perArchitecture = readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'));
  return ['/usr/libexec', '/usr/lib', ...perArchitecture.map((name) => join('/usr/lib', name))];
}

/** An empty variable counts as none. */
function fromEnvironment(name: string): string | null {
  return process.env[name] || null;
}

function windowsPrograms(path: string): string[] {
  return ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap((name) => {
    const folder = process.env[name];
    return folder === undefined ? [] : [join(folder, path)];
  });
}

/** The first of these programs that PATH knows; null: none. */
export function firstOnPath(names: readonly string[]): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return firstExisting(names.flatMap((name) => folders.map((folder) => join(folder, name))));
}

function firstExisting(paths: readonly string[]): string | null {
  return paths.find(isExecutable) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
