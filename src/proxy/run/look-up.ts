/**
 * Looks invoices up at the service. The order hears the answer first; the caller gets what the order makes of it. Look-ups of
 * one invoice share a call, and pages may get an answer again for a second. For its pages this process also remembers what is
 * paid. Whatever decides anything looks up anew, and goes through the order: a database that failed over may have lost the
 * payment.
 */

import { toPaidStatus } from '../outside/invoice-forms.js';
import type { Priority } from '../outside/rate-limit.js';
import { createReadAnswer } from '../outside/read-answer.js';
import type { Expected } from '../outside/read-answer.js';
import type { Sandbox, ServiceCalls } from '../outside/service-calls.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { IssuedInvoice, MadeInvoice, SentAs } from '../order/order.js';
import { isNear, isWithin } from '../../domain/spans.js';
import { markNow } from '../runtime/moment.js';
import type { Moment } from '../runtime/moment.js';
import { unavailable } from '../set-up/proxy-error.js';
import { createRecent } from '../runtime/recent.js';
import type { TraceContext, WireInvoice } from '../../service.js';
import type { Hear, Told } from './hear.js';

/** How long an answer of the service is given again, milliseconds: a second, its end included. */
const reusedForMs = 1_001;

/**
 * How long a call in flight is shared, milliseconds. Worker platforms stop a request when its page closes, so a call that
 * such a request began may never end.
 */
const abandonedAfterMs = 30_000;

/** Most paid invoices remembered: above, the one paid longest ago is asked about again. */
const maxPaid = 10_000;

/** How a call is asked for. */
export interface CallTerms {
  /** Decides whose call goes out first when calls are short; default `payer`. A shared answer needs no call. */
  readonly priority?: Priority;
  /** It may use the calls reserved for reconciliation. */
  readonly mayUseReserve?: boolean;
  /** Of the request that asks. A shared call carries the trace of the request that began it. */
  readonly trace?: TraceContext | null;
}

/** How a look-up is asked for, whose answer may be shared. */
export interface LookUpTerms extends CallTerms {
  /**
   * Accepts only an answer to a call that began after this moment. What permits a charge, a code or the loss of an order
   * gives the moment when its request came: an older answer does not know what was paid meanwhile. `whenever`: the answer
   * is only shown, and asked for again. `lately`: an answer of the last second will do, which its order has heard; what this process
   * remembers will not.
   */
  readonly begunAfter: Moment | 'whenever' | 'lately';
}

/** An invoice that a postback or a person says is of this order. */
interface NamedInvoice extends Pick<IssuedInvoice, 'externalId' | 'lookUpId'> {
  /** One that the order has; null: only its look-up id is known. */
  readonly known: MadeInvoice | IssuedInvoice | null;
  /** The creations that an unknown one may be the answer to, the likeliest first: there is at least one then. */
  readonly sentAs: readonly SentAs[];
}

/** Look-ups of one proxy. */
export type LookUps = ReturnType<typeof createLookUps>;

type Tell = (issued: IssuedInvoice, told: Told) => void;

interface LookUpParts {
  readonly settings: Settings;
  readonly service: ServiceCalls;
  readonly sandbox: Sandbox;
  readonly hear: Hear;
}

interface Call {
  readonly result: Promise<Told>;
  readonly began: Moment;
  readonly startedAtMs: number;
  /** Milliseconds since 1970; null while the call is in flight. */
  settledAtMs: number | null;
}

export function createLookUps({ settings, service, sandbox, hear }: LookUpParts) {
  const { lookUpBy, metrics, now, log } = settings;
  const { readAnswer, findSentAs } = createReadAnswer(settings, sandbox);
  /** What a page was told, and when it was heard. Where its order does not know yet, it is looked up all the same. */
  const paid = createRecent<{ readonly told: Told; readonly at: Moment }>(() => true, maxPaid);
  const calls = createRecent<Call>(isUsable);
  const subscribers: Tell[] = [];

  return {
    /** @throws ProxyError `not_found` or `service_unavailable`; Throttled if the rate limit has no call left for it */
    async lookUp(this: void, issued: IssuedInvoice, terms: LookUpTerms): Promise<Told> {
      const known = findKnown(issued, terms);
      if (known) {
        metrics?.count('pix_look_ups_total', { answer: 'shared' });
        return known;
      }
      spend(terms);
      return startCall(issued, terms);
    },

    /**
     * Looks up an invoice that is said to be of this order, in a call of its own. A paid invoice with the order's reference that
     * agrees with no creation is a `mismatch`. One with another reference is `foreign`.
     * @throws as `lookUp` does; also `service_unavailable` if the answer is about another id than the one in the path
     */
    async lookUpNamed(
      this: void,
      { known, sentAs, ...named }: NamedInvoice,
      terms: CallTerms = {},
    ): Promise<Told> {
      spend(terms);
      if (known) {
        const wasPaid = 'isPaid' in known;
        const expected = { issued: known, isOurs: true, isNamed: true, wasPaid };
        return ask(known, known.invoiceId, () => expected);
      }
      const expectedId = lookUpBy === 'invoice_id' ? named.lookUpId : null;
      return ask(named, expectedId, (wire) => {
        const unknown = { ...named, invoiceId: wire.invoice_id, deadlineMs: null };
        const issued = findSentAs(wire, unknown, sentAs);
        return { issued, isOurs: false, isNamed: true, wasPaid: false };
      });
    },

    /** A page is told that this invoice is paid, on the word of the order: no look-up takes that back. */
    notePaid(this: void, invoice: MadeInvoice): void {
      const subject = toSubject(invoice);
      if (paid.get(subject)) return;
      paid.set(subject, { told: { ...toldAsPaid(invoice), isWritten: false }, at: markNow() });
    },

    /** Calls `tell` with each new result, after the order heard of it. */
    subscribe: (tell: Tell) => void subscribers.push(tell),
  };

  /** An answer, or a call in flight, that will do. */
  function findKnown(issued: IssuedInvoice, { begunAfter }: LookUpTerms) {
    const subject = toSubject(issued);
    const known = begunAfter === 'whenever' ? paid.get(subject) : undefined;
    if (known?.told.isWritten) return known.told;
    const shared = calls.get(subject);
    const isFresh = shared && (typeof begunAfter === 'string' || shared.began > begunAfter);
    return isFresh ? shared.result : null;
  }

  /** Runs before the call starts, so that a throttled look-up is never shared with one of higher priority. */
  function spend({ priority = 'payer', mayUseReserve = false }: CallTerms): void {
    try {
      service.spend(priority, mayUseReserve);
      metrics?.count('pix_look_ups_total', { answer: 'call' });
    } catch (thrown) {
      metrics?.count('pix_look_ups_total', { answer: 'throttled' });
      throw thrown;
    }
  }

  /** A failure is shared as an answer is: a service in trouble is not asked more often. */
  function startCall(issued: IssuedInvoice, { trace }: LookUpTerms): Promise<Told> {
    const expected = { issued, isOurs: true, isNamed: false, wasPaid: false };
    const began = markNow();
    const result = ask(issued, issued.invoiceId, () => expected, trace);
    const call: Call = { result, began, startedAtMs: now(), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    result.then(settle, settle);
    calls.set(toSubject(issued), call);
    return result;
  }

  /** @param expectedId the id that the answer must name; null: any, because the look-up is not by `invoice_id` */
  async function ask(
    { externalId, lookUpId }: Pick<IssuedInvoice, 'externalId' | 'lookUpId'>,
    expectedId: string | null,
    toExpected: (wire: WireInvoice) => Expected,
    trace?: TraceContext | null,
  ): Promise<Told> {
    const about = expectedId === null ? { externalId } : { externalId, invoiceId: expectedId };
    const call = { operation: 'look_up', ...about } as const;
    const beganMs = now();
    const began = markNow();
    const answered = service.lookUpInvoice(lookUpId, trace ? { trace } : {});
    const wire = await answered.catch((thrown: unknown) => {
      throw service.toProxyError(thrown, call);
    });
    if (expectedId !== null && wire.invoice_id !== expectedId) {
      log({ level: 'error', event: 'invalid_answer', ...call, field: 'data.invoice_id' });
      throw unavailable();
    }
    const expected = toExpected(wire);
    const { issued, wasPaid } = expected;
    const subject = toSubject(issued);
    const known = paid.get(subject);
    // A later call found it paid while this one was in flight.
    if (known?.told.isWritten && known.at > began && !wasPaid) return known.told;
    const answer = readAnswer(wire, { ...expected, beganMs });
    const told = await hear(issued, answer, known !== undefined);
    for (const tell of subscribers) tell(issued, told);
    if (told.meaning === 'paid') paid.set(subject, { told, at: markNow() });
    return told;
  }

  function isUsable({ startedAtMs, settledAtMs }: Call): boolean {
    if (settledAtMs === null) return isNear(startedAtMs, abandonedAfterMs, now());
    return isWithin(settledAtMs, reusedForMs, now());
  }
}

/** What a page is told of an invoice that its order knows to be paid. */
export function toldAsPaid(invoice: MadeInvoice): Told {
  return { data: toPaidStatus(invoice), meaning: 'paid', is: 'recorded', isWritten: true };
}

/** Names a shared call: only look-ups that compare the answer with the same creation may share it. */
export function toSubject({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  // The reference is last: it alone may hold a space.
  return `${invoiceId} ${totalCents} ${method} ${externalId}`;
}
