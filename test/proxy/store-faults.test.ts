/**
 * Whatever the ledger's store does to a request: no card is sent that is not recorded, none is charged twice, nothing that
 * failed is called refused, no order is blocked for ever, each payment is heard of, and the log blames the store.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { chosenCases } from '../tools/runs.js';
import { column } from '../support/rows.js';
import { breakages, createBrokenStore } from '../support/proxy/broken-store.js';
import type { Breakage, Operation } from '../support/proxy/broken-store.js';
import { openKeptCardShop, outcomeOf } from '../support/proxy/card-shop.js';
import type { CardShop } from '../support/proxy/card-shop.js';
import { dataOf, settle } from '../support/proxy/shop.js';
import type { TestClock, Ticket } from '../support/proxy/shop.js';

/** What stands for the other ways to fail in the short tier. */
const short: readonly Breakage[] = ['down', 'broken after the write'];

/** Every claim, turn and time to record has run out, and what is due was looked up, milliseconds. */
const everythingRunsOutMs = 70_000;

/** By then it was looked up again, though no page asked and a look-up before failed, milliseconds. */
const untilFoundMs = 310_000;

/** Longest a request is waited for, milliseconds of the clock. */
const patienceMs = 120_000;

/** What a cell of the table needs. */
function openBench() {
  const broken = createBrokenStore();
  const shop = openKeptCardShop({ hears: ['onPaid', 'onOutcomeUnknown'] }, broken.world);
  return { shop, clock: shop.clock, broken };
}

type Bench = ReturnType<typeof openBench>;

/** What one request came to. */
interface Result {
  readonly answer: string;
  readonly sends: number;
  readonly charges: number;
  /** What the page is told when the store is whole again: with the same key, and with a new one. */
  readonly again?: readonly [string, string];
}

/** @param strike breaks the store, now that the request is about to come */
type Action = (bench: Bench, strike: () => void) => Promise<Result>;

const actions: Readonly<Record<string, Action>> = {
  'create by card': async (bench, strike) => {
    const { shop, clock, broken } = bench;
    const key = randomUUID();
    strike();
    const answer = await outcomeOf(await withTimeout(clock, shop.pay(undefined, { key })));
    const [sends, charges] = [shop.upstream.creates(), countCharges(shop)];
    broken.mend();
    if (charges > 0) assert.match(answer, /^(200|502 outcome_unknown)$/);
    await clock.advance(everythingRunsOutMs);
    const again = await outcomeOf(await shop.pay(undefined, { key }));
    const other = await outcomeOf(await shop.pay());
    assert.ok(shop.upstream.creates() <= 1, 'no card is sent twice');
    // The key of a failure is barred, where the store could still do that.
    if (sends === 0) assert.match(again, /^(200|422 key_reused)$/);
    if (sends === 0)
      assert.ok([again, other].includes('200'), 'what was never sent blocks nothing');
    if (sends > 0) assert.notEqual(other, '200', 'nor another one');
    return { answer, sends, charges, again: [again, other] };
  },

  'create by Pix': async (bench, strike) => {
    const { shop, clock, broken } = bench;
    const key = randomUUID();
    strike();
    const response = await withTimeout(clock, shop.create({ key }));
    const answer = await outcomeOf(response);
    const [sends, charges] = [shop.upstream.creates(), countCharges(shop)];
    broken.mend();
    await clock.advance(everythingRunsOutMs);
    const again = await dataOf(await shop.create({ key }));
    const other = await dataOf(await shop.create());
    assert.equal(other['qr_code_pix'], again['qr_code_pix']);
    if (response.status === 200) {
      assert.equal((await dataOf(response))['qr_code_pix'], again['qr_code_pix']);
    }
    await shop.settle(again.invoice_id);
    return { answer, sends, charges, again: ['200', '200'] };
  },

  'look-up': async (bench, strike) => {
    const { shop, clock } = bench;
    const invoice = await openPaid(shop);
    strike();
    const response = await withTimeout(clock, shop.lookUp(invoice));
    const answer = await outcomeOf(response);
    assert.equal((await dataOf(response))['status'], 'paid');
    return { answer, sends: shop.upstream.creates(), charges: countCharges(shop) };
  },

  postback: async (bench, strike) => {
    const { shop, clock, broken } = bench;
    const invoice = await openPaid(shop);
    strike();
    const { status } = await withTimeout(clock, shop.report(invoice.invoice_id));
    // What could not be kept has to be told again.
    if (status !== 200) {
      assert.equal(status, 503);
      broken.mend();
      assert.equal((await shop.report(invoice.invoice_id)).status, 200);
    }
    return { answer: String(status), sends: shop.upstream.creates(), charges: countCharges(shop) };
  },
};

async function openPaid(shop: CardShop): Promise<Ticket> {
  const invoice = await dataOf(await shop.create());
  await shop.settle(invoice.invoice_id);
  return invoice;
}

/** With these down a card stays where it is. */
const beforeSending: ReadonlySet<Operation | null> = new Set<Operation | null>([null, 'change']);

async function runCell(
  action: Action,
  name: string,
  operation: Operation | null,
  breakage: Breakage | null,
): Promise<Result> {
  const bench = openBench();
  const { shop, clock, broken } = bench;
  const result = await action(bench, () => {
    if (breakage !== null) broken.break(operation, breakage);
  });
  const isCard = name === 'create by card';
  if (isCard && breakage === 'down' && beforeSending.has(operation)) {
    assert.deepEqual([result.answer, result.sends], ['503 service_unavailable', 0]);
  }
  assert.doesNotMatch([result.answer, ...(result.again ?? [])].join(), /payment_refused/);

  // While the store is broken no one may hear of it, but afterwards everyone does.
  await clock.advance(everythingRunsOutMs);
  broken.mend();
  // Of a card whose invoice is unknown only a postback tells. Everything else is found without one.
  if (isCard) {
    for (const { invoiceId } of shop.sandbox.invoices()) await shop.report(invoiceId);
  }
  await clock.advance(untilFoundMs);
  const { count, charges } = shop.sandbox.charges();
  assert.ok(count <= 1, `charged ${count} times`);
  const expected = charges.map(({ invoice_id: id }) => `paid~order-1~${id}`);
  const { onPaid, onOutcomeUnknown } = shop.heard;
  assert.deepEqual([...new Set(column(onPaid, 'deliveryId'))], expected);
  const [again] = result.again ?? [];
  if (again === '502 outcome_unknown') {
    assert.deepEqual([...new Set(column(onOutcomeUnknown, 'externalId'))], ['order-1']);
  }
  await shop.proxy.close();
  assert.equal(clock.dues().length, 0);
  assert.deepEqual(shop.logged('unexpected_error'), [], 'the store failed, not this package');
  return result;
}

describe('whatever the store does', () => {
  for (const [name, action] of Object.entries(actions)) {
    describe(name, () => {
      it('is no matter while the store is whole', async () => {
        const result = await runCell(action, name, null, null);
        assert.equal(result.answer, '200');
      });

      for (const breakage of chosenCases(breakages, (one) => short.includes(one))) {
        it(`is safe: the store is ${breakage}`, async () => {
          // Which of all operations comes first is left to chance.
          const all = breakage.endsWith('once') ? [] : [null];
          for (const operation of [...all, ...(await operationsOf(action))]) {
            const label = operation ?? 'all of it';
            try {
              await runCell(action, name, operation, breakage);
            } catch (thrown) {
              throw new Error(`${label} is ${breakage}`, { cause: thrown });
            }
          }
        });
      }
    });
  }
});

/** What a request asks of the ledger, with the work that follows it; not what is only for operators. */
async function operationsOf(action: Action): Promise<Operation[]> {
  const bench = openBench();
  let seen: ReadonlySet<Operation> = new Set();
  await action(bench, () => (seen = bench.broken.watch()));
  await bench.shop.proxy.close();
  return [...seen].filter((name) => name !== 'prune').toSorted();
}

function countCharges(shop: CardShop): number {
  return shop.sandbox.charges().count;
}

/** Lets time pass until it is answered. */
async function withTimeout(clock: TestClock, answer: Promise<Response>): Promise<Response> {
  const state = { isAnswered: false };
  void answer.then(() => (state.isAnswered = true));
  await settle();
  for (let passedMs = 0; !state.isAnswered; passedMs += 250) {
    assert.ok(passedMs <= patienceMs, 'no answer');
    await clock.advance(250);
  }
  return answer;
}
