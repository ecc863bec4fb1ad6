/** What a person's word does, and what an id that is named is found to be. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { dayMs } from '../../../../src/domain/spans.js';
import { recordSending } from '../../../../src/proxy/order/attempts.js';
import { columns } from '../../../support/rows.js';
import { card, created, openOrder, refusedAs, unknownAs } from '../open-order.js';
import { differs, paid, refused, startMs } from '../samples.js';

const named = (lookUpId: string) => ({ kind: 'named', externalId: 'order-1', lookUpId }) as const;

describe('the word that a card was not charged', () => {
  it('gives the order free at once, where nothing can be looked up, but not while it is on its way', () => {
    const order = openOrder();
    const one = order.charges();
    order.asked(order.notCharged()).replies('not_heeded');
    order.ends(one, unknownAs());
    order.asked(order.notCharged()).replies('heeded');
    order.asked(order.notCharged()).replies('not_heeded');
    order.asked(card()).replies('admit');
  });

  it.each([
    ['is believed only after its invoice was looked up', 'open', 'heeded', 'refused released'],
    ['is believed where the service does not know it', 'none', 'heeded', 'refused released'],
    ['is believed where the service refused it', 'refused', 'heeded', 'refused released'],
    ['is not believed where it is paid', 'paid', 'not_heeded', { created: 'C' }],
  ] as const)('%s', (_, C, reply, attempt) => {
    const order = openOrder();
    order.charges(created('C'));
    order.asked(order.notCharged()).replies({ lookUp: ['C'] });
    order.asked(order.notCharged(), { said: { C } }).replies(reply);
    order.has({ attempts: [attempt] });
  });

  it('is about the card that was looked up, and no other', () => {
    const order = openOrder();
    order.charges(created('C'));
    const first = order.notCharged();
    order.asked(first).replies({ lookUp: ['C'] });
    order.hears('C', refused);
    order.charges(created('D'));
    order.asked(first, { said: { C: 'open' } }).replies('not_heeded');
    order.asked(first, { said: { C: 'refused' } }).replies('heeded');
    order.has({ attempts: ['refused', { created: 'D' }] });
  });

  it('frees no card that it does not name, however late or often it is said; its invoice is looked up', () => {
    const order = openOrder();
    order.charges(unknownAs());
    const first = order.notCharged();
    order.asked(first).replies('heeded');
    order.charges(unknownAs());
    order.asked(first).replies('not_heeded');
    order.asked({ ...first, invoiceId: 'invoice-C' }).replies('look_up_named');
    order.has({ attempts: ['refused released', 'unknown'] });
    order.asked(order.notCharged()).replies('heeded');
  });

  it('answers no later time that its card needs a person', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    const first = order.notCharged();
    order.asked(first).replies('heeded');
    order.ends(one, unknownAs('C'));
    order.asked(first, { said: { C: 'open' } }).replies('not_heeded');
    order.ends(one, created('C'));
    order.asked(first, { said: { C: 'open' } }).replies('not_heeded');
    order.asked(order.notCharged(), { said: { C: 'open' } }).replies('heeded');
  });

  it('gives back what was paid and differs, once', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', differs);
    order.asked(order.notCharged()).replies('heeded');
    order.asked(order.notCharged()).replies('not_heeded');
  });

  it('of an invoice that differs frees no card beside it, and that of a card gives nothing back', () => {
    const order = openOrder();
    order.shows('A');
    const sent = order.charges();
    const ofCard = order.notCharged();
    order.ends(sent, unknownAs());
    order.hears('A', differs);
    order.asked({ ...ofCard, deliveryId: 'mismatch~order-1~A' }).replies('heeded');
    order.has({ attempts: [{ created: 'A' }, 'unknown'] });
    order.asked({ ...ofCard, invoiceId: 'A' }).replies('not_heeded');
    order.asked(ofCard).replies('heeded');
  });
});

describe('the word that an invoice paid the order', () => {
  it('is true without it, where a look-up finds it paid', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', differs);
    order.asked(order.chargedAs('A'), { said: { A: 'paid' } }).replies('heeded');
  });

  it('takes one that differs, after it was looked up', () => {
    const order = openOrder();
    order.shows('A');
    order.hears('A', differs);
    const word = order.chargedAs('A');
    order.asked(word).replies({ lookUp: ['A'] });
    order.asked(word, { said: { A: 'open' } }).replies('not_heeded');
    order.asked(word, { said: { A: 'none' } }).replies('not_heeded');
    assert.equal(order.known().paidId, null);
    order.asked(word, { said: { A: 'mismatch' } }).replies('accepted');
    assert.equal(order.known().paidId, 'A');
    const isAskedAgain = [['A', startMs + dayMs]];
    assert.deepEqual(columns(order.known().named, 'lookUpId', 'dueAtMs'), isAskedAgain);
    order.asked(word, { said: { A: 'mismatch' } }).replies('heeded');
  });

  it('has any other id looked up as a named one', () => {
    const order = openOrder();
    const one = order.charges(unknownAs());
    const word = order.chargedAs('invoice-C');
    order.asked(word).replies('look_up_named');
    for (const found of ['recorded', 'of_card'] as const) {
      order.asked(word, { found }).replies('heeded');
    }
    for (const found of ['open', 'busy', 'none'] as const) {
      order.asked(word, { found }).replies('not_heeded');
    }
    order.asked(order.chargedAs('not an id!')).replies('not_heeded');
    order.asked({ ...word, deliveryId: 'outcome_unknown~order-1~none' }).replies('not_heeded');
    order.ends(one, refusedAs());
    order.asked(word).replies('not_heeded');
  });
});

describe('a named id', () => {
  it('is compared with the likeliest first: the card whose answer is missing, then the newest', () => {
    const order = openOrder();
    order.shows('invoice-A');
    order.charges(refusedAs(), card({ totalCents: 500 }));
    const lost = order.charges(undefined, card({ totalCents: 700 }));
    for (const isLost of [false, true]) {
      if (isLost) order.ends(lost, unknownAs());
      const { reply } = order.asked(named('invoice-C'));
      assert.ok(reply.type === 'look_up_named' && reply.known === null);
      const newestCards = [700, 500].map((totalCents) => ({ method: 'credit_card', totalCents }));
      const code = { method: 'pix', totalCents: 12_345 };
      const ofOrder = [...newestCards, ...newestCards, code, code];
      assert.deepEqual(
        reply.sentAs.map(({ method, totalCents }) => ({ method, totalCents })),
        [newestCards[0], ...ofOrder],
      );
    }
  });

  it('that the order has, by either id, is compared with what that was created as', () => {
    const order = openOrder();
    const one = order.charges(unknownAs('invoice-C'));
    const known = () => {
      const { reply } = order.asked(named('invoice-C'));
      return reply.type === 'look_up_named' ? reply.known?.invoiceId : reply;
    };
    assert.equal(known(), 'invoice-C');
    order.ends(one, refusedAs('invoice-C'));
    assert.equal(known(), 'invoice-C');
  });

  it('is nothing to an order that sent nothing, and none where it is no id', () => {
    const order = openOrder();
    order.asked(named('invoice-C')).replies({ found: 'unknown' });
    order.asked(named('not an id!')).replies({ found: 'none' });
    order.tell(recordSending, { method: 'pix', totalCents: 1 });
    order.asked(named('invoice-C')).replies('look_up_named');
    order.asked(named('invoice-C'), { found: 'recorded' }).replies({ found: 'recorded' });
  });

  it('of a paid invoice is one that the order has', () => {
    const order = openOrder();
    order.shows('invoice-A');
    order.hears('invoice-A', paid);
    const { reply } = order.asked(named('invoice-A'));
    assert.ok(reply.type === 'look_up_named' && reply.known?.invoiceId === 'invoice-A');
  });
});
