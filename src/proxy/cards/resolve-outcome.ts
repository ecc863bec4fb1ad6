/**
 * Ends what only a person can end: an unresolved charge, by the word of who found out as which invoice the card was charged, or that
 * it was not; and an invoice that is paid and differs from what was created. What may be charged is looked up before either is believed.
 */

import type { PixProxy } from '../config/options.js';
import type { Settings } from '../config/read-options.js';
import { released } from '../order/attempts.js';
import { isInQuestion } from '../order/invoices.js';
import type { KeptInvoice, Order } from '../order/order.js';
import { accepted, givenUp } from '../order/payments.js';
import { blockingCardOf, invoiceOf, isNamedBy } from '../order/questions.js';
import { markNow } from '../runtime/moment.js';
import { nullIfNotFound } from '../runtime/proxy-error.js';
import type { LookUps } from '../status/look-up.js';
import type { OrderStore } from '../store/order-store.js';
import { readOrder, record } from '../store/record.js';
import type { FindNamed } from '../work/find-named.js';

/** What it needs. */
interface ResolvingParts {
  readonly settings: Pick<Settings, 'watchReturns'>;
  readonly store: OrderStore;
  readonly lookUp: LookUps['lookUp'];
  readonly findNamed: FindNamed;
  /** Called when the merchant's server has to hear of a payment. */
  readonly onPayment: () => void;
}

/** Makes the function for `resolveOutcome`. */
export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { settings, store, lookUp, findNamed, onPayment } = parts;

  return async function resolveOutcome({ externalId, invoiceId }) {
    const order = await readOrder(store, externalId);
    if (invoiceId === null) return release(order);
    const known = order.invoices.find((one) => isNamedBy(invoiceId, one));
    if (known?.differsIn !== undefined) return accept(known);
    const outcome = await findNamed(externalId, invoiceId).catch(nullIfNotFound);
    return outcome === 'recorded' || outcome === 'of_card';
  };

  /** The person says: not charged. A known invoice is looked up first: it may have been paid since. */
  async function release(order: Order): Promise<boolean> {
    const { externalId } = order;
    const card = blockingCardOf(order, store.now());
    if (!card) return giveUp(order);
    const { progress, holder } = card;
    const invoice = progress.state === 'unknown' ? progress.candidate : invoiceOf(order, card);
    const found =
      invoice && (await lookUp(invoice, { begunAfter: markNow() }).catch(nullIfNotFound));
    if (found?.meaning === 'paid') return false;
    // It may have ended meanwhile, and another card be in flight: the person did not mean that one.
    const isReleased = await record(store, externalId, released, { holder });
    return isReleased || found?.meaning === 'refused';
  }

  /** The person gives back what was paid: the order may be paid in another way. */
  function giveUp({ externalId, invoices }: Order): Promise<boolean> {
    const invoice = invoices.find(isInQuestion);
    if (!invoice) return Promise.resolve(false);
    return record(store, externalId, givenUp, { invoiceId: invoice.invoiceId });
  }

  /** The person takes what was paid for this order's payment. */
  async function accept(invoice: KeptInvoice): Promise<boolean> {
    const found = await lookUp(invoice, { begunAfter: markNow() }).catch(nullIfNotFound);
    if (found?.meaning !== 'mismatch') return found?.meaning === 'paid';
    const { externalId, invoiceId } = invoice;
    const isNew = await record(store, externalId, accepted, {
      invoiceId,
      isWatched: settings.watchReturns,
    });
    if (isNew) onPayment();
    return true;
  }
}
