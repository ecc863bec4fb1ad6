/** Cards: one charge for each attempt, and none beside a code, a failure or another card. */

import { toAsk, create, toCreation, toPoints, ofOrder, recover, addKey } from './requests.js';
import type { Ask, Expectation } from '../point.js';

const card = { method: 'credit_card', card: { token: '{card_token}' } };
const noCards = { 400: 'the proxy takes no cards' };
const toCharge = (key: string, expect: Expectation, more: Partial<Ask> = {}) =>
  toAsk({ ...addKey(create, key), body: card }, expect, more);
const afterFailure = ['failed_card', 'barred_key'];
const noSecondPayment = { codes: ['in_progress', 'order_paid', 'key_reused'] } as const;
const lock = 'Lock the order over the charge, and keep it barred until the outcome is known';

export const cards = toPoints('cards', 'money', {
  'raw-card': {
    severity: 'leak',
    name: 'A card’s number or security code is refused',
    why: 'It brings your whole server into the scope of PCI DSS; a provider’s token does not',
    change: 'Answer 400 to card.number and card.security_code before anything reads or logs them',
    asks: [
      { ...card, card: { number: '0000000000000000' } },
      { ...card, card: { token: 'token-of-the-check', security_code: '000' } },
    ].map((body) => toCreation(body, {}, { needs: ['takes_no_numbers', 'invoice_id'] })),
  },
  'card-barred': {
    name: 'A card is not charged with a key that was answered not_found',
    why: 'The payer was told that it did not leave, and pays by Pix',
    change: 'Look for the bar in the transaction that claims the charge',
    ask: toCharge('barred_key', { codes: ['key_reused'], without: noCards }),
  },
  'card-price': {
    name: 'A card is not charged another price than the page shows',
    why: 'The payer has agreed to that one',
    change:
      'Compare expected_total_cents for cards, too; if it differs, answer 409 amount_mismatch',
    asks: [
      toCharge(
        'failed_key',
        { codes: ['amount_mismatch'], without: noCards },
        { body: { ...card, expected_total_cents: 1 }, keeps: 'failed_card' },
      ),
    ],
  },
  'card-failed': {
    severity: 'breaks',
    name: 'After a failure the key is answered for good',
    why: 'The page goes on to Pix then, and must not wait for ever',
    change: 'Free the order when a charge has failed, and bar its key',
    ask: toAsk(
      addKey(recover, 'failed_key'),
      { never: ['in_progress', 'outcome_unknown'] },
      { needs: afterFailure },
    ),
  },
  'card-failed-again': {
    name: 'A card’s request that failed charges nothing when it comes again',
    why: 'The payer was told that it failed, and pays by Pix; browsers and service workers repeat requests',
    change: 'Bind the key by the failure, or bar it when it is asked for',
    ask: toCharge('failed_key', {}, { needs: afterFailure }),
  },
  card: {
    unless: ['card-barred', 'card-price', 'card-failed-again', 'raw-card'],
    severity: 'breaks',
    name: 'A card’s token is charged',
    why: 'The page waits for this answer',
    change: 'Answer a charge like a code: with the order’s reference and the invoice’s id',
    ask: toCharge(
      'card_key',
      {
        ...ofOrder,
        without: {
          ...noCards,
          402: 'the card was refused: give one that is charged',
          outcome_unknown: 'the outcome of this card is unknown, and it may have been charged',
        },
      },
      { keeps: 'card_invoice' },
    ),
  },
  'card-recover': {
    name: 'What came of a card can be asked by its key',
    why: 'A page whose line broke would never hear of a charge, and the payer pays again',
    change:
      'Write the attempt down under its key before the charge leaves, and answer GET /invoices from it',
    ask: toAsk(
      addKey(recover, 'card_key'),
      { ...ofOrder, codes: ['in_progress', 'order_paid', 'outcome_unknown'] },
      { needs: ['open_card'] },
    ),
  },
  'card-same-key': {
    name: 'A repeated request charges no second time',
    why: 'A browser may itself repeat a request when a connection breaks',
    change: 'Answer a key that was charged with what stands under it',
    ask: toCharge('card_key', { data: { invoice_id: '{card_invoice_id}' } }),
  },
  'card-other-key': {
    name: 'No second charge while the first is pending, unknown, or has paid',
    why: 'A payer who reloads the page must not pay twice',
    change: `${lock}, whatever the key`,
    ask: toCreation(card, noSecondPayment, { needs: ['open_card'] }),
  },
  'card-then-pix': {
    name: 'No Pix code while a charge is pending, unknown, or has paid',
    why: 'A payer who changes the method must not pay twice',
    change: `${lock}, for Pix too; a key belongs to one method`,
    asks: [
      toAsk(create, noSecondPayment, { needs: ['card_token', 'open_card'] }),
      toAsk(addKey(create, 'card_key'), noSecondPayment, { needs: ['card_token', 'open_card'] }),
    ],
  },
});
