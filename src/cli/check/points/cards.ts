/** Cards: one charge for one attempt, and none behind a code, a failure or another card. */

import {
  barred,
  create,
  fieldsOfCreation,
  inGroup,
  lookUp,
  recover,
  refused,
  unauthorized,
  withKey,
} from './requests.js';
import type { Point } from '../point.js';

const card = { method: 'credit_card', card: { token: '{card_token}' } };
const noCards = { 400: 'the proxy takes no cards' };
/** Ours answers 403, so that the page says that it is not set up, not that its payer has mistyped. */
const refusedOrNotHere = { ...refused, status: [400, 403] } as const;
const noSecondPayment = { status: 409, code: ['in_progress', 'order_paid'] } as const;
const number = '0000000000000000';
const failing = { ...withKey(create, 'failed_key'), body: { ...card, expected_total_cents: 1 } };

export const cards: readonly Point[] = inGroup('cards', 'money', [
  {
    id: 'raw-card',
    severity: 'leak',
    name: 'A card number is refused',
    why: 'It brings your whole server into the scope of PCI DSS; a provider’s token does not',
    needs: ['takes_no_numbers'],
    request: { ...create, body: { method: 'credit_card', card: { number } } },
    expect: refusedOrNotHere,
  },
  {
    id: 'security-code',
    severity: 'leak',
    name: 'A security code beside a token is refused',
    why: 'It brings your whole server into the scope of PCI DSS, and may never be kept',
    needs: ['takes_no_numbers'],
    request: {
      ...create,
      body: { method: 'credit_card', card: { token: 'token-of-the-check', security_code: '000' } },
    },
    expect: refusedOrNotHere,
  },
  {
    id: 'card-never',
    name: 'A card is not charged with a key that was answered not_found',
    why: 'The payer was told that it did not leave, and pays by Pix',
    request: { ...withKey(create, 'barred_key'), body: card },
    expect: barred,
    without: noCards,
  },
  {
    id: 'card-price',
    name: 'A card is not charged another price than the page shows',
    why: 'The payer has agreed to that one',
    request: failing,
    expect: { status: 409, code: 'amount_mismatch' },
    without: noCards,
    keeps: 'failed_card',
  },
  {
    id: 'card-failed',
    name: 'After a failure the key is answered for good',
    why: 'The page goes on to Pix then, and must not wait for ever',
    needs: ['failed_card', 'barred_key'],
    request: withKey(recover, 'failed_key'),
    expect: { status: [402, 404, 409], code: ['not_found', 'payment_refused', 'amount_mismatch'] },
  },
  {
    id: 'card-failed-again',
    name: 'A card’s request that failed charges nothing when it comes again',
    why: 'The payer was told that it failed, and pays by Pix; browsers and service workers repeat requests',
    needs: ['failed_card', 'barred_key'],
    request: { ...withKey(create, 'failed_key'), body: card },
    expect: { status: [402, 409, 422], code: ['key_reused', 'payment_refused', 'amount_mismatch'] },
  },
  {
    id: 'card',
    severity: 'breaks',
    name: 'A card’s token is charged',
    why: 'The page waits for this answer',
    request: { ...withKey(create, 'card_key'), body: card },
    expect: { status: 200, data: { external_id: '{order}' }, only: fieldsOfCreation },
    without: {
      ...noCards,
      402: 'the card was refused: give one that is charged',
      outcome_unknown: 'the outcome of this card is unknown, and it may have been charged',
    },
    keeps: 'card_invoice',
  },
  {
    id: 'card-recover',
    name: 'What came of a card can be asked by its key',
    why: 'A page whose line broke would never hear of a charge, and the payer pays again',
    needs: ['open_card'],
    request: withKey(recover, 'card_key'),
    expect: {
      status: [200, 409, 502, 504],
      code: ['in_progress', 'order_paid', 'outcome_unknown'],
      data: { external_id: '{order}' },
    },
  },
  {
    id: 'card-look-up',
    severity: 'leak',
    name: 'A look-up of a card with the token of a Pix code is refused',
    why: 'A token is for one invoice',
    needs: ['lookup_token'],
    request: { ...lookUp, path: '/invoices/{card_invoice_id}' },
    expect: unauthorized,
  },
  {
    id: 'card-same-key',
    name: 'A repeated request charges no second time',
    why: 'A browser may itself repeat a request when a connection breaks',
    request: { ...withKey(create, 'card_key'), body: card },
    expect: { status: 200, data: { invoice_id: '{card_invoice_id}' } },
  },
  {
    id: 'card-other-key',
    name: 'No second charge while the first is pending, or has paid',
    why: 'A payer who reloads the page must not pay twice',
    needs: ['open_card'],
    request: { ...create, body: card },
    expect: noSecondPayment,
  },
  {
    id: 'card-then-pix',
    name: 'No Pix code while a charge is pending, or has paid',
    why: 'A payer who changes the method must not pay twice',
    needs: ['card_token', 'open_card'],
    request: create,
    expect: noSecondPayment,
  },
  {
    id: 'card-key-as-pix',
    name: 'The key of a charge makes no Pix code',
    why: 'A key belongs to one method: the page would show a code behind a charge, or a charge as a code',
    needs: ['card_token', 'open_card'],
    request: withKey(create, 'card_key'),
    expect: { status: [409, 422], code: ['key_reused', 'in_progress', 'order_paid'] },
  },
]);
