/** Orders that are public (`requireOrderToken: false`): how often one address may ask, and which address that is. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { ProxyOptions } from '../../../src/proxy.js';
import { card, eventsOf, openShop, refusalOf } from '../../support/proxy/shop.js';

const tooMany = '429 too_many_requests';
const address = '203.0.113.7';

function openPublic(options: Partial<ProxyOptions> = {}) {
  const shop = openShop({
    requireOrderToken: false,
    paymentPage: { name: 'Padaria da Ana' },
    ...options,
  });
  let orders = 0;
  /** Asks about an order of its own. */
  const read = (remoteAddress?: string, headers: Record<string, string> = {}) => {
    orders += 1;
    return shop.request(`/order?external_id=order-${orders}`, { headers }, remoteAddress);
  };
  const create = (remoteAddress: string, body: object = {}) => {
    orders += 1;
    const fields = { externalId: `order-${orders}`, body: { order_token: undefined, ...body } };
    return shop.create({ ...fields, remoteAddress });
  };
  return { ...shop, read, create };
}

/** How many of so many requests were answered; the others heard that they were too many. */
async function answered(times: number, ask: (at: number) => Promise<Response>): Promise<number> {
  let count = 0;
  for (let at = 0; at < times; at += 1) {
    const answer = await ask(at);
    if (answer.status === 200) count += 1;
    else assert.equal(await refusalOf(answer), tooMany);
  }
  return count;
}

describe('public orders', () => {
  it('are read sixty times a minute by one address, whichever they are', async () => {
    const { questions, read, clock } = openPublic();
    assert.equal(await answered(300, () => read(address)), 60);
    assert.equal(questions.length, 60);
    assert.equal((await read(address)).headers.get('retry-after'), '60');
    assert.equal((await read('203.0.113.8')).status, 200);
    await clock.advance(60_000);
    assert.equal((await read(address)).status, 200);
  });

  it('are paid sixty times a minute by one address, and the service hears of no more', async () => {
    const { questions, create, upstream } = openPublic();
    assert.equal(await answered(150, () => create(address)), 60);
    assert.deepEqual([questions.length, upstream.creates()], [60, 60]);
    assert.equal((await create('203.0.113.8')).status, 200);
  });

  it('count a card as a code, and a question as a creation', async () => {
    const { create, read } = openPublic({ addressRequestsPerMinute: 3 });
    assert.equal((await create(address, card)).status, 200);
    assert.equal((await create(address)).status, 200);
    assert.equal((await read(address)).status, 200);
    for (const refused of [create(address, card), create(address), read(address)]) {
      assert.equal(await refusalOf(await refused), tooMany);
    }
  });

  it('take an IPv6 subscriber for one address', async () => {
    const { read } = openPublic({ addressRequestsPerMinute: 5 });
    assert.equal(await answered(9, (at) => read(`2001:db8:0:1::${at}`)), 5);
    assert.equal((await read('2001:db8:0:2::1')).status, 200);
  });

  it('believe forwarding headers as far as trustedHops, whatever else stands in them', async () => {
    const { read } = openPublic({ addressRequestsPerMinute: 5, trustedHops: 1 });
    const from = (list: string) => read('10.0.0.1', { 'x-forwarded-for': list });
    assert.equal(await answered(9, (at) => from(`198.51.100.${at}, ${address}`)), 5);
    assert.equal((await from(`${address}, 203.0.113.8`)).status, 200);
  });

  // A web server in front is no payer.
  const hops = ['127.0.0.1', '::1', '::ffff:10.0.0.5', '172.17.0.1', 'fd00::1'];
  for (const hop of [undefined, ...hops]) {
    it(`are counted each by itself where the payer's address is not known, but ${hop ?? 'nothing'}`, async () => {
      const { request, read } = openPublic({ addressRequestsPerMinute: 5 });
      assert.equal(await answered(9, () => read(hop)), 9);
      const again = () => request('/order?external_id=order-x', {}, hop);
      assert.equal(await answered(9, again), 5);
    });
  }

  it('are told to the operator when they are asked for too often, once a minute', async () => {
    const { read, log, clock } = openPublic({ addressRequestsPerMinute: 1 });
    await answered(3, () => read(address));
    assert.deepEqual(eventsOf({ log }), ['address_limited']);
    assert.match(log[0]?.hint ?? '', /trustedHops.*addressRequestsPerMinute/);
    assert.ok(!JSON.stringify(log).includes(address));
    await clock.advance(60_000);
    await answered(3, () => read(address));
    assert.equal(log.length, 2);
  });

  it("do not limit the merchant's own server", async () => {
    const { proxy, upstream } = openPublic({ addressRequestsPerMinute: 1 });
    for (const externalId of ['order-a', 'order-b', 'order-c']) {
      await proxy.createInvoice({ externalId, method: 'pix', remoteAddress: address });
    }
    assert.equal(upstream.creates(), 3);
  });
});

it('orders with a token are paid as often as tokens are signed for them', async () => {
  const shop = openShop({ addressRequestsPerMinute: 1 });
  for (const externalId of ['order-a', 'order-b', 'order-c']) {
    assert.equal((await shop.create({ externalId, remoteAddress: address })).status, 200);
  }
});
