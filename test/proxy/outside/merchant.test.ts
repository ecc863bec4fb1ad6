/** What the merchant's code may say of an order, and what becomes of its mistakes. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import type { ProxyOptions, ResolveOrder } from '../../../src/proxy.js';
import {
  eventsOf,
  dataOf,
  openShop,
  refusalOf,
  turnsUntil,
  assertRefused,
} from '../../support/proxy/shop.js';
import { priceOrder } from '../../../src/proxy/outside/merchant.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';

/** JavaScript's merchants return anything. */
const resolve = (answer: unknown) => (() => answer) as ResolveOrder;

/** A shop whose `resolveOrder` answers this, and what `onError` is told. */
function openTelling(answer: unknown) {
  const told: Parameters<NonNullable<ProxyOptions['onError']>>[] = [];
  const shop = openShop({
    resolveOrder: resolve(answer),
    onError: (...given) => void told.push(given),
  });
  return { shop, told };
}

function findOrder(): never {
  throw new TypeError('no table "orders"');
}

describe('resolveOrder', () => {
  const ends: [answer: unknown, refusal: string][] = [
    [null, '404 unknown_order'],
    [undefined, '404 unknown_order'],
    [Promise.resolve(null), '404 unknown_order'],
    [{ status: 'paid' }, '409 order_paid'],
    [{ status: 'closed' }, '409 order_closed'],
    [{ status: 'closed', total_price_cents: 100 }, '409 order_closed'],
  ];
  for (const [answer, refusal] of ends) {
    it(`that says ${JSON.stringify(answer)} ends with ${refusal}`, async () => {
      const shop = openShop({ resolveOrder: resolve(answer) });
      assert.equal(await refusalOf(await shop.create()), refusal);
      assert.equal(shop.upstream.sent.length, 0);
      assert.deepEqual(eventsOf(shop), answer === undefined ? ['order_invalid'] : []);
    });
  }

  it('is asked the documented question, and hears nothing else that its caller knows', async () => {
    const asked: object[] = [];
    const question = { externalId: 'order-1', orderToken: null, method: 'pix', installment: 1 };
    const ignore = () => undefined;
    const given = { startTimer: () => ignore, log: ignore, warn: ignore, onError: ignore };
    const resolveOrder: ResolveOrder = (one) => {
      asked.push({ ...one });
      return { total_price_cents: 100 };
    };
    const more = { ...question, method: 'pix', request: null, key: 'a key' } as const;
    await priceOrder({ ...given, resolveOrder }, more);
    assert.deepEqual(asked, [{ ...question, request: null }]);
  });

  it('that hangs is given up after fifteen seconds, and logged', async () => {
    const shop = openShop({ resolveOrder: () => new Promise(() => {}) });
    const pending = shop.create();
    await turnsUntil(() => shop.clock.dues().length === 1);
    await shop.clock.advance(14_999);
    assert.deepEqual(shop.log, []);
    await shop.clock.advance(1);
    assert.equal(await refusalOf(await pending), '503 service_unavailable resolveOrder');
    const entry = { level: 'error', event: 'order_failed', externalId: 'order-1' };
    assert.deepEqual(shop.log, [{ ...entry, errorName: 'TimeoutError' }]);
    assert.equal(shop.upstream.sent.length, 0);
  });

  it('leaves no timer behind, whatever becomes of it', async () => {
    const fail = async () => {
      throw new Error('no database');
    };
    for (const resolveOrder of [resolve(null), resolve({ total_price_cents: 100 }), fail]) {
      const shop = openShop({ resolveOrder });
      await shop.create();
      assert.equal(shop.clock.dues().length, 0);
    }
  });

  const mistakes: [answer: unknown, field: string][] = [
    ['paid', 'order'],
    [0, 'order'],
    [[], 'order'],
    [{}, 'total_price_cents'],
    [{ status: 'open' }, 'total_price_cents'],
    ...[-1, 10.5, '100', NaN, Infinity, 2 ** 53].map((total_price_cents): [object, string] => [
      { total_price_cents },
      'total_price_cents',
    ]),
    [{ total_price_cents: 100, payer: { cpf: '1' } }, 'payer.cpf'],
    [{ total_price_cents: 100, payer: { email: 1 } }, 'payer.email'],
    [{ total_price_cents: 100, expires_in: 0 }, 'expires_in'],
    [{ total_price_cents: 100, expiresIn: 60 }, 'expiresIn'],
    [{ total_price_cents: 100, 'not a name': 1 }, 'order'],
    [{ total_price_cents: 100, product_fisical: true }, 'product_fisical'],
  ];
  for (const [answer, field] of mistakes) {
    it(`that returns ${JSON.stringify(answer)} is the merchant's mistake, logged by name: ${field}`, async () => {
      const { shop, told } = openTelling(answer);
      await assertRefused(shop.create(), `500 order_failed resolveOrder: ${field}`, null);
      assert.equal(shop.upstream.sent.length, 0);
      const entry = { level: 'error', event: 'order_invalid', externalId: 'order-1', field };
      assert.deepEqual(shop.log, [entry]);
      const [[error, context] = []] = told;
      assert.ok(error instanceof TypeError && error.message.includes(field), String(error));
      assert.deepEqual(context, { hook: 'resolveOrder', externalId: 'order-1' });
      assert.equal(told.length, 1);
    });
  }

  for (const total_price_cents of [0, -0]) {
    it(`that answers a total of ${Object.is(total_price_cents, -0) ? '-0' : 0} is told that nothing is owed, so that it says paid`, async () => {
      const { shop, told } = openTelling({ total_price_cents, items: [{ title: 'x' }] });
      const refusal = '500 order_failed resolveOrder: nothing_owed';
      assert.equal(await refusalOf(await shop.create()), refusal);
      const field = 'total_price_cents';
      const entry = { level: 'error', event: 'order_invalid', externalId: 'order-1', field };
      assert.deepEqual(shop.log, [{ ...entry, reason: 'nothing_owed' }]);
      for (const text of [shop.log[0]?.hint ?? '', String(told[0]?.[0])])
        assert.match(text, /\{ status: 'paid' \}/);
    });
  }

  it('that answers nonsense to the shop’s own server is told there, by the same name', async () => {
    const { shop } = openTelling({ total_price_cents: '100' });
    await assert.rejects(shop.proxy.createInvoice({ externalId: 'order-1', method: 'pix' }), {
      code: 'order_failed',
      field: 'resolveOrder: total_price_cents',
    });
  });

  it('that throws is no refusal of the order, and its message is not logged', async () => {
    const lost = new RangeError('connection of ana@example.com lost');
    const told: unknown[] = [];
    const shop = openShop({
      resolveOrder: () => {
        throw lost;
      },
      onError: (...given) => {
        told.push(given);
        throw new Error('no tracker either');
      },
    });
    await assertRefused(shop.create(), '503 service_unavailable resolveOrder', '5');
    const entry = { level: 'error', event: 'order_failed', externalId: 'order-1' };
    assert.deepEqual(shop.log, [{ ...entry, errorName: 'RangeError' }]);
    assert.deepEqual(told, [[lost, { hook: 'resolveOrder', externalId: 'order-1' }]]);
  });

  it('that throws is told on stderr in one line, with its message and the places in the shop’s files', async () => {
    const lines: unknown[] = [];
    vi.spyOn(console, 'error').mockImplementation((line: unknown) => lines.push(line));
    await openShop({ resolveOrder: findOrder }).create();
    const [line] = lines.filter((one) => !String(one).startsWith('{'));
    assert.match(
      String(line),
      /^resolveOrder failed for order-1: TypeError: no table "orders" at .*findOrder.*merchant\.test/,
    );
    assert.doesNotMatch(String(line), /\n|node:|node_modules/);
  });

  it('may write undefined for absent', async () => {
    const absent = { items: undefined, payer: { name: undefined }, expires_in: undefined };
    const shop = openShop({ resolveOrder: resolve({ total_price_cents: 100, ...absent }) });
    await dataOf(await shop.create());
    const fields = Object.keys(shop.upstream.sent[0]?.body ?? {});
    assert.deepEqual(fields, ['method', 'total_price_cents', 'external_id', 'postback_url']);
  });

  it('that says paid is answered with the invoice that a look-up found paid', async () => {
    let isPaid = false;
    const [shop, made] = await openInvoice({
      resolveOrder: () => (isPaid ? { status: 'paid' } : { total_price_cents: 100 }),
    });
    isPaid = true;
    assert.equal((await (await shop.create()).json()).data, undefined);
    await shop.seePaid(made);
    assert.equal((await (await shop.create()).json()).data.invoice_id, made.invoice_id);
  });

  it('prices each request anew', async () => {
    const shop = openShop();
    await dataOf(await shop.create());
    shop.totalCents = 1;
    const response = await shop.create({ body: { expected_total_cents: 12_345 } });
    assert.equal(await refusalOf(response), '409 amount_mismatch total_price_cents: 1, not 12345');
  });
});
