import { findOrder } from '../../orders.js';
import { Checkout } from './checkout.jsx';
import { Everything } from './everything-page.jsx';

export default async function Page({ params }) {
  const { id } = await params;
  const { view, order } = await findOrder(id);
  return (
    <main>{view === 'checkout' ? <Checkout order={order} /> : <Everything order={order} />}</main>
  );
}
