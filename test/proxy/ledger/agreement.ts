/** Random histories: a ledger in a database answers as the one in memory does, whatever is done in whatever order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type {
  Attempt,
  AttemptProgress,
  Ledger,
  OrderRecord,
} from '../../../src/proxy/ledger/ledger.js';
import { numRuns } from '../../support/runs.js';
import { allKinds, stages, startMs, toInvoice, toIssued, toPix } from './contract/samples.js';
import type { WithDurableBench } from './stores.js';

const { claimed, refused, sent, unknown } = stages;

/** One thing done, by the name it is printed with. */
interface Act {
  readonly name: string;
  readonly run: (ledger: Ledger, nowMs: number) => Promise<unknown>;
}

const methods = fc.constantFrom('pix' as const, 'credit_card' as const);
const externalIds = fc.constantFrom('order-1', 'order-2');
const delays = fc.integer({ min: -20_000, max: 60_000 });

const attempts = fc
  .record({
    externalId: externalIds,
    key: fc.constantFrom('key-1', 'key-2'),
    method: methods,
    totalCents: fc.constantFrom(100, 100, 100, 200),
    holder: fc.constantFrom('holder-1', 'holder-2'),
  })
  .map((fields) => toScoped(toPix(fields)));

const invoices = fc
  .record({
    externalId: externalIds,
    invoiceId: fc.constantFrom('invoice-1', 'invoice-2', 'invoice-3'),
    method: methods,
    totalCents: fc.constantFrom(100, 100, 100, 200),
    deadlineMs: fc.constantFrom(null, startMs + 100_000, startMs + 900_000),
  })
  .map(toInvoice);

const progress = fc.oneof(
  fc.constantFrom<AttemptProgress>(claimed, sent, sent, refused, unknown),
  invoices.map((invoice) => ({ state: 'unknown', candidate: toIssued(invoice) }) as const),
  invoices.map(({ invoiceId }) => ({ state: 'created', invoiceId }) as const),
);

/** An act upon what is drawn for it. */
function act<T extends unknown[]>(
  name: string,
  drawn: { [Index in keyof T]: fc.Arbitrary<T[Index]> },
  run: (ledger: Ledger, nowMs: number, ...given: T) => Promise<unknown>,
): fc.Arbitrary<Act> {
  return fc.tuple<T>(...drawn).map((given) => ({
    name: `${name} ${JSON.stringify(given)}`,
    run: (ledger, nowMs) => run(ledger, nowMs, ...given),
  }));
}

const acts: fc.Arbitrary<Act> = fc.oneof(
  act('claim', [attempts], (ledger, _, one) => ledger.claimAttempt(one)),
  act('advance', [attempts, progress], (ledger, _, one, step) =>
    ledger.advanceAttempt(one, step, 20_000),
  ),
  act('release', [attempts], (ledger, _, one) => ledger.releaseAttempt(one)),
  act('bar', [externalIds, fc.constantFrom('key-1', 'key-2')], (ledger, _, id, key) =>
    ledger.barKey(id, key),
  ),
  act('expire', [], (ledger) => ledger.expireSent()),
  act('free', [externalIds], (ledger, _, id) => ledger.releaseCard(id)),
  act('hand out', [invoices, fc.option(attempts)], (ledger, nowMs, invoice, one) =>
    ledger.recordInvoice(
      { ...invoice, createdAtMs: nowMs },
      one ? toScoped({ ...one, externalId: invoice.externalId }) : undefined,
    ),
  ),
  act('hand out after', [invoices, fc.integer({ min: 0, max: 2 })], (ledger, nowMs, one, known) =>
    ledger.recordCode({ ...one, createdAtMs: nowMs }, known).then(inOneOrder),
  ),
  act('pay', [invoices, fc.constantFrom(null, 'E1')], (ledger, _, invoice, endToEndId) =>
    ledger.recordPaid({ ...invoice, status: 'paid' }, { endToEndId }),
  ),
  act('lapse', [invoices], (ledger, _, one) => ledger.recordExpired(one)),
  act('mismatch', [invoices], (ledger, _, one) => ledger.recordMismatch(one, 'total_cents')),
  act('unresolved', [invoices], (ledger, _, one) => ledger.recordUnresolved(one)),
  act('hasten', [invoices, delays], (ledger, nowMs, one, inMs) =>
    ledger.hastenLookUp(one, nowMs + inMs),
  ),
  act(
    'sweep, look again, but hasten',
    [fc.option(delays), fc.option(invoices)],
    async (ledger, nowMs, inMs, hastened) => {
      const due = await ledger.claimDueLookUps(100, 30_000);
      if (hastened) await ledger.hastenLookUp(hastened, nowMs + 10_000);
      for (const one of due) await ledger.scheduleLookUp(one, inMs === null ? null : nowMs + inMs);
      return sortById(due);
    },
  ),
  act('sweep', [], async (ledger) => sortById(await ledger.claimDueLookUps(100, 30_000))),
  act(
    'deliver',
    [fc.constantFrom('delivered' as const, 'given_up' as const, 7_000, 'nothing' as const)],
    async (ledger, nowMs, outcome) => {
      const told = await ledger.claimEvents(allKinds, 100, 10_000);
      for (const { notice } of told) {
        if (outcome === 'nothing') continue;
        const end = typeof outcome === 'number' ? { retryAtMs: nowMs + outcome } : outcome;
        await ledger.endEvent(notice.deliveryId, end);
      }
      return told;
    },
  ),
  act(
    'book calls',
    [fc.integer({ min: 1, max: 9 }), fc.constantFrom(7.5, 20, Infinity)],
    (ledger, _, most, upTo) => ledger.bookCalls(most, upTo),
  ),
  act('name', [externalIds, fc.integer({ min: 1, max: 30 })], (ledger, _, id, n) =>
    ledger.claimNamed(id, `named-${n}`, 20_000),
  ),
  act('look named ids up', [fc.option(delays)], async (ledger, nowMs, inMs) => {
    const due = await ledger.claimDueNamed(100, 30_000, false);
    for (const one of due) {
      const looked = { ...one, tries: one.tries + 1 };
      await ledger.scheduleNamed(looked, inMs === null ? null : nowMs + inMs);
    }
    return due.map(({ externalId, lookUpId }) => `${externalId} ${lookUpId}`).toSorted();
  }),
  act('pause', [], (ledger) => ledger.passThrottle('sweep', 15_000)),
  act('send', [externalIds, methods], (ledger, nowMs, id, method) =>
    ledger.recordSend(id, method, nowMs, nowMs % 1_000),
  ),
);

/** Each act at a later time than the one before, so that their order is plain. */
const histories = fc.array(fc.tuple(fc.integer({ min: 1, max: 20_000 }), acts), {
  minLength: 10,
  maxLength: 60,
  size: 'max',
});

/**
 * @param name the store's
 * @param runs histories without `PROPERTY_RUNS_FACTOR`
 */
export function describeAgreement(name: string, withBench: WithDurableBench, runs: number): void {
  describe(`a ledger in ${name}`, () => {
    it('answers as the one in memory does, after any history', async () => {
      await fc.assert(
        fc.asyncProperty(histories, (history) =>
          withBench(async ({ ledger, other, clock }) => {
            const memory = createMemoryLedger(() => clock.nowMs);
            for (const [index, [waitMs, { name, run }]] of history.entries()) {
              clock.nowMs += waitMs;
              // What one process writes another one reads.
              const [writer, reader] = index % 2 === 0 ? [ledger, other] : [other, ledger];
              const expected = await run(memory, clock.nowMs);
              assert.deepEqual(await run(writer, clock.nowMs), expected, name);
              const isLast = index === history.length - 1;
              if (index % 3 > 0 && !isLast) continue;
              assert.deepEqual(await read(reader), await read(memory), `after ${name}`);
            }
          }),
        ),
        { numRuns: numRuns(runs) },
      );
    });
  });
}

async function read(ledger: Ledger) {
  return {
    orders: [await findOrder(ledger, 'order-1'), await findOrder(ledger, 'order-2')],
    attempts: [await ledger.findAttempts('key-1'), await ledger.findAttempts('key-2')],
    settled: (await ledger.findSettled(0)).toSorted(),
    state: await ledger.readState(),
  };
}

async function findOrder(ledger: Ledger, externalId: string) {
  return inOneOrder(await ledger.find(externalId));
}

/** Stores list these in no order. */
function inOneOrder(order: OrderRecord) {
  const sentAs = order.sentAs.map(({ method, totalCents }) => `${method} ${totalCents}`);
  return { ...order, named: order.named.toSorted(), sentAs: sentAs.toSorted() };
}

function sortById<T extends { readonly externalId: string; readonly invoiceId: string }>(
  found: readonly T[],
): T[] {
  const toId = ({ externalId, invoiceId }: T) => `${externalId} ${invoiceId}`;
  return found.toSorted((one, other) => toId(one).localeCompare(toId(other)));
}

/** A scope is of one order and one method. */
function toScoped(attempt: Attempt): Attempt {
  return { ...attempt, scope: `${attempt.externalId} ${attempt.method}` };
}
