/**
 * Charges one order once: which card attempt may leave, and what a repeated one is answered.
 *
 * Each state of an attempt (claimed, sent, then created, refused or unknown) is recorded before the next step is taken. An
 * unexpected failure after `sent` is an unknown outcome.
 */

import { errorNameOf, faultOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { toAttemptInvoice } from '../idempotency/idempotency.js';
import type { Attempt, Claim, Ledger, RememberedInvoice } from '../ledger/ledger.js';
import { OrderPaid, ProxyError, inProgress } from '../runtime/proxy-error.js';
import type { CardGuards } from './card-guards.js';
import type { CardCharging, CardPayment, ChargeOutcome } from './send-charge.js';
import type { UnresolvedCharges } from './unresolved-charges.js';

/** A card to be charged, with the attempt it is. */
interface ChargeRequest {
  readonly attempt: Attempt;
  readonly payment: CardPayment;
  /** The browser's request, for the merchant's human check. */
  readonly request: Request | null;
}

/** What charging needs. */
interface ChargeParts {
  readonly settings: Pick<Settings, 'now' | 'log' | 'serviceTimeoutMs'>;
  readonly ledger: Ledger;
  readonly unresolvedCharges: UnresolvedCharges;
  readonly guards: CardGuards;
  readonly charging: CardCharging;
}

/**
 * @returns the invoice of the attempt; only a look-up makes its status believable
 * @throws OrderPaid; ProxyError `payment_refused`, `outcome_unknown`, `in_progress`, `key_reused`, `too_many_requests`, or why
 *   nothing was charged
 */
export type Charge = (request: ChargeRequest) => Promise<RememberedInvoice>;

/** Time to record how a charge ended, milliseconds. After it, the attempt counts as unknown. */
const recordingMs = 15_000;

/** Makes the function that charges cards. */
export function createCharges(parts: ChargeParts): Charge {
  const { settings, ledger, unresolvedCharges, guards, charging } = parts;
  const { now, log, serviceTimeoutMs } = settings;
  // Two sends, because the first may provably not have left, and the time to record the outcome.
  const sentForMs = 2 * serviceTimeoutMs + recordingMs;

  return async function charge(chargeRequest) {
    const { attempt, payment } = chargeRequest;
    // Before the claim: its time is short.
    const payerHash = await guards.hashAddress(payment.clientAddress);
    if (!payment.isAwaited()) throw inProgress();
    const claim = await claimAttempt(attempt, payment);
    if (claim === 'reused') throw new ProxyError('key_reused');
    if (claim === 'known') return answerAgain(attempt, payment);
    const { request, isInTime } = await prepare(chargeRequest, payerHash);
    try {
      return await recordOutcome(attempt, await charging.send(request, payment, isInTime));
    } catch (thrown) {
      if (thrown instanceof ProxyError) throw thrown;
      // The card has left, and its attempt keeps the state that was recorded: nothing charges it again.
      noteFailure(attempt, thrown);
      throw new ProxyError('outcome_unknown');
    }
  };

  /** The claim locks the order. If a former card holds it, that card is looked up: a refused one gives the order free. */
  async function claimAttempt(
    attempt: Attempt,
    payment: CardPayment,
  ): Promise<Exclude<Claim, 'busy'>> {
    const claim = await ledger.claimAttempt(attempt);
    if (claim !== 'busy') return claim;
    const { externalId } = attempt;
    await unresolvedCharges.refuseUnlessPayable(externalId, await ledger.find(externalId), payment);
    const again = await ledger.claimAttempt(attempt);
    if (again === 'busy') throw inProgress();
    return again;
  }

  async function answerAgain(
    { key, scope, externalId }: Attempt,
    payment: CardPayment,
  ): Promise<RememberedInvoice> {
    const all = await ledger.findAttempts(key, externalId);
    const known = all.find((one) => one.scope === scope) ?? all[0];
    // It ended without a charge since it was claimed.
    if (!known) throw inProgress();
    return toAttemptInvoice(ledger, await unresolvedCharges.refresh(known, payment));
  }

  /** Every check comes before `sent` is recorded, and `sent` is recorded before anything leaves. */
  async function prepare({ attempt, payment, request }: ChargeRequest, payerHash: string | null) {
    const { externalId, clientAddress: remoteAddress } = payment;
    try {
      const record = await ledger.find(externalId);
      if (record.paid) throw new OrderPaid(record.paid);
      await guards.admit(attempt, record, { externalId, request, remoteAddress, payerHash });
      const wireRequest = await charging.toRequest(payment);
      const order = await ledger.find(externalId);
      await unresolvedCharges.refuseIfPaid(order, null, payment);
      await ledger.recordSend(externalId, 'credit_card', now(), attempt.totalCents);
      // A slow ledger, or a process that stood still, must not send what was given up meanwhile.
      const lastMs = now() + serviceTimeoutMs;
      const mayLeave = await ledger.advanceAttempt(attempt, { state: 'sent' }, sentForMs);
      // The claim ran out, and another request may be charging.
      if (!mayLeave) throw inProgress();
      return { request: wireRequest, isInTime: () => now() <= lastMs && payment.isAwaited() };
    } catch (thrown) {
      await giveUp(attempt);
      throw thrown;
    }
  }

  async function recordOutcome(
    attempt: Attempt,
    outcome: ChargeOutcome,
  ): Promise<RememberedInvoice> {
    switch (outcome.state) {
      case 'created': {
        const { invoice } = outcome;
        guards.note(attempt, 'charged');
        await recordInvoice(invoice, attempt);
        return invoice;
      }
      case 'refused':
        guards.note(attempt, 'refused');
        // The next payment looks it up first: a service may change its mind.
        if (outcome.invoice) await recordInvoice(outcome.invoice, attempt);
        await record(attempt, () => ledger.advanceAttempt(attempt, { state: 'refused' }));
        throw new ProxyError('payment_refused');
      case 'failed':
        await giveUp(attempt);
        throw outcome.error;
      case 'unknown': {
        const { externalId } = attempt;
        guards.note(attempt, 'none');
        await record(attempt, () => ledger.advanceAttempt(attempt, outcome));
        log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
        throw new ProxyError('outcome_unknown');
      }
      default:
        return outcome satisfies never;
    }
  }

  /** The attempt ended without a trace. If that cannot be recorded, its claim expires. */
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

  /** Tries twice: a charge that is not recorded is one that a person has to search for. */
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

/** The subject of a log entry. */
interface Subject {
  readonly externalId: string;
  readonly invoiceId?: string;
}
