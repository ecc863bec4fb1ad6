/**
 * Looks invoices up at the service and compares the answers with what was created. Look-ups of one invoice share a call, an
 * answer is reused for a second, and a paid invoice is not looked up again. The file is over 300 lines because shared and
 * named look-ups end with the same steps.
 */

import type { InvoiceStatus } from '../../contract/types.js';
import { differsIn, toInvoiceStatus, toMismatchStatus } from '../gateway/invoice-forms.js';
import type { Priority } from '../gateway/rate-limit.js';
import type { Sandbox, ServiceCalls } from '../gateway/service-calls.js';
import { isListed, toEndToEndId } from '../gateway/wire-texts.js';
import type { Settings } from '../config/read-options.js';
import type { IssuedInvoice, Return, SentAs } from '../ledger/ledger.js';
import { markNow } from '../runtime/moment.js';
import type { Moment } from '../runtime/moment.js';
import type { MismatchField } from '../order/outbox-events.js';
import { unavailable } from '../runtime/proxy-error.js';
import type { TraceContext, WireInvoice } from '../../service.js';

/** How long an answer of the service is given again, milliseconds. */
const reusedForMs = 1_000;

/**
 * How long a call in flight is shared, milliseconds. Worker platforms stop a request when its page closes, so a call that
 * such a request began may never end.
 */
const abandonedAfterMs = 30_000;

/** Most paid invoices remembered: above, the one paid longest ago is asked about again. */
const maxPaid = 10_000;

/**
 * What an answer says of an invoice. `paid` is never taken back. `refused`: a card that was not
 * charged. `open`: not decided. `foreign`: reference, total or method differ from what was created, so it is
 * ignored. `mismatch`: our invoice is paid, but differs: the merchant is told.
 */
export type Classification = 'paid' | 'refused' | 'open' | 'foreign' | 'mismatch';

/** What a look-up found. */
export interface StatusResult {
  /** As a page may see it: `paid` only if that is the classification. */
  readonly data: InvoiceStatus;
  readonly classification: Classification;
}

/** What the proxy reads of an answer beside what a browser may see. */
export interface RawAnswer {
  /** The service's word. */
  readonly status: string;
  /** The field in which it differs from what was created; null: it agrees. */
  readonly mismatch: MismatchField | null;
  /** The Pix end-to-end id; null: none was given. */
  readonly endToEndId: string | null;
}

/** An invoice that a postback or a person says is of this order. Only its look-up id is known. */
interface NamedInvoice extends Pick<IssuedInvoice, 'externalId' | 'lookUpId' | 'deadlineMs'> {
  /** The creations that it may be the answer to, the likeliest first. There is at least one. */
  readonly sentAs: readonly SentAs[];
}

/** The result of looking up a named invoice, and which invoice it was. */
interface NamedStatusResult {
  readonly issued: IssuedInvoice;
  readonly result: StatusResult;
}

/** A result after it was recorded. */
export interface Recorded {
  /** Where this is false, the ledger failed, and the invoice is looked up again. */
  readonly isRecorded: boolean;
  /** The result as pages see it. An invoice that was found paid before stays paid, whatever the service says now. */
  readonly result: StatusResult;
}

/** How a call is asked for. */
export interface CallTerms {
  /** Decides whose call goes out first when calls are short; default `payer`. A shared answer needs no call. */
  readonly priority?: Priority;
  /** It may use the calls reserved for reconciliation. */
  readonly mayUseReserve?: boolean;
  /** The trace of the request that asks. A shared call carries the trace of the request that began it. */
  readonly trace?: TraceContext | null;
}

/** How a look-up is asked for, whose answer may be shared. */
export interface LookUpTerms extends CallTerms {
  /**
   * Accepts only an answer to a call that began after this moment. What permits a charge, a code or the loss of an order
   * gives the moment when its request came: an older answer does not know what was paid meanwhile. `whenever`: the answer
   * is only shown, and asked for again.
   */
  readonly begunAfter: Moment | 'whenever';
}

/** Shared look-ups. */
export interface LookUps {
  /** @throws ProxyError `not_found` or `service_unavailable`; Throttled if the rate limit has no call left for it */
  readonly lookUp: (issued: IssuedInvoice, terms: LookUpTerms) => Promise<StatusResult>;
  /**
   * Looks up an invoice that is said to be of this order, in a call of its own. A paid invoice with the order's reference that
   * agrees with no creation is a `mismatch`. One with another reference is `foreign`.
   * @throws as `lookUp` does; also `service_unavailable` if the answer is about another id than the one in the path
   */
  readonly lookUpNamed: (named: NamedInvoice, terms?: CallTerms) => Promise<NamedStatusResult>;
  /**
   * Asks about a paid invoice again, in a call of its own. Another order's, or one that is paid and differs, is logged.
   * @returns null: the answer is about another order
   * @throws as `lookUp` does
   */
  readonly lookUpPaid: (
    issued: IssuedInvoice,
    terms?: CallTerms,
  ) => Promise<Omit<Return, 'isListed'> | null>;
  /** Calls `tell` with each new result, after it was recorded. */
  readonly subscribe: (tell: Tell) => void;
}

type Tell = (issued: IssuedInvoice, result: StatusResult) => void;

/** What look-ups need. */
interface LookUpParts {
  readonly settings: Pick<
    Settings,
    'statuses' | 'allowUnverifiedCodes' | 'cardLookUpTotal' | 'lookUpBy' | 'metrics' | 'now' | 'log'
  >;
  readonly service: ServiceCalls;
  readonly sandbox: Sandbox;
  /** Called with each new result before it is told. */
  readonly record: (
    issued: IssuedInvoice,
    result: StatusResult,
    raw: RawAnswer,
  ) => Promise<Recorded>;
}

interface AskTerms {
  readonly trace?: TraceContext | null | undefined;
  /** The id that the answer must name; null: any, because the look-up is not by `invoice_id`. */
  readonly expectedId: string | null;
  /** What the answer is compared with. */
  readonly toIssued: (wire: WireInvoice) => IssuedInvoice;
  /** Whether the proxy itself created the invoice for this order. A named one is only said to be of it. */
  readonly isOurs: boolean;
}

interface Call {
  readonly result: Promise<StatusResult>;
  readonly began: Moment;
  readonly startedAtMs: number;
  /** Milliseconds since 1970; null while the call is in flight. */
  settledAtMs: number | null;
}

/** Makes the look-ups of one proxy. */
// oxlint-disable-next-line max-lines-per-function -- its parts share what they remember
export function createLookUps(parts: LookUpParts): LookUps {
  const { settings, service, sandbox, record } = parts;
  const { statuses, cardLookUpTotal, lookUpBy, metrics, now, log } = settings;
  const paid = new Map<string, StatusResult>();
  const calls = new Map<string, Call>();
  const subscribers: Tell[] = [];

  return {
    async lookUp(issued, { priority, mayUseReserve, begunAfter, trace }) {
      const subject = toSubject(issued);
      for (;;) {
        const known = paid.get(subject);
        if (known) return noteShared(known);
        forgetOldCalls();
        const shared = calls.get(subject);
        const isFresh = shared && (begunAfter === 'whenever' || shared.began > begunAfter);
        if (isFresh && isUsable(shared)) return noteShared(shared.result);
        const booking = spend(priority, mayUseReserve);
        if (booking === null) return startCall(issued, trace);
        // Another look-up of the invoice may be first.
        await booking;
      }
    },

    async lookUpNamed({ sentAs, ...named }, terms) {
      await book(terms);
      const toIssued = (wire: WireInvoice) => {
        const all = sentAs.map((as) => ({ ...named, ...as, invoiceId: wire.invoice_id }));
        return all.find((one) => differsIn(toSeen(wire, one), one) === null) ?? all[0]!;
      };
      const expectedId = lookUpBy === 'invoice_id' ? named.lookUpId : null;
      return ask(named, { expectedId, toIssued, isOurs: false });
    },

    async lookUpPaid(issued, terms) {
      await book(terms);
      const wire = await askService(issued, issued.invoiceId);
      const isOfOrder = wire.external_id === issued.externalId;
      // What is left of a payment that was given back in part may be less.
      if (!isOfOrder || isListed(statuses.paid, wire.status))
        findMismatch(toSeen(wire, issued), issued);
      return isOfOrder ? { status: wire.status, endToEndId: toEndToEndId(wire) } : null;
    },

    subscribe: (tell) => void subscribers.push(tell),
  };

  function noteShared<T>(result: T): T {
    metrics?.count('pix_look_ups_total', { answer: 'shared' });
    return result;
  }

  /** Runs before the call starts, so that a throttled look-up is never shared with one of higher priority. */
  function spend(priority: Priority = 'payer', mayUseReserve = false): Promise<void> | null {
    try {
      const booking = service.spend(priority, mayUseReserve);
      if (booking === null) metrics?.count('pix_look_ups_total', { answer: 'call' });
      return booking;
    } catch (thrown) {
      metrics?.count('pix_look_ups_total', { answer: 'throttled' });
      throw thrown;
    }
  }

  async function book({ priority, mayUseReserve }: CallTerms = {}): Promise<void> {
    for (let booking = spend(priority, mayUseReserve); booking !== null;) {
      await booking;
      booking = spend(priority, mayUseReserve);
    }
  }

  /** A failure is shared as an answer is: a service in trouble is not asked more often. */
  function startCall(issued: IssuedInvoice, trace?: TraceContext | null): Promise<StatusResult> {
    const toIssued = () => issued;
    const began = markNow();
    const asked = ask(issued, { expectedId: issued.invoiceId, toIssued, isOurs: true, trace });
    const result = asked.then((found) => found.result);
    const call: Call = { result, began, startedAtMs: now(), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    result.then(settle, settle);
    const subject = toSubject(issued);
    calls.delete(subject);
    calls.set(subject, call);
    return result;
  }

  async function ask(
    asked: Pick<IssuedInvoice, 'externalId' | 'lookUpId'>,
    { expectedId, toIssued, isOurs, trace }: AskTerms,
  ): Promise<NamedStatusResult> {
    const wire = await askService(asked, expectedId, trace);
    const issued = toIssued(wire);
    const isOfOrder = isOurs || wire.external_id === asked.externalId;
    return { issued, result: await conclude(issued, wire, isOfOrder) };
  }

  /** @param expectedId the id that the answer must name; null: any */
  async function askService(
    { externalId, lookUpId }: Pick<IssuedInvoice, 'externalId' | 'lookUpId'>,
    expectedId: string | null,
    trace?: TraceContext | null,
  ) {
    const subject = expectedId === null ? { externalId } : { externalId, invoiceId: expectedId };
    const call = { operation: 'look_up', ...subject } as const;
    try {
      const wire = await service.lookUpInvoice(lookUpId, trace ? { trace } : {});
      if (expectedId !== null && wire.invoice_id !== expectedId) {
        log({ level: 'error', event: 'invalid_answer', ...call, field: 'data.invoice_id' });
        throw unavailable();
      }
      return wire;
    } catch (thrown) {
      throw service.toProxyError(thrown, call);
    }
  }

  async function conclude(
    issued: IssuedInvoice,
    wire: WireInvoice & { readonly isSandbox: boolean },
    isOurs: boolean,
  ): Promise<StatusResult> {
    // A later call may have found it paid while this one was in flight.
    const known = paid.get(toSubject(issued));
    if (known) return known;
    const data = sandbox.withhold(toSeen(wire, issued), wire.isSandbox);
    const mismatch = findMismatch(data, issued);
    const isMismatch = mismatch !== null && data.status === 'paid';
    const found: StatusResult = isMismatch
      ? {
          data: toMismatchStatus(data, issued, mismatch),
          classification: isOurs ? 'mismatch' : 'foreign',
        }
      : { data, classification: mismatch === null ? classify(data, wire, issued) : 'foreign' };
    const raw = { status: wire.status, mismatch, endToEndId: toEndToEndId(wire) };
    const { result, isRecorded } = await record(issued, found, raw);
    for (const tell of subscribers) tell(issued, result);
    if (result.classification === 'paid' && isRecorded) rememberPaid(toSubject(issued), result);
    return result;
  }

  /** With `cardLookUpTotal: 'any'`, the total that was sent stands for the one in a card's look-up. */
  function toSeen(wire: WireInvoice, issued: IssuedInvoice): InvoiceStatus {
    const isCompared = issued.method !== 'credit_card' || cardLookUpTotal === 'sent';
    const compared = isCompared ? wire : { ...wire, total_cents: issued.totalCents };
    return toInvoiceStatus(compared, issued, settings);
  }

  /** Reads `refused` from the service's own word, which the page's status does not tell. */
  function classify(
    data: InvoiceStatus,
    wire: WireInvoice,
    { method }: IssuedInvoice,
  ): Classification {
    if (data.status === 'paid') return 'paid';
    return method === 'credit_card' && isListed(statuses.refused, wire.status) ? 'refused' : 'open';
  }

  /** Fulfilling what was paid for another invoice, or another sum, is how shops were robbed (CVE-2026-9189). */
  function findMismatch(data: InvoiceStatus, issued: IssuedInvoice): MismatchField | null {
    const { invoiceId, externalId } = issued;
    const field = differsIn(data, issued);
    if (field !== null) log({ level: 'error', event: 'mismatch', invoiceId, externalId, field });
    return field;
  }

  function rememberPaid(subject: string, result: StatusResult): void {
    paid.set(subject, result);
    const [oldest] = paid.keys();
    if (paid.size > maxPaid && oldest !== undefined) paid.delete(oldest);
  }

  function forgetOldCalls(): void {
    for (const [subject, call] of calls) {
      if (isUsable(call)) return;
      calls.delete(subject);
    }
  }

  function isUsable({ startedAtMs, settledAtMs }: Call): boolean {
    if (settledAtMs === null) return Math.abs(now() - startedAtMs) <= abandonedAfterMs;
    const ageMs = now() - settledAtMs;
    // A wall clock may be set back: an answer from the future is no fresh one.
    return ageMs >= 0 && ageMs <= reusedForMs;
  }
}

/** Names a shared call: only look-ups that compare the answer with the same creation may share it. */
export function toSubject({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  // The reference is last: it alone may hold a space.
  return `${invoiceId} ${totalCents} ${method} ${externalId}`;
}
