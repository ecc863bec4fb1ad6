/**
 * Looks invoices up, together: whoever asks for one at the same moment shares a call, an answer serves for a second, and
 * `paid` is never asked about again.
 *
 * Owns what is shared and what agrees with the creation. Knows no request, no token and no timer (`holds.ts` waits).
 */

import type { InvoiceStatus } from '../../contract/types.js';
import { toInvoiceStatus, toMismatchStatus } from '../gateway/invoice-forms.js';
import type { Priority, RateLimit } from './rate-limit.js';
import type { Settings } from '../config/read-options.js';
import type { IssuedInvoice } from '../ledger/ledger.js';
import { mismatchFields } from '../ledger/outbox-events.js';
import type { MismatchField } from '../ledger/outbox-events.js';
import { toEndToEndId } from '../gateway/passed-on.js';
import { unavailable } from '../runtime/proxy-error.js';
import type { Sandbox } from '../gateway/passed-on.js';
import type { ServiceErrors } from '../gateway/service-errors.js';
import { createUnknownStatuses } from './unknown-statuses.js';
import type { Metrics } from '../config/metrics.js';
import type { ServiceClient, WireInvoice } from '../../service.js';

/** How long an answer of the service is given again, milliseconds. */
const reusedForMs = 1_000;

/** Most paid invoices remembered: above, the one paid longest ago is asked about again. */
const maxPaid = 10_000;

/**
 * What an answer says of the invoice that was asked about. `paid` is never taken back. `refused`: a card that was not
 * charged. `open`: not decided. `foreign`: reference, total or method are not what was created, so it says nothing.
 * `mismatch`: so it is, but our own invoice, and paid: the merchant has to hear of it.
 */
export type Classification = 'paid' | 'refused' | 'open' | 'foreign' | 'mismatch';

/** What a look-up found. */
export interface StatusResult {
  /** As a page may be told: `paid` only where that is the verdict. */
  readonly data: InvoiceStatus;
  readonly classification: Classification;
}

/** What an answer says to the proxy itself, beside what a browser may see. */
export interface RawAnswer {
  /** In what it is `foreign` or a `mismatch`; null: it agrees. */
  readonly mismatch: MismatchField | null;
  /** The Pix end-to-end id; null: none was given. */
  readonly endToEndId: string | null;
}

/** An invoice that somebody says is of this order: what is not known of it is what the service calls it. */
export type NamedInvoice = Omit<IssuedInvoice, 'invoiceId'>;

/** What the look-up of a named invoice found, and of which one. */
export interface NamedStatusResult {
  readonly issued: IssuedInvoice;
  readonly finding: StatusResult;
}

/** What became of the record of a finding. */
export interface Recorded {
  /** If not, it is asked for again. */
  readonly isRecorded: boolean;
  /** The finding as it is told: what was known to be paid before stays so. */
  readonly finding: StatusResult;
}

/** How a look-up is asked for. */
export interface LookUpTerms {
  /** Who goes first where calls are short; default `payer`. A shared answer costs nothing. */
  readonly priority?: Priority;
  /** Only an answer that was asked for at this time or later will do, milliseconds since 1970. */
  readonly freshSinceMs?: number;
}

/** Shared look-ups. */
export interface LookUps {
  /** @throws ProxyError `not_found` or `service_unavailable`; Throttled if the rate limit has no call left for it */
  readonly lookUp: (issued: IssuedInvoice, terms?: LookUpTerms) => Promise<StatusResult>;
  /**
   * Looks up what somebody names. Shared with nobody.
   * @throws as `lookUp` does; also `service_unavailable` if the answer is about another id than the one that was asked for
   */
  readonly lookUpNamed: (named: NamedInvoice) => Promise<NamedStatusResult>;
}

/** What look-ups need. */
export interface LookUpParts {
  readonly settings: Pick<
    Settings,
    'statuses' | 'allowUnverifiedCodes' | 'cardLookUpTotal' | 'lookUpBy' | 'now' | 'log'
  >;
  readonly service: ServiceClient;
  readonly faults: ServiceErrors;
  readonly sandbox: Sandbox;
  readonly rateLimit: RateLimit;
  readonly metrics: Metrics;
  /** Told each new answer, before anybody gets it. */
  readonly onFound: (
    issued: IssuedInvoice,
    finding: StatusResult,
    evidence: RawAnswer,
  ) => Promise<Recorded>;
}

interface Call {
  readonly finding: Promise<StatusResult>;
  readonly startedAtMs: number;
  /** Milliseconds since 1970; null while the call is under way. */
  settledAtMs: number | null;
}

/** Makes the look-ups of one proxy. */
export function createLookUps(parts: LookUpParts): LookUps {
  const { settings, service, faults, sandbox, rateLimit, metrics, onFound } = parts;
  const { statuses, cardLookUpTotal, lookUpBy, now, log } = settings;
  const noteStatus = createUnknownStatuses(statuses, log);
  const paid = new Map<string, StatusResult>();
  const calls = new Map<string, Call>();

  return {
    async lookUp(issued, { priority = 'payer', freshSinceMs = -Infinity } = {}) {
      metrics.count('lookUps');
      const subject = toSubject(issued);
      const known = paid.get(subject);
      if (known) return known;
      forgetOldCalls();
      const shared = calls.get(subject);
      const isFresh = shared && shared.startedAtMs >= freshSinceMs && isUsable(shared);
      if (isFresh) return shared.finding;
      spend(priority);
      return startCall(issued);
    },

    async lookUpNamed(named) {
      metrics.count('lookUps');
      spend('payer');
      const expectedId = lookUpBy === 'invoice_id' ? named.lookUpId : null;
      return ask(named, { expectedId, isOurs: false });
    },
  };

  /** Before the call starts: a throttled look-up must not be shared with one of higher priority. */
  function spend(priority: Priority): void {
    try {
      rateLimit.spend(priority);
    } catch (thrown) {
      metrics.count('keptBack');
      throw thrown;
    }
    metrics.count('lookUpCalls');
  }

  /** A failure is shared as an answer is: a service in trouble is not asked more often. */
  function startCall(issued: IssuedInvoice): Promise<StatusResult> {
    const asked = ask(issued, { expectedId: issued.invoiceId, isOurs: true });
    const finding = asked.then((found) => found.finding);
    const call: Call = { finding, startedAtMs: now(), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    finding.then(settle, settle);
    const subject = toSubject(issued);
    calls.delete(subject);
    calls.set(subject, call);
    return finding;
  }

  /**
   * @param subject `expectedId`: what the answer must be about; null: it is asked for by another id, and the answer tells.
   *   `isOurs`: it was made for this order; otherwise somebody merely says so
   */
  async function ask(
    named: NamedInvoice,
    { expectedId, isOurs }: { readonly expectedId: string | null; readonly isOurs: boolean },
  ): Promise<NamedStatusResult> {
    const { externalId } = named;
    const subject = expectedId === null ? { externalId } : { externalId, invoiceId: expectedId };
    const call = { operation: 'look_up', ...subject } as const;
    try {
      const wire = await service.lookUpInvoice(named.lookUpId);
      faults.succeeded();
      const invoiceId = expectedId ?? wire.invoice_id;
      if (wire.invoice_id !== invoiceId) {
        log({ level: 'error', event: 'invalid_answer', ...call, field: 'data.invoice_id' });
        throw unavailable();
      }
      const issued = { ...named, invoiceId };
      return { issued, finding: await conclude(issued, wire, isOurs) };
    } catch (thrown) {
      throw faults.toProxyError(thrown, call);
    }
  }

  async function conclude(
    issued: IssuedInvoice,
    wire: WireInvoice & { readonly isSandbox: boolean },
    isOurs: boolean,
  ): Promise<StatusResult> {
    const { invoiceId, externalId } = issued;
    // A fresher call may have found it paid: what was on its way meanwhile is older.
    const known = paid.get(toSubject(issued));
    if (known) return known;
    noteStatus(wire.status, { operation: 'look_up', externalId, invoiceId });
    const seen = toInvoiceStatus(withTotal(wire, issued), issued, settings);
    const data = sandbox.withhold(seen, wire.isSandbox);
    const mismatch = findMismatch(data, issued);
    const isMismatch = mismatch !== null && data.status === 'paid';
    const found: StatusResult = isMismatch
      ? {
          data: toMismatchStatus(data, issued, mismatch),
          classification: isOurs ? 'mismatch' : 'foreign',
        }
      : { data, classification: mismatch === null ? classify(data, wire, issued) : 'foreign' };
    const evidence = { mismatch, endToEndId: toEndToEndId(wire) };
    const { finding, isRecorded } = await onFound(issued, found, evidence);
    if (finding.classification === 'paid' && isRecorded) rememberPaid(toSubject(issued), finding);
    return finding;
  }

  /** Where the merchant knows that a card's look-up names another total, the one that was sent stands for it. */
  function withTotal(wire: WireInvoice, { method, totalCents }: IssuedInvoice): WireInvoice {
    const isCompared = method !== 'credit_card' || cardLookUpTotal === 'sent';
    return isCompared ? wire : { ...wire, total_cents: totalCents };
  }

  /** Refused is only what the service itself says, and not the word that stands for it. */
  function classify(
    data: InvoiceStatus,
    wire: WireInvoice,
    { method }: IssuedInvoice,
  ): Classification {
    if (data.status === 'paid') return 'paid';
    return method === 'credit_card' && statuses.refused.has(wire.status) ? 'refused' : 'open';
  }

  /** Fulfilling what was paid for another invoice, or another sum, is how shops were robbed (CVE-2026-9189). */
  function findMismatch(data: InvoiceStatus, issued: IssuedInvoice): MismatchField | null {
    const { invoiceId, externalId, totalCents, method } = issued;
    const created = { external_id: externalId, total_cents: totalCents, is_pix: method === 'pix' };
    const field = mismatchFields.find((name) => data[name] !== created[name]) ?? null;
    if (field !== null) log({ level: 'error', event: 'mismatch', invoiceId, externalId, field });
    return field;
  }

  function rememberPaid(subject: string, finding: StatusResult): void {
    paid.set(subject, finding);
    const [oldest] = paid.keys();
    if (paid.size > maxPaid && oldest !== undefined) paid.delete(oldest);
  }

  function forgetOldCalls(): void {
    for (const [subject, call] of calls) {
      if (isUsable(call)) return;
      calls.delete(subject);
    }
  }

  function isUsable({ settledAtMs }: Call): boolean {
    if (settledAtMs === null) return true;
    const ageMs = now() - settledAtMs;
    // A wall clock may be set back: an answer from the future is no fresh one.
    return ageMs >= 0 && ageMs <= reusedForMs;
  }
}

/** An answer serves those who compare it with the same: an invoice that a wrong answer named may be another order's. */
export function toSubject({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  // The reference is last: it alone may hold a space.
  return `${invoiceId} ${totalCents} ${method} ${externalId}`;
}
