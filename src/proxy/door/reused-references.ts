/**
 * One reference is one debt. If a shop uses one twice (May's fee is paid, and June's comes under its id), the page would call
 * June's fee paid. So the proxy says that the order is closed, and tells the shop by the log.
 */

import { dayMs } from '../../domain/spans.js';
import type { MadeInvoice, Order } from '../order/order.js';
import { findInvoice, isCard, toInvoiceId } from '../order/order.js';
import { priceOrder } from '../outside/merchant.js';
import type { Unasked } from '../outside/merchant.js';
import { createWarnings } from '../set-up/log.js';
import type { OrderQuestion } from '../set-up/options/options.js';
import type { Settings } from '../set-up/options/read-options.js';
import { OrderPaid, ProxyError } from '../set-up/proxy-error.js';
import type { OrderStore } from '../store/order-store.js';

/** How long ago the shop was told, milliseconds: by then it knows, and its price is of something else. */
const knownAfterMs = dayMs;

/** Who asks for an order. */
export interface Asking extends Pick<
  Unasked<OrderQuestion>,
  'externalId' | 'orderToken' | 'request'
> {
  /** The page's own; null: none. */
  readonly key?: string | null;
}

/** @throws what `work` does; ProxyError `order_closed` in place of an OrderPaid that is of another debt */
export type RefuseReused = <T>(asking: Asking, work: Promise<T>) => Promise<T>;

export function createRefuseReused(
  settings: Settings,
  store: Pick<OrderStore, 'read' | 'now'>,
): RefuseReused {
  const { log, now, onError } = settings;
  const tell = createWarnings(tellShop, now, ({ externalId = '' }) => externalId);

  return async function refuseReused(asking, work) {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof OrderPaid && thrown.paid) await refuse(asking, thrown.paid);
      throw thrown;
    }
  };

  async function refuse(asking: Asking, paid: MadeInvoice): Promise<void> {
    const { key = null, ...question } = asking;
    const order = await store.read(asking.externalId).catch(() => null);
    if (!order || !isKnownToShop(order, paid, store.now()) || isOwn(order, paid, key)) return;
    const installment = toInstallment(order, paid);
    if (installment === null) return;
    const { method, totalCents } = paid;
    const owed = await priceOrder(settings, { ...question, method, installment }).catch(
      () => 'paid',
    );
    if (typeof owed === 'string' || owed.total_price_cents === totalCents) return;
    const totals = { got: String(owed.total_price_cents), expected: String(totalCents) };
    tell({ level: 'error', event: 'reference_reused', externalId: asking.externalId, ...totals });
    throw new ProxyError('order_closed');
  }

  function tellShop(entry: Parameters<typeof log>[0]): void {
    const { externalId = '', got, expected } = entry;
    log(entry);
    const what = `Order ${externalId} was paid with ${expected} cents, and resolveOrder says ${got}`;
    const error = new Error(`${what}: a reference is one debt, give each its own`);
    onError(error, { hook: 'resolveOrder', externalId });
  }
}

/** `onPaid` came through long ago. One that is not remembered any more did; of a payment that is not written yet there is none. */
function isKnownToShop(order: Order, { invoiceId }: MadeInvoice, nowMs: number): boolean {
  const { events } = order;
  if (!findInvoice(order, invoiceId)?.isPaid) return false;
  const told = events.find(({ kind, notice }) => kind === 'paid' && notice.invoiceId === invoiceId);
  if (!told) return true;
  const { outcome, endedAtMs } = told;
  return outcome === 'delivered' && nowMs - (endedAtMs ?? nowMs) >= knownAfterMs;
}

/** The page asks what became of its own payment. */
function isOwn({ attempts }: Order, { invoiceId }: MadeInvoice, key: string | null): boolean {
  return attempts.some((one) => one.key === key && toInvoiceId(one.progress) === invoiceId);
}

/** The instalments that were paid; null: not known. */
function toInstallment({ attempts }: Order, paid: MadeInvoice): number | null {
  if (!isCard(paid)) return 1;
  const card = attempts.find((one) => toInvoiceId(one.progress) === paid.invoiceId);
  // A charge that only a postback named has a key of its own.
  return card && !card.key.startsWith('named ') ? card.installment : null;
}
