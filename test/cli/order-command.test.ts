/** `pix-checkout order`: what it says of an order beside a running proxy, and that it neither writes nor tells a secret. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, it, vi, type TestContext } from 'vitest';
import { openLedger } from '../../src/ledger.js';
import type { OrderDescription, ProxyOptions } from '../../src/proxy.js';
import { storeOf } from '../support/proxy/kept-order.js';
import { createEmptyOrder } from '../../src/proxy/order/order.js';
import { card, createWorld, dataOf, json, openShop } from '../support/proxy/shop.js';
import { createSqliteStore } from '../support/proxy/stores.js';
import { assertRefused, runCommand } from '../support/cli/terminal.js';

const store = createSqliteStore();
beforeAll(store.open);
afterAll(store.close);

/** A shop with a file, and what the command says of its orders. */
async function openDesk(t: TestContext, fail?: () => void) {
  const world = createWorld();
  const { now, advance } = world.clock;
  // The command goes by the machine's clock, which here is the world's: no date of the calendar decides.
  vi.spyOn(Date, 'now').mockImplementation(now);
  const url = await store.createUrl();
  const ledger = await openLedger({ url, now });
  t.onTestFinished(() => ledger.close());
  const told: string[] = [];
  const onPaid: ProxyOptions['onPaid'] = ({ externalId }) => {
    fail?.();
    told.push(externalId);
  };
  const hooks = { onPaid, onReturned: () => undefined, onError: () => undefined };
  const shop = openShop(
    { ledger, backgroundJobs: false, ...hooks },
    { ...world, store: storeOf(ledger) },
  );
  const ask = async (...args: string[]) => {
    const run = runCommand(['order', ...args], { PIX_LEDGER_URL: url });
    return { code: await run.code, text: run.output(), warnings: run.warnings() };
  };
  const waitsFor = async () => lastLine((await ask('order-1')).text);
  return { shop, ledger, url, ask, waitsFor, advance, told };
}

const lastLine = (text: string) => text.split('\n').at(-1) ?? '';

describe('pix-checkout order', () => {
  it('deletes an order of which nothing is due, and says what is', async (t) => {
    const { shop, ask, advance } = await openDesk(t);
    const made = await dataOf(shop.create());
    shop.upstream.behave = () => json({}, 422);
    assert.notEqual((await shop.create({ externalId: 'order-2' })).status, 200);
    shop.upstream.behave = () => undefined;
    const forget = (reference: string) => ask(reference, '--forget');
    assert.match((await forget('order-1')).warnings, /order-1 is kept: a code of it may still/);
    shop.upstream.of(made).status = 'paid';
    await dataOf(shop.lookUp(made));
    assert.match((await forget('order-1')).warnings, /kept: your server was not told/);
    await shop.proxy.runDue();
    assert.match((await forget('order-1')).warnings, /kept: it is paid and watched for a return/);
    assert.match((await forget('order-2')).warnings, /order-2 is kept: a page used it within/);
    await advance(7 * 86_400_000);
    const { forgotten } = await shop.proxy.forget('order-1');
    assert.equal(forgotten, false);
    assert.deepEqual(await shop.proxy.forget('order-2'), { forgotten: true });
    assert.equal(await shop.proxy.describeOrder('order-2'), null);
    const reason = 'unknown_order';
    assert.deepEqual(await shop.proxy.forget('order-2'), { forgotten: false, reason });
    await shop.create({ externalId: 'order-3', body: card });
    assert.equal((await forget('order-2')).code, 1);
  });

  it('deletes for a person what is old enough', async (t) => {
    const { shop, ledger, ask } = await openDesk(t);
    const order = { ...createEmptyOrder('order-1'), aliveAtMs: 1_000 };
    await storeOf(ledger).change('order-1', () => [order, null]);
    const { code, text } = await ask('order-1', '--forget');
    assert.deepEqual([code, text.trim()], [0, 'order-1 is deleted']);
    assert.equal(await shop.proxy.describeOrder('order-1'), null);
  });

  it('tells a payment and its return in order, and the same by JSON and by the proxy', async (t) => {
    const { shop, ask, waitsFor, advance } = await openDesk(t);
    const made = await dataOf(shop.create());
    const invoice = shop.upstream.of(made);
    assert.match(await waitsFor(), /^Waits for: the payment of code ORDER-/);
    invoice.status = 'paid';
    await advance(60_000);
    await dataOf(shop.lookUp(made));
    assert.match(await waitsFor(), /your server: paid at .*; onPaid was not called yet/);
    await advance(1_000);
    await shop.proxy.runDue();
    const paid = (await ask('order-1')).text;
    assert.match(lastLine(paid), /^Waits for: nothing: paid at \S+, told to your server at \S+$/);
    invoice.status = 'refunded';
    await advance(1_000);
    await shop.postback({ id: made.invoice_id });
    await shop.proxy.runDue();

    const { code, text, warnings } = await ask('order-1');
    assert.equal(code, 0, warnings);
    const whats = text
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/)[1]);
    assert.deepEqual(whats.slice(0, 4), ['attempt', 'sent', 'attempt', 'invoice']);
    assert.deepEqual(whats.filter((what) => what === 'event').length, 3);
    assert.ok(whats.indexOf('invoice') < whats.indexOf('paid'));
    assert.match(lastLine(text), /nothing: paid at \S+, then refunded$/);
    assert.ok(text.includes(String(invoice['end_to_end_id'])));

    const json = JSON.parse((await ask('order-1', '--json')).text) as OrderDescription;
    assert.deepEqual(json, await shop.proxy.describeOrder('order-1'));
    assert.equal(json.forgotten, null);
    const told = [text, JSON.stringify(json)].join('');
    for (const secret of [
      '000201',
      'br.gov.bcb',
      'canary@',
      'Canary',
      '52998224725',
      made.lookup_token,
      'v1.',
    ]) {
      assert.ok(!told.includes(secret), secret);
    }
  });

  it('has the proxies tell again what your server failed to take', async (t) => {
    const { shop, ask, told } = await openDesk(t, () => {
      throw new Error('down');
    });
    const made = await dataOf(shop.create());
    shop.upstream.pay(made);
    await dataOf(shop.lookUp(made));
    await shop.proxy.runDue();
    const dueAtMs = async () => {
      const { events } = await shop.kept();
      return events.find(({ kind }) => kind === 'paid')?.dueAtMs;
    };
    const before = await dueAtMs();
    const again = await ask('order-1', '--tell-again');
    assert.deepEqual([again.code, again.warnings], [0, 'The proxies call your hooks again now']);
    assert.notEqual(await dueAtMs(), before);
    assert.match(lastLine(again.text), /onPaid was called 1 times without success/);
    assert.deepEqual(told, []);
  });

  it('tells what a card waits for', async (t) => {
    const { shop, waitsFor } = await openDesk(t);
    shop.upstream.behave = ({ method }) => {
      if (method === 'POST') throw new TypeError('fetch failed');
      return undefined;
    };
    await shop.create({ body: card });
    assert.match(await waitsFor(), /a person: the outcome of a card is unknown/);
  });

  it('changes nothing, and makes no file', async (t) => {
    const { shop, url } = await openDesk(t);
    await dataOf(shop.create());
    const reader = await openLedger({ url, readOnly: true });
    const change = storeOf(reader).change('order-2', (order) => [{ ...order, paidId: 'a' }, null]);
    await assert.rejects(change, { name: 'LedgerError' });
    assert.equal(await reader.describeOrder('order-2'), null);
    await reader.close();
    const missing = await store.createUrl();
    const said = /^PIX_LEDGER_URL: the ledger cannot be read/;
    await assertRefused(['order', 'a'], { PIX_LEDGER_URL: missing }, said);
    assert.ok(!existsSync(missing.slice('file:'.length)));
  });

  it('says which order, variable or table is missing', async (t) => {
    const { ask } = await openDesk(t);
    const unknown = await ask('order-9');
    assert.equal(unknown.code, 1);
    assert.match(unknown.warnings, /^The ledger does not know order-9/);
    assert.match((await ask('pão')).warnings, /^<reference>/);
    for (const [env, said] of [
      [{}, /^Set PIX_LEDGER_URL/],
      [
        { PIX_LEDGER_URL: 'postgres://u:canary@127.0.0.1:1/x' },
        /^PIX_LEDGER_URL: the ledger cannot be read: the ledger failed: ECONNREFUSED/,
      ],
      [{ PIX_LEDGER_URL: 'mysql://a:canary@b' }, /^PIX_LEDGER_URL: url must begin with file:/],
    ] as const) {
      assert.doesNotMatch(await assertRefused(['order', 'a'], env, said), /canary/);
    }
  });
});
