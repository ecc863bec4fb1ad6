/**
 * Looks invoices up at the service. Each answer is applied to the order, and the caller gets the result of that.
 * Look-ups of one invoice share a call, and pages may get an answer again for a second. For pages, the process also remembers
 * which invoices are paid. Everything that decides about money looks up anew and goes through the order, because a database
 * that failed over may have lost the payment.
 */

import { toPaidStatus, createReadAnswer, toCreatedFields } from '../outside/invoice-forms.js';
import type { Priority, Sandbox, ServiceCalls } from '../outside/service-calls.js';
import type { Expected, ReadAnswer, PricedPayment } from '../outside/invoice-forms.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { IssuedInvoice, MadeInvoice, SentAs, Attempt, NamedOutcome } from '../order/order.js';
import { isNear, isWithin, secondMs } from '../../domain/spans.js';
import { markNow, createRecent, createRecentNames, type Moment } from '../runtime/running.js';
import { toUnavailableError, nullIfNotFound, ProxyError } from '../set-up/proxy-error.js';
import type { TraceContext, WireInvoice } from '../../service.js';
import type { InvoiceStatus, Method } from '../../contract/types.js';
import { logError } from '../set-up/log.js';
import { applyAnswer, type Meaning } from '../order/apply-answer.js';
import type { OrderStore } from '../store/order-store.js';
import type { LookUp, LookUpFinding } from '../order/asks/ask.js';
import { isCard } from '../order/order.js';
import type { Outcome, RunAsk } from './run-ask.js';
import type { NamedIdAsk } from '../order/asks/named-id.js';
import { priceOrder } from '../outside/merchant.js';

/** How long an answer of the service is shared, milliseconds: a second, including its end. */
const reusedForMs = 1_001;

/**
 * How long a call in flight is shared, milliseconds. Worker platforms stop a request when its page closes, so a call that it
 * began may never end.
 */
const abandonedAfterMs = 30_000;

/** Most paid invoices that are remembered. The oldest are forgotten, and looked up again when a page asks for them. */
const maxPaid = 10_000;

/** How a call is made. */
export interface CallTerms {
  /** Decides which call goes first when few are left; `payer` by default. A shared answer needs no call. */
  readonly priority?: Priority;
  /** Whether the call may be one of those that are reserved for reconciliation. */
  readonly mayUseReserve?: boolean;
  /** The trace of the request that asks. A shared call has the trace of the request that began it. */
  readonly trace?: TraceContext | null;
}

/** How a look-up is made whose answer may be shared. */
export interface LookUpTerms extends CallTerms {
  /**
   * Accepts only an answer to a call that began after this moment. A charge, a new code, or the end of an order gives the
   * moment of its request, because an older answer does not show what was paid meanwhile.
   *
   * - `whenever`: any answer is good enough, because it is only shown, and the page will ask again.
   * - `lately`: an answer of the last second is enough, because it was applied to the order. The paid invoices that this
   *   process remembers do not count.
   */
  readonly begunAfter: Moment | 'whenever' | 'lately';
}

/** An invoice that a postback or a person says belongs to this order. */
interface NamedInvoice extends Pick<IssuedInvoice, 'externalId' | 'lookUpId'> {
  /** The order's invoice; null if only its look-up id is known. */
  readonly known: MadeInvoice | IssuedInvoice | null;
  /** The creations that an unknown invoice may belong to, the likeliest first. There is at least one if `known` is null. */
  readonly sentAs: readonly SentAs[];
}

export type LookUps = ReturnType<typeof createLookUps>;

type LookUpListener = (issued: IssuedInvoice, told: LookUpResult) => void;

interface LookUpParts {
  readonly settings: Settings;
  readonly service: ServiceCalls;
  readonly sandbox: Sandbox;
  readonly recordAnswer: RecordAnswer;
}

interface SharedCall {
  readonly result: Promise<LookUpResult>;
  readonly began: Moment;
  readonly startedAtMs: number;
  /** Milliseconds since 1970; null while the call is in flight. */
  settledAtMs: number | null;
}

/**
 * Creates the look-ups of this process: calls that requests share, the results that pages may get again, and the listeners of
 * new results.
 */
export function createLookUps({ settings, service, sandbox, recordAnswer }: LookUpParts) {
  const { lookUpBy, metrics, now, log } = settings;
  const { readAnswer, findSentAs } = createReadAnswer(settings, sandbox);
  /** Invoices that pages were told are paid. While the order does not know of a payment, its invoice is still looked up. */
  const paid = createRecent<{ readonly told: LookUpResult | null; readonly at: Moment }>(maxPaid);
  const calls = createRecent<SharedCall>(Infinity, isUsable);
  const subscribers: LookUpListener[] = [];

  return {
    /**
     * Looks up an invoice, or shares an answer.
     * @throws ProxyError `not_found` or `service_unavailable`; Throttled if the rate limit has no call left
     */
    async lookUp(this: void, issued: IssuedInvoice, terms: LookUpTerms): Promise<LookUpResult> {
      const known = findSharedResult(issued, terms);
      if (known) {
        metrics?.count('pix_look_ups_total', { answer: 'shared' });
        return known;
      }
      spendCall(terms);
      return startCall(issued, terms);
    },

    /**
     * Looks up an invoice that a postback or a person calls this order's, in a call of its own. A paid invoice with the
     * order's reference that agrees with no creation is a `mismatch`, one with another reference is `foreign`.
     * @throws as `lookUp` does; also `service_unavailable` if the answer names another id than the request
     */
    async lookUpNamed(
      this: void,
      { known, sentAs, ...named }: NamedInvoice,
      terms: CallTerms = {},
    ): Promise<LookUpResult> {
      spendCall(terms);
      if (known) {
        const wasPaid = 'isPaid' in known;
        const expected = { issued: known, isOurs: true, isNamed: true, wasPaid };
        return callService(known, known.invoiceId, () => expected, terms);
      }
      const expectedId = lookUpBy === 'invoice_id' ? named.lookUpId : null;
      return callService(
        named,
        expectedId,
        (wire) => {
          const unknown = { ...named, invoiceId: wire.invoice_id, deadlineMs: null };
          const issued = findSentAs(wire, unknown, sentAs);
          return { issued, isOurs: false, isNamed: true, wasPaid: false };
        },
        terms,
      );
    },

    /** Remembers that a page was told that this invoice is paid, because the order says so. No look-up takes that back. */
    notePaid(this: void, invoice: MadeInvoice): void {
      const subject = toCallName(invoice);
      if (paid.get(subject)) return;
      paid.set(subject, { told: null, at: markNow() });
    },

    /** Calls `tell` with each new result, after the order took it. */
    subscribe: (tell: LookUpListener) => void subscribers.push(tell),
  };

  /** Finds a result, or a call in flight, that is new enough for these terms; null if the service has to be called. */
  function findSharedResult(issued: IssuedInvoice, { begunAfter }: LookUpTerms) {
    const subject = toCallName(issued);
    const known = begunAfter === 'whenever' ? paid.get(subject) : undefined;
    if (known?.told?.isWritten) return known.told;
    const shared = calls.get(subject);
    const isFresh = shared && (typeof begunAfter === 'string' || shared.began > begunAfter);
    return isFresh ? shared.result : null;
  }

  /**
   * Takes one call from the rate limit before it starts, so that a throttled look-up is never shared with one of higher
   * priority.
   * @throws Throttled if none is left
   */
  function spendCall({ priority = 'payer', mayUseReserve = false }: CallTerms): void {
    try {
      service.spend(priority, mayUseReserve);
      metrics?.count('pix_look_ups_total', { answer: 'call' });
    } catch (thrown) {
      metrics?.count('pix_look_ups_total', { answer: 'throttled' });
      throw thrown;
    }
  }

  /**
   * Calls the service, and shares the result with later look-ups. Failures are shared too, so that a service in trouble is
   * not asked more often.
   */
  function startCall(issued: IssuedInvoice, terms: LookUpTerms): Promise<LookUpResult> {
    const expected = { issued, isOurs: true, isNamed: false, wasPaid: false };
    const began = markNow();
    const result = callService(issued, issued.invoiceId, () => expected, terms);
    const call: SharedCall = { result, began, startedAtMs: now(), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    result.then(settle, settle);
    calls.set(toCallName(issued), call);
    return result;
  }

  /**
   * Looks an invoice up at the service, has the order record the answer, and tells the listeners.
   * @param expectedId the id that the answer has to name; null for any, if look-ups are not by `invoice_id`
   */
  async function callService(
    { externalId, lookUpId }: Pick<IssuedInvoice, 'externalId' | 'lookUpId'>,
    expectedId: string | null,
    toExpected: (wire: WireInvoice) => Expected,
    { priority = 'payer', trace }: CallTerms,
  ): Promise<LookUpResult> {
    const about = expectedId === null ? { externalId } : { externalId, invoiceId: expectedId };
    const call = { operation: 'look_up', ...about } as const;
    const beganMs = now();
    const began = markNow();
    const answered = service.lookUpInvoice(lookUpId, trace ? { trace } : {}, priority);
    const wire = await answered.catch((thrown: unknown) => {
      throw service.toProxyError(thrown, call);
    });
    if (expectedId !== null && wire.invoice_id !== expectedId) {
      log({ level: 'error', event: 'invalid_answer', ...call, field: 'data.invoice_id' });
      throw toUnavailableError();
    }
    const expected = toExpected(wire);
    const { issued, wasPaid } = expected;
    const subject = toCallName(issued);
    const known = paid.get(subject);
    // A later call found the invoice paid while this one was in flight.
    if (known?.told?.isWritten && known.at > began && !wasPaid) return known.told;
    const answer = readAnswer(wire, { ...expected, beganMs });
    const told = await recordAnswer(issued, answer, known !== undefined);
    for (const tell of subscribers) tell(issued, told);
    if (told.meaning === 'paid') paid.set(subject, { told, at: markNow() });
    return told;
  }

  /** Whether other requests may share this call or its result. */
  function isUsable({ startedAtMs, settledAtMs }: SharedCall): boolean {
    if (settledAtMs === null) return isNear(startedAtMs, abandonedAfterMs, now());
    return isWithin(settledAtMs, reusedForMs, now());
  }
}

/** Makes the result of an invoice that the order knows as paid, without a look-up. */
export function toPaidResult(invoice: MadeInvoice): LookUpResult {
  return { data: toPaidStatus(invoice), meaning: 'paid', is: 'recorded', isWritten: true };
}

/** Names a shared call. Only look-ups that compare with the same creation share one. */
export function toCallName({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  // No part contains a space (`contract/types.ts`).
  return `${invoiceId} ${totalCents} ${method} ${externalId}`;
}

// Recording an answer
//
// Applies a look-up's answer to the order before a page gets it, and logs what a person may have to see, such as a status
// that the options do not list and that an order may wait for in vain.

export type News = ReturnType<typeof createNews>;

/** Creates the news for the merchant's server: payments and returns that the order has stored durably. */
export function createNews({
  settings: { metrics },
  postbackWatch,
}: {
  readonly settings: Pick<Settings, 'metrics'>;
  readonly postbackWatch: Pick<PostbackWatch, 'notePayment'>;
}) {
  let wake: (() => void) | null = null;
  return {
    /** @param wakeWork wakes the loop that calls the merchant's hooks */
    subscribe(wakeWork: () => void): void {
      wake = wakeWork;
    },
    /** Reports what a look-up's answer brought. A payment also counts for the watch of postbacks. */
    tell(news: 'paid' | 'returned', externalId: string): void {
      if (news === 'returned') return wake?.();
      postbackWatch.notePayment(externalId);
      tellPayment();
    },
    tellPayment,
  };

  /** Counts a payment and wakes the hooks, also for a payment that a person accepted. */
  function tellPayment(): void {
    metrics?.count('pix_payments_total');
    wake?.();
  }
}

/** Most unknown statuses that one process logs, each once. */
const maxLogged = 100;

export interface LookUpResult {
  /** The status as a page may see it; `paid` only if the meaning is `paid`. */
  readonly data: InvoiceStatus;
  /** What the answer means. A paid invoice stays paid, whatever the service says now. */
  readonly meaning: Meaning;
  /** What a named invoice turned out to be. */
  readonly is: NamedOutcome;
  /** False if the store failed, or lacks the payment that a page was told of. Then the invoice is looked up again. */
  readonly isWritten: boolean;
}

interface RecordAnswerParts {
  readonly store: Pick<OrderStore, 'change'>;
  /** Counts refused cards. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
  readonly news: Pick<News, 'tell'>;
  readonly settings: Pick<Settings, 'watchReturns' | 'refusalIsFinal' | 'log'>;
}

/**
 * Applies an answer to the order. Never rejects: the payer sees what the service said even if our store fails.
 * @param wasPaid whether a page was told that the invoice is paid
 */
export type RecordAnswer = (
  issued: IssuedInvoice,
  answer: ReadAnswer,
  wasPaid: boolean,
) => Promise<LookUpResult>;

/** Creates the function that records an answer; it logs each unknown status once. */
export function createRecordAnswer({
  store,
  guards,
  news,
  settings,
}: RecordAnswerParts): RecordAnswer {
  const { watchReturns: isWatched, refusalIsFinal, log } = settings;
  const logged = new Set<string>();

  return async function recordAnswer(issued, answer, wasPaid) {
    const { externalId, invoiceId } = issued;
    const about = { operation: 'look_up', externalId, invoiceId } as const;
    const { data, meaning, field, unlisted } = answer;
    if (field !== null) log({ level: 'error', event: 'mismatch', invoiceId, externalId, field });
    if (unlisted !== null && !logged.has(unlisted) && logged.size < maxLogged) {
      logged.add(unlisted);
      const word = unlisted && { serviceStatus: unlisted };
      log({ level: 'warn', event: 'unknown_status', ...about, ...word });
    }
    const toSaid = (isPaid: boolean): Pick<LookUpResult, 'data' | 'meaning'> =>
      isPaid
        ? { data: { ...data, ...toCreatedFields(issued), status: 'paid' }, meaning: 'paid' }
        : { data, meaning };
    try {
      const found = await store.change(externalId, (order, nowMs) =>
        applyAnswer(order, answer, { nowMs, isWatched, refusalIsFinal }),
      );
      const { refused } = found;
      const { word: serviceStatus } = answer;
      if (refused) guards.note(refused, 'refused');
      if (found.news === 'returned')
        log({ level: 'warn', event: 'returned', ...about, serviceStatus });
      if (found.news) news.tell(found.news, externalId);
      // Another process may have stored the payment before the service changed its answer or failed.
      const said = toSaid(wasPaid || found.isPaid);
      return { ...said, is: found.is, isWritten: found.isPaid || !wasPaid };
    } catch (thrown) {
      logError(log, thrown, { event: 'ledger_failed', ...about });
      return { ...toSaid(wasPaid), is: 'open', isWritten: false };
    }
  };
}

// Carrying out `look_up`
//
// The look-up applies its answer to the order. The request learns only what the answer means.

/** Pause between two look-ups of an unresolved charge for repeated requests, milliseconds. */
const unresolvedChargePauseMs = 2_000;

/** The request that asks. An answer to an earlier call cannot permit its payment. */
type Requester = Pick<PricedPayment, 'cameAt' | 'trace'>;

export type LookUpFirst = (
  command: LookUp,
  said: ReadonlyMap<string, LookUpFinding>,
  requester: Requester,
) => Promise<Outcome>;

/**
 * Creates the function that carries out `look_up`. It looks all invoices up at once. Unless the command says `mayFail`, it
 * throws the failure of a look-up if no other answer decides.
 */
export function createLookUpFirst(lookUp: LookUps['lookUp'], now: () => number): LookUpFirst {
  const lookedUp = createRecentNames(unresolvedChargePauseMs, now);

  return async ({ invoices, mayFail }, before, requester) => {
    const said = new Map(before);
    const results = await Promise.allSettled(
      invoices.map(async (invoice) => {
        const word = await (mayFail ? lookUnlessRecent : lookOrThrow)(invoice, requester);
        said.set(invoice.invoiceId, word);
        return isDecisive(invoice, word);
      }),
    );
    // The order may answer because of one invoice, even if another could not be looked up.
    if (results.some((one) => one.status === 'fulfilled' && one.value))
      return { learned: { said } };
    for (const one of results) if (one.status === 'rejected') throw one.reason;
    return { learned: { said } };
  };

  /**
   * Looks the invoice up by a call that begins after the request.
   * @returns `none` if the service does not know it, so that it does not block its order
   * @throws if the look-up fails: the invoice may be paid
   */
  async function lookOrThrow(
    invoice: IssuedInvoice,
    { cameAt, trace }: Requester,
  ): Promise<LookUpFinding> {
    const found = await lookUp(invoice, { begunAfter: cameAt, trace }).catch(nullIfNotFound);
    return found?.meaning ?? 'none';
  }

  /**
   * Looks the invoice up, unless a request of this process did so within two seconds.
   * @returns `untold` if it did not, or if the look-up failed
   */
  async function lookUnlessRecent(
    invoice: IssuedInvoice,
    { cameAt, trace }: Requester,
  ): Promise<LookUpFinding> {
    if (lookedUp.has(invoice.invoiceId)) return 'untold';
    lookedUp.note(invoice.invoiceId);
    // The failure was logged. Before anything is sent, the order has this look-up repeated.
    return lookOrThrow(invoice, { cameAt, trace }).catch(() => 'untold');
  }
}

/** Whether this finding is enough for the order to answer now. */
function isDecisive(invoice: IssuedInvoice, said: LookUpFinding): boolean {
  return said === 'paid' || said === 'mismatch' || (isCard(invoice) && said === 'open');
}

// Identifying a named id
//
// If the order has sent no creation that the id could belong to, the store may have lost it, so the proxy asks the shop for
// the order's price. The look-up logs an invoice that does not agree.

const methods: readonly Method[] = ['pix', 'credit_card'];

interface FindNamedParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly settings: Parameters<typeof priceOrder>[0] & Pick<Settings, 'log'>;
  readonly runAsk: RunAsk;
}

export type FindNamed = ReturnType<typeof createFindNamed>;

/** Creates the function that identifies an id, for a postback or the due work. */
export function createFindNamed({ settings, runAsk, lookUpNamed }: FindNamedParts) {
  /**
   * Identifies the id by the order's creations or, if it has none, by the shop's prices. Logs `postback_unknown` if neither
   * explains it.
   * @throws ProxyError if it cannot be looked up, or the result cannot be stored
   */
  return async function findNamed(
    externalId: string,
    lookUpId: string,
    terms: CallTerms,
  ): Promise<NamedOutcome> {
    const ask = { kind: 'named', externalId, lookUpId, pricedAs: [] } as const;
    const is = await identify(ask, terms);
    if (is !== 'unknown') return is;
    const pricedAs = await priceByEachMethod(externalId);
    const found = pricedAs.length > 0 ? await identify({ ...ask, pricedAs }, terms) : 'none';
    if (found !== 'none' && found !== 'unknown') return found;
    const about = { externalId, invoiceId: lookUpId };
    settings.warn({ level: 'warn', event: 'postback_unknown', operation: 'postback', ...about });
    return 'none';
  };

  /**
   * Puts the ask once, and carries out its look-up.
   * @returns `unknown` if the order has sent no creation that the id could belong to
   */
  async function identify(ask: NamedIdAsk, terms: CallTerms): Promise<NamedOutcome | 'unknown'> {
    const { externalId } = ask;
    const { is } = await runAsk(ask, {
      carryOut: {
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }, terms);
          if (!told.isWritten) throw toUnavailableError();
          return { learned: { found: told.is } };
        },
      },
    });
    return is;
  }

  /**
   * Asks the shop for the order's price by each method: 0 if the shop calls it paid or closed. A method that the shop refuses
   * is left out.
   * @returns an empty list if the shop does not know the order
   */
  async function priceByEachMethod(externalId: string): Promise<readonly SentAs[]> {
    const question = { externalId, orderToken: null, installment: 1, request: null };
    const prices = await Promise.allSettled(
      methods.map(async (method): Promise<SentAs> => {
        const order = await priceOrder(settings, { ...question, method });
        return { method, totalCents: typeof order === 'string' ? 0 : order.total_price_cents };
      }),
    );
    // A shop may refuse one of the methods, which is no failure.
    const failed = prices.find((one) => one.status === 'rejected' && !isUnknownToShop(one.reason));
    const all = prices.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (all.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return all;
  }
}

/** Whether the shop does not know the order, or does not sell it by the method asked for. */
function isUnknownToShop(thrown: unknown): boolean {
  return thrown instanceof ProxyError && thrown.code === 'unknown_order';
}

// Whether postbacks arrive
//
// While postbacks arrive, look-ups that wait for a payment may be rare. If none does, the shop's firewall or the address in
// `publicUrl` may stop them, and payments of closed pages are found late.
//
// Each process learns this for itself: a payment counts as announced if a postback for its order came here up to ten seconds
// before or after it was found.

/** Longest time between a payment and its postback, milliseconds. */
const togetherMs = 10 * secondMs;

/**
 * `after`: once this many payments in a row had a postback, look-ups become rare. `until`: once this many in a row had none,
 * look-ups are as usual again.
 */
const trusted = { after: 20, until: 2 };

/** After this many payments in a row without any postback, the shop gets a warning. */
const missingAfter = 5;

export type PostbackWatch = ReturnType<typeof createPostbackWatch>;

/** Creates the watch that compares payments with postbacks, and tells whether postbacks arrive. */
export function createPostbackWatch({
  now,
  log,
  metrics,
}: Pick<Settings, 'now' | 'log' | 'metrics'>) {
  const received = createRecentNames(togetherMs, now);
  /** Payments whose postback may still come, oldest first. */
  let waiting: readonly { readonly externalId: string; readonly atMs: number }[] = [];
  let announcedInARow = 0;
  let unannouncedInARow = 0;
  let missing = 0;
  let isTrusted = false;

  return {
    /** Notes a postback with a valid reference. */
    notePostback(externalId: string): void {
      metrics?.count('pix_postbacks_total');
      missing = 0;
      received.note(externalId);
      const isOfOrder = (one: { externalId: string }) => one.externalId === externalId;
      if (waiting.some(isOfOrder)) countAnnounced();
      waiting = waiting.filter((one) => !isOfOrder(one));
    },

    /** Notes that a payment was found. */
    notePayment(externalId: string): void {
      endWaits();
      if (received.has(externalId)) countAnnounced();
      else waiting = [...waiting, { externalId, atMs: now() }];
    },

    /** Whether postbacks arrive, so that look-ups may be rare. */
    areArriving(): boolean {
      endWaits();
      return isTrusted;
    },
  };

  /** Ends the waits that took too long, and counts their payments as without a postback. */
  function endWaits(): void {
    const still = waiting.filter(({ atMs }) => isNear(atMs, togetherMs, now()));
    for (let n = still.length; n < waiting.length; n += 1) countUnannounced();
    waiting = still;
  }

  /** Counts a payment whose postback came. After `trusted.after` of them in a row, look-ups become rare. */
  function countAnnounced(): void {
    metrics?.count('pix_payments_found_total', { by: 'postback' });
    announcedInARow += 1;
    if (announcedInARow < trusted.after) return;
    isTrusted = true;
    unannouncedInARow = 0;
  }

  /**
   * Counts a payment without a postback. After `trusted.until` of them in a row, look-ups are no longer rare; after
   * `missingAfter` without any postback between them, logs `postbacks_missing`.
   */
  function countUnannounced(): void {
    metrics?.count('pix_payments_found_total', { by: 'look_up' });
    announcedInARow = 0;
    unannouncedInARow += 1;
    if (unannouncedInARow >= trusted.until) isTrusted = false;
    missing += 1;
    if (missing === missingAfter) log({ level: 'warn', event: 'postbacks_missing' });
  }
}
