/**
 * One click for each state of paying by card: the options, and the test card that the payer uses.
 */

import type { Phase } from '../../src/index.js';
import type { Options } from './options.js';
import { fillTestCard, startUntil, untilCardForm, untilPhase } from './stage.js';
import type { Scenario, Stage } from './stage.js';
import { numberOf } from './test-card-list.js';

/** No payer fields, and the card first. */
const card = { 'payer-fields': '', methods: 'credit_card pix' };

/** A pending card ends at the second look-up; this makes look-ups come quickly. */
const quick = { ...card, hold: 'off', 'poll-interval': '500' };

/** All card scenarios, in the order of a payment. */
export const cardScenarios: readonly Scenario[] = [
  { id: 'card-form', label: 'Card form', phase: 'form', options: card, steps: untilCardForm },
  {
    id: 'card-faults',
    label: 'Card form with faults',
    phase: 'form',
    options: card,
    async steps(stage) {
      await untilCardForm(stage);
      stage.checkout.start();
    },
  },
  {
    id: 'card-slot',
    label: 'Provider’s own field',
    phase: 'form',
    options: { ...card, 'card-data': 'slot' },
    steps: untilCardForm,
  },
  {
    id: 'card-brand',
    label: 'Brand not accepted',
    phase: 'form',
    options: { ...card, 'accepted-brands': 'mastercard elo' },
    async steps(stage) {
      await untilCardForm(stage);
      fillTestCard(stage.checkout, numberOf('approve'));
      stage.checkout.start();
    },
  },
  {
    id: 'card-file-missing',
    label: 'Form’s file missing',
    phase: 'form',
    options: { ...card, 'card-file': 'missing' },
  },
  {
    id: 'card-tokenizing',
    label: 'Tokenizer hangs',
    phase: 'creating',
    options: { ...card, tokenizer: 'hangs' },
    steps: (stage) => payUntil(stage, 'approve', 'creating'),
  },
  {
    id: 'card-token-fails',
    label: 'Tokenizer fails',
    phase: 'form',
    options: { ...card, tokenizer: 'fails' },
    steps: (stage) => payUntil(stage, 'approve', 'form'),
  },
  charge('card-charging', 'Charging, slowly', 'approve', 'creating', { ...card, proxy: 'slow' }),
  charge('card-approve', 'Card approved', 'approve', 'paid'),
  charge('card-raw', 'Raw card approved', 'approve', 'paid', { ...card, 'card-data': 'raw' }),
  charge('card-3ds', 'Approved with 3-D Secure', 'approve', 'paid', {
    ...card,
    'three-d-secure': 'on',
  }),
  charge('card-refuse', 'Card refused', 'refuse', 'form'),
  charge('card-pending', 'Card pending', 'pending', 'confirming'),
  charge('card-pending-paid', 'Pending, then paid', 'pending_then_paid', 'paid', quick),
  charge('card-pending-refused', 'Pending, then refused', 'pending_then_refused', 'form', quick),
  charge('card-hang', 'Unknown: answer hangs', 'hang_after_effect', 'confirming'),
  charge('card-reset-before', 'Unknown: reset before', 'reset_before_effect', 'confirming'),
  charge('card-reset-after', 'Unknown: reset after', 'reset_after_effect', 'confirming'),
  {
    id: 'card-merchant',
    label: 'Unknown, then the shop knows',
    phase: 'failed',
    options: card,
    async steps(stage) {
      await payUntil(stage, 'reset_after_effect', 'confirming');
      // A person found the charge in the provider's books and marked the order as paid.
      await stage.choose({ 'order-status': 'paid' });
      await untilPhase(stage, 'failed');
    },
  },
];

/** A payer who pays with a test card. */
function charge(
  id: string,
  label: string,
  testCard: string,
  phase: Phase,
  options: Partial<Options> = card,
): Scenario {
  return { id, label, phase, options, steps: (stage) => payUntil(stage, testCard, phase) };
}

async function payUntil(stage: Stage, testCard: string, phase: Phase): Promise<void> {
  await untilCardForm(stage);
  fillTestCard(stage.checkout, numberOf(testCard));
  await startUntil(stage, phase);
}
