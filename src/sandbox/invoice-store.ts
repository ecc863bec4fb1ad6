/** The memory of a sandbox. */

import type { Fault, Operation } from './faults.js';
import type { SandboxInvoice } from './invoice.js';
import type { ReceivedCard } from './test-cards.js';

/** The state of one sandbox. */
export type Store = ReturnType<typeof createStore>;

export function createStore() {
  const invoices = new Map<string, SandboxInvoice>();
  const cards: ReceivedCard[] = [];
  const calls = { create: 0, look_up: 0 };
  let faults: readonly Fault[] = [];

  return {
    /** In order of creation. */
    invoices: (): readonly SandboxInvoice[] => [...invoices.values()],
    /** Finds an invoice by its `invoice_id` or `order_code`. */
    find: (id: string) =>
      invoices.get(id) ?? [...invoices.values()].find((invoice) => invoice.orderCode === id),
    /** Adds or replaces an invoice. */
    put: (invoice: SandboxInvoice) => void invoices.set(invoice.invoiceId, invoice),
    /** Received cards, charged or not, for tests in this process. No answer holds one. */
    cards: (): readonly ReceivedCard[] => [...cards],
    keepCard: (card: ReceivedCard) => void cards.push(card),
    /** How often each operation was called, whatever the answer was. */
    calls,
    count: (operation: Operation) => void (calls[operation] += 1),
    faults: () => faults,
    setFaults: (next: readonly Fault[]) => void (faults = next),
    /** Takes the first fault for this operation that is not used up, and counts it down. */
    takeFault(operation: Operation) {
      const due = faults.find((fault) => fault.on === operation && fault.times !== 0);
      if (due && typeof due.times === 'number') {
        const used = { ...due, times: due.times - 1 };
        faults = faults.map((fault) => (fault === due ? used : fault));
      }
      return due;
    },
    reset() {
      invoices.clear();
      cards.length = 0;
      faults = [];
      Object.assign(calls, { create: 0, look_up: 0 });
    },
  };
}
