/** Makes sure that no invoice of an order is paid before another payment of it can begin, by Pix or by card. */

import type { LookUps } from './shared-look-ups.js';
import type { OrderRecord, RememberedInvoice } from '../ledger/ledger.js';
import { OrderPaid, ProxyError, inProgress } from '../runtime/proxy-error.js';

/**
 * Looks up every invoice of the order: a code can be paid after it was replaced, after its deadline, and after its price.
 * @param open is not looked up: it is about to be shown, and the page follows it
 * @throws ProxyError `order_paid`; `service_unavailable` if one cannot be looked up: without knowing, no second payment
 */
export type RefuseIfPaid = (record: OrderRecord, open?: RememberedInvoice | null) => Promise<void>;

/** Makes the check. */
export function createPaidCheck(lookUp: LookUps['lookUp']): RefuseIfPaid {
  return async function refuseIfPaid({ invoices }, open = null) {
    for (const former of invoices.toReversed()) {
      if (former === open) continue;
      const result = await lookUp(former).catch(nullIfUnknown);
      if (result?.classification === 'paid') throw new OrderPaid({ ...former, status: 'paid' });
      // The merchant has to look at it before the order can be paid again, unless that has happened.
      if (result?.classification === 'mismatch' && !former.isReleased) throw inProgress();
    }
  };
}

/** An invoice the service does not know cannot be paid, so it must not block its order. */
function nullIfUnknown(thrown: unknown): null {
  if (thrown instanceof ProxyError && thrown.code === 'not_found') return null;
  throw thrown;
}
