/** What every ledger does, whatever keeps it: the sentences of the interface `Ledger`, one by one. */
import { describe } from 'node:test';
import { describeAttempts } from './contract/attempts.js';
import type { WithBench } from './contract/bench.js';
import { describeDeliveries } from './contract/deliveries.js';
import { describeInvoices } from './contract/invoices.js';
import { describeLapses } from './contract/lapses.js';
import { describeLookUps } from './contract/look-ups.js';
import { describeOrders } from './contract/orders.js';
import { describeSharing } from './contract/sharing.js';
import { describeUnsureCards } from './contract/unsure-cards.js';

/** Tests one kind of ledger. */
export function describeLedger(name: string, withBench: WithBench): void {
  describe(name, () => {
    describeOrders(withBench);
    describeAttempts(withBench);
    describeUnsureCards(withBench);
    describeInvoices(withBench);
    describeLapses(withBench);
    describeLookUps(withBench);
    describeDeliveries(withBench);
    describeSharing(withBench);
  });
}
