/**
 * Serves the payment page: `/pay` for links with a token, `/pay/{reference}` where orders are public, `/pay.css`. A GET
 * creates nothing, and knows nothing of the order but the reference in its own path.
 */

import { externalIdPattern } from '../../../contract/types.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { requireReading } from '../request.js';
import type { PlainResponse, Target } from '../request.js';
import { renderPaymentPage } from './page-html.js';
import type { PageParts } from './page-html.js';
import { toPaymentStyles } from './payment-styles.js';

/** @returns null for a path that is not the page's. @throws ProxyError */
export type ServePaymentPage = (request: Omit<Target, 'query'>) => PlainResponse | null;

const styleHeaders = {
  'Content-Type': 'text/css; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'public, max-age=3600',
};

/** @returns null without `paymentPage` */
export function createPaymentPage(settings: Settings): ServePaymentPage | null {
  const { paymentPage: page, publicUrl, requireOrderToken, allowUnverifiedCodes } = settings;
  if (page === null) return null;
  const basePath = new URL(publicUrl).pathname.replace(/\/$/, '');
  const parts: PageParts = { page, basePath, allowUnverifiedCodes };
  const styles = toPaymentStyles(page.accent);
  const byToken = renderPaymentPage(parts, null);
  const headers = toPageHeaders(settings);

  return ({ method, path }) => {
    if (path === '/pay.css') return serveText(method, styles, styleHeaders);
    if (path === '/pay') return serveText(method, byToken, headers);
    const reference = requireOrderToken ? null : readReference(path);
    if (reference === null) return null;
    return serveText(method, renderPaymentPage(parts, reference), headers);
  };
}

function serveText(method: string, body: string, headers: PlainResponse['headers']): PlainResponse {
  requireReading(method);
  return { status: 200, headers, body };
}

function readReference(path: string): string | null {
  const reference = path.startsWith('/pay/') ? path.slice('/pay/'.length) : '';
  return externalIdPattern.test(reference) ? reference : null;
}

/** Never framed, never indexed, never kept; no script, style or request but what the options name. */
function toPageHeaders({ paymentPage, publicUrl }: Settings): Record<string, string> {
  const { assetsUrl, logoUrl, stylesheetUrl } = paymentPage!;
  const from = (...urls: readonly (string | null)[]) => {
    const origins = urls.map((url) => (url === null ? null : new URL(url, publicUrl).origin));
    const others = origins.filter((one) => one !== null && one !== new URL(publicUrl).origin);
    return ["'self'", ...new Set(others)].join(' ');
  };
  const policy = [
    "default-src 'none'",
    `script-src ${from(assetsUrl)}`,
    `style-src ${from(assetsUrl, stylesheetUrl)}`,
    // The empty icon: a browser would ask for one outside of publicUrl.
    `img-src ${from(logoUrl)} data:`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ];
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'X-Robots-Tag': 'noindex, nofollow',
  };
}
