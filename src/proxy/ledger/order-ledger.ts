/** The ledger's operations as changes of an order. */

import {
  advanced,
  attemptsWith,
  barred,
  claimed,
  expired,
  released,
  undecided,
  withdrawn,
} from '../order/attempts.js';
import { made } from '../order/creations.js';
import { leaving } from '../order/sends.js';
import { takenEvent, told } from '../order/events.js';
import { heardExpired, heardMismatch, heardPaid, heardReturned } from '../order/payments.js';
import { shown } from '../order/invoices.js';
import { hinted, named, putOffLookUp, putOffName, takenLookUp, takenName } from '../order/due.js';
import { emptyOrder } from '../order/order.js';
import { cardsOf, openCardOf } from '../order/questions.js';
import { hookNames } from '../order/outbox-events.js';
import { deadForMs } from './ledger.js';
import { tellOrder } from './order-story.js';
import type {
  Given,
  Happened,
  KeptAttempt,
  KeptInvoice,
  KeptName,
  Order,
  RememberedAttempt,
  RememberedInvoice,
  Step,
} from '../order/order.js';
import type { Kind } from '../order/entries.js';
import type { TakenLookUp } from '../order/due.js';
import type { DeliveryKind } from '../order/outbox-events.js';
import type { Found, OrderStore } from '../store/order-store.js';
import type { DueInvoice, Ledger, NamedId, OrderRecord } from './ledger.js';

const all = Number.MAX_SAFE_INTEGER;
const allKinds = Object.keys(hookNames) as DeliveryKind[];

// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createOrderLedger(store: OrderStore): Ledger {
  const { now, isShared, areLookUpsClaimed } = store;

  function change<F, T>(
    id: string,
    fact: (order: Order, what: F, given: Given) => Step<T>,
    what: F,
    isRelaxed = false,
  ): Promise<T> {
    return store.change(id, (order, nowMs) => fact(order, what, { nowMs }), { isRelaxed });
  }

  /** Takes what is due of these kinds, those first that wait longest. */
  async function take<T>(
    kinds: readonly Kind[],
    most: number,
    one: (order: Order, entry: Found, given: Given) => Step<T | null>,
    isRelaxed: boolean,
  ): Promise<T[]> {
    const found = await store.search({ kinds, untilMs: now(), most });
    const taken = await Promise.all(
      found.map((entry) =>
        store.change(entry.externalId, (order, nowMs) => one(order, entry, { nowMs }), {
          isRelaxed,
        }),
      ),
    );
    return taken.filter((each) => each !== null);
  }

  const find = async (id: string) => toRecord((await store.read(id)) ?? emptyOrder(id), now());

  return {
    isShared,
    areLookUpsClaimed,
    now,
    read: (id) => store.read(id),
    change: (id, step, terms) => store.change(id, step, terms),
    search: (search) => store.search(search),
    count: (kinds) => store.count(kinds),
    close: () => store.close(),
    find,
    async describeOrder(id) {
      const order = await store.read(id);
      return order && tellOrder(toHistory(order), now());
    },
    recordSend: (id, method, atMs, totalCents) =>
      change(id, leaving, { method, atMs, totalCents }, true),
    recordInvoice: (invoice, attempt) => change(invoice.externalId, made, { invoice, attempt }),
    recordPaid: (invoice, payment) => change(invoice.externalId, heardPaid, { invoice, payment }),
    recordReturned: (invoice, word) => change(invoice.externalId, heardReturned, { invoice, word }),
    recordMismatch: (invoice, field) =>
      change(invoice.externalId, heardMismatch, { invoice, field }),
    recordExpired: (issued) => change(issued.externalId, heardExpired, issued),
    recordUnresolved: (issued) => change(issued.externalId, undecided, issued),
    claimAttempt: (attempt) => change(attempt.externalId, claimed, attempt, true),
    advanceAttempt: (attempt, progress, sentForMs = 0) =>
      store.change(
        attempt.externalId,
        (order, nowMs) => advanced(order, attempt, progress, { nowMs, sentForMs }),
        { isRelaxed: attempt.method === 'pix' },
      ),
    releaseAttempt: (attempt) => change(attempt.externalId, withdrawn, attempt),
    async barKey(id, key) {
      await change(id, barred, key);
      return true;
    },
    async findAttempts(key, externalId) {
      if (externalId !== undefined) {
        const order = await store.read(externalId);
        return order ? attemptsWith(order, key, now()).map(toAttempt) : [];
      }
      const found = await store.search({ kinds: ['key'], idPrefix: `${key} `, most: all });
      const ids = [...new Set(found.map(({ externalId }) => externalId))];
      const orders = await Promise.all(ids.map((id) => store.read(id)));
      return orders.flatMap((order) =>
        order ? attemptsWith(order, key, now()).map(toAttempt) : [],
      );
    },
    async expireSent() {
      const found = await store.search({ kinds: ['sent'], untilMs: now(), most: all });
      const ids = [...new Set(found.map(({ externalId }) => externalId))];
      const counts = await Promise.all(
        ids.map((id) => store.change(id, (order, nowMs) => expired(order, { nowMs }))),
      );
      return counts.reduce((sum, one) => sum + one, 0);
    },
    releaseCard: (id) =>
      store.change(id, (order, nowMs) => {
        const card = openCardOf(order, nowMs);
        return card ? released(order, card, { nowMs }) : [order, false];
      }),
    passThrottle: (name, pauseMs) => store.passThrottle(name, pauseMs),
    bookCalls: (most, upTo) => store.bookCalls(most, upTo),
    findSettled: async (fromMs) =>
      (await store.search({ kinds: ['settled'], fromMs, most: all })).map(({ id }) => id),
    claimDueLookUps: (most, forMs) =>
      take(
        ['look_up'],
        most,
        (order, { id: invoiceId }, given) => {
          const [next, taken] = takenLookUp(order, { invoiceId, forMs }, given);
          return [next, taken && toDue(taken)];
        },
        true,
      ),
    scheduleLookUp: ({ externalId, invoiceId, claimedUntilMs }, atMs) =>
      change(externalId, putOffLookUp, { invoiceId, claimedUntilMs, atMs }, true),
    noteShown: (invoice) => change(invoice.externalId, shown, invoice),
    hastenLookUp: ({ externalId, invoiceId }, atMs) =>
      change(externalId, hinted, { invoiceId, atMs }),
    async claimNamed(id, lookUpId, forMs) {
      return toNamed(id, await change(id, named, { lookUpId, forMs }));
    },
    claimDueNamed: (most, forMs, arePaid) =>
      take(
        [arePaid ? 'named_paid' : 'named'],
        most,
        (order, _entry, given) => {
          const [next, taken] = takenName(order, { arePaid, forMs }, given);
          return [next, toNamed(order.externalId, taken)];
        },
        true,
      ),
    scheduleNamed: ({ externalId, claimedUntilMs: dueAtMs, ...name }, atMs) =>
      change(externalId, putOffName, { name: { ...name, dueAtMs }, atMs }, true),
    claimEvents: (kinds, most, forMs) =>
      take(
        kinds.map(toKind),
        most,
        (order, { id: deliveryId }, given) => takenEvent(order, { deliveryId, forMs }, given),
        false,
      ),
    async endEvent(deliveryId, outcome) {
      const [, id] = deliveryId.split('~');
      if (id !== undefined) await change(id, told, { deliveryId, outcome });
    },
    async readState(kinds = allKinds) {
      const events = kinds.map(toKind);
      const due: Kind[] = ['look_up', 'named', 'named_paid', 'sent', ...events];
      const counts = await store.count([...due, 'unknown']);
      const first = (...of: Kind[]) =>
        Math.min(...of.map((one) => counts.get(one)?.atMs ?? Infinity));
      const oldest = Math.min(...events.map((one) => counts.get(one)?.rank ?? Infinity));
      const next = first(...due);
      const fromMs = now() - deadForMs + 1;
      return {
        sweepLagMs: Math.max(0, now() - first('look_up', 'named')),
        undelivered: events.reduce((sum, one) => sum + (counts.get(one)?.count ?? 0), 0),
        unknownAttempts: counts.get('unknown')?.count ?? 0,
        oldestEventAtMs: oldest === Infinity ? null : Math.floor(oldest / 1_000),
        deadEvents: (await store.search({ kinds: ['dead'], fromMs, most: all })).length,
        nextDueAtMs: next === Infinity ? null : next,
      };
    },
    prune: () => store.prune(),
  };
}

function toRecord(order: Order, nowMs: number): OrderRecord {
  const times = (wanted: string) =>
    order.sends.filter(({ method }) => method === wanted).map(({ atMs }) => atMs);
  const invoices = order.invoices.map(toRemembered);
  return {
    invoices,
    sentAtMs: times('pix'),
    cardSentAtMs: times('credit_card'),
    sentAs: order.sentAs,
    named: order.named.map(({ lookUpId }) => lookUpId),
    cards: cardsOf(order, nowMs).map(toAttempt),
    paid: invoices.find(({ invoiceId }) => invoiceId === order.paidId) ?? null,
  };
}

function toHistory(order: Order) {
  const { externalId, sends, attempts, invoices, events } = order;
  return {
    externalId,
    sends,
    attempts: [...attempts, ...order.history.filter(({ what }) => what === 'barred').map(toBar)],
    invoices: invoices.map((one) => ({
      ...one,
      paidAtMs: one.isPaid ? one.settledAtMs : null,
    })),
    named: order.named.map((one) => toNamed(externalId, one)!),
    events,
  };
}

function toBar({ atMs }: Happened): KeptAttempt {
  const names = { key: '', scope: '', externalId: '', holder: '', method: 'pix' } as const;
  const times = { claimedAtMs: atMs, changedAtMs: atMs, untilMs: atMs };
  return { ...names, ...times, totalCents: 0, installment: 0, progress: { state: 'barred' } };
}

function toDue(taken: TakenLookUp): DueInvoice {
  const { shownAtMs, dueAtMs, claimedUntilMs } = taken;
  const isExpired = taken.lapsedAtMs !== null;
  return { ...toRemembered(taken), isExpired, shownAtMs, dueAtMs, claimedUntilMs };
}

function toRemembered(invoice: KeptInvoice): RememberedInvoice {
  const { invoiceId, lookUpId, externalId, totalCents, method, deadlineMs } = invoice;
  const { orderCode, code, status, createdAtMs, isPaid, isReleased } = invoice;
  return {
    invoiceId,
    lookUpId,
    externalId,
    totalCents,
    method,
    deadlineMs,
    orderCode,
    code,
    status,
    createdAtMs,
    ...(isPaid && { isPaid }),
    ...(isReleased && { isReleased }),
  };
}

function toAttempt(attempt: RememberedAttempt): RememberedAttempt {
  const { key, scope, externalId, method, totalCents, installment, holder, progress } = attempt;
  return { key, scope, externalId, method, totalCents, installment, holder, progress };
}

function toNamed(externalId: string, name: KeptName | null): NamedId | null {
  if (name === null) return null;
  const { dueAtMs: claimedUntilMs, ...rest } = name;
  return { externalId, ...rest, claimedUntilMs };
}

function toKind(kind: DeliveryKind): Kind {
  return `event ${kind}`;
}
