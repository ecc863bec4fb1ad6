/**
 * Takes the service's notices: a hint that an order has news, never a fact. Each is answered at once, and then the order
 * is looked up, at most once in two seconds over all processes however many notices come.
 *
 * Believes nothing of a body (`postback-body.ts`) but which invoice to ask about first (`postback-news.ts`).
 */

import { errorNameOf } from './log.js';
import type { LookUps } from './look-ups.js';
import type { Settings } from './options.js';
import type { OpenCards } from './open-cards.js';
import { LedgerError } from './orders/ledger-error.js';
import type { IssuedInvoice, Ledger } from './orders/orders.js';
import { readNamedInvoice } from './postback-body.js';
import {
  chooseTarget,
  forgetNamed,
  hasNews,
  noteAsked,
  noteNews,
  startNews,
  toOpenInvoices,
} from './postback-news.js';
import type { News } from './postback-news.js';
import { createPostbackRounds } from './postback-rounds.js';
import { Refusal } from './refusal.js';
import type { PostbackReferences } from './tokens.js';
import { createUnderWay } from './under-way.js';

/** Pause between two look-ups of one order, milliseconds. */
const pauseMs = 2_000;

/** Most orders with a postback in the last seconds; above, an order is left to the look-ups nobody asks for. */
const maxOrders = 10_000;

/** Most ids that nobody knows and that are looked up because postbacks of one order named them. */
const candidateLimit = { most: 3, withinMs: 60_000 };

/** How often another process may be ahead with a look-up of the order, or the ledger fail, before this one leaves it alone. */
const maxLosses = 15;

/** How soon a look-up that failed is due again, milliseconds. */
const againAfterMs = 5_000;

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
  readonly ledger: Pick<Ledger, 'find' | 'claimPause' | 'hastenLookUp'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly lookUp: LookUps['lookUp'];
  readonly openCards: Pick<OpenCards, 'tryCandidate'>;
  /** Told each postback with a good reference. */
  readonly onReceived: () => void;
}

/** Makes what takes postbacks. */
export function createPostbacks(parts: PostbackParts): Postbacks {
  const { settings, ledger, references, lookUp, openCards, onReceived } = parts;
  const { now, log, startTimer } = settings;
  const leaving = createUnderWay();
  const rounds = createPostbackRounds<News & { losses: number }>({
    begin: () => ({ ...startNews(), losses: 0 }),
    work: async (externalId, news) =>
      (await report(externalId, () => askNext(externalId, news))) ?? isWorthAnotherTry(news),
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

  /** @returns whether the order has more to ask about */
  async function askNext(externalId: string, news: News & { losses: number }): Promise<boolean> {
    const record = await ledger.find(externalId);
    const target = chooseTarget(record, news);
    if (!target) return false;
    const isFirst = await ledger.claimPause(`postback ${externalId}`, pauseMs);
    news.losses = isFirst ? 0 : news.losses + 1;
    if (!isFirst) {
      if (news.losses <= maxLosses) return true;
      await leave(externalId);
      return false;
    }
    if (target.kind === 'invoice') {
      noteAsked(news, target.invoice);
      await ask(target.invoice);
    } else {
      forgetNamed(news, target.invoiceId);
      await tryNamed(externalId, target.invoiceId);
    }
    return hasNews(record, news);
  }

  async function ask(invoice: IssuedInvoice): Promise<void> {
    try {
      // An answer that was asked for before this moment may be older than the news.
      await lookUp(invoice, { urgency: 'return', freshSinceMs: now() + 1 });
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown;
      // It is in the log already.
      const afterMs = Math.max(againAfterMs, (thrown.retryAfterSeconds ?? 0) * 1_000);
      await ledger.hastenLookUp(invoice, now() + afterMs);
    }
  }

  async function tryNamed(externalId: string, invoiceId: string): Promise<void> {
    // Each slot is a pause of its own, so that the limit holds over all processes.
    let slot = 1;
    const toName = () => `postback ${externalId} ${slot}`;
    while (!(await ledger.claimPause(toName(), candidateLimit.withinMs))) {
      slot += 1;
      if (slot > candidateLimit.most) return;
    }
    await openCards.tryCandidate(externalId, invoiceId).catch((thrown: unknown) => {
      // It is in the log already, and a guess.
      if (!(thrown instanceof Refusal)) throw thrown;
    });
  }

  /** Leaves an order to the look-ups nobody asks for: they are due now. */
  async function leave(externalId: string): Promise<void> {
    await report(externalId, async () => {
      for (const invoice of toOpenInvoices(await ledger.find(externalId))) {
        await ledger.hastenLookUp(invoice, now());
      }
    });
  }

  /** The service has its answer already; what fails here is found by the look-ups nobody asks for. */
  async function report<T>(externalId: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (thrown) {
      const event = thrown instanceof LedgerError ? 'ledger_failed' : 'unexpected_error';
      const errorName = errorNameOf(thrown);
      log({ level: 'error', event, operation: 'postback', externalId, errorName });
      return null;
    }
  }
}

/** After a failure: the service was told that all is well, and an old invoice is looked up once a day by itself. */
function isWorthAnotherTry(news: { losses: number }): boolean {
  news.losses += 1;
  return news.losses <= maxLosses;
}
