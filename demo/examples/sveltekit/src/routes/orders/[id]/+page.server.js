import { findOrder } from '../../../orders.js';

export const load = async ({ params }) => ({ order: await findOrder(params.id) });
