/**
 * The payment page as text: the same for every order but for what a page without scripts says, because the server sees an
 * order only in the path of a public one. Its script (`checkout/pay`) shows one of the screens, or puts the element in their
 * place.
 */

import { payment as en } from '../../../checkout/locales/beside/en.js';
import { payment as es } from '../../../checkout/locales/beside/es.js';
import { payment as ptBr } from '../../../checkout/locales/beside/pt-br.js';
import type { PaymentWords } from '../../../checkout/locales/beside/words.js';
import type { Locale } from '../../../checkout/locales/choose-messages.js';
import type { PaymentPageSettings } from '../../set-up/options/payment-page-option.js';
import { markup } from './markup.js';
import type { Markup } from './markup.js';

const languages: Readonly<Record<Locale, PaymentWords>> = { 'pt-BR': ptBr, en, es };

/** What the pages are made with. */
export interface PageParts {
  readonly page: PaymentPageSettings;
  /** Path of `publicUrl`, empty or without a trailing slash. */
  readonly basePath: string;
  /** Options of the proxy that the element must know. */
  readonly allowUnverifiedCodes: boolean;
}

const icons = {
  check: 'm5 13 4.5 4.5L19 7',
  clock: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 2',
  alert: 'M12 3a9 9 0 1 0 .01 0M12 7.5v5.5M12 16.5v.01',
} as const;

/** A screen instead of the checkout. */
interface Screen {
  readonly title: string;
  readonly text: string;
  readonly icon: keyof typeof icons | null;
  readonly isDone?: boolean;
  /** After the text. */
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

/** A way to the shop; null: the merchant names none. @param slot of the element, if it stands there */
function renderLink(url: string | null, words: string, slot: Markup | null = null): Markup | null {
  return url === null ? null : markup`<a class="way"${slot} href="${url}">${words}</a>`;
}

/** @param name of the screen: it is hidden then, until the script shows it */
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

/** @param reference the order's, where the path names it */
export function renderPaymentPage(parts: PageParts, reference: string | null): string {
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

/** Nothing can be paid without scripts, so it says what to do, and what to name to the shop. */
function renderNoScripts(page: PaymentPageSettings, reference: string | null): Markup {
  const { contact, noScripts } = languages[page.locale];
  const { title, text, toContact } = noScripts;
  const link = renderLink(page.supportUrl, contact);
  const rest = markup`<p class="contact">${toContact(page.name, reference)}</p>${link}`;
  return renderScreen({ title, text, icon: 'alert', rest });
}

/** The element as every order has it; the script adds what is the order's own. */
function renderElement({ page, basePath, allowUnverifiedCodes }: PageParts): Markup {
  const { methods, payerFields, locale, receiverName, supportUrl, returnUrl } = page;
  const { contact, back } = languages[locale];
  // `data-ended`: shown once nothing goes on there.
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
    <meta name="theme-color" content="#f2f6f5" media="(prefers-color-scheme: light)">
    <meta name="theme-color" content="#0a1110" media="(prefers-color-scheme: dark)">
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
