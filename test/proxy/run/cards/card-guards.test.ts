/** Stolen cards cannot be tested here: limits for an order, an address and the shop, all told in the same words. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import type { HumanQuestion } from '../../../../src/proxy.js';
import {
  inProgress,
  openCardShop,
  orderPaid,
  outcomeOf,
  refused,
  tooMany,
  unavailable,
} from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { card, dataOf, openShop, turnsUntil, assertRefused } from '../../../support/proxy/shop.js';
import type { CreateFields } from '../../../support/proxy/shop.js';
import { columns } from '../../../support/rows.js';
import { rounds } from '../../../tools/runs.js';

const refusedCard = { token: 'tok_refuse' };

/** A card for an order of its own. */
async function tryCard(shop: CardShop, token: string, remoteAddress?: string): Promise<string> {
  const from = remoteAddress === undefined ? {} : { remoteAddress };
  const response = await shop.pay({ token }, { externalId: randomUUID(), ...from });
  return outcomeOf(response);
}

async function tryCards(shop: CardShop, times: number, token: string): Promise<void> {
  for (let i = 0; i < times; i++) {
    const outcome = await tryCard(shop, token, `203.0.113.${i}`);
    assert.equal(outcome, token === 'tok_refuse' ? refused : '200', `card ${i}`);
  }
}

describe('one order', () => {
  it('takes five cards, and Pix after that', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 5; i++) {
      assert.equal(await outcomeOf(shop.pay(refusedCard)), refused);
      await shop.clock.advance(61 * minuteMs);
    }
    // The token of the page lives for a day; the order is remembered longer.
    const body = { order_token: await shop.signOrder('order-1') };
    assert.equal(await outcomeOf(shop.pay(undefined, { body })), tooMany);
    await shop.clock.advance(20 * 60 * minuteMs);
    assert.equal(shop.upstream.creates(), 5);
    await dataOf(shop.create());
    await dataOf(shop.pay(undefined, { externalId: 'order-2' }));
  });

  it('does not count a card that the service did not take', async () => {
    const shop = openCardShop();
    await shop.fail({ on: 'create', kind: 'unauthorized', times: 9 });
    for (let i = 0; i < 9; i++) {
      assert.equal(await outcomeOf(shop.pay()), '503 service_unavailable');
      await shop.clock.advance(3_000);
    }
    await dataOf(shop.pay());
  });

  /** A second card, 1.5 seconds after the first one was refused. It waits. */
  async function openWaiting(fields: Partial<CreateFields> = {}) {
    const shop = openCardShop();
    await shop.pay(refusedCard);
    await shop.clock.advance(1_500);
    const before = shop.clock.dues().length;
    const second = shop.pay(undefined, fields);
    await turnsUntil(() => shop.clock.dues().length > before);
    return { shop, second };
  }

  it('waits three seconds between two cards, and the payer sees no error', async () => {
    const { shop, second } = await openWaiting();
    await shop.clock.advance(1_499);
    assert.equal(shop.upstream.creates(), 1);
    await shop.clock.advance(1);
    await dataOf(second);
    assert.equal(shop.upstream.creates(), 2);
  });

  it('does not wait once three seconds are over', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 5; i++) {
      assert.equal(await outcomeOf(shop.pay(refusedCard)), refused);
      await shop.clock.advance(3_000);
    }
    assert.equal(shop.upstream.creates(), 5);
  });

  it('has one card that waits: whatever comes meanwhile is turned away, and charges nothing later', async () => {
    const key = randomUUID();
    const { shop, second } = await openWaiting({ key });
    for (const other of [shop.pay(), shop.pay(undefined, { key }), shop.create()])
      assert.equal(await outcomeOf(other), inProgress);
    await shop.clock.advance(1_500);
    const { invoice_id: id } = await dataOf(second);
    const repeated = await dataOf(shop.pay(undefined, { key }));
    assert.deepEqual([repeated['invoice_id'], shop.upstream.creates()], [id, 2]);
  });

  it('sends no card that waited if its page has left, or the order was paid', async () => {
    const page = new AbortController();
    const left = await openWaiting({ signal: page.signal });
    page.abort();
    await left.shop.clock.advance(1_500);
    assert.equal(await outcomeOf(left.second), unavailable);
    assert.equal(left.shop.upstream.creates(), 1);

    const shop = openCardShop();
    const code = await dataOf(shop.create());
    await shop.pay(refusedCard);
    const second = shop.pay();
    await shop.clock.advance(1_000);
    await shop.settle(code.invoice_id);
    await shop.clock.advance(2_000);
    assert.equal(await outcomeOf(second), orderPaid);
    assert.equal(shop.upstream.creates(), 2);
  });

  it('is not told anything about the card that is refused here', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 5; i++) {
      await shop.pay(refusedCard);
      await shop.clock.advance(3_000);
    }
    const bodies = new Set<string>();
    for (const token of ['tok_approve', 'tok_refuse', 'tok_hang_after_effect']) {
      bodies.add(await (await shop.pay({ token })).text());
    }
    assert.equal(bodies.size, 1);
  });
});

describe('one address', () => {
  const sameSubscriber: [name: string, addresses: (i: number) => string][] = [
    ['an IPv4 address', () => '198.51.100.7'],
    ['an IPv4 address in IPv6', (i) => (i % 2 ? '198.51.100.7' : '::ffff:198.51.100.7')],
    ['an IPv6 /64', (i) => `2001:db8:0:7:${i}::${i}`],
  ];
  for (const [name, toAddress] of sameSubscriber) {
    it(`is refused ten times an hour: ${name}`, async () => {
      const shop = openCardShop();
      for (let i = 0; i < 10; i++) {
        assert.equal(await tryCard(shop, 'tok_refuse', toAddress(i)), refused);
        await shop.clock.advance(minuteMs);
      }
      const fields = { externalId: randomUUID(), remoteAddress: toAddress(11) };
      await assertRefused(shop.pay({ token: 'tok_approve' }, fields), tooMany, String(50 * 60));
      assert.equal(await tryCard(shop, 'tok_approve', '2001:db8:0:8::1'), '200');
      await shop.clock.advance(50 * minuteMs - 1);
      assert.equal(await tryCard(shop, 'tok_approve', toAddress(11)), tooMany);
      await shop.clock.advance(1);
      assert.equal(await tryCard(shop, 'tok_approve', toAddress(11)), '200');
    });
  }

  it('is not held back by cards that were charged, and not at all where it is not known', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 15; i++) assert.equal(await tryCard(shop, 'tok_approve', '::1'), '200');
    for (let i = 0; i < 9; i++) assert.equal(await tryCard(shop, 'tok_refuse', '::1'), refused);
    assert.equal(await tryCard(shop, 'tok_approve', '::1'), '200');
    const unknown = openCardShop();
    for (let i = 0; i < 15; i++) assert.equal(await tryCard(unknown, 'tok_refuse'), refused);
  });

  it('gets no further with hundreds of cards at once', async () => {
    const shop = openCardShop();
    const cards = rounds('CARDS_AT_ONCE', { quick: 200, thorough: 1_000 });
    const all = Array.from({ length: cards }, () => tryCard(shop, 'tok_refuse', '198.51.100.7'));
    const outcomes = await Promise.all(all);
    assert.equal(shop.upstream.creates(), 10);
    assert.equal(outcomes.filter((outcome) => outcome === tooMany).length, cards - 10);
  });

  it('is counted by the refusals that only a look-up tells', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 10; i++) {
      const fields = { externalId: `late-${i}`, remoteAddress: '198.51.100.7' };
      const made = await dataOf(shop.pay({ token: 'tok_pending' }, fields));
      await shop.control(`/invoices/${made.invoice_id}/status`, { status: 'refused' });
      assert.equal(await outcomeOf(shop.lookUp(made)), refused);
    }
    assert.equal(await tryCard(shop, 'tok_approve', '198.51.100.7'), tooMany);
  });

  it('stands behind the hops that the merchant trusts, not in what a client writes', async () => {
    const shop = openCardShop({ trustedHops: 1 });
    for (let i = 0; i < 11; i++) {
      const headers = { 'x-forwarded-for': `192.0.2.${i}, 198.51.100.7` };
      const fields = { externalId: randomUUID(), headers, remoteAddress: '10.0.0.1' };
      const outcome = await outcomeOf(shop.pay(refusedCard, fields));
      assert.equal(outcome, i < 10 ? refused : tooMany);
    }
  });
});

describe('the whole shop', () => {
  it('asks whether a human pays, once most of twenty cards are refused', async () => {
    const questions: HumanQuestion[] = [];
    let isHuman: () => boolean | Promise<boolean> = () => true;
    const verifyHuman = (question: HumanQuestion) => {
      questions.push(question);
      return isHuman();
    };
    const shop = openCardShop({ verifyHuman });
    await tryCards(shop, 7, 'tok_approve');
    await tryCards(shop, 12, 'tok_refuse');
    assert.equal(await tryCard(shop, 'tok_refuse', '192.0.2.1'), refused);
    assert.equal(questions.length, 0);

    assert.equal(await tryCard(shop, 'tok_approve', '192.0.2.1'), '200');
    const [question] = questions;
    assert.equal(question?.remoteAddress, '192.0.2.1');
    assert.equal(question?.request?.bodyUsed, true);
    await tryCards(shop, 1, 'tok_refuse');
    const answers: (() => boolean | Promise<boolean>)[] = [
      () => false,
      () => Promise.resolve(false),
      () => 'yes' as unknown as boolean,
      () => undefined as unknown as boolean,
      () => assert.fail('canary of the hook'),
      () => Promise.reject(new Error('canary of the hook')),
    ];
    const before = shop.upstream.creates();
    for (const answer of answers) {
      isHuman = answer;
      assert.equal(await tryCard(shop, 'tok_approve', '192.0.2.1'), tooMany);
    }
    assert.equal(shop.upstream.creates(), before);
    assert.deepEqual(columns(shop.log, 'event', 'errorName'), [
      ['card_testing_suspected', undefined],
      ['human_check_failed', 'AssertionError'],
      ['human_check_failed', 'Error'],
    ]);
    assert.ok(!JSON.stringify(shop.log).includes('canary'));
  });

  it('suspects twelve of twenty, and not eleven', async () => {
    for (const [approved, suspected] of [
      [9, 0],
      [8, 1],
    ] as const) {
      const shop = openCardShop();
      await tryCards(shop, approved, 'tok_approve');
      await tryCards(shop, 20 - approved, 'tok_refuse');
      assert.equal(await tryCard(shop, 'tok_approve'), suspected ? tooMany : '200');
      assert.equal(shop.logged('card_testing_suspected').length, suspected);
    }
  });

  it('lets no card pass meanwhile without the hook, but Pix, and cards again ten minutes later', async () => {
    const shop = openCardShop();
    await tryCards(shop, 20, 'tok_refuse');
    await assertRefused(shop.pay(), tooMany, '600');
    await dataOf(shop.create());
    await shop.clock.advance(10 * minuteMs - 1);
    assert.equal(await tryCard(shop, 'tok_approve'), tooMany);
    await shop.clock.advance(1);
    assert.equal(await tryCard(shop, 'tok_approve'), '200');
    assert.equal(shop.logged('card_testing_suspected').length, 1);
  });

  it('does not ask about an order that is paid, and says that it is', async () => {
    let asked = 0;
    const verifyHuman = () => (asked += 1) > 0;
    for (const shop of [openCardShop(), openCardShop({ verifyHuman })]) {
      const pix = await dataOf(shop.create());
      await shop.control(`/invoices/${pix.invoice_id}/settle`);
      await dataOf(shop.lookUp(pix));
      await tryCards(shop, 19, 'tok_refuse');
      await tryCard(shop, 'tok_refuse');
      asked = 0;
      assert.equal(await outcomeOf(shop.pay()), orderPaid);
    }
    assert.equal(asked, 0);
  });

  it('sends no card for an order that is paid while a human is asked for', async () => {
    let isPaid = false;
    const shop: CardShop = openCardShop({
      async verifyHuman({ externalId }) {
        if (externalId !== 'order-1') return true;
        await shop.control(`/invoices/${pix.invoice_id}/settle`);
        isPaid = (await dataOf(shop.lookUp(pix)))['status'] === 'paid';
        return true;
      },
    });
    const pix = await dataOf(shop.create());
    await tryCards(shop, 20, 'tok_refuse');
    const before = shop.upstream.creates();
    assert.equal(await outcomeOf(shop.pay()), orderPaid);
    assert.deepEqual([isPaid, shop.upstream.creates()], [true, before]);
  });

  it('leaves only Pix when even those taken for humans are refused', async () => {
    let asked = 0;
    const shop = openCardShop({ verifyHuman: () => (asked += 1) > 0 });
    await tryCards(shop, 40, 'tok_refuse');
    assert.equal(asked, 20);
    assert.equal(await tryCard(shop, 'tok_approve'), tooMany);
    assert.equal(asked, 20);
    assert.equal(shop.upstream.creates(), 40);
    await dataOf(shop.create());
  });

  it('does not mind a shop whose cards are mostly charged', async () => {
    const shop = openCardShop();
    for (let i = 0; i < 4; i++) {
      await tryCards(shop, 10, 'tok_approve');
      await tryCards(shop, 9, 'tok_refuse');
      await shop.clock.advance(61 * minuteMs);
    }
    assert.deepEqual(shop.logged('card_testing_suspected'), []);
  });

  it('gives up a hook that never answers, and frees the order', async () => {
    let isAsked = false;
    const verifyHuman = () => {
      isAsked = true;
      return new Promise<boolean>(() => {});
    };
    const shop = openCardShop({ verifyHuman });
    await tryCards(shop, 20, 'tok_refuse');
    const key = randomUUID();
    const hanging = shop.pay(undefined, { key });
    await turnsUntil(() => isAsked);
    assert.equal(await outcomeOf(shop.ask(key)), '409 in_progress');
    await shop.clock.advance(15_000);
    assert.equal(await outcomeOf(hanging), tooMany);
    assert.equal(await outcomeOf(shop.ask(key)), '404 not_found');
    assert.equal(shop.log.at(-1)?.errorName, 'TimeoutError');
  });

  it('learns nothing from unknown outcomes', async () => {
    const shop = openShop();
    shop.upstream.behave = ({ method }) =>
      method === 'POST' ? new Response(null, { status: 500 }) : undefined;
    for (let i = 0; i < 25; i++) {
      const fields = { externalId: `order-${i}`, body: card, remoteAddress: '198.51.100.7' };
      assert.equal(await outcomeOf(shop.create(fields)), '502 outcome_unknown');
    }
  });
});
