/** An error as the payer reads it: what happened, that no money moved if this is provable, and what to do. */

import { html, nothing } from 'lit';
import { alertPath, cardPath } from '../../card/card-file-contract.js';
import { formatDeadline, formatMoney, splitFirstSentence } from '../../locales/choose-messages.js';
import type { CheckoutError } from '../../machine/state.js';
import type { Model } from '../model.js';

// The drawings, which are our own: one stroke on a 24-unit square, in the colour of the text beside them, hidden from screen
// readers. There are no brand marks.

/** Renders a drawing. The styles define its stroke. */
function icon(path: string) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}

export const copyIcon = icon('M9 9h12v12H9zM5 15H3V3h12v2');
export const checkIcon = icon('m5 12.5 4.5 4.5L19 7.5');
export const clockIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7v5l3 2');
export const alertIcon = icon(alertPath);
export const cardIcon = icon(cardPath);
export const qrIcon = icon('M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3M20 20h-3');

/** Shows that work is in progress. */
export const ring = html`<i class="ring"></i>`;

/** Errors after which no money can have moved, if the request asked for a Pix code and none was shown before. */
const provablyFree: readonly CheckoutError['code'][] = [
  'invalid_request',
  'too_many_requests',
  'service_unavailable',
  'invalid_answer',
  'invalid_code',
  'code_amount_differs',
  'network',
];

/** Errors that pass by themselves, so that the text says when to try again. */
const passing: readonly CheckoutError['code'][] = [
  'in_progress',
  'too_many_requests',
  'service_unavailable',
  'invalid_answer',
];

/** Errors after which the typed security code stays, because the card was not sent or not read. */
const keepsCode = /^(tokenization_failed|too_many_requests)$/;

/** Says when to try again, to the minute. */
function whenText({ texts, epochMs, locale }: Model, { retryAtMs }: CheckoutError): string {
  if (!retryAtMs) return texts.retrySoon;
  const at = new Date(Math.ceil((epochMs + retryAtMs) / 60_000) * 60_000);
  return texts.retryAt(formatDeadline(at, 0, locale));
}

/** Errors after which the order cannot be paid here, so that the text names the shop. */
const endsHere = /^(invalid_code|code_amount_differs|payment_refused)$/;

/** Whether the form has forgotten the security code, as it does with each card that it sends. */
export function isCodeGone(error: CheckoutError | null): boolean {
  return error !== null && !keepsCode.test(error.code);
}

/** The text of an error in this phase; empty if the heading tells it. */
export function errorText(model: Model, error: CheckoutError): string {
  const { state, method, texts, fields, card } = model;
  const { code } = error;
  const { errors, askShop, nothingCharged } = texts;
  // A payer who typed nothing has nothing to correct.
  if (code === 'invalid_request' && !fields.length && !card) return errors.configuration;
  const what = passing.includes(code) ? `${errors[code]} ${whenText(model, error)}` : errors[code];
  switch (state.phase) {
    case 'form':
    case 'creating':
      return [
        what,
        method === 'pix' && provablyFree.includes(code) && nothingCharged,
        card?.content && code === 'payment_refused' && texts.otherCard,
      ]
        .filter(Boolean)
        .join(' ');
    case 'confirming':
      // The heading tells all other errors. These two say nothing about the payment.
      return code === 'order_closed' || code === 'unauthorized' ? errors[code] : '';
    case 'failed':
      if (state.totalCents) return texts.newTotal(formatMoney(state.totalCents));
      return endsHere.test(code) ? `${errors[code]} ${askShop}` : errors[code];
    default:
      return what;
  }
}

/**
 * The label of the button that pays by Pix instead of a card; empty if there is no such button. It names the price only if
 * the card's button names another, so that the two buttons differ at a glance.
 */
export function wayOutText(
  { texts, offers, card, totalCents }: Model,
  error: CheckoutError | null,
): string {
  const pix = offers.find(({ method }) => method === 'pix');
  if (!pix || !card || error?.code === 'in_progress') return '';
  const differs = pix.cents !== null && pix.cents !== totalCents;
  return texts.payWithPix(differs ? formatMoney(pix.cents) : '');
}

/** The page's own help, for a payer who may be stuck. */
export function renderSupport() {
  return html`<slot name="support"></slot>`;
}

/** Renders the box of an error, or nothing without one. @param way the button that helps */
export function renderError(model: Model, error: CheckoutError | null, way: unknown = nothing) {
  return renderTrouble(error && errorText(model, error), way);
}

/** Renders the box of anything that failed: what happened, what to do, and the button that helps. */
export function renderTrouble(text: string | null, way: unknown = nothing) {
  if (!text) return nothing;
  const [first, rest] = splitFirstSentence(text);
  return html`<div class="error" part="error">
    ${alertIcon}
    <p><b>${first}</b></p>
    ${rest ? html`<p>${rest}</p>` : nothing}${way}
  </div>`;
}
