import { findOrder } from '../../orders.js';
import { Checkout } from './checkout.jsx';

export default async function Page({ params }) {
  const { id } = await params;
  const order = await findOrder(id);
  return (
    <main>
      <Checkout order={order} />
    </main>
  );
}
