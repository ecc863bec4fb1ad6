/**
 * Serves the files of this package below `/assets/`: the element's script, and the files that it loads later. Browsers keep a
 * file with a hash in its name for a year, and revalidate the others each time.
 */

import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError } from '../set-up/proxy-error.js';
import { toOriginError } from './cors.js';
import { requireReading } from './request.js';
import type { LazyRequest, PlainResponse } from './request.js';

/** Such as `pix-checkout-card.1f3a9c0b.min.js`. */
const hashedName = /\.[\w-]{8}\.min\.js$/;

export function createAssets({ allowedOrigins, warn }: Pick<Settings, 'allowedOrigins' | 'warn'>) {
  const files = createPackageFiles();

  /** @throws ProxyError `not_found`, or 405 */
  return async function serveAsset(
    name: string,
    { method, headers }: LazyRequest,
  ): Promise<PlainResponse> {
    const list = await files.list();
    if (!list) warn({ level: 'warn', event: 'assets_missing' });
    const hash = list?.get(name);
    if (hash === undefined) throw new ProxyError('not_found');
    requireReading(method);
    // Weak: one tag for all codings (RFC 9110 section 8.8.3).
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
        // Module scripts of another origin are fetched with CORS.
        ...(isAllowed && { 'Access-Control-Allow-Origin': origin }),
        ...(coding && { 'Content-Encoding': coding }),
      },
      body: isKnown || method === 'HEAD' ? null : await files.read(name, coding),
    };
  };
}

/** A weight of zero refuses (RFC 9110 section 12.4.2); other weights do not matter between these. */
function chooseCoding(accepted: string): Coding | null {
  const codings = accepted.toLowerCase().split(',');
  const takes = (name: Coding) =>
    codings.some((one) => one.split(';', 1)[0]?.trim() === name && !/;\s*q=0(\.0*)?\s*$/.test(one));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}

// Reads the browser's files out of this package's own dist/, where there is a file system. Node's modules are asked for
// when they are needed, and never imported: a worker's bundle of the proxy holds none of this.

/** A coding that the build has prepared. */
export type Coding = 'br' | 'gzip';

const codingSuffixes = { br: '.br', gzip: '.gz' } as const;

interface Found {
  readonly folder: URL;
  readonly hashes: ReadonlyMap<string, string>;
}

/** Reads each file of the package once. */
function createPackageFiles() {
  let found: Promise<Found | null> | null = null;
  const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  async function find(): Promise<Found | null> {
    const result = await (found ??= findFiles());
    if (!result) found = null;
    return result;
  }

  return {
    /** Name and hash of each file; null: there is no dist/ to read, and a later call looks again. */
    list: async () => (await find())?.hashes ?? null,

    /** @param name in the list. Rejected: it could not be read, such as with too many open files; a later call reads it again. */
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

async function findFiles(): Promise<Found | null> {
  for (const toFolder of folders) {
    try {
      const folder = toFolder();
      const text = new TextDecoder().decode(await readBytes(new URL('integrity.json', folder)));
      return { folder, hashes: new Map(Object.entries(JSON.parse(text) as object)) };
    } catch {
      // Look in the next folder.
    }
  }
  return null;
}

/**
 * Where dist/ may be: as a program finds an installed package, around this very module, in dist/ or in a folder of it,
 * and where a bundled program is started, such as Next's.
 */
const folders: readonly (() => URL)[] = [
  () => new URL('dist/', import.meta.resolve('pix-checkout/package.json')),
  ...['./', '../'].map((path) => () => new URL(path, import.meta.url)),
  () => new URL('dist/', findManifestFrom(process.cwd())),
];

/** @returns the package's manifest, as a program in this folder finds it */
function findManifestFrom(folder: string): URL {
  const { createRequire } = process.getBuiltinModule('node:module');
  const path = createRequire(`${folder}/`).resolve('pix-checkout/package.json');
  return process.getBuiltinModule('node:url').pathToFileURL(path);
}

async function readBytes(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile } = process.getBuiltinModule('node:fs').promises;
  return new Uint8Array(await readFile(url));
}
