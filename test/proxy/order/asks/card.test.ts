/** When a card may leave, and what its page hears. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { secondMs } from '../../../../src/domain/spans.js';
import { findGiveUp, mayBeLost } from '../../../../src/proxy/run/run-ask.js';
import { isCommand, nothingYet } from '../../../../src/proxy/order/asks/ask.js';
import {
  again,
  byKey,
  card,
  created,
  openOrder,
  pix,
  refusedAs,
  unknownAs,
} from '../open-order.js';
import { differs, paid, refused, startMs, toCharge } from '../samples.js';

const isAdmitted = true;

describe('a card', () => {
  it('is claimed, admitted, and leaves once, after its former codes were looked up', () => {
    const order = openOrder();
    order.shows('A');
    const one = card();
    order.asked(one).replies('admit');
    order.asked(card()).replies('in_progress');
    order.asked(one, { isAdmitted }).replies({ lookUp: ['A'] });
    const learned = { isAdmitted, said: { A: 'open' } } as const;
    order.asked(one, learned).replies('charge');
    const [, attempt] = order.known().attempts;
    assert.deepEqual(
      [attempt?.progress.state, attempt?.untilMs],
      ['sent', startMs + one.sentForMs],
    );
    assert.equal(order.known().sends.at(-1)?.method, 'credit_card');
    order.asked(one, learned).replies('in_progress');
    order.asked(again(one), learned).replies('in_progress');
    order.asked(pix(), { said: { A: 'open' } }).replies('in_progress');
  });

  it('never leaves at a first asking, which a power cut may undo', () => {
    const order = openOrder();
    order.asked(card(), { isAdmitted }).replies('in_progress');
    order.asked(card()).replies('admit');
  });

  it('that was given up before it left gives the order free, and no other request takes it back', () => {
    const order = openOrder();
    const one = card();
    order.asked(one).replies('admit');
    order.givesUp(again(one));
    order.has({ attempts: ['claimed'] });
    order.givesUp(one);
    order.has({ attempts: [] });
    order.asked(card()).replies('admit');
  });

  it('whose claim ran out before it was admitted does not leave, and another may', () => {
    const order = openOrder();
    const one = card();
    order.asked(one).replies('admit');
    order.wait(30 * secondMs);
    order.asked(one, { isAdmitted }).replies('in_progress');
    order.asked(card()).replies('admit');
  });

  it('does not leave beside another one that clocks brought back', () => {
    const order = openOrder();
    const one = card();
    order.asked(one).replies('admit');
    order.wait(31 * secondMs);
    order.charges(created('C'));
    order.wait(-31 * secondMs);
    order.asked(one, { isAdmitted, said: { C: 'open' } }).replies('in_progress');
  });

  it('does not leave where the order is paid, and no claim of it stays', () => {
    const order = openOrder();
    order.shows('A');
    const one = card();
    order.asked(one).replies('admit');
    order.hears('A', paid);
    order.asked(one, { isAdmitted, said: { A: 'open' } }).replies({ paidBy: 'A' });
    order.asked(card()).replies({ paidBy: 'A' });
    order.has({ attempts: [{ created: 'A' }] });
  });

  it('that the service answers with the id of a code may have been charged: a person is asked, and its page is shown no code', () => {
    const order = openOrder();
    order.shows('A');
    const one = order.charges(created('A'));
    order.has({ attempts: [{ created: 'A' }, 'unknown'] });
    order.asked(one, { isAdmitted, madeId: 'A' }).replies('outcome_unknown');
    order.asked(card(), { isAdmitted, said: { A: 'open' } }).replies('in_progress');
  });

  it('is answered, or something has to be done first', () => {
    const types = ['look_up', 'look_up_named', 'admit', 'create', 'charge', 'wait'] as const;
    assert.ok(types.every((type) => isCommand({ type })));
    const answers = ['invoice', 'paid', 'refusal', 'heeded', 'found', 'as_it_failed'];
    assert.ok(!answers.some((type) => isCommand({ type })));
  });

  it('and its bar are written for good once admitted: a power cut may undo only a claim, or a code', () => {
    const word = openOrder().notCharged();
    for (const [ask, before, after] of [
      [pix(), true, true],
      [card(), true, false],
      [byKey(card()), true, false],
      [word, false, false],
    ] as const) {
      const may = [false, true].map((is) => mayBeLost(ask, { ...nothingYet, isAdmitted: is }));
      assert.deepEqual(may, [before, after], ask.kind);
    }
    assert.equal(findGiveUp(word), null);
  });
});

describe('a second card', () => {
  it('leaves once the first was refused, which is looked up first', () => {
    const order = openOrder();
    order.charges(refusedAs('C'));
    const two = card();
    order.asked(two).replies('admit');
    order.asked(two, { isAdmitted }).replies({ lookUp: ['C'] });
    order.asked(two, { isAdmitted, said: { C: 'refused' } }).replies('charge');
  });

  it.each([
    [
      'does not leave where the refused one is paid after all, though that could not be written',
      false,
    ],
    ['does not leave where the refused one is paid after all', true],
  ])('%s', (_, isWritten) => {
    const order = openOrder();
    order.charges(refusedAs('C'));
    const two = card();
    order.asked(two).replies('admit');
    if (isWritten) order.hears('C', paid);
    order.asked(two, { isAdmitted, said: { C: 'paid' } }).replies({ paidBy: 'C' });
    order.has({ attempts: ['refused'] });
  });

  it('waits while the first is open, and hears how it ended', () => {
    const order = openOrder();
    const one = order.charges();
    const two = card();
    order.asked(two).replies('in_progress');
    order.ends(one, created('C'));
    order.asked(two).replies({ lookUp: ['C'] });
    order.asked(two, { said: { C: 'open' } }).replies('in_progress');
    order.asked(two, { said: { C: 'untold' } }).replies('in_progress');
    order.hears('C', refused);
    order.asked(two, { said: { C: 'refused' } }).replies('admit');
  });

  it('looks the first up anew, where a look-up before could not tell; one that is not known there is none', () => {
    const order = openOrder();
    order.charges(created('C'));
    const two = card();
    order.asked(two).replies({ lookUp: ['C'] });
    order.hears('C', refused);
    order.asked(two, { said: { C: 'untold' } }).replies('admit');
    order.asked(two, { isAdmitted, said: { C: 'untold' } }).replies({ lookUp: ['C'] });
    order.asked(two, { isAdmitted, said: { C: 'none' } }).replies('charge');
  });

  it('waits while the outcome of the first is unknown, with a match', () => {
    const order = openOrder();
    order.charges(unknownAs('C'));
    order.asked(card(), { said: { C: 'none' } }).replies('in_progress');
  });

  it('and without one', () => {
    const order = openOrder();
    order.charges(unknownAs());
    order.asked(card()).replies('in_progress');
  });

  it('leaves once a person said that the first was not charged', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    order.releases(one);
    const two = card();
    order.asked(two).replies('admit');
    order.asked(two, { isAdmitted }).replies('charge');
  });

  it('does not leave beside the first, of which the service says after a person’s word that it was charged, where clocks disagree', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    order.releases(one);
    const two = card();
    order.asked(two).replies('admit');
    order.wait(31 * secondMs);
    order.ends(one, created('C'));
    order.wait(-31 * secondMs);
    order.asked(two, { isAdmitted, said: { C: 'open' } }).replies('in_progress');
    order.has({ attempts: [{ created: 'C' }] });
  });

  it('does not leave beside a refused charge that a postback named and that is open', () => {
    const order = openOrder();
    order.charges(refusedAs('C'));
    const two = card();
    order.asked(two).replies('admit');
    order.hearsName('C');
    order.asked(two, { isAdmitted, said: { C: 'open' } }).replies('in_progress');
  });

  it('does not leave beside it either while the service does not know it, by whichever id it was named', () => {
    for (const lookUpId of ['C', 'look-up C']) {
      const order = openOrder();
      order.charges({ state: 'refused', invoice: toCharge('C', { lookUpId: 'look-up C' }) });
      const two = card();
      order.asked(two);
      order.hearsName(lookUpId);
      for (const C of ['none', 'open'] as const) {
        order.asked(two, { isAdmitted, said: { C } }).replies('in_progress');
        order.asked(pix(), { said: { C } }).replies('in_progress');
      }
    }
  });

  it('does not leave beside a code that a postback tells of, while the service does not know it', () => {
    const order = openOrder();
    order.shows('A');
    order.wait(20 * secondMs);
    order.hearsOf('A');
    const one = card();
    order.asked(one).replies('admit');
    order.asked(one, { isAdmitted, said: { A: 'none' } }).replies('in_progress');
    order.asked(pix({ totalCents: 1 }), { said: { A: 'none' } }).replies('in_progress');
    order.wait(76 * secondMs);
    const two = card();
    order.asked(two).replies('admit');
    order.asked(two, { isAdmitted, said: { A: 'none' } }).replies('charge');
  });

  it('does not leave while an id that a postback named is not known to be another’s, nor is a code made', () => {
    const order = openOrder();
    order.charges(refusedAs());
    const two = card();
    order.asked(two).replies('admit');
    order.hearsName('C');
    order.asked(two, { isAdmitted }).replies('in_progress');
    order.asked(pix()).replies('in_progress');
  });

  it('does not leave beside a payment that differs, only looked up', () => {
    const order = openOrder();
    order.shows('A');
    const one = card();
    order.asked(one).replies('admit');
    order.asked(one, { isAdmitted, said: { A: 'mismatch' } }).replies('in_progress');
  });

  it('nor beside one that is known', () => {
    const order = openOrder();
    order.shows('A');
    const one = card();
    order.asked(one).replies('admit');
    order.hears('A', differs);
    order.asked(one, { isAdmitted, said: { A: 'open' } }).replies('in_progress');
  });

  it('answered with the id of the order’s own code leaves that as it was created', () => {
    const order = openOrder();
    order.shows('A');
    const [before] = order.known().invoices;
    order.charges(created('A'));
    const { method, code, totalCents } = order.known().invoices[0]!;
    assert.deepEqual([method, code, totalCents], ['pix', before?.code, before?.totalCents]);
    assert.equal(order.known().invoices.length, 1);
  });
});

describe('a request whose card has left hears', () => {
  it.each([
    ['its invoice', created('C'), { invoice: 'C' }],
    ['that it was refused', refusedAs('C'), 'payment_refused'],
    ['that it was refused without an invoice', refusedAs(), 'payment_refused'],
    ['that its outcome is unknown, at once', unknownAs('C'), 'outcome_unknown'],
  ] as const)('%s', (_, ending, reply) => {
    const order = openOrder();
    const one = order.charges(ending);
    const madeId = ending.state === 'created' ? 'C' : null;
    order.asked(one, { isAdmitted, hasLeft: true, madeId }).replies(reply);
  });

  it('its own invoice, whatever a person said of it meanwhile', () => {
    const order = openOrder();
    const one = order.charges();
    order.expires(one);
    order.releases(one);
    order.asked(card()).replies('admit');
    order.ends(one, created('C'));
    order.asked(one, { isAdmitted, hasLeft: true, madeId: 'C' }).replies({ invoice: 'C' });
  });
});

describe('a request that is repeated', () => {
  it('hears of the first, and a match is looked up before it is called unknown', () => {
    const order = openOrder();
    const one = order.charges();
    order.asked(again(one)).replies('in_progress');
    order.ends(one, unknownAs('C'));
    order.asked(again(one)).replies({ lookUp: ['C'] });
    order.asked(again(one), { said: { C: 'untold' } }).replies('outcome_unknown');
    order.hears('C', paid);
    order.asked(again(one), { said: { C: 'paid' } }).replies({ invoice: 'C' });
  });

  it('after its page was told that there is none never charges', () => {
    const order = openOrder();
    const late = card();
    order.asked(byKey(late)).replies('admit');
    order.asked(byKey(late), { isAdmitted }).replies('not_found');
    order.asked(late).replies('key_reused');
  });

  it('with another total, or a key that ended, is none', () => {
    const order = openOrder();
    const one = card();
    order.asked(one);
    order.asked({ ...one, attempt: { ...one.attempt, totalCents: 1 } }).replies('key_reused');
    for (const ending of ['barred', 'given_up', 'refused', 'made'] as const) {
      const two = card();
      order.endsKey(two, ending);
      order.asked(two).replies('key_reused');
    }
  });

  it('under another order token is answered by the attempt of its key', () => {
    const order = openOrder();
    const other = again(order.charges(created('C')));
    order
      .asked({ ...other, attempt: { ...other.attempt, scope: 'signed anew' } })
      .replies({ invoice: 'C' });
  });
});
