/** What a postback makes due, by what the ledger knows of its order, and what a body may name. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LogEntry } from '../../../src/proxy.js';
import type { AttemptProgress, OrderRecord } from '../../../src/proxy/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { readNamedInvoice } from '../../../src/proxy/postbacks/postback-body.js';
import { createPostbacks } from '../../../src/proxy/postbacks/postbacks.js';
import { unavailable } from '../../../src/proxy/runtime/proxy-error.js';
import { toCard, toInvoice } from '../ledger/contract/samples.js';
import { createGate, createTestClock, settle } from '../support/shop.js';

/** Postbacks of orders that the ledger knows as `record`. `asked`: the look-ups, an unverified match with a question mark. */
function openHints(record: Partial<OrderRecord>) {
  const clock = createTestClock();
  const startedMs = clock.now();
  const asked: string[] = [];
  const askedAtMs: number[] = [];
  const left: string[] = [];
  const log: LogEntry[] = [];
  const service = { answer: async () => {} };
  const order = { invoices: [], cards: [], sentAtMs: [1], cardSentAtMs: [], paid: null, ...record };
  const ask = async (what: string) => {
    asked.push(what);
    askedAtMs.push(clock.now() - startedMs);
    await service.answer();
    return undefined as never;
  };
  const postbacks = createPostbacks({
    settings: {
      ...clock,
      postbackInvoiceField: 'id',
      backgroundJobs: true,
      log: (entry) => log.push(entry),
    },
    ledger: {
      ...createMemoryLedger(clock.now),
      find: async () => order,
      hastenLookUp: async ({ invoiceId }) => void left.push(invoiceId),
    },
    references: { open: async (reference) => reference },
    lookUp: ({ invoiceId }) => ask(invoiceId),
    unresolvedCharges: { tryUnverifiedMatch: (_order, id) => ask(`${id}?`) },
    onReceived: () => {},
  });
  const hint = async (named?: string, externalId = 'order-1') => {
    const { body } = named === undefined ? { body: null } : Response.json({ id: named });
    await postbacks.receive(externalId, () => ({ body }));
  };
  return { clock, asked, askedAtMs, left, log, service, order, hint };
}

const invoice = (name: string, method: 'pix' | 'credit_card' = 'pix') =>
  toInvoice({ invoiceId: `${name}-invoice`, method });

const card = (progress: AttemptProgress) => ({ ...toCard(), progress });

const [first, second, third] = [invoice('first'), invoice('second'), invoice('third')];
const open = invoice('open', 'credit_card');
const refused = invoice('refused', 'credit_card');
const charged = card({ state: 'created', invoiceId: open.invoiceId });
const lost = card({ state: 'unknown', candidate: null });
const three = { invoices: [first, second, third] };
const allOfThree = ['third', 'second', 'first'];

const cases: [what: string, record: Partial<OrderRecord>, named: string | null, asked: string[]][] =
  [
    ['each open invoice, the newest first', three, null, allOfThree],
    ['the one first that it names', three, 'first', ['first', 'third', 'second']],
    ['nothing else where it names an unknown one', three, 'foreign', allOfThree],
    [
      'no paid and no refused invoice',
      { invoices: [first, second, refused, open], cards: [charged], paid: second },
      null,
      ['first', 'open'],
    ],
    ['no paid one though it is named', { invoices: [first], paid: first }, 'first', []],
    [
      'a card whose creation answer said paid: no look-up did',
      { invoices: [{ ...open, status: 'paid' }], cards: [charged] },
      null,
      ['open'],
    ],
    [
      'what may be the card of unknown outcome',
      { invoices: [first, open], cards: [card({ state: 'unknown', candidate: open })] },
      null,
      ['first', 'open'],
    ],
    [
      'a refused card where it is named: it may have been paid after all',
      { invoices: [first, refused], cards: [card({ state: 'refused' })] },
      'refused',
      ['first', 'refused', 'refused'],
    ],
    [
      'an own invoice as itself, not as an unverified match',
      { invoices: [refused], cards: [card({ state: 'sent' })] },
      'refused',
      ['refused', 'refused'],
    ],
    ...(['claimed', 'refused', 'sent'] as const).map((state): (typeof cases)[number] => [
      `an unknown id while a card is ${state}: only then it may be its`,
      { invoices: [first], cards: [card({ state })] },
      'foreign',
      state === 'sent' ? ['first', 'foreign?'] : ['first'],
    ]),
    ['an unknown id while an outcome is unknown', { cards: [lost] }, 'foreign', ['foreign?']],
    [
      'no unknown id of an order whose card is known',
      { invoices: [open], cards: [charged] },
      'foreign',
      ['open'],
    ],
  ];

describe('a postback has looked up', () => {
  for (const [what, record, named, expected] of cases) {
    it(what, async () => {
      const { hint, asked, clock } = openHints(record);
      await hint(named === null ? undefined : `${named}-invoice`);
      await settle();
      await clock.advance(3_600_000);
      const names = asked.map((id) => id.replace('-invoice', ''));
      assert.deepEqual(record === three ? names : names.toSorted(), expected);
      assert.equal(clock.pending(), 0);
    });
  }
});

it('a postback has three invoices of its order looked up at most, and leaves the others to reconciliation', async () => {
  const names = ['1', '2', '3', '4', '5'];
  const { hint, asked, left } = openHints({ invoices: names.map((name) => invoice(name)) });
  await hint('2-invoice');
  await settle();
  assert.deepEqual(asked, ['2-invoice', '5-invoice', '4-invoice']);
  assert.deepEqual(left.slice(0, 2), ['3-invoice', '1-invoice']);
});

describe('an id that a postback named and that falls due nowhere else', () => {
  it('is tried again later and later while its look-up fails, six times in all', async () => {
    const { hint, askedAtMs, service, clock } = openHints({ cards: [lost] });
    service.answer = () => Promise.reject(unavailable());
    await hint('lost-card');
    await settle();
    await clock.advance(24 * 3_600_000);
    const waitsMs = askedAtMs.map((atMs, at) => atMs - (askedAtMs[at - 1] ?? 0));
    assert.deepEqual(waitsMs, [0, 5_000, 15_000, 60_000, 300_000, 1_800_000]);
    assert.equal(clock.pending(), 0);
  });

  it('is left once it was answered, or means nothing any more', async () => {
    for (const isAnswered of [true, false]) {
      const { hint, asked, service, order, clock } = openHints({ cards: [lost] });
      service.answer = () => Promise.reject(unavailable());
      await hint('lost-card');
      await settle();
      if (isAnswered) service.answer = async () => {};
      else order.cards = [card({ state: 'refused' })];
      await clock.advance(24 * 3_600_000);
      assert.equal(asked.length, isAnswered ? 2 : 1);
    }
  });

  it('starts anew where it is named again, three look-ups a minute at most', async () => {
    const { hint, askedAtMs, service, clock } = openHints({ cards: [lost] });
    service.answer = () => Promise.reject(unavailable());
    await hint('lost-card');
    await settle();
    await clock.advance(30_000);
    await hint('lost-card');
    await settle();
    await clock.advance(90_000);
    // The tries after 30, 35 and 50 seconds were beyond the limit.
    assert.deepEqual(askedAtMs, [0, 5_000, 20_000, 110_000]);
  });
});

it('orders do not wait for one another; beyond ten thousand they are left to reconciliation', async () => {
  const { hint, asked, left, service, clock } = openHints({ invoices: [first] });
  const gate = createGate();
  service.answer = () => gate.opened;
  for (let i = 1; i <= 10_000; i++) await hint(undefined, `order-${i}`);
  await settle();
  assert.deepEqual([asked.length, left.length], [10_000, 0]);
  await hint(undefined, 'order-10001');
  await settle();
  assert.deepEqual([asked.length, left.length], [10_000, 1]);
  gate.release();
  await settle();
  await clock.advance(2_000);
  await hint(undefined, 'order-10001');
  await settle();
  assert.equal(asked.length, 10_001);
});

it('an order is unknown of which nothing was ever sent', async () => {
  const records: [record: Partial<OrderRecord>, isUnknown: boolean][] = [
    [{ sentAtMs: [] }, true],
    [{ sentAtMs: [], invoices: [first] }, false],
    [{ sentAtMs: [], cards: [card({ state: 'claimed' })] }, false],
    [{ sentAtMs: [1] }, false],
    [{ sentAtMs: [], cardSentAtMs: [1] }, false],
  ];
  for (const [record, isUnknown] of records) {
    const { hint, log } = openHints(record);
    await hint();
    await settle();
    assert.deepEqual(
      log.map(({ event }) => event),
      isUnknown ? ['postback_unknown'] : [],
    );
  }
});

describe('the body of a postback', () => {
  const { startTimer, pending } = createTestClock();
  const read = (body: string, postbackInvoiceField = 'id') =>
    readNamedInvoice(new Request('https://shop.example', { method: 'POST', body }), {
      postbackInvoiceField,
      startTimer,
    });
  const id = '11111111-aaaa';

  it('names an invoice in an own field of an object', async () => {
    assert.equal(await read(`{"id":"${id}"}`), id);
    assert.equal(await read(`\ufeff {"id":"${id}"} `), id);
    assert.equal(await read(`{"__proto__":"${id}"}`, '__proto__'), id);
    assert.equal(await read(`{"a":"${id}"}`, 'constructor'), null);
    assert.equal(await read(`["${id}"]`, '0'), null);
  });

  it('may have been read already', async () => {
    const request = new Request('https://shop.example', { method: 'POST', body: '{}' });
    await request.text();
    assert.equal(await readNamedInvoice(request, { postbackInvoiceField: 'id', startTimer }), null);
    assert.equal(pending(), 0);
  });
});
