/** What a person's word does, and what an id that is named is found to be. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { leaving } from '../../../../src/proxy/order/attempts.js';
import { paid, startMs, toInvoice } from '../samples.js';
import { card, refusedAs, said, story, unknownAs, word } from './story.js';
import { tell } from './told.js';

const named = (lookUpId: string) => ({ kind: 'named', externalId: 'order-1', lookUpId }) as const;
const mismatch = { meaning: 'mismatch', field: 'total_cents', word: 'paid' } as const;

describe('the word that a card was not charged', () => {
  tell`
    gives the order free at once, where nothing can be looked up, but not while it is on its way
      one: sent > not charged = not heeded > one ends unknown > not charged = heeded
      > not charged = not heeded > card = admit
    is believed only after its invoice was looked up
      charged C > not charged = look up C > not charged, C open = heeded > attempts = refused released
    is believed where the service does not know it
      charged C > not charged, C none = heeded > attempts = refused released
    is believed where the service refused it
      charged C > not charged, C refused = heeded > attempts = refused released
    is not believed where it is paid
      charged C > not charged, C paid = not heeded > attempts = created C
    is about the card that was looked up, and no other
      charged C > first: not charged = look up C > C is refused > charged D > first, C open = not heeded
      > first, C refused = heeded > attempts = refused, created D
    frees no card that it does not name, however late or often it is said; its invoice is looked up
      unknown > first: not charged = heeded > unknown > first = not heeded
      > first as invoice-C = look_up_named > attempts = refused released, unknown > not charged = heeded
    answers no later time that its card needs a person
      one: unknown > first: not charged = heeded > one ends unknown C > first, C open = not heeded
      > one ends charged C > first, C open = not heeded > not charged, C open = heeded
    gives back what was paid and differs, once
      shows A > A differs > not charged = heeded > not charged = not heeded
  `;

  it('of an invoice that differs frees no card beside it, and that of a card gives nothing back', () => {
    const { says, shows, charges, ends, hears, order } = story();
    shows('A');
    charges(card());
    const [sent] = order().attempts.slice(-1);
    const ofCard = word(order(), null);
    ends({ attempt: sent! }, unknownAs(null));
    hears(toInvoice('A'), mismatch);
    const ofInvoice = { ...ofCard, deliveryId: 'mismatch~order-1~A' };
    assert.equal(says(ofInvoice), 'heeded');
    assert.equal(order().attempts.at(-1)?.progress.state, 'unknown');
    assert.equal(says({ ...ofCard, invoiceId: 'A' }), 'not heeded');
    assert.equal(says(ofCard), 'heeded');
  });
});

describe('the word that an invoice paid the order', () => {
  tell`
    is true without it, where a look-up finds it paid
      shows A > A differs > charged as A, A paid = heeded
  `;

  it('takes one that differs, after it was looked up', () => {
    const { asks, says, shows, hears, order } = story();
    shows('A');
    hears(toInvoice('A'), mismatch);
    assert.equal(says(word(order(), 'A')), 'look up A');
    assert.equal(says(word(order(), 'A'), said(['A', 'open'])), 'not heeded');
    assert.equal(says(word(order(), 'A'), said(['A', 'none'])), 'not heeded');
    assert.equal(order().paidId, null);
    const accepted = word(order(), 'A');
    const reply = asks(accepted, said(['A', 'mismatch']));
    assert.deepEqual(reply, { type: 'heeded', isHeeded: true, isPaid: true });
    assert.equal(order().paidId, 'A');
    assert.equal(order().named[0]?.dueAtMs, startMs + 24 * 3_600_000, 'and asks about it again');
    const second = asks(accepted, said(['A', 'mismatch']));
    assert.deepEqual(second, { type: 'heeded', isHeeded: true, isPaid: false });
  });

  it('has any other id looked up as a named one', () => {
    const { says, charged, ends, order } = story();
    const one = charged(unknownAs(null));
    assert.equal(says(word(order(), 'invoice-C')), 'look_up_named');
    for (const [found, heeded] of [
      ['recorded', 'heeded'],
      ['of_card', 'heeded'],
      ['open', 'not heeded'],
      ['busy', 'not heeded'],
      ['none', 'not heeded'],
    ] as const) {
      assert.equal(says(word(order(), 'invoice-C'), { found }), heeded);
    }
    assert.equal(says(word(order(), 'not an id!')), 'not heeded');
    const ofCard = word(order(), 'invoice-C');
    assert.equal(says({ ...ofCard, deliveryId: 'outcome_unknown~order-1~none' }), 'not heeded');
    ends(one, refusedAs(null));
    assert.equal(says(ofCard), 'not heeded', 'the service has spoken');
  });
});

describe('a named id', () => {
  it('is compared with the likeliest first: the card whose answer is missing, then the newest', () => {
    const { asks, shows, charges, ends } = story();
    shows('invoice-A');
    const [refusedBefore, lost] = [card({ totalCents: 500 }), card({ totalCents: 700 })];
    charges(refusedBefore);
    ends(refusedBefore, refusedAs(null));
    charges(lost);
    for (const isLost of [false, true]) {
      if (isLost) ends(lost, unknownAs(null));
      const reply = asks(named('invoice-C'));
      assert.ok(reply.type === 'look_up_named' && reply.known === null);
      const likeliest = reply.sentAs.map(({ method, totalCents }) => `${method} ${totalCents}`);
      const newestFirst = ['credit_card 700', 'credit_card 500'];
      const ofOrder = [...newestFirst, 'pix 12345', 'pix 12345'];
      assert.deepEqual(likeliest, ['credit_card 700', ...newestFirst, ...ofOrder]);
    }
  });

  it('that the order has, by either id, is compared with what that was created as', () => {
    const { asks, charged, ends } = story();
    const one = charged(unknownAs('invoice-C'));
    const reply = asks(named('invoice-C'));
    assert.ok(reply.type === 'look_up_named' && reply.known?.invoiceId === 'invoice-C');
    ends(one, refusedAs('invoice-C'));
    const again = asks(named('invoice-C'));
    assert.ok(again.type === 'look_up_named' && again.known?.invoiceId === 'invoice-C');
  });

  it('is nothing to an order that sent nothing, and none where it is no id', () => {
    const { says, changes } = story();
    assert.equal(says(named('invoice-C')), 'unknown');
    assert.equal(says(named('not an id!')), 'none');
    changes((order) => leaving(order, { method: 'pix', totalCents: 1 }, { nowMs: startMs }));
    assert.equal(says(named('invoice-C')), 'look_up_named');
    assert.equal(says(named('invoice-C'), { found: 'recorded' }), 'recorded');
  });

  it('of a paid invoice is one that the order has', () => {
    const { asks, shows, hears } = story();
    shows('invoice-A');
    hears(toInvoice('invoice-A'), paid);
    const reply = asks(named('invoice-A'));
    assert.ok(reply.type === 'look_up_named' && reply.known?.invoiceId === 'invoice-A');
  });
});
