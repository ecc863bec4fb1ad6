/** What went wrong, as the payer is told: what happened, whether money moved if that can be known, what to do. */

import { html, nothing } from 'lit';
import type { CheckoutError } from '../../machine/state.js';
import type { Model } from '../model.js';
import { alertIcon } from './icons.js';

/** Asking for a Pix code moves no money, whatever became of it. Of a card, or of a code shown before, nobody knows. */
const provablyFree: ReadonlySet<string> = new Set<CheckoutError['code']>([
  'invalid_request',
  'too_many_requests',
  'service_unavailable',
  'invalid_answer',
  'invalid_code',
  'code_amount_differs',
  'network',
]);

/** An error in the words of the phase it is told in; empty for what is not the payer's matter. */
export function errorText(model: Model, { code }: CheckoutError): string {
  const { state, method, texts, fields, card } = model;
  if (code === 'personal_data_leak') return '';
  const { errors, askShop, nothingCharged } = texts;
  // Who typed nothing has nothing to correct.
  if (code === 'invalid_request' && !fields.length && !card) return errors.configuration;
  switch (state.phase) {
    case 'form':
      return method === 'pix' && provablyFree.has(code)
        ? `${errors[code]} ${nothingCharged}`
        : errors[code];
    case 'confirming':
      // The heading says what an open outcome means, and that the order is paid. That it was closed says nothing of the
      // payment. Else one was reported that does not agree: whatever differs, the payer can do nothing about it.
      if (code === 'outcome_unknown' || code === 'order_paid') return '';
      return errors[code === 'order_closed' ? code : 'reference_mismatch'];
    case 'failed':
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
