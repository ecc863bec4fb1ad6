/** The shop's orders. In a file, because they must survive a restart, and because Next loads this module more than once. */
import { readFileSync, writeFileSync } from 'node:fs';

const file = './orders.json'; // your database
const first = { 1042: { totalCents: 12_990, title: 'Café da Serra, 500 g', paidBy: null } };

function readOrders() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return first;
  }
}

export function findOrder(id) {
  return readOrders()[id] ?? null;
}

/** Told again with the same delivery it changes nothing. @returns false: this is another payment, for a person */
export function markPaid(id, deliveryId) {
  const orders = readOrders();
  const order = orders[id];
  order.paidBy ??= deliveryId;
  writeFileSync(file, JSON.stringify(orders));
  return order.paidBy === deliveryId;
}
