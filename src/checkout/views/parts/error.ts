/** An error as the payer reads it: what happened, that no money moved where this is provable, what to do. */

import { html, nothing } from 'lit';
import { formatDeadline, formatMoney } from '../../locales/choose-messages.js';
import type { CheckoutError } from '../../machine/state.js';
import type { Model } from '../model.js';

// The drawings, our own: one pen on a 24-unit square, in the colour of the text beside them, hidden from screen readers. No brand marks.

/** The pen is in the styles. */
function icon(path: string) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}

export const copyIcon = icon('M9 9h12v12H9zM5 15H3V3h12v2');
export const checkIcon = icon('m5 12.5 4.5 4.5L19 7.5');
export const clockIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7v5l3 2');
export const alertIcon = icon('M12 3a9 9 0 1 0 .01 0M12 7.5v5M12 16.5v.01');
export const cardIcon = icon('M3 5h18v14H3zM3 10h18M7 15h3');
export const qrIcon = icon('M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3M20 20h-3');

/** Something is on its way. */
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

/** Errors that pass by themselves. */
const passing: readonly CheckoutError['code'][] = [
  'in_progress',
  'too_many_requests',
  'service_unavailable',
  'invalid_answer',
];

/** After these errors the typed security code stays: the card was not sent, or not read. */
const keepsCode = /^(tokenization_failed|too_many_requests)$/;

/** When to try again, to the minute. */
function whenText({ texts, epochMs, locale }: Model, { retryAtMs }: CheckoutError): string {
  if (!retryAtMs) return texts.retrySoon;
  const at = new Date(Math.ceil((epochMs + retryAtMs) / 60_000) * 60_000);
  return texts.retryAt(formatDeadline(at, 0, locale));
}

/** Errors after which the order cannot be paid here: the text names the shop. */
const endsHere = /^(invalid_code|code_amount_differs|payment_refused)$/;

/** The text of an error in this phase; empty for an error that concerns only the merchant. */
export function errorText(model: Model, error: CheckoutError): string {
  const { state, method, texts, fields, card } = model;
  const { code } = error;
  if (code === 'personal_data_leak' || code === 'card_unavailable') return '';
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
        // The form forgets the security code with each card that it sends.
        card?.content && !card.slotted && !keepsCode.test(code) && texts.codeAgain,
      ]
        .filter(Boolean)
        .join(' ');
    case 'confirming':
      // The heading tells all others. These two say nothing about the payment.
      return code === 'order_closed' || code === 'unauthorized' ? errors[code] : '';
    case 'failed':
      if (state.totalCents) return texts.newTotal(formatMoney(state.totalCents));
      return endsHere.test(code) ? `${errors[code]} ${askShop}` : errors[code];
    default:
      return what;
  }
}

/** The label of the button that pays by Pix instead of a card; empty: there is no such button. */
export function wayOutText({ texts, offers, card }: Model, error: CheckoutError | null): string {
  const pix = offers.find(({ method }) => method === 'pix');
  return pix && card && error?.code !== 'in_progress'
    ? texts.payWithPix(pix.cents === null ? '' : formatMoney(pix.cents))
    : '';
}

/** The page's own help, for a payer who may be stuck. */
export function renderSupport() {
  return html`<slot name="support"></slot>`;
}

/** The box of an error; nothing without one. @param way the button that helps */
export function renderError(model: Model, error: CheckoutError | null, way: unknown = nothing) {
  return renderTrouble(error && errorText(model, error), way);
}

/** The box of anything that failed. The button stands under the first sentence, to be seen above a phone's keyboard. */
export function renderTrouble(text: string | null, way: unknown = nothing) {
  if (!text) return nothing;
  const end = (way !== nothing && text.indexOf('. ') + 1) || text.length;
  return html`<div class="error" part="error">
    ${alertIcon}
    <p>${text.slice(0, end)}</p>
    ${way}${text[end] ? html`<p>${text.slice(end)}</p>` : nothing}
  </div>`;
}
