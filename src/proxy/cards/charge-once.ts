/**
 * Charges one order once: which card attempt may leave, and what a repeated one is answered.
 *
 * Each state of an attempt (claimed, sent, then created, refused or unknown) is recorded before the next step is taken. An
 * unexpected failure after `sent` is an unknown outcome.
 */

import type { Settings } from '../config/read-options.js';
import { attemptsWith, claimed } from '../order/attempts.js';
import type { Claim } from '../order/attempts.js';
import { sentCard } from '../order/charges.js';
import type { Attempt, Order, MadeInvoice } from '../order/order.js';
import { paidInvoiceOf } from '../order/questions.js';
import type { OrderStore } from '../store/order-store.js';
import { record } from '../store/record.js';
import { OrderPaid, ProxyError, inProgress } from '../runtime/proxy-error.js';
import { toAttemptInvoice } from './attempt-answer.js';
import { createEndings } from './endings.js';
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
  readonly store: OrderStore;
  readonly unresolvedCharges: UnresolvedCharges;
  readonly guards: CardGuards;
  readonly charging: CardCharging;
}

/**
 * @returns the invoice of the attempt; only a look-up makes its status believable
 * @throws OrderPaid; ProxyError `payment_refused`, `outcome_unknown`, `in_progress`, `key_reused`, `too_many_requests`, or why
 *   nothing was charged
 */
export type Charge = (request: ChargeRequest) => Promise<MadeInvoice>;

/** Time to record how a charge ended, milliseconds. After it, the attempt counts as unknown. */
const recordingMs = 15_000;

/** Makes the function that charges cards. */
export function createCharges(parts: ChargeParts): Charge {
  const { settings, store, unresolvedCharges, guards, charging } = parts;
  const { now, log, serviceTimeoutMs } = settings;
  const endings = createEndings(parts);
  // Two sends, because the first may provably not have left, and the time to record the outcome.
  const sentForMs = 2 * serviceTimeoutMs + recordingMs;

  return async function charge(chargeRequest) {
    const { attempt, payment } = chargeRequest;
    // Before the claim: its time is short.
    const payerHash = await guards.hashAddress(payment.clientAddress);
    if (!payment.isAwaited()) throw inProgress();
    const { claim, order } = await claimAttempt(attempt, payment);
    if (claim === 'reused') throw new ProxyError('key_reused');
    if (claim === 'known') return answerAgain(order, attempt, payment);
    const { request, maySend } = await prepare(order, chargeRequest, payerHash);
    try {
      return await end(attempt, await charging.send(request, payment, maySend));
    } catch (thrown) {
      if (thrown instanceof ProxyError) throw thrown;
      // The card has left, and its attempt keeps the state that was recorded: nothing charges it again.
      endings.noteFailure(attempt, thrown);
      throw new ProxyError('outcome_unknown');
    }
  };

  /** The claim keeps other cards of the order out. A former card in the way is looked up: a refused one gives the order free. */
  async function claimAttempt(attempt: Attempt, payment: CardPayment) {
    const first = await claim(attempt);
    if (first.claim !== 'busy') return first;
    await unresolvedCharges.lookAtCard(attempt.externalId, payment);
    const again = await claim(attempt);
    if (again.claim !== 'busy') return again;
    const paid = paidInvoiceOf(again.order);
    throw paid ? new OrderPaid(paid) : inProgress();
  }

  function claim(attempt: Attempt): Promise<{ readonly claim: Claim; readonly order: Order }> {
    return store.change(
      attempt.externalId,
      (before, nowMs) => {
        const [order, answer] = claimed(before, attempt, { nowMs });
        return [order, { claim: answer, order }];
      },
      { isRelaxed: true },
    );
  }

  async function answerAgain(
    order: Order,
    { key, scope }: Attempt,
    payment: CardPayment,
  ): Promise<MadeInvoice> {
    const all = attemptsWith(order, key, now());
    const known = all.find((one) => one.scope === scope) ?? all[0];
    // It ended without a charge since it was claimed.
    if (!known) throw inProgress();
    const { order: newest, attempt } = await unresolvedCharges.refresh(order, known, payment);
    return toAttemptInvoice(newest, attempt, now());
  }

  /** Every check comes before `sent` is recorded, and `sent` is recorded before anything leaves. */
  async function prepare(
    order: Order,
    { attempt, payment, request }: ChargeRequest,
    payerHash: string | null,
  ) {
    const { externalId, clientAddress: remoteAddress } = payment;
    try {
      const paid = paidInvoiceOf(order);
      if (paid) throw new OrderPaid(paid);
      await guards.admit(attempt, order, { externalId, request, remoteAddress, payerHash });
      const wireRequest = await charging.toRequest(payment);
      // A slow store, or a process that stood still, must not send what was given up meanwhile.
      const lastMs = await recordSent(attempt, payment);
      return { request: wireRequest, maySend: () => now() <= lastMs && payment.isAwaited() };
    } catch (thrown) {
      await giveUp(attempt);
      throw thrown;
    }
  }

  /** @returns until when the card may leave, milliseconds since 1970 */
  async function recordSent(attempt: Attempt, payment: CardPayment): Promise<number> {
    const lookedUp = new Set<string>();
    for (;;) {
      const lastMs = now() + serviceTimeoutMs;
      const what = { attempt, sentForMs, lookedUp };
      const may = await record(store, attempt.externalId, sentCard, what);
      switch (may.is) {
        case 'sent':
          return lastMs;
        case 'unsure':
          for (const id of await unresolvedCharges.findUnpaid(may, payment)) lookedUp.add(id);
          break;
        case 'paid':
          throw new OrderPaid(may.invoice);
        case 'stopped':
        case 'lost':
          throw inProgress();
        default:
          may satisfies never;
      }
    }
  }

  async function end(attempt: Attempt, outcome: ChargeOutcome): Promise<MadeInvoice> {
    const { externalId } = attempt;
    switch (outcome.state) {
      case 'created':
        guards.note(attempt, 'charged');
        await endings.recordEnd(attempt, outcome);
        return outcome.invoice;
      case 'refused':
        guards.note(attempt, 'refused');
        await endings.recordEnd(attempt, outcome);
        throw new ProxyError('payment_refused');
      case 'failed':
        await giveUp(attempt);
        throw outcome.error;
      case 'unknown':
        guards.note(attempt, 'none');
        await endings.recordEnd(attempt, outcome);
        log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
        throw new ProxyError('outcome_unknown');
      default:
        return outcome satisfies never;
    }
  }

  /** The attempt ended without a trace. If that cannot be recorded, its claim expires. */
  async function giveUp(attempt: Attempt): Promise<void> {
    guards.note(attempt, 'none');
    await endings.recordEnd(attempt, { state: 'failed' });
  }
}
