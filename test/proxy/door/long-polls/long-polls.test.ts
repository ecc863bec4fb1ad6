/** Long polls: open until the status changes, one call for all of an invoice, and no timer when none is open. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createLongPolls, maxPerInvoice } from '../../../../src/proxy/door/long-polls.js';
import type { LookUpResult } from '../../../../src/proxy/run/look-up.js';
import { createMemoryStore } from '../../../../src/proxy/store/memory-store.js';
import type { IssuedInvoice } from '../../../../src/proxy/order/order.js';
import { hold, openHeld, openInvoice } from '../../../support/proxy/open-invoice.js';
import {
  createTestClock,
  dataOf,
  json,
  refusalOf,
  settle,
  toWireInvoice,
  turnsUntil,
} from '../../../support/proxy/shop.js';
import type { Shop, Ticket } from '../../../support/proxy/shop.js';

/** Tokens of one invoice, each of its own second. */
async function toTickets(shop: Shop, count: number): Promise<Ticket[]> {
  const tickets: Ticket[] = [];
  for (let i = 0; i < count; i++) {
    tickets.push(await dataOf(shop.create()));
    await shop.clock.advance(1_000);
  }
  return tickets;
}

/** A long poll sets its own timer; the first one of an invoice another, for the next call. */
const timersOf = (waiting: number) => (waiting === 0 ? 0 : waiting + 1);

describe('a long poll', () => {
  it('is answered as soon as a look-up finds another status, whichever it is', async () => {
    for (const status of ['paid', 'processing', 'expired']) {
      const { shop, invoice, held } = await openHeld();
      invoice.status = status;
      await shop.clock.advance(8_000);
      assert.equal((await dataOf(held.response))['status'], status);
      assert.equal(shop.clock.dues().length, 0);
    }
  });

  it('is answered at once when it is paid already', async () => {
    const [shop, made, invoice] = await openInvoice();
    invoice.status = 'paid';
    assert.equal((await dataOf(shop.lookUp(made, '?wait=25')))['status'], 'paid');
    assert.equal(shop.clock.dues().length, 0);
  });

  it('waits for a change from the status it saw first', async () => {
    const [shop, made, invoice] = await openInvoice();
    invoice.status = 'processing';
    const held = await hold(shop, made);
    await shop.clock.advance(20_000);
    assert.equal(held.isAnswered, false);
    invoice.status = 'pending';
    await shop.clock.advance(4_000);
    await turnsUntil(() => held.isAnswered);
  });

  it('is told at once what another look-up finds', async () => {
    const { shop, made, held } = await openHeld();
    await shop.clock.advance(2_000);
    await shop.seePaid(made);
    await turnsUntil(() => held.isAnswered);
    assert.equal(shop.clock.dues().length, 0);
  });

  it('asks the service on the schedule, which goes on from one wait to the next', async () => {
    const [shop, made] = await openInvoice();
    const startedMs = shop.clock.now();
    const callsAtSeconds: number[] = [];
    shop.upstream.behave = () => void callsAtSeconds.push((shop.clock.now() - startedMs) / 1_000);
    for (let round = 0; round < 9; round++) {
      const held = await hold(shop, made);
      await shop.clock.advance(25_000);
      await held.response;
    }
    assert.deepEqual(
      callsAtSeconds.slice(0, 8),
      [0, 8, 12, 16, 20, 24, 25 + 4, 25 + 8].toSpliced(6, 0),
    );
    // After three minutes every ten seconds, and once as each wait begins.
    assert.deepEqual(callsAtSeconds.slice(-3), [200, 210, 220]);
    assert.equal(shop.clock.dues().length, 0);
  });

  it('keeps what is known while the service is in trouble, and asks as late as it wants', async () => {
    const { shop, invoice, held } = await openHeld();
    shop.upstream.behave = () => json({}, 429, { 'retry-after': '12' });
    await shop.clock.advance(8_000);
    await turnsUntil(() => shop.upstream.lookUps() === 2 && shop.clock.dues().length === 2);
    await shop.clock.advance(11_999);
    assert.equal(shop.upstream.lookUps(), 2);
    shop.upstream.behave = () => undefined;
    invoice.status = 'paid';
    await shop.clock.advance(1);
    assert.equal((await dataOf(held.response))['status'], 'paid');
  });

  it('is refused at once when the first look-up fails', async () => {
    const [shop, made] = await openInvoice();
    shop.upstream.behave = () => json({}, 500);
    assert.equal(await refusalOf(shop.lookUp(made, '?wait=25')), '503 service_unavailable');
    assert.equal(shop.clock.dues().length, 0);
  });

  it('frees everything when its client goes away', async () => {
    const [shop, made] = await openInvoice();
    const leaving = [new AbortController(), new AbortController()];
    const open = ({ signal }: AbortController) => hold(shop, made, '?wait=25', signal);
    const held = await Promise.all(leaving.map(open));
    assert.equal(shop.clock.dues().length, timersOf(2));
    leaving[0]!.abort();
    await turnsUntil(() => held[0]!.isAnswered);
    assert.equal(shop.clock.dues().length, timersOf(1));
    assert.equal(held[1]!.isAnswered, false);
    leaving[1]!.abort();
    await turnsUntil(() => held[1]!.isAnswered);
    assert.equal(shop.clock.dues().length, 0);
    const lookUps = shop.upstream.lookUps();
    await shop.clock.advance(60_000);
    assert.equal(shop.upstream.lookUps(), lookUps);
  });

  it('ends at once for a client that has gone already', async () => {
    const [shop, made] = await openInvoice();
    await dataOf(shop.lookUp(made, '?wait=25', AbortSignal.abort()));
    assert.equal(shop.clock.dues().length, 0);
  });

  it('leaves one chain of calls when a client comes back while one is under way', async () => {
    const [shop, made] = await openInvoice();
    const leaving = new AbortController();
    const first = await hold(shop, made, '?wait=25', leaving.signal);
    const release = shop.upstream.hold('GET');
    await shop.clock.advance(8_000);
    await turnsUntil(() => shop.upstream.lookUps() === 2);
    leaving.abort();
    await first.response;
    const second = shop.lookUp(made, '?wait=25');
    release();
    shop.upstream.behave = () => undefined;
    await turnsUntil(() => shop.clock.dues().length === 2);
    await settle();
    assert.equal(shop.clock.dues().length, 2);
    await shop.clock.advance(25_000);
    await second;
    assert.equal(shop.clock.dues().length, 0);
  });
});

it('the schedule of an invoice begins anew for a page that was away for a minute', async () => {
  const [shop, made] = await openInvoice();
  for (const awayMs of [59_999, 60_000]) {
    const held = await hold(shop, made);
    await shop.clock.advance(25_000);
    await held.response;
    await shop.clock.advance(awayMs);
    const before = shop.upstream.lookUps();
    const next = await hold(shop, made);
    await shop.clock.advance(4_000);
    // At once and after four seconds, or at once only.
    assert.equal(shop.upstream.lookUps() - before, awayMs < 60_000 ? 2 : 1);
    await shop.clock.advance(21_000);
    await next.response;
    await shop.clock.advance(100_000);
  }
});

describe('many who wait for one invoice', () => {
  it('share its calls, and are all told at once', async () => {
    const [shop, , invoice] = await openInvoice();
    const tickets = await toTickets(shop, maxPerInvoice);
    shop.upstream.sent.length = 0;
    const held = await Promise.all(tickets.map((ticket) => hold(shop, ticket)));
    await turnsUntil(() => shop.clock.dues().length === timersOf(maxPerInvoice));
    assert.equal(shop.upstream.lookUps(), 1);
    await shop.clock.advance(8_000);
    assert.equal(shop.upstream.lookUps(), 2);
    invoice.status = 'paid';
    await shop.clock.advance(4_000);
    await turnsUntil(() => held.every(({ isAnswered }) => isAnswered));
    assert.equal(shop.upstream.lookUps(), 3);
    assert.equal(shop.clock.dues().length, 0);
  });

  it('are two per token at most, and answered at once beyond', async () => {
    const [shop, made] = await openInvoice();
    const [, other] = await toTickets(shop, 2);
    const held = [await hold(shop, made), await hold(shop, made)];
    await dataOf(shop.lookUp(made, '?wait=25'));
    held.push(await hold(shop, other!));
    assert.equal(shop.clock.dues().length, timersOf(3));
    await shop.clock.advance(25_000);
    await Promise.all(held.map(({ response }) => response));
    const again = await hold(shop, made);
    await shop.clock.advance(25_000);
    await again.response;
  });

  it('are limited per invoice over all tokens, and answered at once beyond', async () => {
    const [shop] = await openInvoice();
    const tickets = await toTickets(shop, maxPerInvoice + 1);
    assert.equal(new Set(tickets.map((ticket) => ticket.lookup_token)).size, maxPerInvoice + 1);
    const held = await Promise.all(tickets.slice(1).map((ticket) => hold(shop, ticket)));
    await turnsUntil(() => shop.clock.dues().length === timersOf(maxPerInvoice));
    await dataOf(shop.lookUp(tickets[0]!, '?wait=25'));
    assert.equal(shop.clock.dues().length, timersOf(maxPerInvoice));
    await shop.clock.advance(25_000);
    await Promise.all(held.map(({ response }) => response));
    assert.equal(shop.clock.dues().length, 0);
  });

  it('for two orders, because an answer named the invoice of another, hear each of their own', async () => {
    const [shop, made, invoice] = await openInvoice();
    shop.upstream.behave = ({ body }) =>
      body ? json({ data: { ...toWireInvoice(body), invoice_id: made.invoice_id } }) : undefined;
    const other = await dataOf(shop.create({ externalId: 'order-2' }));
    const held = await hold(shop, made);
    const { status } = await dataOf(shop.lookUp(other, '?wait=25'));
    assert.equal(status, 'pending');
    invoice.status = 'paid';
    await shop.clock.advance(2_000);
    const { status: told } = await dataOf(shop.lookUp(other));
    assert.equal(told, 'reference_mismatch');
    assert.equal(held.isAnswered, false);
    await shop.clock.advance(6_000);
    assert.equal((await dataOf(held.response))['status'], 'paid');
  });

  it('are limited per process, and answered at once beyond', async () => {
    const clock = createTestClock();
    const { waitForChange: holdFound } = createLongPolls({
      lookUp: () => new Promise(() => {}),
      store: createMemoryStore(clock.now),
      postbackWatch: { areArriving: () => false },
      settings: { ...clock, log: () => undefined, metrics: null },
      most: 3,
    });
    const first = { data: { status: 'pending' }, meaning: 'open' } as LookUpResult;
    const { signal } = new AbortController();
    const ask = (id: number) =>
      holdFound({
        issued: { invoiceId: `invoice-${id}` } as IssuedInvoice,
        first,
        token: `token-${id}`,
        waitMs: 25_000,
        signal,
      });
    const held = [1, 2, 3].map(ask);
    assert.equal(clock.dues().length, 6);
    await ask(4);
    assert.equal(clock.dues().length, 6);
    await clock.advance(25_000);
    await Promise.all(held);
    assert.equal(clock.dues().length, 0);
    void ask(4);
    assert.equal(clock.dues().length, 2);
  });
});
