/**
 * The merchant's own server code: what "Café da Serra" writes to be paid by Pix or card. This is the file to copy.
 *
 * Owns the orders, what they cost and whether they are paid, and proves with a token that a page may pay one. Knows
 * nothing of the service and of the access token: those are the proxy's.
 */

import { signOrder } from '../src/proxy.js';
import type { Hook, OrderItem, PaidNotice, ResolveOrder } from '../src/proxy.js';

/** An order of the shop. All amounts are integer cents. */
export interface Order {
  readonly items: readonly Required<OrderItem>[];
  /** Freight, coupon, discount: for the page to show. */
  readonly lines: readonly { readonly label: string; readonly cents: number }[];
  readonly totalCents: number;
  /** What is owed when the order is paid by Pix, where that is cheaper. */
  readonly pixTotalCents?: number;
  /** Seconds a Pix code is offered; absent: no deadline. */
  readonly expiresInSeconds?: number;
  readonly status: 'open' | 'paid' | 'closed';
}

/** The order of the demo page. */
export const exampleReference = '1042';

const exampleOrder: Order = {
  items: [
    {
      name: 'Bourbon Amarelo',
      description: '250 g, moído para coador',
      quantity: 2,
      unit_price: 3_490,
    },
    { name: 'Catuaí da Serra', description: '500 g, em grãos', quantity: 1, unit_price: 6_200 },
  ],
  lines: [{ label: 'Frete (3 a 5 dias úteis)', cents: 1_490 }],
  totalCents: 14_670,
  pixTotalCents: 13_990,
  status: 'open',
};

/** A row of the table that the element's `installments` take. */
export interface InstallmentRow {
  readonly installment: number;
  readonly total_cents: number;
  readonly interest_free: boolean;
}

/** The shop that {@link createShop} opens. */
export type Shop = ReturnType<typeof createShop>;

/** What paying in so many instalments adds to the total, in percent; another number is not offered. */
const surcharges: ReadonlyMap<number, number> = new Map([
  [1, 0],
  [2, 0],
  [3, 0],
  [6, 6.5],
  [12, 13],
]);

/** What the shop needs: the same `secrets` and `publicUrl` that its proxy is given. */
export interface ShopOptions {
  readonly secrets: readonly string[];
  readonly publicUrl: string;
}

/** Opens the shop with its one order. In a real shop the maps are your database. */
export function createShop({ secrets, publicUrl }: ShopOptions) {
  const orders = new Map<string, Order>([[exampleReference, exampleOrder]]);
  const payments = new Map<string, PaidNotice>();

  /**
   * The proxy asks this before each creation, and charges what it says and nothing else: whatever a browser claims,
   * the price comes from your own records. It also asks while nobody knows how a card ended: `paid` is your word then.
   */
  const resolveOrder: ResolveOrder = ({ externalId, method, installment }) => {
    const order = orders.get(externalId);
    if (!order) return null;
    if (order.status !== 'open') return { status: order.status };
    const { items, totalCents, expiresInSeconds } = order;
    const cardCents = priceInstallments(totalCents, installment);
    // Nobody saw this offer on the page.
    if (cardCents === null) return null;
    return {
      total_price_cents: method === 'pix' ? toOwedCents(order, method) : cardCents,
      items: [...items],
      // If your customer is signed in, add `payer: { name, cpf_cnpj, email }` from your records: it wins over what the
      // browser sends, and the page can ask for nothing at all (payer-fields="").
      ...(expiresInSeconds === undefined ? {} : { expires_in: expiresInSeconds }),
    };
  };

  /**
   * The proxy calls this for each paid invoice, whether or not a page is open: here is where goods are shipped, and nowhere
   * else. It comes at least once, so a try that failed comes again, and so may one that succeeded.
   */
  const onPaid: Hook<PaidNotice> = (payment) => {
    // In a real shop a unique column, written in one transaction with the order.
    if (payments.has(payment.deliveryId)) return;
    const order = orders.get(payment.externalId);
    // A throw is tried again: better late than forgotten.
    if (!order) throw new Error('Paid, but not in the books');
    payments.set(payment.deliveryId, payment);
    // Kept, but for a person. `duplicate`: somebody paid twice, and is owed one back. Too little: a code from before the
    // order became dearer. `late`: the goods may be gone.
    const isEnough = payment.totalCents >= toOwedCents(order, payment.method);
    if (isEnough && !payment.duplicate)
      orders.set(payment.externalId, { ...order, status: 'paid' });
  };

  /**
   * `GET /orders/{reference}`: what the page needs to show the order and to pay it.
   *
   * A real shop first checks that the order belongs to whoever is signed in: the token lets its holder see the Pix
   * code, and pay. A shop that renders its pages on the server writes these values straight into the element's attributes.
   */
  async function answer(request: Request): Promise<Response> {
    // A reference needs no escapes: what has some is none.
    const reference = new URL(request.url).pathname.split('/').at(-1) ?? '';
    const order = orders.get(reference);
    if (!order) return Response.json({ error: 'This order is not known' }, { status: 404 });
    const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
    const { items, lines, totalCents, pixTotalCents = null } = order;
    const installments = toInstallments(totalCents);
    return Response.json(
      { externalId: reference, orderToken, totalCents, pixTotalCents, installments, items, lines },
      { headers: { 'Cache-Control': 'no-store' } },
    );
  }

  return { orders, payments, resolveOrder, onPaid, answer };
}

/** @returns integer cents, without what instalments add */
function toOwedCents(
  { totalCents, pixTotalCents = totalCents }: Order,
  method: PaidNotice['method'],
): number {
  return method === 'pix' ? pixTotalCents : totalCents;
}

/** What the page shows is computed by what prices the charge: they cannot differ. */
function toInstallments(totalCents: number): InstallmentRow[] {
  return [...surcharges].map(([installment, percent]) => ({
    installment,
    total_cents: priceInstallments(totalCents, installment) ?? totalCents,
    interest_free: percent === 0,
  }));
}

/** @returns integer cents; null: not offered */
function priceInstallments(totalCents: number, installment: number): number | null {
  const percent = surcharges.get(installment);
  return percent === undefined ? null : Math.round(totalCents * (1 + percent / 100));
}
