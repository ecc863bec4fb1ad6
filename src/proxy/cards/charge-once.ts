/**
 * One order is charged once: which attempt to pay by card may leave, and what a repeated one is told.
 *
 * Owns the way of an attempt (claimed, sent, then created, refused or unknown) and that each step is recorded before the
 * next one is taken. Whatever nobody foresaw after `sent` is an unknown outcome.
 */

import { toAttemptInvoice } from '../idempotency/attempts-by-key.js';
import type { CardCharging, CardPayment, ChargeOutcome } from './send-charge.js';
import type { CardGuards } from './card-guards.js';
import { errorNameOf, faultOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { UnresolvedCharges } from './unresolved-charges.js';
import type { Attempt, Claim, Ledger, RememberedInvoice } from '../ledger/ledger.js';
import type { RefuseIfPaid } from '../status/refuse-if-paid.js';
import { ProxyError, inProgress } from '../runtime/proxy-error.js';
import type { Metrics } from '../config/metrics.js';

/** A card to be charged, with the attempt it is. */
export interface ChargeRequest {
  readonly attempt: Attempt;
  readonly payment: CardPayment;
  /** The payer's address as the guards hash it. */
  readonly payerHash: string | null;
  /** The browser's request, for the merchant's check of humans. */
  readonly request: Request | null;
}

/** What charging needs. */
export interface ChargeParts {
  readonly settings: Pick<Settings, 'now' | 'log' | 'serviceTimeoutMs'>;
  readonly ledger: Ledger;
  readonly unresolvedCharges: UnresolvedCharges;
  readonly guards: CardGuards;
  readonly metrics: Pick<Metrics, 'count'>;
  readonly charging: CardCharging;
  readonly refuseIfPaid: RefuseIfPaid;
  readonly toOrderPaid: (paid: RememberedInvoice) => Promise<ProxyError>;
}

/**
 * @returns the invoice of the attempt; its status is not believed before a look-up says so
 * @throws ProxyError `payment_refused`, `outcome_unknown`, `in_progress`, `key_reused`, `order_paid`, `too_many_requests`, or
 *   why nothing was charged
 */
export type Charge = (request: ChargeRequest) => Promise<RememberedInvoice>;

/** Time to record what became of a charge, milliseconds. Then nobody is left who knows it. */
const recordingMs = 15_000;

/** Makes the function that charges cards. */
export function createCharges(parts: ChargeParts): Charge {
  const {
    settings,
    ledger,
    unresolvedCharges,
    guards,
    charging,
    metrics,
    refuseIfPaid,
    toOrderPaid,
  } = parts;
  const { now, log, serviceTimeoutMs } = settings;
  // Two sends, for the first may provably not have left, and time to record what became of them.
  const sentForMs = 2 * serviceTimeoutMs + recordingMs;

  return async function charge(chargeRequest) {
    const { attempt, payment } = chargeRequest;
    const claim = await claimAttempt(attempt);
    if (claim === 'reused') throw new ProxyError('key_reused');
    if (claim === 'known') return answerAgain(attempt);
    const { request, isInTime } = await prepare(chargeRequest);
    try {
      return await conclude(attempt, await charging.send(request, payment, isInTime));
    } catch (thrown) {
      if (thrown instanceof ProxyError) throw thrown;
      // The card has left, and its attempt stays as far as it was recorded: nobody charges it again.
      noteFailure(attempt, thrown);
      throw new ProxyError('outcome_unknown');
    }
  };

  /** The claim is the order's lock. One that a former card holds is given up when that turns out to be refused. */
  async function claimAttempt(attempt: Attempt): Promise<Exclude<Claim, 'busy'>> {
    const claim = await ledger.claimAttempt(attempt);
    if (claim !== 'busy') return claim;
    await unresolvedCharges.refuseIfOpen(attempt.externalId);
    const again = await ledger.claimAttempt(attempt);
    if (again === 'busy') throw inProgress();
    return again;
  }

  async function answerAgain({ key, scope }: Attempt): Promise<RememberedInvoice> {
    const known = (await ledger.findAttempts(key)).find((one) => one.scope === scope);
    // It ended without a charge since it was claimed.
    if (!known) throw inProgress();
    return toAttemptInvoice(ledger, await unresolvedCharges.refresh(known), toOrderPaid);
  }

  /** All that can be refused is refused before `sent` is recorded, and `sent` is recorded before anything leaves. */
  async function prepare({ attempt, payment, payerHash, request }: ChargeRequest) {
    const { externalId, clientAddress: remoteAddress } = payment;
    try {
      const record = await ledger.find(externalId);
      if (record.paid) throw await toOrderPaid(record.paid);
      await guards.admit(attempt, record, { externalId, request, remoteAddress, payerHash });
      const wireRequest = await charging.toRequest(payment);
      await refuseIfPaid(await ledger.find(externalId));
      await ledger.recordSend(externalId, 'credit_card', now());
      // A ledger that was slow to answer, or a process that stood still, must not send what was given up meanwhile.
      const lastMs = now() + serviceTimeoutMs;
      const mayLeave = await ledger.advanceAttempt(attempt, { state: 'sent' }, sentForMs);
      // The claim ran out meanwhile, and somebody else may be charging.
      if (!mayLeave) throw inProgress();
      return { request: wireRequest, isInTime: () => now() <= lastMs };
    } catch (thrown) {
      await giveUp(attempt);
      throw thrown;
    }
  }

  async function conclude(attempt: Attempt, outcome: ChargeOutcome): Promise<RememberedInvoice> {
    switch (outcome.state) {
      case 'created': {
        const { invoice } = outcome;
        guards.note(attempt, 'charged');
        metrics.count('cardsCreated');
        await recordInvoice(invoice, attempt);
        return invoice;
      }
      case 'refused':
        guards.note(attempt, 'refused');
        metrics.count('cardsRefused');
        // Whoever pays next looks it up first: a service may change its mind.
        if (outcome.invoice) await recordInvoice(outcome.invoice, attempt);
        await record(attempt, () => ledger.advanceAttempt(attempt, { state: 'refused' }));
        throw new ProxyError('payment_refused');
      case 'failed':
        await giveUp(attempt);
        throw outcome.refusal;
      case 'unknown': {
        const { externalId } = attempt;
        guards.note(attempt, 'none');
        metrics.count('cardsUnknown');
        await record(attempt, () => ledger.advanceAttempt(attempt, outcome));
        log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
        throw new ProxyError('outcome_unknown');
      }
      default:
        return outcome satisfies never;
    }
  }

  /** It ended without a trace. Where that cannot be recorded, the claim ends by its time. */
  async function giveUp(attempt: Attempt): Promise<void> {
    guards.note(attempt, 'none');
    try {
      await ledger.releaseAttempt(attempt);
    } catch (thrown) {
      noteFailure(attempt, thrown);
    }
  }

  async function recordInvoice(invoice: RememberedInvoice, attempt: Attempt): Promise<void> {
    const { externalId, invoiceId } = invoice;
    await record({ externalId, invoiceId }, () => ledger.recordInvoice(invoice, attempt));
  }

  /** Tried twice: what is not recorded here is a charge that somebody has to look for. */
  async function record(subject: Subject, write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (thrown) {
      noteFailure(subject, thrown);
      await write();
    }
  }

  function noteFailure({ externalId, invoiceId }: Subject, thrown: unknown): void {
    const subject = invoiceId === undefined ? { externalId } : { externalId, invoiceId };
    const about = { operation: 'create', ...subject, errorName: errorNameOf(thrown) } as const;
    log({ level: 'error', event: faultOf(thrown), ...about });
  }
}

/** What an entry of the log is about. */
interface Subject {
  readonly externalId: string;
  readonly invoiceId?: string;
}
