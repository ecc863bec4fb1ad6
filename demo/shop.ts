/**
 * The merchant's own server code: what "Café da Serra" writes to be paid by Pix or card. This is the file to copy.
 *
 * It holds the orders and their prices, and signs the token by which a page may pay an order.
 */

import { renderInvoice } from 'pix-checkout/html';
import { signOrder } from 'pix-checkout/order-token';
import type {
  Hook,
  OrderItem,
  PaidNotice,
  PixProxy,
  ResolveOrder,
  ReturnedNotice,
} from 'pix-checkout/proxy';

/** An order of the shop. All amounts are integer cents. */
export interface Order {
  readonly items: readonly Required<OrderItem>[];
  /** Freight, coupon, discount: for the page to show. */
  readonly lines: readonly { readonly label: string; readonly cents: number }[];
  readonly totalCents: number;
  /** The price by Pix, where that is cheaper. */
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

/** The shop that {@link createShop} makes. */
export type Shop = ReturnType<typeof createShop>;

/** Surcharge in percent by number of instalments; other numbers are not offered. */
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

/** Makes the shop with its one order. In a real shop the maps are your database. */
export function createShop({ secrets, publicUrl }: ShopOptions) {
  const orders = new Map<string, Order>([[exampleReference, exampleOrder]]);
  const payments = new Map<string, PaidNotice>();
  const returns = new Map<string, ReturnedNotice>();

  /**
   * The proxy calls this before each creation, and charges this price and no other: the price comes from your records,
   * never from a browser. The proxy also calls it while the outcome of a card is unknown; then `paid` settles it.
   */
  const resolveOrder: ResolveOrder = ({ externalId, method, installment }) => {
    const order = orders.get(externalId);
    if (!order) return null;
    if (order.status !== 'open') return { status: order.status };
    const { items, totalCents, expiresInSeconds } = order;
    const cardCents = priceInstallments(totalCents, installment);
    // The page does not offer this number.
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
   * The proxy calls this for each paid invoice, whether or not a page is open. Ship goods here and nowhere else. It is
   * called at least once: again after a failure, and perhaps again after a success.
   */
  const onPaid: Hook<PaidNotice> = (payment) => {
    // In a real shop a unique column, written in one transaction with the order.
    if (payments.has(payment.deliveryId)) return;
    const order = orders.get(payment.externalId);
    // After an error the proxy calls again.
    if (!order) throw new Error('Paid, but not in the books');
    payments.set(payment.deliveryId, payment);
    // For a person to look at: `duplicate` (paid twice, give one back), too little (a code from before the price went up),
    // `late` (the goods may be gone).
    const isEnough = payment.totalCents >= toOwedCents(order, payment.method);
    if (isEnough && !payment.duplicate)
      orders.set(payment.externalId, { ...order, status: 'paid' });
  };

  /**
   * The proxy calls this when a payment was given back, or is contested, at least once for each status. For a person: stop
   * the parcel, answer the contest at the bank.
   */
  const onReturned: Hook<ReturnedNotice> = (notice) => void returns.set(notice.deliveryId, notice);

  /**
   * `GET /orders/{reference}`: what the page needs to show the order and to pay it.
   *
   * A real shop first checks that the order belongs to the customer who is signed in: the token lets its holder see the Pix
   * code, and pay. A shop that renders pages on the server writes these values straight into the element's attributes.
   */
  async function answer(request: Request): Promise<Response> {
    const reference = toReference(request);
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

  /**
   * `GET /pages/{reference}`: a page made on the server. Its Pix code is there before any script, and can be paid without one.
   *
   * A real shop first checks here, too, whose order it is.
   */
  async function answerPage(
    request: Request,
    createInvoice: PixProxy['createInvoice'],
  ): Promise<Response> {
    const reference = toReference(request);
    const order = orders.get(reference);
    if (!order) return sendHtml(404, '<h1>Pedido não encontrado</h1>');
    if (order.status === 'paid') return sendHtml(200, '<h1>Obrigado! O pedido está pago.</h1>');
    if (order.status === 'closed') return sendHtml(200, '<h1>O pedido foi encerrado.</h1>');
    // Paid a moment ago, or no code can be had now: then the element finds out, and says so.
    const invoice = await createInvoice({ externalId: reference, method: 'pix' }).catch(() => null);
    const given = invoice ? `invoice="${escapeHtml(JSON.stringify(invoice))}"` : 'auto-start';
    const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
    const totalPriceCents = order.totalCents;
    const pixTotalPriceCents = toOwedCents(order, 'pix');
    return sendHtml(
      200,
      `<div class="welcome"><h1>Falta só o pagamento</h1></div>
      <pix-checkout endpoint="/pix" external-id="${reference}" total-price-cents="${totalPriceCents}"
        pix-total-price-cents="${pixTotalPriceCents}" order-token="${orderToken}" ${given}>
        ${invoice ? renderInvoice(invoice, { totalPriceCents, pixTotalPriceCents }) : ''}
      </pix-checkout>`,
    );
  }

  return { orders, payments, returns, resolveOrder, onPaid, onReturned, answer, answerPage };
}

/** The end of the path. References need no percent escapes. */
function toReference({ url }: Request): string {
  return new URL(url).pathname.split('/').at(-1) ?? '';
}

function sendHtml(status: number, body: string): Response {
  const page = `<!doctype html>
    <html lang="pt-BR">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Café da Serra · Pagamento</title>
    <link rel="stylesheet" href="/demo/demo.css">
    <link rel="stylesheet" href="/pix-checkout.css">
    <script type="module" src="/src/index.ts"></script>
    <div class="shop"><main>${body}</main></div>
    </html>`;
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
  return new Response(page, { status, headers });
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** @returns integer cents, without the surcharge of instalments */
function toOwedCents(
  { totalCents, pixTotalCents = totalCents }: Order,
  method: PaidNotice['method'],
): number {
  return method === 'pix' ? pixTotalCents : totalCents;
}

/** The table for the page, computed by the function that prices the charge: they cannot differ. */
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
