/** Puts the ask of a request to charge a card, and says how each command is carried out. */

import type { CardGuards } from './card-guards.js';
import { createCardCharging } from './send-charge.js';
import type { CardPayment, ChargeOutcome } from './send-charge.js';
import { endedCard } from '../../order/charges.js';
import type { Attempt, MadeInvoice } from '../../order/order.js';
import { inProgress } from '../../set-up/proxy-error.js';
import { recordingMs } from '../persistent.js';
import type { PixParts } from '../pix/pay-by-pix.js';
import type { Outcome } from '../run-ask.js';
import { toInvoice } from '../to-invoice.js';

interface CardParts extends PixParts {
  readonly guards: CardGuards;
}

export type PayByCard = ReturnType<typeof createPayByCard>;

export function createPayByCard(parts: CardParts) {
  const { runAsk, lookUpFirst, guards, settings } = parts;
  const { now, serviceTimeoutMs, log } = settings;
  const charging = createCardCharging(parts);

  /**
   * @returns the invoice of the attempt; only a look-up makes its status believable
   * @throws OrderPaid; ProxyError, as the order answers or as a command failed
   */
  return async function payByCard(payment: CardPayment): Promise<MadeInvoice> {
    const { externalId, attempt, request, clientAddress: remoteAddress, isAwaited } = payment;
    // Before the claim: its time is short.
    const payerHash = await guards.hashAddress(remoteAddress);
    const wire = await charging.toRequest(payment);
    if (!isAwaited()) throw inProgress();
    try {
      // Two sends, because the first may provably not have left, and the time to record the outcome. After it, that is unknown.
      const sentForMs = 2 * serviceTimeoutMs + recordingMs;
      const ask = { kind: 'card', externalId, attempt, sentForMs } as const;
      const answer = await runAsk(ask, {
        isAwaited,
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async admit(_command, { order }) {
            await guards.admit(attempt, order, { externalId, request, remoteAddress, payerHash });
            return { learned: { isAdmitted: true } };
          },
          async charge(_command, { askedAtMs }) {
            // A slow store, or a process that stood still, must not send what was given up meanwhile.
            const maySend = () => now() <= askedAtMs + serviceTimeoutMs && isAwaited();
            return toOutcome(attempt, await charging.send(wire, payment, maySend));
          },
        },
      });
      return toInvoice(answer);
    } finally {
      guards.note(attempt, 'none');
    }
  };

  function toOutcome(attempt: Attempt, ending: ChargeOutcome): Outcome {
    const { externalId } = attempt;
    if (ending.state === 'failed') return { failed: ending.error };
    if (ending.state === 'unknown') {
      log({ level: 'error', event: 'outcome_unknown', operation: 'create', externalId });
    } else guards.note(attempt, ending.state === 'created' ? 'charged' : 'refused');
    return {
      fact: (order, given) => endedCard(order, { attempt, ending }, given),
      learned: { madeId: ending.state === 'created' ? ending.invoice.invoiceId : null },
    };
  }
}
