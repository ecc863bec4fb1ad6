/** An error as the payer reads it: what happened, that no money moved where this is provable, what to do. */

import { html, nothing } from 'lit';
import { formatMoney } from '../../locales/format.js';
import type { CheckoutError } from '../../machine/state.js';
import type { Model } from '../model.js';
import { alertIcon } from './icons.js';

/** Errors after which no money can have moved, if the request asked for a Pix code and none was shown before. */
const provablyFree: ReadonlySet<string> = new Set<CheckoutError['code']>([
  'invalid_request',
  'too_many_requests',
  'service_unavailable',
  'invalid_answer',
  'invalid_code',
  'code_amount_differs',
  'network',
]);

/** The text of an error in this phase; empty for an error that concerns only the merchant. */
export function errorText(model: Model, { code }: CheckoutError): string {
  const { state, method, texts, fields, card } = model;
  if (code === 'personal_data_leak') return '';
  const { errors, askShop, nothingCharged } = texts;
  // A payer who typed nothing has nothing to correct.
  if (code === 'invalid_request' && !fields.length && !card) return errors.configuration;
  switch (state.phase) {
    case 'form':
      return method === 'pix' && provablyFree.has(code)
        ? `${errors[code]} ${nothingCharged}`
        : errors[code];
    case 'confirming':
      // The heading says all other. A closed order says nothing of the payment.
      return code === 'order_closed' ? errors[code] : '';
    case 'failed':
      if (state.totalCents) return texts.newTotal(formatMoney(state.totalCents));
      return code === 'invalid_code' || code === 'code_amount_differs'
        ? `${errors[code]} ${askShop}`
        : errors[code];
    default:
      return errors[code];
  }
}

/** Nothing, when there is no error to tell. */
export function renderError(model: Model, error: CheckoutError | null) {
  const text = error && errorText(model, error);
  return text ? html`<p class="error" part="error">${alertIcon}<span>${text}</span></p>` : nothing;
}
