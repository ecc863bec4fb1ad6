/**
 * Receives the service's postbacks. Each is answered at once and is only a hint: the order is then looked up, at most once in
 * two seconds over all processes, however many postbacks come.
 */

import { createWarnings, errorNameOf, faultOf } from '../config/log.js';
import type { LookUps } from '../status/shared-look-ups.js';
import type { Settings } from '../config/read-options.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import type { IssuedInvoice, Ledger } from '../ledger/ledger.js';
import { readNamedInvoice } from './postback-body.js';
import {
  chooseTarget,
  isUnknownOrder,
  noteAsked,
  noteDone,
  noteFailed,
  noteHint,
  startHints,
  toNextLookUpMs,
  toOpenInvoices,
} from './order-hints.js';
import type { Hints, Target } from './order-hints.js';
import { createOrderLoops } from './order-loops.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { PostbackReferences } from '../tokens/tokens.js';
import type { LogEntry } from '../config/options.js';
import { createInFlight } from '../runtime/in-flight.js';

/** Pause between two look-ups of one order, milliseconds. */
const pauseMs = 2_000;

/** Most orders with a loop of their own; any more are left to reconciliation. */
const maxOrders = 10_000;

/** Most unknown ids that are looked up because postbacks of one order named them. */
const unverifiedMatchLimit = { most: 3, withinMs: 60_000 };

/** How often another process may be first with a look-up of the order, or the ledger fail, before this one gives up. */
const maxLosses = 15;

/**
 * How soon reconciliation repeats a look-up that failed, and one that was answered, milliseconds: the service may show a change
 * later than it tells of it, and there may be no second postback.
 */
const againAfterMs = { failure: 5_000, answer: 15_000 };

/** Postbacks of one proxy. */
export interface Postbacks {
  /**
   * @param toRequest called only if the reference is good
   * @returns whether the reference is good. Then the postback is accepted, and the work goes on after the answer.
   */
  receive(this: void, reference: string, toRequest: () => Pick<Request, 'body'>): Promise<boolean>;
  /** Waits for look-ups in flight, and leaves the others to reconciliation. */
  close(this: void): Promise<void>;
}

/** What postbacks need. */
export interface PostbackParts {
  readonly settings: Pick<Settings, 'postbackInvoiceField' | 'startTimer' | 'now' | 'log'>;
  readonly ledger: Pick<Ledger, 'find' | 'passThrottle' | 'hastenLookUp'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly lookUp: LookUps['lookUp'];
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'tryUnverifiedMatch'>;
  /** Called for each postback with a good reference. */
  readonly onReceived: () => void;
}

/** Makes the receiver of postbacks. */
export function createPostbacks(parts: PostbackParts): Postbacks {
  const { settings, ledger, references, lookUp, unresolvedCharges, onReceived } = parts;
  const { now, log, startTimer } = settings;
  const leaving = createInFlight();
  const warn = createWarnings(log, now);
  const loops = createOrderLoops<Hints & { losses: number }>({
    begin: () => ({ ...startHints(), losses: 0 }),
    work: (externalId, hints) =>
      report(
        externalId,
        () => askNext(externalId, hints),
        () => toNextTryMs(hints),
      ),
    pauseMs,
    most: maxOrders,
    now,
    startTimer,
  });

  return {
    async receive(reference, toRequest) {
      const externalId = await references.open(reference);
      if (externalId === null) return false;
      onReceived();
      // Read before the answer: a server may drop the body of a request that was answered.
      const named = await readNamedInvoice(toRequest(), settings);
      const isTaken = loops.ask(externalId, (hints) => noteHint(hints, named));
      if (!isTaken) void leaving.track(leave(externalId));
      return true;
    },

    async close() {
      for (const externalId of await loops.close()) void leaving.track(leave(externalId));
      await leaving.close();
    },
  };

  /** @returns in how many milliseconds the order has more to look up; null: it has not */
  async function askNext(externalId: string, hints: Hints & { losses: number }) {
    const record = await ledger.find(externalId);
    if (isUnknownOrder(record)) warn(toUnknownEntry(externalId));
    const target = chooseTarget(record, hints);
    if (!target) return null;
    const isFirst = await ledger.passThrottle(`postback ${externalId}`, pauseMs);
    hints.losses = isFirst ? 0 : hints.losses + 1;
    if (!isFirst) {
      if (hints.losses <= maxLosses) return 0;
      await leave(externalId);
      return null;
    }
    noteAsked(hints, target);
    const isDone = await askAbout(externalId, target).catch((thrown: unknown) => {
      noteFailed(hints, target);
      throw thrown;
    });
    if (isDone) noteDone(hints, target);
    else noteFailed(hints, target);
    return toNextLookUpMs(record, hints);
  }

  /** @returns whether it was answered, or reconciliation repeats it */
  async function askAbout(externalId: string, target: Target): Promise<boolean> {
    if (target.kind === 'candidate') return tryNamed(externalId, target.invoiceId);
    const isAnswered = await ask(target.invoice);
    return isAnswered || target.kind === 'open';
  }

  async function ask(invoice: IssuedInvoice): Promise<boolean> {
    try {
      // A shared answer that was asked for earlier may be older than the hint.
      await lookUp(invoice, { freshSinceMs: now() + 1 });
    } catch (thrown) {
      if (!(thrown instanceof ProxyError)) throw thrown;
      // It is in the log already.
      const afterMs = Math.max(againAfterMs.failure, (thrown.retryAfterSeconds ?? 0) * 1_000);
      await ledger.hastenLookUp(invoice, now() + afterMs);
      return false;
    }
    // For each result: a recorded payment stays settled.
    await ledger.hastenLookUp(invoice, now() + againAfterMs.answer);
    return true;
  }

  async function tryNamed(externalId: string, invoiceId: string): Promise<boolean> {
    // Each slot is a throttle of its own, so that the limit holds over all processes.
    let slot = 1;
    const toName = () => `postback ${externalId} ${slot}`;
    while (!(await ledger.passThrottle(toName(), unverifiedMatchLimit.withinMs))) {
      slot += 1;
      if (slot > unverifiedMatchLimit.most) return false;
    }
    try {
      // False is an answer too: no look-up agreed.
      await unresolvedCharges.tryUnverifiedMatch(externalId, invoiceId);
      return true;
    } catch (thrown) {
      if (thrown instanceof ProxyError) return false;
      throw thrown;
    }
  }

  /** Leaves an order to reconciliation: its look-ups are due now. */
  async function leave(externalId: string): Promise<void> {
    const hasten = async () => {
      for (const invoice of toOpenInvoices(await ledger.find(externalId))) {
        await ledger.hastenLookUp(invoice, now());
      }
    };
    await report(externalId, hasten, () => undefined);
  }

  /** The service has its answer already, so a failure is logged; reconciliation finds what was missed. */
  async function report<T>(
    externalId: string,
    work: () => Promise<T>,
    afterFailure: () => T,
  ): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      log({ level: 'error', event: faultOf(thrown), operation: 'postback', externalId, errorName });
      return afterFailure();
    }
  }
}

/**
 * The pause after a failure. Without another try, reconciliation may look an old invoice up a day later.
 * @returns in how many milliseconds; null: no more
 */
function toNextTryMs(hints: { losses: number }): number | null {
  hints.losses += 1;
  return hints.losses <= maxLosses ? 0 : null;
}

/** Such an order cannot be looked up: the ledger may have lost it, while the service takes its payment. */
function toUnknownEntry(externalId: string): LogEntry {
  return { level: 'warn', event: 'postback_unknown', operation: 'postback', externalId };
}
