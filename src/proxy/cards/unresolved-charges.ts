/**
 * Finds out whether another payment of an order may begin. None may while an invoice of the order is paid, or a charge of
 * it is pending or of unknown outcome. Only a look-up tells whether that is still so.
 */

import type { PricedPayment } from '../gateway/invoice-forms.js';
import { findCardInvoice, isOpen } from '../ledger/ledger-rules.js';
import type {
  Ledger,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger/ledger.js';
import { OrderPaid, inProgress, nullIfNotFound } from '../runtime/proxy-error.js';
import type { LookUps, LookUpTerms } from '../status/shared-look-ups.js';

/** Pause between two look-ups of one unresolved charge that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** The request that asks: nothing older than it tells whether it may pay. */
type Asking = Pick<PricedPayment, 'cameAt' | 'trace'>;

/** Unresolved charges of one proxy. */
export interface UnresolvedCharges {
  /**
   * @param order the record as the caller read it. If a charge is unresolved, it is looked up and the record read again
   * @returns a record without a payment and without an unresolved charge
   * @throws OrderPaid; ProxyError `in_progress` unless a look-up now finds the charge refused
   */
  readonly refuseUnlessPayable: (
    externalId: string,
    order: OrderRecord,
    asking: Asking,
  ) => Promise<OrderRecord>;
  /**
   * Looks up every invoice of the order, because a code can be paid after it was replaced, after its deadline and after the
   * price changed.
   * @param open the code that is about to be shown. It is left out, because its page looks it up; null: none is
   * @throws OrderPaid; ProxyError `service_unavailable` if an invoice cannot be looked up: then it may be paid
   */
  readonly refuseIfPaid: (
    order: OrderRecord,
    open: RememberedInvoice | null,
    asking: Asking,
  ) => Promise<void>;
  /** Looks up the charge of an attempt whose outcome is unknown. @returns the attempt as the ledger has it afterwards */
  refresh(attempt: RememberedAttempt, asking: Asking): Promise<RememberedAttempt>;
}

/** What it needs. */
interface UnresolvedChargeParts {
  readonly ledger: Ledger;
  readonly lookUp: LookUps['lookUp'];
  readonly now: () => number;
}

/** Makes the look-ups of unresolved charges. */
export function createUnresolvedCharges(parts: UnresolvedChargeParts): UnresolvedCharges {
  const { ledger, lookUp, now } = parts;
  const askedAtMs = new Map<string, number>();

  return {
    async refuseUnlessPayable(externalId, before, asking) {
      const open = before.cards.find(isOpen);
      if (open && !before.paid) await lookAgain(open, before, asking);
      const order = open ? await ledger.find(externalId) : before;
      if (order.paid) throw new OrderPaid(order.paid);
      if (order.cards.some(isOpen)) throw inProgress();
      return order;
    },

    async refuseIfPaid({ invoices, named }, open, asking) {
      for (const former of invoices.toReversed()) {
        if (former === open) continue;
        // One that the service does not know must not block its order.
        const result = await lookUp(former, toTerms(asking)).catch(nullIfNotFound);
        if (result?.classification === 'paid') throw new OrderPaid({ ...former, status: 'paid' });
        // The merchant has to look at it before the order can be paid again, unless that has happened.
        if (result?.classification === 'mismatch' && !former.isReleased) throw inProgress();
        // A postback named this charge. It blocks the order as soon as the present attempt has ended.
        const isCharge = former.method === 'credit_card' && named.includes(former.lookUpId);
        if (result?.classification === 'open' && isCharge) throw inProgress();
      }
    },

    async refresh(attempt, asking) {
      if (attempt.progress.state !== 'unknown') return attempt;
      await lookAgain(attempt, await ledger.find(attempt.externalId), asking);
      const known = await ledger.findAttempts(attempt.key, attempt.externalId);
      return known.find(({ scope }) => scope === attempt.scope) ?? attempt;
    },
  };

  async function lookAgain(
    attempt: RememberedAttempt,
    record: OrderRecord,
    asking: Asking,
  ): Promise<void> {
    const invoice = findCardInvoice(attempt, record);
    if (!invoice || !isDue(invoice.invoiceId)) return;
    // A failed look-up changes nothing for the payer; it is in the log.
    await lookUp(invoice, toTerms(asking)).catch(() => undefined);
  }

  function isDue(invoiceId: string): boolean {
    for (const [id, atMs] of askedAtMs) {
      if (Math.abs(now() - atMs) >= pauseMs) askedAtMs.delete(id);
    }
    if (askedAtMs.has(invoiceId)) return false;
    askedAtMs.set(invoiceId, now());
    return true;
  }
}

function toTerms({ cameAt, trace }: Asking): LookUpTerms {
  return { begunAfter: cameAt, trace };
}
