/**
 * The machine under any sequence of events: what must always hold is checked after each step (model.ts).
 *
 * Requests are answered as the controller would answer them, while they are in flight, but with anything; the payer, the
 * page and the clock do what they like.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { openModel } from './model.js';
import { chosen } from '../charge/cards.js';
import { moves, pages } from './moves.js';
import type { Move } from './moves.js';
import { created, status, submitted } from '../samples.js';
import { forAny } from '../../../support/tables.js';

const sequences = fc.array(moves, { maxLength: 60, size: 'max' });

/** What random moves would seldom lead to: a Pix code, the card form before it, and a card that is sent or pending. */
const code: readonly Move[] = [
  { kind: 'event', event: submitted },
  { kind: 'creation_answered', answer: created() },
];
const sent: readonly Move[] = [
  ...code,
  { kind: 'event', event: chosen('credit_card') },
  { kind: 'card_submitted' },
  { kind: 'card_prepared', ready: true },
  { kind: 'look_up_answered', answer: status(), foreign: false },
];
const card = created({ invoice_id: 'invoice-0003', qr_code_pix: '' });
const beginnings = fc.constantFrom<readonly Move[]>([], code, sent, [
  ...sent,
  { kind: 'creation_answered', answer: card },
]);

describe('whatever happens, in whatever order', () => {
  it('what must always hold does', () => {
    forAny(2_000, pages, beginnings, sequences, (terms, beginning, sequence) => {
      const model = openModel(terms);
      for (const move of [...beginning, ...sequence]) model.step(move);
    });
  });

  it('and every phase is reached, so that this says something', () => {
    const reached = new Map<string, number>();
    const count = (phase: string) => reached.set(phase, (reached.get(phase) ?? 0) + 1);
    fc.assert(
      fc.property(pages, sequences, (terms, sequence) => {
        const model = openModel(terms);
        for (const move of sequence) count(model.step(move).phase);
      }),
      { numRuns: 800, seed: 1 },
    );
    assert.equal(reached.size, 7);
    for (const [phase, times] of reached) assert.ok(times > 50, `${phase} only ${times} times`);
  });
});
