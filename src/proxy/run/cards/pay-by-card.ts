/** What a request to charge a card carries out its commands with. */

import type { Unasked } from '../../outside/merchant.js';
import type { HumanQuestion } from '../../set-up/options/options.js';
import type { CardGuards } from './card-guards.js';
import type { CardCharging, CardPayment, ChargeOutcome } from './send-charge.js';
import type { Log } from '../../set-up/log.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { endedCard } from '../../order/charges.js';
import type { Attempt, MadeInvoice } from '../../order/order.js';
import { inProgress } from '../../set-up/proxy-error.js';
import type { LookUpFirst } from '../look-up-first.js';
import { recordingMs } from '../persistent.js';
import type { Outcome, RunAsk } from '../run-ask.js';
import { toInvoice } from '../to-invoice.js';

interface CardParts {
  readonly settings: Pick<Settings, 'now' | 'serviceTimeoutMs'>;
  readonly log: Log;
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
  readonly guards: CardGuards;
  readonly charging: CardCharging;
}

/**
 * @returns the invoice of the attempt; only a look-up makes its status believable
 * @throws OrderPaid; ProxyError, as the order answers or as a command failed
 */
export type PayByCard = (request: {
  readonly attempt: Attempt;
  readonly payment: CardPayment;
  /** The browser's request, for the merchant's human check. */
  readonly request: Unasked<HumanQuestion>['request'];
}) => Promise<MadeInvoice>;

export function createPayByCard(parts: CardParts): PayByCard {
  const { runAsk, lookUpFirst, guards, charging, settings, log } = parts;
  const { now, serviceTimeoutMs } = settings;

  return async function payByCard({ attempt, payment, request }) {
    const { externalId, clientAddress: remoteAddress, isAwaited } = payment;
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
      fact: (order, given) => endedCard(order, { attempt, ending }, given)[0],
      learned: { madeId: ending.state === 'created' ? ending.invoice.invoiceId : null },
    };
  }
}
