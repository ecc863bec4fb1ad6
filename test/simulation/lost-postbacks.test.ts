/**
 * Pix whose pages are closed and whose postbacks are lost, while the process is killed again and again: how long it takes at
 * most from the payment until the merchant hears of it. GOING-LIVE says so.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { hourMs, minuteMs, secondMs } from '../../src/domain/spans.js';
import { loadRenderer } from '../../src/proxy/door/pay/qr-image.js';
import { rounds } from '../tools/runs.js';
import { createChance } from './chance.js';
import { calm } from './conditions.js';
import type { Conditions } from './conditions.js';
import { createService } from './network/service.js';
import { createStore } from './network/store.js';
import type { Order } from './people/merchant.js';
import { replaceGlobals } from './processes/globals.js';
import { startProcesses } from './processes/processes.js';
import { createWatch } from './rules/watch.js';
import { createTimeline } from './timeline.js';
import type { World } from './world.js';

const seeds = rounds('LOST_POSTBACK_SEEDS', { quick: 3, thorough: 30 });

const startMs = Date.UTC(2026, 10, 21, 12);

const orderCount = 20;

/** Oldest that a code is when it is paid. */
const longestAgeMs = 40 * minuteMs;

/** The ages at which an unpaid code is looked up, up to the first that no payment of these comes after. */
const agesMs = [15 * secondMs, 30 * secondMs, ...[1, 2, 5, 10, 30, 60].map((n) => n * minuteMs)];

/** Longest until a look-up or a call that failed, or whose process was killed, is repeated at this age of the code. */
const toRetryMs = (ageMs: number) => Math.max(minuteMs, ageMs / 10);

/** Until a killed process is there again and does what is due, though the next one or two are killed before that. */
const restartMs = 10 * secondMs;

/**
 * Lives of four seconds on average. A quarter of the service's answers come after the time-out of a second, or never; a fifth of the
 * merchant's calls end the process.
 */
const conditions: Conditions = {
  ...calm,
  postbacks: 0,
  crashEveryMs: 4 * secondMs,
  longestDownMs: secondMs,
  lineIsSlow: 0.15,
  lineLoses: 0.1,
  hooksCrash: 0.2,
};
const terms = { holdSeconds: 0, serviceCallsPerMinute: Infinity, serviceTimeoutMs: secondMs };

/** What became of a code. Moments are milliseconds after it was made. */
interface Code {
  readonly madeAtMs: number;
  readonly paidAtAgeMs: number;
  /** When look-ups began that were to find the payment, and calls of the merchant's hook. */
  readonly triedAtAgesMs: number[];
  toldAtAgeMs: number;
}

async function playKills(seed: number): Promise<{ codes: Code[]; kills: number }> {
  await loadRenderer();
  const chance = createChance(seed);
  const timeline = createTimeline(startMs);
  const watch = createWatch({ now: timeline.now, invoices: () => service.invoices }, []);
  const world: World = { timeline, chance, conditions: () => conditions, watch, note: () => {} };
  const service = createService(world, () => undefined);
  const store = createStore(world);
  const orders = new Map(Array.from({ length: orderCount }, (_, n) => toOrder(`order-${n}`)));
  const codes = new Map<string, Code>();
  const ageOf = ({ madeAtMs }: Code) => timeline.now() - madeAtMs;
  watch.join({
    serviceCalled({ method, path }) {
      const invoice = service.invoices.get(path.split('/').at(-1) ?? '');
      const code = invoice?.status === 'paid' ? codes.get(invoice.externalId) : undefined;
      if (method === 'GET' && code) code.triedAtAgesMs.push(ageOf(code));
    },
    told(kind, { externalId }) {
      const code = codes.get(externalId);
      if (kind === 'paid') code?.triedAtAgesMs.push(ageOf(code));
    },
    heard(kind, { externalId }) {
      const code = codes.get(externalId);
      if (kind === 'paid' && code) code.toldAtAgeMs = Math.min(code.toldAtAgeMs, ageOf(code));
    },
  });
  const restore = replaceGlobals(timeline, false, (thrown) => watch.fail('end', String(thrown)));
  const processes = startProcesses(world, { service, store, orders, terms }, 1);
  for (const externalId of orders.keys()) askForCode(externalId);
  const isOver = () =>
    watch.violation() !== null ||
    (codes.size === orderCount && [...codes.values()].every((code) => code.toldAtAgeMs < Infinity));
  try {
    await timeline.runUntil(startMs + 3 * hourMs, isOver);
  } finally {
    restore();
  }
  assert.equal(watch.violation(), null);
  return { codes: [...codes.values()], kills: watch.counts.get('processes ended') ?? 0 };

  /** A payer asks until there is a code, and leaves; some pay soon, some late. */
  function askForCode(externalId: string): void {
    if (codes.has(externalId)) return;
    const [process] = processes.alive();
    process?.soon(() => {
      process.proxy.createInvoice({ externalId, method: 'pix' }).then(
        ({ invoice_id: id }) => show(externalId, id),
        () => undefined,
      );
    });
    timeline.after(2 * secondMs, null, () => askForCode(externalId));
  }

  function show(externalId: string, invoiceId: string): void {
    if (codes.has(externalId)) return;
    const paidAtAgeMs = Math.round(
      secondMs * (longestAgeMs / secondMs) ** (chance.between(0, 1_000) / 1_000),
    );
    const madeAtMs = timeline.now();
    codes.set(externalId, { madeAtMs, paidAtAgeMs, triedAtAgesMs: [], toldAtAgeMs: Infinity });
    timeline.after(paidAtAgeMs, null, () => service.pay(invoiceId));
  }
}

function toOrder(externalId: string): [string, Order] {
  const order = { totalCents: 1_000, expiresIn: null, token: '', isMarkedPaid: false };
  return [externalId, { ...order, externalId, status: 'open' }];
}

/** The payment falls due at the next age; what fails, or is killed, is repeated in time. */
function assertToldInTime({ paidAtAgeMs, triedAtAgesMs, toldAtAgeMs }: Code): void {
  const dueAtAgeMs = agesMs.find((ageMs) => ageMs > paidAtAgeMs)!;
  let fromMs = dueAtAgeMs;
  for (const atMs of [...triedAtAgesMs, toldAtAgeMs]) {
    const what = `paid at ${paidAtAgeMs}, tried at ${triedAtAgesMs.join(', ')}, told at ${toldAtAgeMs}`;
    assert.ok(atMs - fromMs <= toRetryMs(fromMs) + restartMs, what);
    fromMs = Math.max(fromMs, atMs);
  }
}

describe('a Pix whose postback is lost', () => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    it(`is told at its next look-up, whatever is killed: seed ${seed}`, async () => {
      const { codes, kills } = await playKills(seed);
      assert.ok(kills >= 25, `${kills}`);
      for (const code of codes) assertToldInTime(code);
      assert.ok(codes.some(({ triedAtAgesMs }) => triedAtAgesMs.length > 1));
    });
  }
});
