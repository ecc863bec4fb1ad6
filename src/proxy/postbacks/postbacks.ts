/**
 * Takes the service's notices: a hint that an order has news, never a fact. Each is answered at once, and then the order
 * is looked up, at most once in two seconds over all processes however many notices come.
 *
 * Believes nothing of a body (`postback-body.ts`) but which invoice to ask about first (`postback-news.ts`).
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
  noteNews,
  startNews,
  toNextRoundMs,
  toOpenInvoices,
} from './postback-news.js';
import type { News, Target } from './postback-news.js';
import { createPostbackRounds } from './postback-rounds.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { PostbackReferences } from '../tokens/tokens.js';
import type { LogEntry } from '../config/options.js';
import { createInFlight } from '../runtime/in-flight.js';

/** Pause between two look-ups of one order, milliseconds. */
const pauseMs = 2_000;

/** Most orders with a postback in the last seconds; above, an order is left to the look-ups nobody asks for. */
const maxOrders = 10_000;

/** Most ids that nobody knows and that are looked up because postbacks of one order named them. */
const unverifiedMatchLimit = { most: 3, withinMs: 60_000 };

/** How often another process may be ahead with a look-up of the order, or the ledger fail, before this one leaves it alone. */
const maxLosses = 15;

/**
 * How soon the look-ups nobody asks for are due after one that failed, and after one that was answered, milliseconds: what
 * has news may not show it yet, and no second postback may come.
 */
const againAfterMs = { failure: 5_000, answer: 15_000 };

/** Postbacks of one proxy. */
export interface Postbacks {
  /**
   * @param toRequest not asked where the reference is not good
   * @returns whether it is. Then whatever the request is, it is taken, and the work goes on by itself.
   */
  receive(this: void, reference: string, toRequest: () => Pick<Request, 'body'>): Promise<boolean>;
  /** Ends what runs; look-ups that wait for their turn are left to the ledger. */
  close(this: void): Promise<void>;
}

/** What postbacks need. */
export interface PostbackParts {
  readonly settings: Pick<Settings, 'postbackInvoiceField' | 'startTimer' | 'now' | 'log'>;
  readonly ledger: Pick<Ledger, 'find' | 'passThrottle' | 'hastenLookUp'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly lookUp: LookUps['lookUp'];
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'tryUnverifiedMatch'>;
  /** Told each postback with a good reference. */
  readonly onReceived: () => void;
}

/** Makes what takes postbacks. */
export function createPostbacks(parts: PostbackParts): Postbacks {
  const { settings, ledger, references, lookUp, unresolvedCharges, onReceived } = parts;
  const { now, log, startTimer } = settings;
  const leaving = createInFlight();
  const warn = createWarnings(log, now);
  const rounds = createPostbackRounds<News & { losses: number }>({
    begin: () => ({ ...startNews(), losses: 0 }),
    work: (externalId, news) =>
      report(
        externalId,
        () => askNext(externalId, news),
        () => toNextTryMs(news),
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
      // Read before the answer: a server may drop what comes of a request that was answered.
      const named = await readNamedInvoice(toRequest(), settings);
      const isTaken = rounds.ask(externalId, (news) => noteNews(news, named));
      if (!isTaken) void leaving.track(leave(externalId));
      return true;
    },

    async close() {
      for (const externalId of await rounds.close()) void leaving.track(leave(externalId));
      await leaving.close();
    },
  };

  /** @returns in how many milliseconds the order has more to ask about; null: it has not */
  async function askNext(externalId: string, news: News & { losses: number }) {
    const record = await ledger.find(externalId);
    if (isUnknownOrder(record)) warn(toUnknownEntry(externalId));
    const target = chooseTarget(record, news);
    if (!target) return null;
    const isFirst = await ledger.passThrottle(`postback ${externalId}`, pauseMs);
    news.losses = isFirst ? 0 : news.losses + 1;
    if (!isFirst) {
      if (news.losses <= maxLosses) return 0;
      await leave(externalId);
      return null;
    }
    noteAsked(news, target);
    const isDone = await askAbout(externalId, target).catch((thrown: unknown) => {
      noteFailed(news, target);
      throw thrown;
    });
    if (isDone) noteDone(news, target);
    else noteFailed(news, target);
    return toNextRoundMs(record, news);
  }

  /** @returns whether somebody answered, or the ledger asks again */
  async function askAbout(externalId: string, target: Target): Promise<boolean> {
    if (target.kind === 'candidate') return tryNamed(externalId, target.invoiceId);
    const isAnswered = await ask(target.invoice);
    return isAnswered || target.kind === 'open';
  }

  async function ask(invoice: IssuedInvoice): Promise<boolean> {
    try {
      // An answer that was asked for before this moment may be older than the news.
      await lookUp(invoice, { freshSinceMs: now() + 1 });
    } catch (thrown) {
      if (!(thrown instanceof ProxyError)) throw thrown;
      // It is in the log already.
      const afterMs = Math.max(againAfterMs.failure, (thrown.retryAfterSeconds ?? 0) * 1_000);
      await ledger.hastenLookUp(invoice, now() + afterMs);
      return false;
    }
    // Whatever was found: a recorded payment stays settled.
    await ledger.hastenLookUp(invoice, now() + againAfterMs.answer);
    return true;
  }

  async function tryNamed(externalId: string, invoiceId: string): Promise<boolean> {
    // Each slot is a pause of its own, so that the limit holds over all processes.
    let slot = 1;
    const toName = () => `postback ${externalId} ${slot}`;
    while (!(await ledger.passThrottle(toName(), unverifiedMatchLimit.withinMs))) {
      slot += 1;
      if (slot > unverifiedMatchLimit.most) return false;
    }
    try {
      // Where no look-up agrees it is nobody's word.
      await unresolvedCharges.tryUnverifiedMatch(externalId, invoiceId);
      return true;
    } catch (thrown) {
      if (thrown instanceof ProxyError) return false;
      throw thrown;
    }
  }

  /** Leaves an order to the look-ups nobody asks for: they are due now. */
  async function leave(externalId: string): Promise<void> {
    const hasten = async () => {
      for (const invoice of toOpenInvoices(await ledger.find(externalId))) {
        await ledger.hastenLookUp(invoice, now());
      }
    };
    await report(externalId, hasten, () => undefined);
  }

  /** The service has its answer already; what fails here is found by the look-ups nobody asks for. */
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
 * After a failure: the service was told that all is well, and an old invoice is looked up once a day by itself.
 * @returns in how many milliseconds; null: no more
 */
function toNextTryMs(news: { losses: number }): number | null {
  news.losses += 1;
  return news.losses <= maxLosses ? 0 : null;
}

/** Such an order cannot be looked up. The ledger may have lost it, and the service take its payment. */
function toUnknownEntry(externalId: string): LogEntry {
  return { level: 'warn', event: 'postback_unknown', operation: 'postback', externalId };
}
