/**
 * Serves the payment page: `/pay` for links with a token, `/pay/{reference}` where orders are public, `/pay.css`. A GET
 * creates nothing, and knows nothing of the order.
 */

import { en } from '../../checkout/locales/en.js';
import { es } from '../../checkout/locales/es.js';
import { ptBr } from '../../checkout/locales/pt-br.js';
import { externalIdPattern } from '../../contract/types.js';
import { BodyError, readText } from '../../service/call.js';
import type { Settings } from '../config/read-options.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { answerForm, renderForm, renderNoScripts } from './by-form.js';
import type { AdmitCreation, FormParts } from './by-form.js';
import { renderPaymentPage, renderStillPage } from './page-html.js';
import { toPaymentStyles } from './payment-styles.js';

/** A request below `publicUrl`. */
interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Pick<Headers, 'get'>;
  readonly toRequest: () => Request;
}

interface PageResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** @returns null for a path that is not the page's. @throws ProxyError */
export type ServePaymentPage = (
  request: PageRequest,
  admitCreation: AdmitCreation,
) => Promise<PageResponse | null>;

const languages = { 'pt-BR': ptBr, en, es };

/** Largest form, bytes. */
const maxFormBytes = 16 * 1024;

const hour = 'public, max-age=3600';

/** @returns null without `paymentPage` */
export function createPaymentPage(
  settings: Settings,
  operations: Pick<FormParts, 'create' | 'lookUp' | 'toProxyError'>,
): ServePaymentPage | null {
  const { paymentPage: page, publicUrl, requireOrderToken } = settings;
  const { allowUnverifiedCodes, randomUuid, now } = settings;
  if (page === null) return null;
  const texts = languages[page.locale];
  const basePath = new URL(publicUrl).pathname.replace(/\/$/, '');
  const own = { page, basePath, texts, retry: texts.retry, allowUnverifiedCodes };
  const parts: FormParts = { ...own, ...operations, randomUuid, now };
  const styles = toPaymentStyles(page.accent);
  const byToken = renderPaymentPage(parts, renderNoScripts(page));
  // A form pays by Pix.
  const hasForm = page.methods.includes('pix');
  const byReference = hasForm ? renderPaymentPage(parts, renderForm(parts)) : byToken;
  const allow = hasForm ? 'GET, HEAD, POST' : 'GET, HEAD';
  const headers = toPageHeaders(settings);

  return async (request, admitCreation) => {
    const { method, path } = request;
    if (path === '/pay.css') return serveText(method, styles, toStyleHeaders());
    if (path === '/pay') return serveText(method, byToken, headers);
    const reference = requireOrderToken ? null : readReference(path);
    if (reference === null) return null;
    if (method !== 'POST' || !hasForm) return serveText(method, byReference, headers, allow);
    refuseOtherSites(request.headers, publicUrl);
    const whole = request.toRequest();
    const form = await readForm(whole);
    const answer = await answerForm(parts, { reference, form, request: whole, admitCreation });
    return { status: answer.status, headers, body: renderStillPage(parts, answer.content) };
  };
}

function serveText(
  method: string,
  text: string,
  headers: PageResponse['headers'],
  allow = 'GET, HEAD',
): PageResponse {
  if (method !== 'GET' && method !== 'HEAD') {
    throw new ProxyError('invalid_request', { status: 405, field: 'method', allow });
  }
  return { status: 200, headers, body: method === 'HEAD' ? null : text };
}

function readReference(path: string): string | null {
  const reference = path.startsWith('/pay/') ? path.slice('/pay/'.length) : '';
  return externalIdPattern.test(reference) ? reference : null;
}

/**
 * Forms of other sites create nothing. A page that sends no referrer posts with the origin `null`, so the browser's word for
 * the relation counts (Fetch Metadata).
 * @throws ProxyError 403
 */
function refuseOtherSites(headers: PageRequest['headers'], publicUrl: string): void {
  const site = headers.get('sec-fetch-site') ?? 'none';
  const origin = headers.get('origin') ?? 'null';
  const isOwn = origin === 'null' || origin === new URL(publicUrl).origin;
  if (isOwn && (site === 'same-origin' || site === 'none')) return;
  throw new ProxyError('invalid_request', { status: 403, field: 'Origin' });
}

/** @throws ProxyError 415, 413 or 400 */
async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new ProxyError('invalid_request', { status: 415, field: 'Content-Type' });
  }
  try {
    return new URLSearchParams(await readText(request.body?.getReader(), maxFormBytes));
  } catch (thrown) {
    const isTooLarge = thrown instanceof BodyError && thrown.problem === 'too_large';
    throw new ProxyError('invalid_request', { status: isTooLarge ? 413 : 400, field: 'body' });
  }
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
    "form-action 'self'",
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

function toStyleHeaders(): Record<string, string> {
  const type = { 'Content-Type': 'text/css; charset=utf-8', 'X-Content-Type-Options': 'nosniff' };
  return { ...type, 'Cache-Control': hour };
}
