/** What every ledger does, whatever keeps it: the sentences of the interface `Ledger`, one by one. */
import { describe } from 'node:test';
import { describeAttempts } from './contract/attempts.js';
import { onStore, type WithBench } from './contract/bench.js';
import { describeDeliveries } from './contract/deliveries.js';
import { describeInvoices } from './contract/invoices.js';
import { describeLapses, describeLookUps } from './contract/reconciliation.js';
import { describeOrders } from './contract/orders.js';
import { describeSharing } from './contract/sharing.js';
import { describeUnsureCards } from './contract/unsure-cards.js';

const rooms = [
  describeOrders,
  describeAttempts,
  describeUnsureCards,
  describeInvoices,
  describeLapses,
  describeLookUps,
  describeDeliveries,
  describeSharing,
];

/** Tests one kind of ledger. */
export function describeLedger(name: string, withBench: WithBench): void {
  describe(name, () => {
    for (const describeRoom of rooms) describeRoom(onStore(withBench));
  });
}
