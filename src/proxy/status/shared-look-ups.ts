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
import type { HeardAnswer, Meaning } from '../order/heard.js';
import type { IssuedInvoice, MadeInvoice, SentAs } from '../order/order.js';
import { isNear, isWithin } from '../order/spans.js';
import { markNow } from '../runtime/moment.js';
import type { Moment } from '../runtime/moment.js';
import type { MismatchField } from '../order/outbox-events.js';
import { unavailable } from '../runtime/proxy-error.js';
import { createRecent } from '../runtime/recent.js';
import type { TraceContext, WireInvoice } from '../../service.js';

/** How long an answer of the service is given again, milliseconds: a second, its end included. */
const reusedForMs = 1_001;

/**
 * How long a call in flight is shared, milliseconds. Worker platforms stop a request when its page closes, so a call that
 * such a request began may never end.
 */
const abandonedAfterMs = 30_000;

/** Most paid invoices remembered: above, the one paid longest ago is asked about again. */
const maxPaid = 10_000;

/** What a look-up found. */
export interface StatusResult {
  /** As a page may see it: `paid` only if that is the classification. */
  readonly data: InvoiceStatus;
  readonly classification: Meaning;
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

/** An invoice that a postback or a person says is of this order. */
interface NamedInvoice extends Pick<IssuedInvoice, 'externalId' | 'lookUpId'> {
  /** One that the order has; null: only its look-up id is known. */
  readonly known: MadeInvoice | IssuedInvoice | null;
  /** The creations that an unknown one may be the answer to, the likeliest first: there is at least one then. */
  readonly sentAs: readonly SentAs[];
}

/** A result after it was recorded. */
export interface Recorded {
  /** Where this is false, the store failed, and the invoice is looked up again. */
  readonly isRecorded: boolean;
  /** The result as pages see it. An invoice that was found paid before stays paid, whatever the service says now. */
  readonly result: StatusResult;
  /** What a named invoice was found to be. */
  readonly is: HeardAnswer['is'];
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
  readonly lookUpNamed: (named: NamedInvoice, terms?: CallTerms) => Promise<Recorded>;
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
    isNamed: boolean,
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
  readonly isNamed?: boolean;
  /** It was paid. Another word of it, but pending, is a return. */
  readonly isPaid?: boolean;
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
  const paid = createRecent<StatusResult>(() => true, maxPaid);
  const calls = createRecent<Call>(isUsable);
  const subscribers: Tell[] = [];

  return {
    async lookUp(issued, { priority, mayUseReserve, begunAfter, trace }) {
      const subject = toSubject(issued);
      for (;;) {
        const known = paid.get(subject);
        if (known) return noteShared(known);
        const shared = calls.get(subject);
        const isFresh = shared && (begunAfter === 'whenever' || shared.began > begunAfter);
        if (isFresh) return noteShared(shared.result);
        const booking = spend(priority, mayUseReserve);
        if (booking === null) return startCall(issued, trace);
        // Another look-up of the invoice may be first.
        await booking;
      }
    },

    async lookUpNamed({ known, sentAs, ...named }, terms) {
      await book(terms);
      if (known) {
        const isPaid = 'isPaid' in known;
        const ours = { expectedId: known.invoiceId, toIssued: () => known, isOurs: true };
        return ask(known, { ...ours, isNamed: true, isPaid });
      }
      const toIssued = (wire: WireInvoice) => {
        const id = { ...named, invoiceId: wire.invoice_id, deadlineMs: null };
        const all = sentAs.map((as) => ({ ...id, ...as }));
        return all.find((one) => differsIn(toSeen(wire, one), one) === null) ?? all[0]!;
      };
      const expectedId = lookUpBy === 'invoice_id' ? named.lookUpId : null;
      return ask(named, { expectedId, toIssued, isOurs: false, isNamed: true });
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
    const recorded = ask(issued, { expectedId: issued.invoiceId, toIssued, isOurs: true, trace });
    const result = recorded.then((found) => found.result);
    const call: Call = { result, began, startedAtMs: now(), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    result.then(settle, settle);
    calls.set(toSubject(issued), call);
    return result;
  }

  async function ask(
    named: Pick<IssuedInvoice, 'externalId' | 'lookUpId'>,
    terms: AskTerms,
  ): Promise<Recorded> {
    const wire = await askService(named, terms.expectedId, terms.trace);
    const isOurs = terms.isOurs || wire.external_id === named.externalId;
    return conclude(terms.toIssued(wire), wire, { ...terms, isOurs });
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
    { isOurs, isNamed = false, isPaid = false }: AskTerms,
  ): Promise<Recorded> {
    // A later call may have found it paid while this one was in flight.
    const known = isPaid ? undefined : paid.get(toSubject(issued));
    if (known) return { isRecorded: true, is: 'recorded', result: known };
    const isReturn = isOurs && isReturned(wire.status, isPaid);
    const seen = isReturn ? toReturned(wire, issued) : wire;
    const data = sandbox.withhold(toSeen(seen, issued), wire.isSandbox);
    const mismatch = findMismatch(data, issued);
    const isMismatch = mismatch !== null && data.status === 'paid';
    const found: StatusResult = isMismatch
      ? {
          data: toMismatchStatus(data, issued, mismatch),
          classification: isOurs ? 'mismatch' : 'foreign',
        }
      : { data, classification: mismatch === null ? classify(data, wire, issued) : 'foreign' };
    const raw = { status: wire.status, mismatch, endToEndId: toEndToEndId(wire) };
    const recorded = await record(issued, found, raw, isNamed);
    const { result, isRecorded } = recorded;
    for (const tell of subscribers) tell(issued, result);
    if (result.classification === 'paid' && isRecorded) paid.set(toSubject(issued), result);
    return recorded;
  }

  function isReturned(status: string, wasPaid: boolean): boolean {
    const isSame = [statuses.paid, statuses.pending].some((list) => isListed(list, status));
    return isListed(statuses.returned, status) || (wasPaid && !isSame);
  }

  /** With `cardLookUpTotal: 'any'`, the total that was sent stands for the one in a card's look-up. */
  function toSeen(wire: WireInvoice, issued: IssuedInvoice): InvoiceStatus {
    const isCompared = issued.method !== 'credit_card' || cardLookUpTotal === 'sent';
    const compared = isCompared ? wire : { ...wire, total_cents: issued.totalCents };
    return toInvoiceStatus(compared, issued, settings);
  }

  /** Reads `refused` from the service's own word, which the page's status does not tell. */
  function classify(data: InvoiceStatus, wire: WireInvoice, { method }: IssuedInvoice): Meaning {
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

  function isUsable({ startedAtMs, settledAtMs }: Call): boolean {
    if (settledAtMs === null) return isNear(startedAtMs, abandonedAfterMs, now());
    return isWithin(settledAtMs, reusedForMs, now());
  }
}

/** What is left of a payment that was given back may be less, and may name no order any more. */
function toReturned<W extends WireInvoice>(wire: W, { externalId, totalCents }: IssuedInvoice): W {
  return { ...wire, total_cents: totalCents, external_id: wire.external_id ?? externalId };
}

/** Names a shared call: only look-ups that compare the answer with the same creation may share it. */
export function toSubject({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  // The reference is last: it alone may hold a space.
  return `${invoiceId} ${totalCents} ${method} ${externalId}`;
}
