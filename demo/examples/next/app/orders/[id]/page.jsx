import { notFound } from 'next/navigation';
import { signOrder } from 'pix-checkout/order-token';
import { findOrder } from '../../../orders.js';
import { readKeys } from '../../../pix.js';
import { Checkout } from './checkout.jsx';

export const dynamic = 'force-dynamic';

/** A real shop first checks whose order it is. */
export default async function Page({ params }) {
  const { id: externalId } = await params;
  const order = await findOrder(externalId);
  if (!order) notFound();
  const { totalCents, title, paidBy } = order;
  if (paidBy) return <h1>Obrigado! Pedido {externalId} pago.</h1>;
  const orderToken = await signOrder({ ...readKeys(), externalId });
  const items = [{ name: title, quantity: 1, unit_price: totalCents }];
  return (
    <main>
      <Checkout order={{ externalId, orderToken, totalCents, items }} />
    </main>
  );
}
