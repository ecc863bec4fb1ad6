/**
 * Renders an open Pix code on the server, as the element will: with the same machine, model and views, written as text. The
 * payer sees the QR before any script arrives, and can pay with scripts off.
 */

import { html, nothing } from 'lit';
import { InvalidAnswer, parseInvoiceData } from '../../contract/readers.js';
import type { CreatedInvoice } from '../../contract/types.js';
import { toModel, untouched } from '../element/screen.js';
import type { Locale } from '../locales/choose-messages.js';
import { drawn as drawnEn } from '../locales/outside-element/en.js';
import { drawn as drawnEs } from '../locales/outside-element/es.js';
import { drawn as drawnPtBr } from '../locales/outside-element/pt-br.js';
import type { DrawnWords } from '../locales/outside-element/pt-br.js';
import { en } from '../locales/en.js';
import { es } from '../locales/es.js';
import { clockAloneSeconds } from '../locales/choose-messages.js';
import type { Messages } from '../locales/pt-br.js';
import { ptBr } from '../locales/pt-br.js';
import { emptyForm } from '../machine/state.js';
import type { PixCode, State } from '../machine/state.js';
import { transition } from '../machine/transition.js';
import { readOrder, silentPage } from '../page/order.js';
import type { Item, Line, Order } from '../page/order.js';
import type { Model } from '../views/model.js';
import { renderQr } from '../views/qr/qr.js';
import { qrName, renderCode, renderReceiver } from '../views/screens/awaiting.js';
import { renderLayout, renderStatus } from '../views/screens/layout.js';
import { toText } from './template-text.js';

/**
 * Options of {@link renderInvoice}. Give the element the same values under its own attributes, or its picture will differ.
 */
export interface RenderOptions {
  /** Default `pt-BR`. */
  readonly locale?: Locale;
  /** The receiver whom the payer will see in the bank app. */
  readonly receiverName?: string;
  /** The full price, integer cents. If paying by Pix is cheaper, the discount is shown. */
  readonly totalPriceCents?: number;
  /** The price by Pix, if it differs, integer cents. */
  readonly pixTotalPriceCents?: number;
  readonly items?: readonly Item[];
  readonly lines?: readonly Line[];
  /** Renders placeholder codes of a service's test environment. The screen is marked as a test. */
  readonly allowUnverifiedCode?: boolean;
  /** Wall clock, milliseconds since 1970; default `Date.now`. */
  readonly now?: () => number;
}

const languages: Readonly<Record<Locale, Messages>> = { 'pt-BR': ptBr, en, es };
const drawn: Readonly<Record<Locale, DrawnWords>> = {
  'pt-BR': drawnPtBr,
  en: drawnEn,
  es: drawnEs,
};

/** The values of a page that takes Pix alone, whose proxy is not asked. */
const pixPage = { ...silentPage, endpoint: '/', methods: 'pix', method: 'pix', payerFields: '' };

/**
 * Writes the children of `<pix-checkout>` for an invoice: amount, order, steps, the whole code, its QR, and a link that
 * reloads the page. Every value is escaped; there is no script and no inline style. The looks are in
 * `pix-checkout/pix-checkout.css`.
 *
 * @param data `data` of a create answer, as `proxy.createInvoice` returns it
 * @returns an empty text where the element has something else to say: the invoice is paid, the code must not be shown
 * @throws TypeError naming the option, or the field of `data`, that is wrong
 */
export function renderInvoice(data: CreatedInvoice, options: RenderOptions = {}): string {
  const { locale = 'pt-BR', now = Date.now } = options;
  const texts = Object.hasOwn(languages, locale) ? languages[locale] : null;
  if (!texts) throw new TypeError(`locale must be ${Object.keys(languages).join(', ')}`);
  const order = toOrder(options);
  const state = toState(parseData(data), order);
  if (state.phase !== 'awaiting') return '';
  // The server does not know the width, so the styles choose the layout.
  const page = { ...untouched, state, order, texts, locale };
  const model = toModel({ ...page, wallClock: new Date(now()) });
  // The deadline has passed, and only the element can look up once more.
  if (model.secondsLeft === 0) return '';
  return toText(renderPage(model, state.watch.invoices[0].code));
}

function toOrder(options: RenderOptions): Order {
  return readOrder({ ...pixPage, ...options }, 'https://shop.example', (text) => {
    throw new TypeError(text);
  });
}

function parseData(data: unknown): CreatedInvoice {
  try {
    return parseInvoiceData(data);
  } catch (cause) {
    const detail = cause instanceof InvalidAnswer ? cause.message : 'cannot be read';
    throw new TypeError(`data: ${detail}`, { cause });
  }
}

/** Makes the state in which the element begins with this invoice. */
function toState(invoice: CreatedInvoice, { terms }: Order): State {
  const given = { nowMs: 0, random: 0, terms };
  const { state } = transition(emptyForm, { type: 'promised' }, given);
  return transition(state, { type: 'given', invoice }, given).state;
}

/** Renders the code's screen without what needs a script: copying, the countdown, looking up. */
function renderPage(model: Model, code: PixCode | null) {
  const { texts, locale, test } = model;
  const own = drawn[locale];
  return html`<section class="checkout awaiting" lang=${locale} aria-labelledby="title">
    ${test ? html`<p class="test">${texts.test}</p>` : nothing}
    ${renderLayout(model, {
      button: html`<label class="primary" for="code">${own.show}</label>`,
      status: renderStatus(own.waiting),
      time: renderDeadline(model),
      receiver: code && renderReceiver(model, code),
      code: code && renderCode(model, code),
      qr: code && renderQr(code.text, qrName(model, code)),
      widthUnknown: true,
      exit: html`<a class="secondary" href="">${texts.alreadyPaid}</a>`,
    })}
  </section>`;
}

/**
 * Renders the deadline as a time of day, on paper with the date, because a countdown would stand still. It is the time of
 * Brasília, which the text names.
 */
function renderDeadline({ texts, locale, deadlineAt, secondsLeft }: Model) {
  if (!deadlineAt || secondsLeft === null) return nothing;
  const day = { day: '2-digit', month: locale === 'en' ? 'short' : '2-digit' } as const;
  const brasilia = { timeZone: 'America/Sao_Paulo', hour: '2-digit', minute: '2-digit' } as const;
  const until = (more: object) =>
    texts.payUntil(`${deadlineAt.toLocaleString(locale, { ...more, ...brasilia })} (Brasília)`);
  const shown = until(secondsLeft > clockAloneSeconds ? day : {});
  return html`<p class="deadline">${shown}</p>
    <p class="paper">${until(day)}</p>`;
}
