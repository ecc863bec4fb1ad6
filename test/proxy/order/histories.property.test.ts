/** What must hold of an order, whatever happens to it; and that each bug in it is seen. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { facts, play } from './player.js';
import type { Facts, Move } from './player.js';

const does = [
  'claim',
  'send',
  'answer',
  'look',
  'release',
  'ask',
  'code',
  'made',
  'wait',
  'remind',
] as const;

/** Histories of these moves. */
function historiesOf(chosen: readonly Move['does'][]): fc.Arbitrary<Move[]> {
  const move = fc.record({ does: fc.constantFrom(...chosen), of: fc.nat(11), how: fc.nat(11) });
  return fc.array(move, { minLength: 5, maxLength: 60 });
}

type Known = Parameters<Facts['claimAttempt']>[0];

/** What the planted fact answers, with the order as it was. */
const over = <T>([, answer]: readonly [unknown, T], order: Known) => [order, answer] as const;

const unpaid = (order: Known): Known => ({ ...order, paidId: null });

const untold = (order: Known): Known => ({
  ...order,
  invoices: order.invoices.map(({ isPaid: _paid, ...one }) => one),
  events: order.events.map((one) => {
    const notice = { ...one.notice, deliveryId: `${one.notice.deliveryId}~` };
    return { ...one, notice } as typeof one;
  }),
});

const waiting = (order: Known): Known => {
  const events = order.events.map((one) => ({ ...one, outcome: null }));
  return { ...unpaid(order), attempts: [], events };
};

const claimsBeside: Facts['claimAttempt'] = (order, attempt, given) => {
  const [next, claim] = facts.claimAttempt({ ...order, attempts: [] }, attempt, given);
  if (claim !== 'new') return [order, claim];
  return [{ ...next, attempts: [...order.attempts, ...next.attempts] }, claim];
};

const releasesAny: Facts['releaseCard'] = (order, _what, given) => {
  const open = order.attempts.find(
    ({ method, progress }) => method === 'credit_card' && progress.state !== 'refused',
  );
  return facts.releaseCard(order, open ?? { holder: '' }, given);
};

type Bug = readonly [plant: Partial<Facts>, seen: RegExp, chosen?: readonly Move['does'][]];

/** Each bug, what of it is said, and the moves that show it soon. */
const bugs: Readonly<Record<string, Bug>> = {
  'a key that ended is new again': [
    { claimAttempt: (order, ...rest) => facts.claimAttempt({ ...order, keys: [] }, ...rest) },
    /key that has ended/,
  ],
  'a key is told to be barred, and is not': [
    { putKeyAsk: (order, ...rest) => over(facts.putKeyAsk(order, ...rest), order) },
    /key that has ended|no code is made for a key/,
  ],
  'a card leaves although the order is paid': [
    { putCardAsk: (order, ...rest) => over(facts.putCardAsk(unpaid(order), ...rest), order) },
    /order that is paid|never taken back|second card|remembered for 90 days/,
  ],
  'a person’s word releases whatever card is open': [
    { releaseCard: releasesAny },
    /charge they saw|is heeded/,
    ['claim', 'send', 'answer', 'release'],
  ],
  'a second card is claimed beside an open one': [
    { claimAttempt: claimsBeside },
    /one charge of an order|second card|entry is found once|key that has ended/,
  ],
  'a payment is told again': [
    { applyAnswer: (order, ...rest) => over(facts.applyAnswer(untold(order), ...rest), order) },
    /told once|never taken back|known/,
  ],
  'a reminder is told of a paid order': [
    { takeEvent: (order, ...rest) => over(facts.takeEvent(waiting(order), ...rest), order) },
    /no reminder/,
  ],
};

describe('an order', () => {
  it('keeps its promises, whatever happens to it', () => {
    fc.assert(
      fc.property(historiesOf(does), (moves) => play(moves, facts)),
      { numRuns: 1_000 },
    );
  });

  for (const [name, [plant, seen, chosen = does]] of Object.entries(bugs)) {
    it(`would not keep them, where ${name}`, () => {
      const property = fc.property(historiesOf(chosen), (moves) =>
        play(moves, { ...facts, ...plant }),
      );
      const { failed, errorInstance } = fc.check(property, { numRuns: 20_000 });
      assert.ok(failed, 'no history finds it');
      assert.match(String(errorInstance), seen);
    });
  }
});
