/** A card's way through the machine: its events by short names, and a sample of each step it can stand at. */

import type { CreatedInvoice, InvoiceStatus, Method } from '../../../../src/contract/types.js';
import type { CheckoutEvent } from '../../../../src/checkout/machine/state.js';
import {
  attempted,
  checkout,
  createdEvent,
  createFailed,
  lookedUp,
  lookUpFailed,
  ticked,
} from '../samples.js';
import type { Play } from '../samples.js';
import { awaiting } from '../states.js';

export const cardKey = '00000000-0000-4000-8000-0000000000ca';
export const cardId = 'invoice-card';
/** Three instalments with interest: not what Pix costs. */
export const cardCents = 13_500;

export const cardSubmitted = {
  type: 'submitted',
  method: 'credit_card',
  attemptKey: cardKey,
} as const satisfies CheckoutEvent;
export const cardReady: CheckoutEvent = { type: 'card_prepared', ready: true };
export const cardFailed: CheckoutEvent = { type: 'card_prepared', ready: false };
export const chosen = (method: Method): CheckoutEvent => ({ type: 'method_chosen', method });
export const resumed: CheckoutEvent = {
  ...attempted,
  attemptKey: cardKey,
  method: 'credit_card',
  totalCents: cardCents,
};
export const soughtCard = {
  ...attempted,
  method: 'credit_card',
  attemptKey: cardKey,
  totalCents: cardCents,
  invoiceId: cardId,
  lookupToken: 'token-card',
} as const satisfies CheckoutEvent;

const card = { invoice_id: cardId, qr_code_pix: '', total_cents: cardCents };

/** The proxy's answer to the charge, or to the question about it. */
export const charged = (changes: Partial<CreatedInvoice> = {}): CheckoutEvent =>
  createdEvent({ ...card, lookup_token: 'token-card', ...changes });

/** A look-up of the card's invoice. */
export const cardLookedUp = (changes: Partial<InvoiceStatus> = {}): CheckoutEvent =>
  lookedUp({ ...card, is_pix: false, ...changes }, cardId);

/** The proxy says of the card's invoice that it was refused. */
export const lookUpRefused = lookUpFailed('payment_refused', {}, cardId);

/** Failures that a proxy without this route, a gateway or a log-in page may answer with: they say nothing of the attempt. */
export const untold = [
  'network',
  'invalid_answer',
  'service_unavailable',
  'too_many_requests',
  'not_found',
  'invalid_request',
  'payment_refused',
  'unauthorized',
] as const;

/** The card form, and nothing else of this order. */
export const cardForm = (): Play => checkout({ cardCents });

/** The card form, a Pix code followed behind it. */
export function behindPix(play = awaiting()): Play {
  play.play(chosen('credit_card'));
  play.terms = { ...play.terms, cardCents };
  return play;
}

/** The card is made ready, the code of before looked up: each step of a charge by its name. */
export const charging = {
  tokenizing: () => cardForm().play(cardSubmitted),
  tokenizingBehindPix: () => behindPix().play(cardSubmitted),
  checking: () => behindPix().play(cardSubmitted, cardReady),
  sending: () => cardForm().play(cardSubmitted, cardReady),
  sendingBehindPix: () => behindPix().play(cardSubmitted, cardReady, lookedUp()),
} as const;

/** The outcome is not known, and the proxy is being asked for it. */
export const inquiries = {
  inquiry: () => charging.sending().play(createFailed('network'), ticked),
  inquiryBehindPix: () => charging.sendingBehindPix().play(createFailed('network'), ticked),
} as const;

/** The service has the card and has not decided. */
export const pending = {
  cardPending: () => charging.sending().play(charged()),
  cardPendingBehindPix: () => charging.sendingBehindPix().play(charged()),
} as const;

/** Every step by name. */
export const cardSamples = {
  cardForm: () => behindPix(),
  ...charging,
  ...inquiries,
  ...pending,
} as const;
