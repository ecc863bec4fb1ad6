/**
 * Looks invoices up, together: whoever asks for one at the same moment shares a call, an answer serves for a second, and
 * `paid` is never asked about again.
 *
 * Owns what is shared and what agrees with the creation. Knows no request, no token and no timer (`holds.ts` waits).
 */

import type { InvoiceStatus } from '../contract/types.js';
import { toInvoiceStatus } from './answers.js';
import type { Settings } from './options.js';
import type { IssuedInvoice } from './orders/orders.js';
import { unavailable } from './refusal.js';
import type { Sandbox } from './sandbox-mark.js';
import type { ServiceFaults } from './service-faults.js';
import type { ServiceClient, WireInvoice } from '../service.js';

/** How long an answer of the service is given again, milliseconds. */
const reusedForMs = 1_000;

/** Most paid invoices remembered: above, the one paid longest ago is asked about again. */
const maxPaid = 10_000;

/**
 * What an answer says of the invoice that was asked about. `paid` is never taken back. `refused`: a card that was not
 * charged. `open`: not decided. `foreign`: reference, total or method are not what was created, so it says nothing.
 */
export type Verdict = 'paid' | 'refused' | 'open' | 'foreign';

/** What a look-up found. */
export interface Finding {
  readonly data: InvoiceStatus;
  readonly verdict: Verdict;
}

/** Shared look-ups. */
export interface LookUps {
  /** @throws Refusal `not_found` or `service_unavailable` */
  readonly lookUp: (issued: IssuedInvoice) => Promise<Finding>;
}

/** What look-ups need. */
export interface LookUpParts {
  readonly settings: Pick<Settings, 'statuses' | 'cardLookUpTotal' | 'now' | 'log'>;
  readonly service: ServiceClient;
  readonly faults: ServiceFaults;
  readonly sandbox: Sandbox;
  /** Told each new answer, before anybody gets it. */
  readonly onFound: (issued: IssuedInvoice, finding: Finding) => Promise<void>;
}

interface Call {
  readonly finding: Promise<Finding>;
  /** Milliseconds since 1970; null while the call is under way. */
  settledAtMs: number | null;
}

/** Makes the look-ups of one proxy. */
export function createLookUps(parts: LookUpParts): LookUps {
  const { settings, service, faults, sandbox, onFound } = parts;
  const { statuses, cardLookUpTotal, now, log } = settings;
  const paid = new Map<string, Finding>();
  const calls = new Map<string, Call>();

  return {
    async lookUp(issued) {
      const subject = toSubject(issued);
      const known = paid.get(subject);
      if (known) return known;
      forgetOldCalls();
      const shared = calls.get(subject);
      if (shared && isUsable(shared)) return shared.finding;
      return startCall(issued);
    },
  };

  /** A failure is shared as an answer is: a service in trouble is not asked more often. */
  function startCall(issued: IssuedInvoice): Promise<Finding> {
    const call: Call = { finding: ask(issued), settledAtMs: null };
    const settle = () => {
      call.settledAtMs = now();
    };
    call.finding.then(settle, settle);
    const subject = toSubject(issued);
    calls.delete(subject);
    calls.set(subject, call);
    return call.finding;
  }

  async function ask(issued: IssuedInvoice): Promise<Finding> {
    const { invoiceId, externalId } = issued;
    const call = { operation: 'look_up', externalId, invoiceId } as const;
    try {
      const wire = await service.lookUpInvoice(issued.lookUpId);
      faults.succeeded();
      if (wire.invoice_id !== invoiceId) {
        log({ level: 'error', event: 'invalid_answer', ...call, field: 'data.invoice_id' });
        throw unavailable();
      }
      const data = sandbox.withhold(
        toInvoiceStatus(withTotal(wire, issued), issued),
        wire.isSandbox,
      );
      const finding = { data, verdict: toVerdict(data, issued) };
      if (finding.verdict === 'paid') rememberPaid(toSubject(issued), finding);
      await onFound(issued, finding);
      return finding;
    } catch (thrown) {
      throw faults.toRefusal(thrown, call);
    }
  }

  /** Where the merchant knows that a card's look-up names another total, the one that was sent stands for it. */
  function withTotal(wire: WireInvoice, { method, totalCents }: IssuedInvoice): WireInvoice {
    const isCompared = method !== 'credit_card' || cardLookUpTotal === 'sent';
    return isCompared ? wire : { ...wire, total_cents: totalCents };
  }

  function toVerdict(data: InvoiceStatus, issued: IssuedInvoice): Verdict {
    if (!agrees(data, issued)) return 'foreign';
    if (data.status === 'paid') return 'paid';
    return issued.method === 'credit_card' && statuses.refused.has(data.status)
      ? 'refused'
      : 'open';
  }

  /** Fulfilling what was paid for another invoice, or another sum, is how shops were robbed (CVE-2026-9189). */
  function agrees(data: InvoiceStatus, issued: IssuedInvoice): boolean {
    const { invoiceId, externalId } = issued;
    const field = Object.entries({
      external_id: data.external_id === externalId,
      total_cents: data.total_cents === issued.totalCents,
      is_pix: data.is_pix === (issued.method === 'pix'),
    }).find(([, isSame]) => !isSame)?.[0];
    if (field === undefined) return true;
    log({ level: 'error', event: 'mismatch', invoiceId, externalId, field });
    return false;
  }

  function rememberPaid(subject: string, finding: Finding): void {
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
function toSubject({ invoiceId, externalId, totalCents, method }: IssuedInvoice): string {
  return JSON.stringify([invoiceId, externalId, totalCents, method]);
}
