/**
 * Serves what a page loads of this package below `/assets/`: the element's script and the files it asks for later. Files
 * whose name holds their content's hash are kept for ever; those that a page names itself are asked for each time.
 */

import type { Settings } from '../../set-up/options/read-options.js';
import { ProxyError } from '../../set-up/proxy-error.js';
import { createPackageFiles } from './package-files.js';
import type { Coding } from './package-files.js';
import { refusedOrigin, requireReading } from '../request.js';
import type { LazyRequest, PlainResponse, Target } from '../request.js';

const folder = '/assets/';

/** As `pix-checkout-card.1f3a9c0b.min.js`. */
const hashedName = /\.[\w-]{8}\.min\.js$/;

export function createAssets({ allowedOrigins, warn }: Pick<Settings, 'allowedOrigins' | 'warn'>) {
  const files = createPackageFiles();

  /** @returns null for a path that is none of its files. @throws ProxyError 405 */
  return ({ method, path }: Target, headers: LazyRequest['headers']) =>
    path.startsWith(folder) ? serve(method, path.slice(folder.length), headers) : null;

  async function serve(
    method: string,
    name: string,
    headers: LazyRequest['headers'],
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
    if (origin !== null && !isAllowed) warn(refusedOrigin(origin, allowedOrigins).entry);
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
  }
}

/** A weight of zero refuses (RFC 9110 section 12.4.2); other weights do not matter between these. */
function chooseCoding(accepted: string): Coding | null {
  const codings = accepted.toLowerCase().split(',');
  const takes = (name: Coding) =>
    codings.some((one) => one.split(';', 1)[0]?.trim() === name && !/;\s*q=0(\.0*)?\s*$/.test(one));
  return takes('br') ? 'br' : takes('gzip') ? 'gzip' : null;
}
