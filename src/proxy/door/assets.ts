/**
 * Serves the files of this package below `/assets/`: the element's script, and the files that it loads later. Browsers keep a
 * file with a hash in its name for a year, and revalidate the others each time.
 */

import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError } from '../set-up/proxy-error.js';
import { toOriginError } from './cors.js';
import { requireReading, type LazyRequest, type PlainResponse } from './request.js';

/** Matches names such as `pix-checkout-card.1f3a9c0b.min.js`. */
const hashedName = /\.[\w-]{8}\.min\.js$/;

export function createAssets({ allowedOrigins, warn }: Pick<Settings, 'allowedOrigins' | 'warn'>) {
  const files = createPackageFiles();

  /** Serves a file of the package. @throws ProxyError `not_found`, or 405 */
  return async function serveAsset(
    name: string,
    { method, headers }: LazyRequest,
  ): Promise<PlainResponse> {
    const list = await files.list();
    if (!list) warn({ level: 'warn', event: 'assets_missing' });
    const hash = list?.get(name);
    if (hash === undefined) throw new ProxyError('not_found');
    requireReading(method);
    // The tag is weak, because all codings of a file share it (RFC 9110 section 8.8.3).
    const etag = `W/"${hash}"`;
    const isKnown = headers.get('if-none-match')?.includes(etag) === true;
    const coding = chooseCoding(headers.get('accept-encoding') ?? '');
    const origin = headers.get('origin');
    const isAllowed = origin !== null && allowedOrigins.has(origin);
    if (origin !== null && !isAllowed) warn(toOriginError(origin, allowedOrigins).entry);
    return {
      status: isKnown ? 304 : 200,
      headers: {
        'Content-Type': `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`,
        'Cache-Control': hashedName.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
        'X-Content-Type-Options': 'nosniff',
        Vary: 'Accept-Encoding, Origin',
        ETag: etag,
        // Browsers fetch module scripts of another origin with CORS.
        ...(isAllowed && { 'Access-Control-Allow-Origin': origin }),
        ...(coding && { 'Content-Encoding': coding }),
      },
      body: isKnown || method === 'HEAD' ? null : await files.read(name, coding),
    };
  };
}

/**
 * Chooses Brotli if the browser accepts it, or else gzip. A weight of zero refuses a coding (RFC 9110 section 12.4.2); other
 * weights are ignored.
 */
function chooseCoding(accepted: string): Coding | null {
  const codings = accepted.toLowerCase().split(',');
  const takes = (name: Coding) =>
    codings.some((one) => one.split(';', 1)[0]?.trim() === name && !/;\s*q=0(\.0*)?\s*$/.test(one));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}

// Reads the browser's files from this package's own dist/, where there is a file system. Node's modules are loaded only when
// they are needed, so that a worker's bundle of the proxy contains none of this.

/** A coding that the build has prepared. */
export type Coding = 'br' | 'gzip';

const codingSuffixes = { br: '.br', gzip: '.gz' } as const;

interface Found {
  readonly folder: URL;
  readonly hashes: ReadonlyMap<string, string>;
}

/** Creates the reader of the package's files, which reads each file once. */
function createPackageFiles() {
  let found: Promise<Found | null> | null = null;
  const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  async function find(): Promise<Found | null> {
    const result = await (found ??= findFiles());
    if (!result) found = null;
    return result;
  }

  return {
    /** The name and hash of each file; null if there is no dist/ to read. A later call looks again. */
    list: async () => (await find())?.hashes ?? null,

    /**
     * Reads a file.
     * @param name one of the list
     * @returns a promise that rejects if the file cannot be read, for example with too many open files; a later call reads it
     * again
     */
    async read(name: string, coding: Coding | null) {
      const { folder } = (await find())!;
      const path = coding ? name + codingSuffixes[coding] : name;
      const content = contents.get(path) ?? readBytes(new URL(path, folder));
      contents.set(path, content);
      content.catch(() => contents.delete(path));
      return content;
    },
  };
}

/** Finds the first folder that has the build's list of files, `integrity.json`. */
async function findFiles(): Promise<Found | null> {
  for (const toFolder of folders) {
    try {
      const folder = toFolder();
      const text = new TextDecoder().decode(await readBytes(new URL('integrity.json', folder)));
      return { folder, hashes: new Map(Object.entries(JSON.parse(text) as object)) };
    } catch {
      // This folder has no such file, so the next one is tried.
    }
  }
  return null;
}

/**
 * The folders where dist/ may be: in the installed package, around this module (which may be in dist/ or in a folder of it),
 * and, for a bundled program such as Next's, in the package that is installed where the program started.
 */
const folders: readonly (() => URL)[] = [
  () => new URL('dist/', import.meta.resolve('pix-checkout/package.json')),
  ...['./', '../'].map((path) => () => new URL(path, import.meta.url)),
  () => new URL('dist/', findManifestFrom(process.cwd())),
];

/** Finds this package's manifest, as a program in this folder would find it. */
function findManifestFrom(folder: string): URL {
  const { createRequire } = process.getBuiltinModule('node:module');
  const path = createRequire(`${folder}/`).resolve('pix-checkout/package.json');
  return process.getBuiltinModule('node:url').pathToFileURL(path);
}

async function readBytes(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile } = process.getBuiltinModule('node:fs').promises;
  return new Uint8Array(await readFile(url));
}
