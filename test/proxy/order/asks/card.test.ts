/** When a card may leave, and what its page hears. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { givingUp, mayBeLost } from '../../../../src/proxy/order/asks/asked.js';
import { nothingYet } from '../../../../src/proxy/order/asks/reply.js';
import { expired } from '../../../../src/proxy/order/attempts.js';
import { named } from '../../../../src/proxy/order/due/due.js';
import { reported } from '../../../../src/proxy/order/due/reports.js';
import { withEnded } from '../../../../src/proxy/order/keys.js';
import { paid, refused, startMs, toCharge, toInvoice } from '../samples.js';
import {
  again,
  byKey,
  card,
  created,
  pix,
  refusedAs,
  said,
  story,
  unknownAs,
  word,
} from './story.js';

const admitted = { isAdmitted: true };
const mismatch = { meaning: 'mismatch', field: 'total_cents', word: 'paid' } as const;

describe('a card', () => {
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

  it('never leaves at a first asking, which a power cut may undo', () => {
    for (const ids of [[], ['A']]) {
      const { says, shows } = story();
      for (const id of ids) shows(id);
      const all = said(...ids.map((id) => [id, 'open'] as const));
      assert.equal(says(card(), { ...admitted, ...all }), 'in_progress', 'without a claim');
      assert.equal(says(card(), all), 'admit');
    }
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

  it('that was given up before it left gives the order free, and no other request takes it back', () => {
    const { says, changes, order } = story();
    const one = card();
    says(one);
    const gaveUp = givingUp(again(one)) ?? assert.fail();
    changes(gaveUp);
    assert.equal(order().attempts.length, 1, 'not its holder');
    changes(givingUp(one) ?? assert.fail());
    assert.deepEqual(order().attempts, []);
    assert.equal(says(card()), 'admit');
  });

  it('whose claim ran out before it was admitted does not leave', () => {
    const { says, wait } = story();
    const one = card();
    says(one);
    wait(30_000);
    assert.equal(says(one, admitted), 'in_progress');
    assert.equal(says(card()), 'admit', 'another may');
  });

  it('does not leave beside another one that clocks brought back', () => {
    const { says, charged, wait } = story();
    const one = card();
    says(one);
    wait(31_000);
    charged(created('C'));
    wait(-31_000);
    assert.equal(says(one, { ...admitted, ...said(['C', 'open']) }), 'in_progress');
  });
});

describe('a second card', () => {
  it('leaves once the first was refused, which is looked up first', () => {
    const { says, charged } = story();
    charged(refusedAs('C'));
    const two = card();
    says(two);
    assert.equal(says(two, admitted), 'look up C');
    assert.equal(says(two, { ...admitted, ...said(['C', 'refused']) }), 'charge');
  });

  it('does not leave where the refused one is paid after all', () => {
    const { says, charged, hears, order } = story();
    charged(refusedAs('C'));
    const two = card();
    says(two);
    assert.equal(says(two, { ...admitted, ...said(['C', 'paid']) }), 'paid by C', 'unwritten');
    const three = card();
    says(three);
    hears(toCharge('C'), paid);
    assert.equal(says(three, { ...admitted, ...said(['C', 'paid']) }), 'paid by C');
    assert.ok(!order().attempts.some(({ progress }) => progress.state === 'claimed'));
  });

  it('waits while the first is open, and hears how it ended', () => {
    const { says, charged, ends, hears } = story();
    const [one, two] = [charged(), card()];
    assert.equal(says(two), 'in_progress');
    ends(one, created('C'));
    assert.equal(says(two), 'look up C');
    assert.equal(says(two, said(['C', 'open'])), 'in_progress');
    assert.equal(says(two, said(['C', 'untold'])), 'in_progress', 'it could not be looked up');
    hears(toCharge('C'), refused);
    assert.equal(says(two, said(['C', 'refused'])), 'admit');
  });

  it('looks the first up anew, where a look-up before could not tell', () => {
    const { says, charged, hears } = story();
    charged(created('C'));
    const two = card();
    assert.equal(says(two), 'look up C');
    hears(toCharge('C'), refused);
    const untold = said(['C', 'untold']);
    assert.equal(says(two, untold), 'admit');
    assert.equal(says(two, { ...admitted, ...untold }), 'look up C');
    assert.equal(says(two, { ...admitted, ...said(['C', 'none']) }), 'charge', 'not known there');
  });

  it('waits while the outcome of the first is unknown, with a match and without one', () => {
    for (const match of ['C', null]) {
      const { says, charged } = story();
      charged(unknownAs(match));
      const two = card();
      const all = match === null ? {} : said([match, 'none']);
      assert.equal(says(two, all), 'in_progress');
    }
  });

  it('leaves once a person said that the first was not charged', () => {
    const { says, charged, releases } = story();
    const [one, two] = [charged(unknownAs(null)), card()];
    releases(one);
    says(two);
    assert.equal(says(two, admitted), 'charge');
  });

  it('does not leave beside a refused charge that a postback named and that is open', () => {
    const { says, charged, changes } = story();
    charged(refusedAs('C'));
    const two = card();
    says(two);
    changes((order) => named(order, { lookUpId: 'C', forMs: 0 }, { nowMs: startMs })[0]);
    assert.equal(says(two, { ...admitted, ...said(['C', 'open']) }), 'in_progress');
  });

  it('does not leave beside it either while the service does not know it, by whichever id it was named', () => {
    for (const lookUpId of ['C', 'look-up C']) {
      const { says, charged, changes } = story();
      charged({ state: 'refused', invoice: toCharge('C', { lookUpId: 'look-up C' }) });
      const two = card();
      says(two);
      changes((order) => named(order, { lookUpId, forMs: 0 }, { nowMs: startMs })[0]);
      for (const word of ['none', 'open'] as const) {
        assert.equal(says(two, { ...admitted, ...said(['C', word]) }), 'in_progress');
        assert.equal(says(pix(), said(['C', word])), 'in_progress', 'nor is a code made');
      }
    }
  });

  it('does not leave beside a code that a postback tells of, while the service does not know it', () => {
    const { says, shows, wait, changes } = story();
    shows('A');
    wait(20_000);
    changes((order) => reported(order, { lookUpId: 'A' }, { nowMs: startMs + 20_000 })[0]);
    const how = { ...admitted, ...said(['A', 'none']) };
    const one = card();
    says(one);
    assert.equal(says(one, how), 'in_progress');
    assert.equal(says(pix({ totalCents: 1 }), said(['A', 'none'])), 'in_progress');
    wait(76_000);
    const two = card();
    says(two);
    assert.equal(says(two, how), 'charge', 'it was looked up again since');
  });

  it('does not leave while an id that a postback named is not known to be another’s', () => {
    const { says, charged, changes } = story();
    charged(refusedAs(null));
    const two = card();
    says(two);
    changes((order) => named(order, { lookUpId: 'C', forMs: 0 }, { nowMs: startMs })[0]);
    assert.equal(says(two, admitted), 'in_progress');
    assert.equal(says(pix()), 'in_progress', 'nor is a code made');
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

  it('does not leave beside a payment that differs, known or only looked up', () => {
    const { says, shows, hears } = story();
    shows('A');
    const [one, two] = [card(), card()];
    says(one);
    assert.equal(says(one, { ...admitted, ...said(['A', 'mismatch']) }), 'in_progress');
    says(two);
    hears(toInvoice('A'), mismatch);
    assert.equal(says(two, { ...admitted, ...said(['A', 'open']) }), 'in_progress');
  });
});

it('an order that is paid takes no card, and keeps no claim of one', () => {
  const { says, shows, hears, order } = story();
  shows('A');
  const one = card();
  says(one);
  hears(toInvoice('A'), paid);
  assert.equal(says(one, { ...admitted, ...said(['A', 'open']) }), 'paid by A');
  assert.equal(says(card()), 'paid by A');
  assert.equal(order().attempts.length, 1);
});

describe('a request whose card has left', () => {
  const left = { ...admitted, hasLeft: true };

  for (const [name, ending, madeId, says] of [
    ['its invoice', created('C'), 'C', 'C'],
    ['that it was refused', refusedAs('C'), null, 'payment_refused'],
    ['that it was refused without an invoice', refusedAs(null), null, 'payment_refused'],
    ['that its outcome is unknown, at once', unknownAs('C'), null, 'outcome_unknown'],
  ] as const) {
    it(`hears ${name}`, () => {
      const life = story();
      const one = card();
      life.charges(one);
      life.ends(one, ending);
      assert.equal(life.says(one, { ...left, madeId }), says);
    });
  }

  it('hears its own invoice, whatever a person said of it meanwhile', () => {
    const { says, charged, ends, releases, changes } = story();
    const [one, two] = [charged(), card()];
    changes((order) => expired(order, { nowMs: startMs + one.sentForMs })[0]);
    releases(one);
    says(two);
    ends(one, created('C'));
    assert.equal(says(one, { ...left, madeId: 'C' }), 'C');
  });
});

it('a card that the service answers with the id of a code may have been charged: a person is asked, and its page is shown no code', () => {
  const { says, shows, charged, order } = story();
  shows('A');
  const one = charged(created('A'));
  assert.deepEqual(order().attempts.at(-1)?.progress, { state: 'unknown', candidate: null });
  assert.equal(says(one, { ...admitted, madeId: 'A' }), 'outcome_unknown');
  assert.equal(says(card(), { ...admitted, ...said(['A', 'open']) }), 'in_progress');
});

describe('a request that is repeated', () => {
  it('hears of the first, and a match is looked up before it is called unknown', () => {
    const { says, charged, ends, hears } = story();
    const one = charged();
    assert.equal(says(again(one)), 'in_progress');
    ends(one, unknownAs('C'));
    assert.equal(says(again(one)), 'look up C');
    assert.equal(says(again(one), said(['C', 'untold'])), 'outcome_unknown');
    hears(toCharge('C'), paid);
    assert.equal(says(again(one), said(['C', 'paid'])), 'C');
  });

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

  it('after its page was told that there is none never charges', () => {
    const { says } = story();
    const late = card();
    assert.equal(says(byKey(late)), 'admit');
    assert.equal(says(byKey(late), admitted), 'not_found');
    assert.equal(says(late), 'key_reused');
  });

  it('under another order token is answered by the attempt of its key', () => {
    const { says, charged } = story();
    const one = charged(created('C'));
    const other = again(one);
    assert.equal(says({ ...other, attempt: { ...other.attempt, scope: 'signed anew' } }), 'C');
  });
});
