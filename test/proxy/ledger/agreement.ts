/** Random histories: a ledger in a database answers as the one in memory does, whatever is done in whatever order. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { createMemoryLedger } from '../../../src/proxy/ledger/memory/memory-ledger.js';
import type {
  Attempt,
  AttemptProgress,
  Ledger,
  RememberedInvoice,
} from '../../../src/proxy/ledger/ledger.js';
import { numRuns } from '../../support/runs.js';
import { allKinds, startMs, toInvoice, toIssued, toPix } from './contract/bench.js';
import type { WithDurableBench } from './stores.js';

/** One thing done, by the name it is printed with. */
interface Act {
  readonly name: string;
  readonly run: (ledger: Ledger, nowMs: number) => Promise<unknown>;
}

const externalIds = fc.constantFrom('order-1', 'order-2');

const attempts: fc.Arbitrary<Attempt> = fc
  .record({
    externalId: externalIds,
    key: fc.constantFrom('key-1', 'key-2'),
    method: fc.constantFrom('pix' as const, 'credit_card' as const),
    totalCents: fc.constantFrom(100, 100, 100, 200),
    holder: fc.constantFrom('holder-1', 'holder-2'),
  })
  .map((fields) => toScoped(toPix(fields)));

const invoices: fc.Arbitrary<RememberedInvoice> = fc
  .record({
    externalId: externalIds,
    invoiceId: fc.constantFrom('invoice-1', 'invoice-2', 'invoice-3'),
    method: fc.constantFrom('pix' as const, 'credit_card' as const),
    totalCents: fc.constantFrom(100, 100, 100, 200),
    deadlineMs: fc.constantFrom(null, startMs + 100_000, startMs + 900_000),
  })
  .map(toInvoice);

const progress: fc.Arbitrary<AttemptProgress> = fc.oneof(
  fc.constantFrom<AttemptProgress>(
    { state: 'claimed' },
    { state: 'sent' },
    { state: 'sent' },
    { state: 'refused' },
    { state: 'unknown', candidate: null },
  ),
  invoices.map((invoice) => ({ state: 'unknown', candidate: toIssued(invoice) }) as const),
  invoices.map(({ invoiceId }) => ({ state: 'created', invoiceId }) as const),
);

const act = (name: string, run: Act['run']): Act => ({ name, run });

const acts: fc.Arbitrary<Act> = fc.oneof(
  attempts.map((one) => act(`claim ${tell(one)}`, (ledger) => ledger.claimAttempt(one))),
  fc
    .tuple(attempts, progress)
    .map(([one, step]) =>
      act(`advance ${tell(one)} to ${tell(step)}`, (ledger) =>
        ledger.advanceAttempt(one, step, 20_000),
      ),
    ),
  attempts.map((one) => act(`release ${tell(one)}`, (ledger) => ledger.releaseAttempt(one))),
  fc.constant(act('expire', (ledger) => ledger.expireSent())),
  externalIds.map((id) => act(`free ${id}`, (ledger) => ledger.releaseCard(id))),
  fc
    .tuple(invoices, fc.option(attempts))
    .map(([invoice, one]) =>
      act(`hand out ${tell(invoice)} for ${tell(one)}`, (ledger, nowMs) =>
        ledger.recordInvoice(
          { ...invoice, createdAtMs: nowMs },
          one ? toScoped({ ...one, externalId: invoice.externalId }) : undefined,
        ),
      ),
    ),
  fc
    .tuple(invoices, fc.integer({ min: 0, max: 2 }))
    .map(([invoice, known]) =>
      act(`hand out ${tell(invoice)} as number ${known + 1}`, (ledger, nowMs) =>
        ledger.recordCode({ ...invoice, createdAtMs: nowMs }, known),
      ),
    ),
  fc
    .tuple(invoices, fc.constantFrom(null, 'E1'))
    .map(([invoice, endToEndId]) =>
      act(`pay ${tell(invoice)}`, (ledger) =>
        ledger.recordPaid({ ...invoice, status: 'paid' }, { endToEndId }),
      ),
    ),
  invoices.map((one) => act(`lapse ${tell(one)}`, (ledger) => ledger.recordExpired(one))),
  invoices.map((one) =>
    act(`mismatch ${tell(one)}`, (ledger) => ledger.recordMismatch(one, 'total_cents')),
  ),
  invoices.map((one) => act(`unresolved ${tell(one)}`, (ledger) => ledger.recordUnresolved(one))),
  fc
    .tuple(invoices, fc.integer({ min: -20_000, max: 60_000 }))
    .map(([one, inMs]) =>
      act(`hasten ${tell(one)} in ${inMs}`, (ledger, nowMs) =>
        ledger.hastenLookUp(one, nowMs + inMs),
      ),
    ),
  fc
    .tuple(fc.option(fc.integer({ min: -20_000, max: 60_000 })), fc.option(invoices))
    .map(([inMs, hastened]) =>
      act(`sweep, look again in ${inMs}, but for ${tell(hastened)}`, async (ledger, nowMs) => {
        const claimed = await ledger.claimDueLookUps(100, 30_000);
        if (hastened) await ledger.hastenLookUp(hastened, nowMs + 10_000);
        for (const one of claimed) {
          await ledger.scheduleLookUp(one, inMs === null ? null : nowMs + inMs);
        }
        return sortById(claimed);
      }),
    ),
  fc.constant(act('sweep', async (ledger) => sortById(await ledger.claimDueLookUps(100, 30_000)))),
  fc
    .constantFrom('delivered' as const, 'given_up' as const, 7_000, 'nothing' as const)
    .map((outcome) =>
      act(`deliver: ${outcome}`, async (ledger, nowMs) => {
        const claimed = await ledger.claimEvents(allKinds, 100, 10_000);
        for (const { notice } of claimed) {
          if (outcome === 'nothing') continue;
          const end = typeof outcome === 'number' ? { retryAtMs: nowMs + outcome } : outcome;
          await ledger.endEvent(notice.deliveryId, end);
        }
        return claimed;
      }),
    ),
  fc.constant(act('pause', (ledger) => ledger.passThrottle('sweep', 15_000))),
  fc
    .tuple(externalIds, fc.constantFrom('pix' as const, 'credit_card' as const))
    .map(([id, method]) =>
      act(`send ${id} ${method}`, (ledger, nowMs) => ledger.recordSend(id, method, nowMs)),
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
              assert.deepEqual(
                await run(writer, clock.nowMs),
                await run(memory, clock.nowMs),
                name,
              );
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
    orders: [await ledger.find('order-1'), await ledger.find('order-2')],
    attempts: [await ledger.findAttempts('key-1'), await ledger.findAttempts('key-2')],
    settled: (await ledger.findSettled(0)).toSorted(),
    state: await ledger.readState(),
  };
}

function sortById<T extends RememberedInvoice>(found: readonly T[]): T[] {
  return found.toSorted((one, other) =>
    `${one.externalId} ${one.invoiceId}`.localeCompare(`${other.externalId} ${other.invoiceId}`),
  );
}

/** A scope is of one order and one method. */
function toScoped(attempt: Attempt): Attempt {
  return { ...attempt, scope: `${attempt.externalId} ${attempt.method}` };
}

function tell(value: object | null): string {
  return JSON.stringify(value);
}
