/**
 * Serves the payment page: `/pay` for links with a token, `/pay/{reference}` where orders are public, `/pay.css`. A GET
 * creates nothing, and knows nothing of the order but the reference in the path.
 */

import { externalIdPattern } from '../../../contract/types.js';
import type { Settings, PaymentPageSettings } from '../../set-up/options/read-options.js';
import { requireReading, type PlainResponse, type Target } from '../request.js';
import { payment as en } from '../../../checkout/locales/outside-element/en.js';
import { payment as es } from '../../../checkout/locales/outside-element/es.js';
import { payment as ptBr } from '../../../checkout/locales/outside-element/pt-br.js';
import type { PaymentWords } from '../../../checkout/locales/outside-element/pt-br.js';
import { ground, toPageTokens } from '../../../checkout/element/design-tokens.js';
import type { Locale } from '../../../checkout/locales/choose-messages.js';

/** Serves a path of the payment page. @returns null for another path. @throws ProxyError */
export type ServePaymentPage = (request: Omit<Target, 'query'>) => PlainResponse | null;

const styleHeaders = {
  'Content-Type': 'text/css; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'public, max-age=3600',
};

/** Creates the payment page. @returns null without the option `paymentPage` */
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

/** Forbids frames, search engines and caches, and allows only the scripts, styles and requests that the options name. */
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
    // `data:` is for the empty icon. Without an icon a browser would request one outside of publicUrl.
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

// The HTML of the payment page is the same for every order, except for the text without scripts, because the server sees a
// reference only in the path of a public order. The page's script (`checkout/pay`) shows one of these screens, or the element
// in their place.

const languages: Readonly<Record<Locale, PaymentWords>> = { 'pt-BR': ptBr, en, es };

interface PageParts {
  readonly page: PaymentPageSettings;
  /** The path of `publicUrl`, empty or without a trailing slash. */
  readonly basePath: string;
  readonly allowUnverifiedCodes: boolean;
}

const icons = {
  check: 'm5 13 4.5 4.5L19 7',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 2',
  alert: 'M12 3a9 9 0 1 0 .01 0M12 7.5v5.5M12 16.5v.01',
} as const;

/** A screen in place of the checkout. */
interface Screen {
  readonly title: string;
  readonly text: string;
  readonly icon: keyof typeof icons | null;
  readonly isDone?: boolean;
  /** The links or the button after the text. */
  readonly rest?: Markup;
}

/** The screens that the page's script chooses from. */
type ScreenName = 'link' | 'paid' | 'closed' | 'failed' | 'unreachable';

function toScreen({ page }: PageParts, name: ScreenName): Screen {
  const words = languages[page.locale];
  const contact = renderLink(page.supportUrl, words.contact);
  const rest = markup`${contact}${renderLink(page.returnUrl, words.back)}`;
  if (name === 'link') return { ...words.badLink, icon: 'clock', rest };
  if (name === 'paid') return { ...words.paid, icon: 'check', isDone: true, rest };
  if (name === 'closed') return { ...words.closed, icon: 'clock', rest };
  if (name === 'failed') return { ...words.failed, icon: 'alert', rest };
  const again = markup`<button type="button">${words.retry}</button>${contact}`;
  return { ...words.unreachable, icon: 'alert', rest: again };
}

/**
 * Renders a link to the shop. @returns null if the merchant names none. @param slot the element's slot, for a link inside the
 * element
 */
function renderLink(url: string | null, words: string, slot: Markup | null = null): Markup | null {
  return url === null ? null : markup`<a class="way"${slot} href="${url}">${words}</a>`;
}

/** Renders a screen. @param name hides the screen until the script shows it */
function renderScreen(
  { title, text, icon, isDone, rest }: Screen,
  name: ScreenName | null = null,
): Markup {
  const drawing =
    icon && markup`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${icons[icon]}"/></svg>`;
  return markup`<section class="card${isDone === true ? ' done' : ''}"${name && markup` data-screen="${name}" hidden`}>
    ${drawing}<h2>${title}</h2><p>${text}</p>${rest ?? null}
    </section>`;
}

/** Renders the payment page. @param reference of the order, if the path names it */
function renderPaymentPage(parts: PageParts, reference: string | null): string {
  const { page } = parts;
  const words = languages[page.locale];
  const names: readonly ScreenName[] = ['link', 'paid', 'closed', 'failed', 'unreachable'];
  const scripts = markup`<link rel="modulepreload" href="${page.assetsUrl}/pix-checkout.min.js">
    <script type="module" src="${page.assetsUrl}/pix-checkout-pay.min.js"></script>`;
  const content = markup`<template>${renderElement(parts)}</template>
    <div role="status">
    <section class="card opening" data-screen="opening"><p>${words.opening}</p><p class="slow">${words.slow}</p></section>
    ${names.map((name) => renderScreen(toScreen(parts, name), name))}
    </div>
    <noscript>${renderNoScripts(page, reference)}</noscript>`;
  return renderShell(parts, scripts, content);
}

/** Renders the text for a browser without scripts, which cannot pay: contact the shop, with the order's reference. */
function renderNoScripts(page: PaymentPageSettings, reference: string | null): Markup {
  const { contact, noScripts } = languages[page.locale];
  const { title, text, toContact } = noScripts;
  const link = renderLink(page.supportUrl, contact);
  const rest = markup`<p class="contact">${toContact(page.name, reference)}</p>${link}`;
  return renderScreen({ title, text, icon: 'alert', rest });
}

/** Renders the element without an order. The page's script adds the order's attributes. */
function renderElement({ page, basePath, allowUnverifiedCodes }: PageParts): Markup {
  const { methods, payerFields, locale, receiverName, supportUrl, returnUrl } = page;
  const { contact, back } = languages[locale];
  // `data-ended` is shown once the payment has failed or expired.
  const links = [
    renderLink(supportUrl, contact, markup` slot="support"`),
    renderLink(returnUrl, back, markup` slot="paid"`),
    renderLink(returnUrl, back, markup` slot="support" data-ended`),
  ].filter((link) => link !== null);
  return markup`<pix-checkout endpoint="${basePath || '/'}" methods="${methods.join(' ')}" payer-fields="${payerFields}" locale="${locale}"
    ${receiverName && markup` receiver-name="${receiverName}"`}
    ${methods.includes('credit_card') ? markup` accept-raw-card` : null}
    ${allowUnverifiedCodes ? markup` allow-unverified-code` : null}
    >${links}</pix-checkout>`;
}

/** Renders the document: head, the shop's name, and this content. */
function renderShell({ page, basePath }: PageParts, head: Markup, content: Markup): string {
  const { name, locale, logoUrl, stylesheetUrl } = page;
  const [initial = ''] = name.trim();
  const mark = logoUrl
    ? markup`<img src="${logoUrl}" alt="">`
    : markup`<span class="mark" aria-hidden="true">${initial.toUpperCase()}</span>`;
  return markup`<!doctype html>
    <html lang="${locale}">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <title>${name}</title>
    <meta name="robots" content="noindex, nofollow">
    <meta name="format-detection" content="telephone=no">
    <meta name="theme-color" content="${ground[0]}" media="(prefers-color-scheme: light)">
    <meta name="theme-color" content="${ground[1]}" media="(prefers-color-scheme: dark)">
    <meta property="og:title" content="${name}">
    <meta property="og:description" content="${languages[locale].preview}">
    <meta property="og:type" content="website">
    <link rel="icon" href="${logoUrl ?? 'data:,'}">
    <link rel="stylesheet" href="${basePath}/pay.css">
    ${stylesheetUrl && markup`<link rel="stylesheet" href="${stylesheetUrl}">`}
    ${head}
    </head>
    <body>
    <header class="shop">${mark}<h1>${name}</h1></header>
    <main>
    ${content}
    </main>
    </body>
    </html>`.html;
}

// HTML as text. Every value is escaped, except for markup.

/** Text that is HTML already. */
class Markup {
  constructor(readonly html: string) {}
}

type Value = Markup | string | readonly Markup[] | null;

/** Writes HTML, and nothing for null. A value may stand in contents or in a quoted attribute, and nowhere else. */
function markup(strings: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const parts = strings.map(
    (string, index) => string.replace(/\n\s*/g, '\n') + toHtml(values[index]),
  );
  return new Markup(parts.join(''));
}

function toHtml(value: Value | undefined): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Markup) return value.html;
  if (typeof value !== 'string') return value.map(({ html }) => html).join('');
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

// The styles around the element, with its tokens. They are a file, because the page's policy allows no inline style. The colour
// of text on the accent is computed here, for browsers that cannot do that.

/** Writes the style sheet. @param accent as `#rgb` or `#rrggbb`; null for the element's own */
function toPaymentStyles(accent: string | null): string {
  return accent === null ? styles : styles + toAccentRules(accent);
}

function toAccentRules(accent: string): string {
  const onAccent = toTextColor(accent);
  return `:root{--accent:${accent};--on-accent:${onAccent}}pix-checkout{--pix-color-accent:${accent};--pix-color-on-accent:${onAccent}}`;
}

/** Black or white, whichever has the higher contrast (WCAG 2.2, relative luminance). */
function toTextColor(accent: string): string {
  const digits = accent.length === 4 ? accent.replace(/[^#]/g, '$&$&') : accent;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000' : '#fff';
}

const styles = `${toPageTokens()}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-block-size:100vh;padding:max(16px,env(safe-area-inset-top)) max(12px,env(safe-area-inset-right)) max(32px,env(safe-area-inset-bottom)) max(12px,env(safe-area-inset-left));background:var(--ground);color:var(--text);font:400 var(--pix-font-size)/1.5 var(--pix-font);overflow-wrap:anywhere}
.shop{display:flex;align-items:center;justify-content:center;gap:12px;max-inline-size:var(--pix-max-width-wide);min-block-size:48px;margin:0 auto 16px}
.shop h1{margin:0;font-size:1.125rem;font-weight:600;line-height:1.25;text-wrap:balance}
.shop img,.mark{flex:none;inline-size:44px;block-size:44px;border-radius:var(--pix-radius)}
.shop img{inline-size:auto;max-inline-size:9em;object-fit:contain;background:#fff}
.mark{display:grid;place-content:center;background:var(--accent);color:var(--on-accent);font-size:1.25rem;font-weight:600}
.card{max-inline-size:var(--pix-max-width);margin:0 auto;padding:clamp(24px,6vw,40px) var(--pix-padding);border:1px solid var(--line);border-radius:calc(2*var(--pix-radius));background:var(--surface);box-shadow:var(--pix-shadow);text-align:center}
.card[hidden]{display:none}
.card h2{margin:0 0 8px;font-size:var(--title);line-height:1.25;letter-spacing:-.02em;text-wrap:balance}
.card p{margin:0;color:var(--muted);text-wrap:balance}
.card svg{display:block;inline-size:64px;block-size:64px;margin:0 auto 20px;padding:16px;border-radius:50%;background:var(--subtle);fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.card.done svg{background:var(--accent);color:var(--on-accent)}
.opening{display:grid;align-content:center;min-block-size:18em}
.opening p:first-child::before{content:"";display:block;inline-size:24px;block-size:24px;margin:0 auto 16px;border:2px solid var(--border);border-block-start-color:var(--accent);border-radius:50%;animation:turn 1s linear infinite}
.opening .slow{margin-block-start:16px;visibility:hidden;opacity:0;animation:late 1s 8s forwards}
@keyframes turn{to{transform:rotate(1turn)}}
@keyframes late{to{visibility:visible;opacity:1}}
@media(prefers-reduced-motion:reduce){.opening p:first-child::before{animation:none}}
button,.card .way{display:grid;place-content:center;inline-size:100%;min-block-size:var(--pix-control-height);margin-block-start:8px;padding:8px 16px;border:var(--pix-border-width) solid var(--border);border-radius:var(--pix-radius);font:inherit;font-weight:600;color:inherit;text-decoration:none;cursor:pointer}
.card p+:is(button,.way){margin-block-start:24px}
button,.card:not(.done) p+.way{min-block-size:calc(var(--pix-control-height) + 6px);border-color:transparent;background:var(--accent);color:var(--on-accent)}
:focus-visible{outline:var(--pix-focus-ring);outline-offset:2px}
.card .contact{margin-block-start:16px}
pix-checkout:not(:state(expired),:state(failed)) [data-ended]{display:none}
@media(scripting:none){.opening{display:none}}
@media(min-width:672px){body{padding-block-start:24px}.shop h1{font-size:1.25rem}}
`;
