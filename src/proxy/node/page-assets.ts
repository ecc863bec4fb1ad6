/**
 * Serves the files of the payment page from the package's own dist/: a closed list of names, each read and compressed once.
 * They keep their names, because the element finds its other files beside its own; so their `ETag` says what changed.
 */

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';

const types: Readonly<Record<string, string>> = {
  'pix-checkout.min.js': 'text/javascript',
  'pix-checkout-card.min.js': 'text/javascript',
  'pix-checkout-en.min.js': 'text/javascript',
  'pix-checkout-es.min.js': 'text/javascript',
  'pix-checkout-pay.min.js': 'text/javascript',
  'pix-checkout.css': 'text/css',
};

/** A file's name, without what the element adds to it for a further try (`card-file.script-tag.ts`). */
const nameForm = /^(.*?)(?:\?again=\d{1,9})?$/s;

/** A file in each coding that it is sent in. */
interface Asset {
  readonly etag: string;
  readonly bytes: Readonly<Record<'br' | 'gzip' | 'identity', Buffer>>;
}

/** @returns whether the request was for such a file, and is answered */
export type ServeAsset = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<boolean>;

/** @param path of the folder as browsers see it; null: nothing is served */
export function createPageAssets(path: string | null, read = readAsset): ServeAsset | null {
  if (path === null) return null;
  const assets = new Map<string, Promise<Asset>>();
  return async ({ method, url = '', headers }, outgoing) => {
    if (!url.startsWith(`${path}/`)) return false;
    const name = nameForm.exec(url.slice(path.length + 1))?.[1] ?? '';
    const type = Object.hasOwn(types, name) ? types[name] : undefined;
    if (type === undefined || (method !== 'GET' && method !== 'HEAD')) return false;
    const asset = assets.get(name) ?? read(name);
    assets.set(name, asset);
    // What could not be read once, such as with too many open files, is read again.
    asset.catch(() => assets.delete(name));
    const { etag, bytes } = await asset;
    const isKnown = headers['if-none-match']?.includes(etag) === true;
    const coding = chooseCoding(headers['accept-encoding'] ?? '');
    const body = bytes[coding];
    outgoing.writeHead(isKnown ? 304 : 200, {
      'Content-Type': `${type}; charset=utf-8`,
      'Cache-Control': 'public, max-age=3600, stale-while-revalidate=86400',
      'X-Content-Type-Options': 'nosniff',
      Vary: 'Accept-Encoding',
      ETag: etag,
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
      ...(isKnown ? {} : { 'Content-Length': body.length }),
    });
    outgoing.end(isKnown || method === 'HEAD' ? undefined : body);
    return true;
  };
}

/** Found as a merchant's own program finds the package: wherever this code was bundled to. */
async function readAsset(name: string): Promise<Asset> {
  const root = import.meta.resolve('pix-checkout/package.json');
  const identity = await readFile(new URL(`dist/${name}`, root));
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity),
  ]);
  const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 22);
  // Weak: one tag for all codings (RFC 9110 section 8.8.3).
  return { etag: `W/"${hash}"`, bytes: { br, gzip: zipped, identity } };
}

/** A weight of zero refuses (RFC 9110 section 12.4.2); other weights do not matter between these. */
function chooseCoding(accepted: string): keyof Asset['bytes'] {
  const codings = accepted.toLowerCase().split(',');
  const takes = (name: string) =>
    codings.some((one) => one.split(';', 1)[0]?.trim() === name && !/;\s*q=0(\.0*)?\s*$/.test(one));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : 'identity';
}
