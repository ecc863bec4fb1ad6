/** What every ledger does, whatever keeps it: the sentences of the interface `Ledger`, one by one. */
import { describe } from 'vitest';
import { describeAttempts, describeClaims } from './contract/attempts.js';
import { describeBars } from './contract/bars.js';
import { onStore, type OnStore, type WithBench } from './contract/bench.js';
import {
  describeCalls,
  describeEvents,
  describeFractions,
  describeState,
  describeThrottles,
} from './contract/deliveries.js';
import { describeInvoices } from './contract/invoices.js';
import { describeOrders } from './contract/orders.js';
import { describeLapses, describeLookUps, describeNamedIds } from './contract/reconciliation.js';
import { describeSharing } from './contract/sharing.js';
import { describeUnsureCards } from './contract/unsure-cards.js';

const parts: Readonly<Record<string, (it: OnStore) => void>> = {
  'an order': describeOrders,
  'the claim of an attempt': describeClaims,
  'an attempt': describeAttempts,
  'a barred key': describeBars,
  'a card': describeUnsureCards,
  'an invoice': describeInvoices,
  'a look-up of reconciliation': describeLookUps,
  'a named id': describeNamedIds,
  'a code whose deadline passed': describeLapses,
  'an event': describeEvents,
  'a throttle': describeThrottles,
  'calls of the service': describeCalls,
  'fractions of a time': describeFractions,
  'what a ledger says of itself': describeState,
  'many at once': describeSharing,
};

/** Tests one kind of ledger. */
export function describeLedger(name: string, withBench: WithBench): void {
  const it = onStore(withBench);
  describe(name, () => {
    for (const [title, declare] of Object.entries(parts)) describe(title, () => declare(it));
  });
}
