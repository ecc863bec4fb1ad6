/**
 * Receives the service's postbacks. Each is only a hint: the order's open invoices are then looked up, at most once in two
 * seconds over all processes, however many postbacks come. An id that it names is due in the ledger before the postback is
 * answered, so that a process that dies loses nothing. Reconciliation repeats those look-ups.
 */

import { createWarnings, errorNameOf, faultOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { LedgerError } from '../store/ledger-error.js';
import { toInvoiceId } from '../ledger/ledger-rules.js';
import type { IssuedInvoice, Ledger, OrderRecord } from '../ledger/ledger.js';
import { markNow } from '../runtime/moment.js';
import { createInFlight, withTimeout } from '../runtime/work.js';
import { ProxyError, unavailable } from '../runtime/proxy-error.js';
import type { NamedInvoices } from '../status/named-invoices.js';
import type { LookUps } from '../status/shared-look-ups.js';
import type { PostbackReferences } from '../tokens/tokens.js';
import { readNamedInvoice } from './postback-body.js';

/** Pause after the look-ups of an order, milliseconds. */
const pauseMs = 2_000;

/** Most orders at once; any more are left to reconciliation. */
const maxOrders = 10_000;

/** Most invoices that postbacks of one order name during its pause. */
const maxNamed = 3;

/** Most look-ups of an order in one go; its other invoices are left to reconciliation. */
const maxLookUps = 3;

/**
 * How often an order is tried, by how its look-ups ended. `lost`: another process passed the throttle first; after two of
 * these it has looked the order up since our postback. `failed`: the ledger failed.
 */
const mostTries = { asked: 0, lost: 2, failed: 16 };

/**
 * How soon reconciliation repeats a look-up that failed, and one that was answered, milliseconds: the service may show a change
 * later than it tells of it, and there may be no second postback.
 */
const againAfterMs = { failure: 5_000, answer: 15_000 };

/** How long this process has for the look-up of a named id until it is due again, milliseconds. */
const claimedForMs = 60_000;

/** Longest the ledger may take before a postback is answered, milliseconds. */
const longestMs = 5_000;

/** Postbacks of one proxy. */
export interface Postbacks {
  /**
   * @param toRequest called only if the reference is good
   * @returns whether the reference is good. Then the postback is accepted, and the work goes on after the answer; without
   *   background jobs it is done before: nothing outlives the answer there.
   * @throws ProxyError `service_unavailable`: the id it named could not be recorded, so that the service has to tell it again
   */
  receive(
    this: void,
    reference: string,
    toRequest: () => Pick<Request, 'body' | 'headers'>,
  ): Promise<boolean>;
  /** Waits for look-ups in flight, and leaves the others to reconciliation, which knows open invoices only. */
  close(this: void): Promise<void>;
}

/** What postbacks need. */
interface PostbackParts {
  readonly settings: Pick<
    Settings,
    'postbackInvoiceField' | 'backgroundJobs' | 'startTimer' | 'now' | 'log'
  >;
  readonly ledger: Pick<Ledger, 'find' | 'passThrottle' | 'hastenLookUp' | 'claimNamed'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly lookUp: LookUps['lookUp'];
  readonly lookUpDue: NamedInvoices['lookUpDue'];
  /** Called for each postback with a good reference. */
  readonly onReceived: () => void;
}

/** An order from its first postback until a pause passes without another. */
interface HintedOrder {
  /** Whether it has to be looked up again: a postback came since its look-ups began, or they were not made. */
  isDue: boolean;
  /** Whether its first look-ups are still to come. The look-up of the id that its first postback named has begun. */
  isNew: boolean;
  /** The ids that postbacks named since then, newest first. */
  named: readonly string[];
  /** How often its look-ups were not made since the newest postback. */
  tries: number;
  /** Ends its pause; null: its look-ups run. */
  stopTimer: (() => void) | null;
}

/** Makes the receiver of postbacks. */
// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createPostbacks(parts: PostbackParts): Postbacks {
  const { settings, ledger, references, lookUp, lookUpDue, onReceived } = parts;
  const { now, log, startTimer, backgroundJobs } = settings;
  const warn = createWarnings(log, now);
  const orders = new Map<string, HintedOrder>();
  const inFlight = createInFlight();

  return {
    async receive(reference, toRequest) {
      const externalId = await references.open(reference);
      if (externalId === null) return false;
      onReceived();
      // Read before the answer: a server may drop the body of a request that was answered.
      const named = await readNamedInvoice(toRequest(), settings);
      const isKept =
        named === null || (await report(externalId, () => keep(externalId, named), false));
      const work = hint(externalId, isKept ? named : null);
      if (!backgroundJobs) await work;
      if (!isKept) throw unavailable();
      return true;
    },

    async close() {
      for (const [externalId, { stopTimer, isDue }] of orders) {
        stopTimer?.();
        if (stopTimer && isDue) void leave(externalId);
      }
      orders.clear();
      await inFlight.close();
    },
  };

  /**
   * Makes the look-up of a named id due, before the answer. An id that was named in this pause already is kept again when
   * the pause is over.
   * @returns false: too many ids of the order wait already
   */
  async function keep(externalId: string, id: string): Promise<boolean> {
    if (orders.get(externalId)?.named.includes(id)) return true;
    const record = await inTime(ledger.find(externalId));
    if (isUnknownOrder(record)) return true;
    const open = toOpenInvoices(record).find(({ invoiceId }) => invoiceId === id);
    if (open) {
      await inTime(ledger.hastenLookUp(open, now() + againAfterMs.answer));
      return true;
    }
    const named = await inTime(ledger.claimNamed(externalId, id, claimedForMs));
    if (named === null) return noteDropped(externalId, id);
    const work = inFlight.track(lookUpDue(named));
    if (!backgroundJobs) await work;
    return true;
  }

  /** Once a minute for an order: all who know its address can cause it. */
  async function noteDropped(externalId: string, invoiceId: string): Promise<false> {
    const about = { operation: 'postback', externalId, invoiceId } as const;
    const isFirst = await ledger.passThrottle(`postback dropped ${externalId}`, claimedForMs);
    if (isFirst) log({ level: 'warn', event: 'postback_dropped', ...about });
    return false;
  }

  function inTime<T>(asked: Promise<T>): Promise<T> {
    return withTimeout(
      startTimer,
      longestMs,
      () => asked,
      () => new LedgerError('TIMEOUT'),
    );
  }

  async function hint(externalId: string, invoiceId: string | null): Promise<void> {
    const known = orders.get(externalId);
    const named = invoiceId === null ? [] : [invoiceId];
    if (inFlight.isClosing() || (!known && orders.size >= maxOrders)) return leave(externalId);
    const order = known ?? { isDue: true, isNew: true, named: [], tries: 0, stopTimer: null };
    order.isDue = true;
    order.tries = 0;
    order.named = [...new Set([...named, ...order.named])].slice(0, maxNamed);
    if (known) return;
    orders.set(externalId, order);
    await inFlight.track(run(externalId, order));
  }

  async function run(externalId: string, order: HintedOrder): Promise<void> {
    const { named, isNew } = order;
    Object.assign(order, { isDue: false, isNew: false, named: [], stopTimer: null });
    order.tries += 1;
    const lookUps = () => lookUpOrder(externalId, named, isNew);
    const outcome = await report(externalId, lookUps, 'failed');
    if (outcome === 'failed') order.named = [...order.named, ...named];
    order.isDue ||= order.tries < mostTries[outcome];
    if (inFlight.isClosing() || !backgroundJobs) {
      orders.delete(externalId);
      if (order.isDue) await leave(externalId);
      return;
    }
    order.stopTimer = startTimer(() => {
      if (order.isDue) void inFlight.track(run(externalId, order));
      else orders.delete(externalId);
    }, pauseMs);
  }

  async function lookUpOrder(
    externalId: string,
    named: readonly string[],
    isNew: boolean,
  ): Promise<keyof typeof mostTries> {
    const record = await ledger.find(externalId);
    // The ledger may have lost the order, and the service takes its payment: no look-up can tell.
    if (isUnknownOrder(record)) {
      warn({ level: 'warn', event: 'postback_unknown', operation: 'postback', externalId });
    }
    const open = toOpenInvoices(record);
    const others = named.filter((id) => !open.some(({ invoiceId }) => invoiceId === id));
    if (!isNew) for (const id of others) await keep(externalId, id);
    if (open.length === 0) return 'asked';
    if (!(await ledger.passThrottle(`postback ${externalId}`, pauseMs))) return 'lost';
    const isNamed = ({ invoiceId }: IssuedInvoice) => named.includes(invoiceId);
    const newestFirst = open.toReversed();
    const rest = newestFirst.filter((one) => !isNamed(one));
    const inOrder = [...newestFirst.filter(isNamed), ...rest];
    for (const invoice of inOrder.slice(maxLookUps)) await ledger.hastenLookUp(invoice, now());
    for (const invoice of inOrder.slice(0, maxLookUps)) await ask(invoice);
    return 'asked';
  }

  async function ask(invoice: IssuedInvoice): Promise<void> {
    let againMs = againAfterMs.answer;
    try {
      await lookUp(invoice, { begunAfter: markNow() });
    } catch (thrown) {
      if (!(thrown instanceof ProxyError)) throw thrown;
      // It is in the log already.
      againMs = Math.max(againAfterMs.failure, (thrown.retryAfterSeconds ?? 0) * 1_000);
    }
    // For each result: a recorded payment stays settled.
    await ledger.hastenLookUp(invoice, now() + againMs);
  }

  /** Leaves an order to reconciliation: its look-ups are due now. */
  function leave(externalId: string): Promise<void> {
    const hasten = async () => {
      const open = toOpenInvoices(await ledger.find(externalId));
      for (const invoice of open) await ledger.hastenLookUp(invoice, now());
    };
    return inFlight.track(report(externalId, hasten, undefined));
  }

  /** Most often the service has its answer already, so a failure is logged. */
  async function report<T>(externalId: string, work: () => Promise<T>, ifFailed: T): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      log({ level: 'error', event: faultOf(thrown), operation: 'postback', externalId, errorName });
      return ifFailed;
    }
  }
}

/**
 * The order's invoices that are not known to be settled, oldest first. A card's is settled once its attempt is refused. One whose
 * create answer said `paid` is open until a look-up agrees.
 */
function toOpenInvoices({ invoices, cards, paid }: OrderRecord): IssuedInvoice[] {
  const ofCards = new Set(cards.map(({ progress }) => toInvoiceId(progress)));
  return invoices.filter(({ invoiceId, method }) => {
    const isOver = method === 'credit_card' && !ofCards.has(invoiceId);
    return invoiceId !== paid?.invoiceId && !isOver;
  });
}

/** Whether the ledger knows of no invoice, attempt or creation of this order. */
function isUnknownOrder({ invoices, cards, sentAs }: OrderRecord): boolean {
  return [invoices, cards, sentAs].every(({ length }) => length === 0);
}
