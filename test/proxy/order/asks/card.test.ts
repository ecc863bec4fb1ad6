/** When a card may leave, and what its page hears. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { givingUp, mayBeLost } from '../../../../src/proxy/order/asks/put-ask.js';
import { isCommand, nothingYet } from '../../../../src/proxy/order/asks/ask.js';
import { named } from '../../../../src/proxy/order/due.js';
import { withEnded } from '../../../../src/proxy/order/order.js';
import { startMs, toCharge } from '../samples.js';
import { again, byKey, card, created, pix, said, story, word } from './story.js';
import { tell } from './told.js';

const admitted = { isAdmitted: true };

describe('a card', () => {
  tell`
    never leaves at a first asking, which a power cut may undo
      card, admitted = in_progress > card = admit
    nor does it where its former codes were looked up
      shows A > card, admitted, A open = in_progress > card, A open = admit
    that was given up before it left gives the order free, and no other request takes it back
      one: card = admit > again one gives up > attempts = claimed
      > one gives up > attempts = none > card = admit
    whose claim ran out before it was admitted does not leave, and another may
      one: card = admit > wait 30 s > one, admitted = in_progress > card = admit
    does not leave beside another one that clocks brought back
      one: card = admit > wait 31 s > charged C > wait -31 s > one, admitted, C open = in_progress
    does not leave where the order is paid, and no claim of it stays
      shows A > one: card = admit > A is paid > one, admitted, A open = paid by A
      > card = paid by A > attempts = created A
    that the service answers with the id of a code may have been charged: a person is asked, and its page is shown no code
      shows A > one: charged A > attempts = created A, unknown
      > one, admitted, made A = outcome_unknown > card, admitted, A open = in_progress
  `;

  it('is claimed, admitted, and leaves once, after its former codes were looked up', () => {
    const { says, shows, order } = story();
    shows('A');
    const one = card();
    assert.equal(says(one), 'admit');
    assert.equal(says(card()), 'in_progress', 'another card');
    assert.equal(says(one, admitted), 'look up A');
    const how = { ...admitted, ...said(['A', 'open']) };
    assert.equal(says(one, how), 'charge');
    const [, attempt] = order().attempts;
    assert.deepEqual(
      [attempt?.progress.state, attempt?.untilMs],
      ['sent', startMs + one.sentForMs],
    );
    assert.equal(order().sends.at(-1)?.method, 'credit_card');
    assert.equal(says(one, how), 'in_progress');
    assert.equal(says(again(one), how), 'in_progress');
    assert.equal(says(pix(), said(['A', 'open'])), 'in_progress');
  });

  it('is answered, or something has to be done first', () => {
    const types = ['look_up', 'look_up_named', 'admit', 'create', 'charge', 'wait'] as const;
    assert.ok(types.every((type) => isCommand({ type })));
    const answers = ['invoice', 'paid', 'refusal', 'heeded', 'found', 'as_it_failed'];
    assert.ok(!answers.some((type) => isCommand({ type })));
  });

  it('and its bar are written for good once admitted: a power cut may undo only a claim, or a code', () => {
    const { order } = story();
    for (const [ask, before, after] of [
      [pix(), true, true],
      [card(), true, false],
      [byKey(card()), true, false],
      [word(order(), null), false, false],
    ] as const) {
      const may = [false, true].map((isAdmitted) => mayBeLost(ask, { ...nothingYet, isAdmitted }));
      assert.deepEqual(may, [before, after], ask.kind);
    }
    assert.equal(givingUp(word(order(), null)), null);
  });
});

describe('a second card', () => {
  tell`
    leaves once the first was refused, which is looked up first
      refused C > two: card = admit > two, admitted = look up C > two, admitted, C refused = charge
    does not leave where the refused one is paid after all, though that could not be written
      refused C > two: card = admit > two, admitted, C paid = paid by C > attempts = refused
    does not leave where the refused one is paid after all
      refused C > two: card = admit > C is paid > two, admitted, C paid = paid by C > attempts = refused
    waits while the first is open, and hears how it ended
      one: sent > two: card = in_progress > one ends charged C > two = look up C
      > two, C open = in_progress > two, C untold = in_progress > C is refused > two, C refused = admit
    looks the first up anew, where a look-up before could not tell; one that is not known there is none
      charged C > two: card = look up C > C is refused > two, C untold = admit
      > two, admitted, C untold = look up C > two, admitted, C none = charge
    waits while the outcome of the first is unknown, with a match
      unknown C > card, C none = in_progress
    and without one
      unknown > card = in_progress
    leaves once a person said that the first was not charged
      one: unknown > one is released > two: card = admit > two, admitted = charge
    does not leave beside the first, of which the service says after a person’s word that it was charged, where clocks disagree
      one: unknown > one is released > two: card = admit > wait 31 s > one ends charged C > wait -31 s
      > two, admitted, C open = in_progress > attempts = created C
    does not leave beside a refused charge that a postback named and that is open
      refused C > two: card = admit > C is named > two, admitted, C open = in_progress
    does not leave beside a code that a postback tells of, while the service does not know it
      shows A > wait 20 s > A is told of > one: card = admit > one, admitted, A none = in_progress
      > pix 1, A none = in_progress > wait 76 s > two: card = admit > two, admitted, A none = charge
    does not leave while an id that a postback named is not known to be another’s, nor is a code made
      refused > two: card = admit > C is named > two, admitted = in_progress > pix = in_progress
    does not leave beside a payment that differs, only looked up
      shows A > one: card = admit > one, admitted, A mismatch = in_progress
    nor beside one that is known
      shows A > one: card = admit > A differs > one, admitted, A open = in_progress
  `;

  it('does not leave beside it either while the service does not know it, by whichever id it was named', () => {
    for (const lookUpId of ['C', 'look-up C']) {
      const { says, charged, ...life } = story();
      charged({ state: 'refused', invoice: toCharge('C', { lookUpId: 'look-up C' }) });
      const two = card();
      says(two);
      life.tell(named, { lookUpId, forMs: 0 });
      for (const word of ['none', 'open'] as const) {
        assert.equal(says(two, { ...admitted, ...said(['C', word]) }), 'in_progress');
        assert.equal(says(pix(), said(['C', word])), 'in_progress', 'nor is a code made');
      }
    }
  });

  it('answered with the id of the order’s own code leaves that as it was created', () => {
    const { shows, charged, order } = story();
    shows('A');
    const [before] = order().invoices;
    charged(created('A'));
    const { method, code, totalCents } = order().invoices[0]!;
    assert.deepEqual([method, code, totalCents], ['pix', before?.code, before?.totalCents]);
    assert.equal(order().invoices.length, 1);
  });
});

describe('a request whose card has left hears', () => {
  tell`
    its invoice
      one: charged C > one, left, made C = C
    that it was refused
      one: refused C > one, left = payment_refused
    that it was refused without an invoice
      one: refused > one, left = payment_refused
    that its outcome is unknown, at once
      one: unknown C > one, left = outcome_unknown
    its own invoice, whatever a person said of it meanwhile
      one: sent > one expires > one is released > two: card = admit > one ends charged C > one, left, made C = C
  `;
});

describe('a request that is repeated', () => {
  tell`
    hears of the first, and a match is looked up before it is called unknown
      one: sent > again one = in_progress > one ends unknown C > again one = look up C
      > again one, C untold = outcome_unknown > C is paid > again one, C paid = C
    after its page was told that there is none never charges
      key of late = admit > key of late, admitted = not_found > late = key_reused
  `;

  it('with another total, or a key that ended, is none', () => {
    const { says, changes } = story();
    const one = card();
    says(one);
    assert.equal(says({ ...one, attempt: { ...one.attempt, totalCents: 1 } }), 'key_reused');
    for (const ending of ['barred', 'given_up', 'refused', 'made'] as const) {
      const two = card();
      changes((order) => withEnded(order, two.attempt.key, ending, { nowMs: startMs }));
      assert.equal(says(two), 'key_reused');
    }
  });

  it('under another order token is answered by the attempt of its key', () => {
    const { says, charged } = story();
    const one = charged(created('C'));
    const other = again(one);
    assert.equal(says({ ...other, attempt: { ...other.attempt, scope: 'signed anew' } }), 'C');
  });
});
