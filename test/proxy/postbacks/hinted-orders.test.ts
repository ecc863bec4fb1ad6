/** What a postback makes due, by what the ledger knows of its order, and what a body may name. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { LogEntry } from '../../../src/proxy.js';
import type { AttemptProgress, OrderRecord } from '../../../src/proxy/ledger/ledger.js';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import { readNamedInvoice } from '../../../src/proxy/postbacks/postback-body.js';
import { createPostbacks } from '../../../src/proxy/postbacks/postbacks.js';
import { toCard, toInvoice } from '../ledger/contract/samples.js';
import { createGate, createTestClock, settle } from '../support/shop.js';

/** Postbacks of orders that the ledger knows as `record`. `asked`: the look-ups, named ids with a question mark. */
function openHints(record: Partial<OrderRecord>) {
  const clock = createTestClock();
  const asked: string[] = [];
  const left: string[] = [];
  const log: LogEntry[] = [];
  const service = { answer: async () => {} };
  const known = { invoices: [], cards: [], sentAtMs: [1], cardSentAtMs: [], sentAs: [], named: [] };
  const order: OrderRecord = { ...known, paid: null, ...record };
  const ask = async (what: string) => {
    asked.push(what);
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
    lookUpDue: ({ lookUpId }) => ask(`${lookUpId}?`),
    onReceived: () => {},
  });
  const hint = async (named?: string, externalId = 'order-1') => {
    const { body } = named === undefined ? { body: null } : Response.json({ id: named });
    await postbacks.receive(externalId, () => ({ body, headers: new Headers() }));
  };
  return { clock, asked, left, log, service, hint };
}

const invoice = (name: string, method: 'pix' | 'credit_card' = 'pix') =>
  toInvoice({ invoiceId: `${name}-invoice`, method });

const card = (progress: AttemptProgress) => ({ ...toCard(), progress });

const [first, second, third] = [invoice('first'), invoice('second'), invoice('third')];
const open = invoice('open', 'credit_card');
const refused = invoice('refused', 'credit_card');
const charged = card({ state: 'created', invoiceId: open.invoiceId });
const three = { invoices: [first, second, third] };
const allOfThree = ['third', 'second', 'first'];

const cases: [what: string, record: Partial<OrderRecord>, named: string | null, asked: string[]][] =
  [
    ['each open invoice, the newest first', three, null, allOfThree],
    ['the one first that it names', three, 'first', ['first', 'third', 'second']],
    ['an unknown one beside them', three, 'foreign', ['foreign?', ...allOfThree]],
    [
      'no paid and no refused invoice',
      { invoices: [first, second, refused, open], cards: [charged], paid: second },
      null,
      ['first', 'open'],
    ],
    ['a paid one where it is named', { invoices: [first], paid: first }, 'first', ['first?']],
    ['no paid one that is not named', { invoices: [first], paid: first }, null, []],
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
      ['first', 'refused?'],
    ],
    [
      'an unknown id, whatever became of the cards',
      { invoices: [open], cards: [charged] },
      'foreign',
      ['foreign?', 'open'],
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
  // The one that it names is due in the ledger before the answer.
  assert.deepEqual(left.slice(0, 3), ['2-invoice', '3-invoice', '1-invoice']);
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
