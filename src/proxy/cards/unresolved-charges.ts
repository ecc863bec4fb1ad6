/**
 * Finds out whether another payment of an order may begin. None may while an invoice of the order is paid, or a charge of
 * it is pending or of unknown outcome. Only a look-up tells whether that is still so.
 */

import type { PricedPayment } from '../gateway/invoice-forms.js';
import { attemptsWith } from '../order/attempts.js';
import type { Unsure } from '../order/invoices.js';
import type { Order, KnownAttempt } from '../order/order.js';
import { blockingCardOf, invoiceOf, isCard } from '../order/questions.js';
import { isNear } from '../../domain/spans.js';
import { OrderPaid, inProgress, nullIfNotFound } from '../runtime/proxy-error.js';
import { createRecent } from '../runtime/recent.js';
import type { LookUps } from '../status/look-up.js';
import type { OrderStore } from '../store/order-store.js';
import { readOrder } from '../store/record.js';

/** Pause between two look-ups of one unresolved charge that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** The request that asks: nothing older than it tells whether it may pay. */
type Requester = Pick<PricedPayment, 'cameAt' | 'trace'>;

/** Unresolved charges of one proxy. */
export interface UnresolvedCharges {
  /** Looks up the card that blocks the order, if one does: a refused one gives the order free. It does not fail. */
  readonly lookAtCard: (externalId: string, requester: Requester) => Promise<void>;
  /**
   * Looks up invoices of an order, because a code can be paid after it was replaced, after its deadline and after the price
   * changed.
   * @returns their ids: none of them is paid
   * @throws OrderPaid; ProxyError `in_progress`; `service_unavailable` if one cannot be looked up: then it may be paid
   */
  readonly findUnpaid: (unsure: Unsure, requester: Requester) => Promise<readonly string[]>;
  /** Looks up the charge of an attempt whose outcome is unknown. @returns the order and the attempt as they stand afterwards */
  refresh(
    order: Order,
    attempt: KnownAttempt,
    requester: Requester,
  ): Promise<{ readonly order: Order; readonly attempt: KnownAttempt }>;
}

/** What it needs. */
interface UnresolvedChargeParts {
  readonly store: OrderStore;
  readonly lookUp: LookUps['lookUp'];
  readonly now: () => number;
}

/** Makes the look-ups of unresolved charges. */
export function createUnresolvedCharges(parts: UnresolvedChargeParts): UnresolvedCharges {
  const { store, lookUp, now } = parts;
  const lookedUpAtMs = createRecent<number>((atMs) => isNear(atMs, pauseMs, now()));

  return {
    async lookAtCard(externalId, requester) {
      const order = await readOrder(store, externalId);
      const open = blockingCardOf(order, now());
      if (open && order.paidId === null) await lookAgain(open, order, requester);
    },

    async findUnpaid({ invoices, named }, requester) {
      for (const former of invoices) {
        // One that the service does not know must not block its order.
        const result = await lookUp(former, toTerms(requester)).catch(nullIfNotFound);
        if (result?.meaning === 'paid') throw new OrderPaid({ ...former, status: 'paid' });
        // The merchant has to look at it before the order can be paid again, unless that has happened.
        if (result?.meaning === 'mismatch' && !former.isReleased) throw inProgress();
        // A postback named this charge. It blocks the order as soon as the present attempt has ended.
        const isCharge = isCard(former) && named.includes(former.lookUpId);
        if (result?.meaning === 'open' && isCharge) throw inProgress();
      }
      return invoices.map(({ invoiceId }) => invoiceId);
    },

    async refresh(before, attempt, requester) {
      if (attempt.progress.state !== 'unknown') return { order: before, attempt };
      await lookAgain(attempt, before, requester);
      const order = await readOrder(store, attempt.externalId);
      const known = attemptsWith(order, attempt.key, now());
      return { order, attempt: known.find(({ scope }) => scope === attempt.scope) ?? attempt };
    },
  };

  async function lookAgain(
    attempt: KnownAttempt,
    order: Order,
    requester: Requester,
  ): Promise<void> {
    const { progress } = attempt;
    const invoice = progress.state === 'unknown' ? progress.candidate : invoiceOf(order, attempt);
    if (!invoice || !isDue(invoice.invoiceId)) return;
    // A failed look-up changes nothing for the payer; it is in the log.
    await lookUp(invoice, toTerms(requester)).catch(() => undefined);
  }

  function isDue(invoiceId: string): boolean {
    if (lookedUpAtMs.get(invoiceId) !== undefined) return false;
    lookedUpAtMs.set(invoiceId, now());
    return true;
  }
}

function toTerms({ cameAt, trace }: Requester) {
  return { begunAfter: cameAt, trace };
}
