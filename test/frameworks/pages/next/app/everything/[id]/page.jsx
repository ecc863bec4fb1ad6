import { findOrder } from '../../orders.js';
import { Everything } from './everything-page.jsx';

export default async function Page({ params }) {
  const { id } = await params;
  return <Everything order={await findOrder(id)} />;
}
