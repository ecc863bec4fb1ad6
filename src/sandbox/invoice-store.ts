/** The memory of a sandbox. */

import type { Fault, Operation } from './faults.js';
import type { SandboxInvoice } from './invoice.js';
import type { ReceivedCard } from './test-cards.js';

/** The state of one sandbox. */
export interface Store {
  /** In order of creation. */
  invoices(): readonly SandboxInvoice[];
  /** By `invoice_id` or `order_code`. */
  find(id: string): SandboxInvoice | undefined;
  /** Adds or replaces an invoice. */
  put(invoice: SandboxInvoice): void;
  /** Cards as they came, charged or not: for tests in this process, never for an answer. */
  cards(): readonly ReceivedCard[];
  keepCard(card: ReceivedCard): void;
  /** How often each operation was called, whatever the answer was. */
  readonly calls: Readonly<Record<Operation, number>>;
  count(operation: Operation): void;
  faults(): readonly Fault[];
  setFaults(faults: readonly Fault[]): void;
  /** The first fault that is due for this operation; one that counts its times has one less. */
  takeFault(operation: Operation): Fault | undefined;
  reset(): void;
}

export function createStore(): Store {
  const invoices = new Map<string, SandboxInvoice>();
  const cards: ReceivedCard[] = [];
  const calls = { create: 0, look_up: 0 };
  let faults: readonly Fault[] = [];

  return {
    invoices: () => [...invoices.values()],
    find: (id) =>
      invoices.get(id) ?? [...invoices.values()].find((invoice) => invoice.orderCode === id),
    put: (invoice) => void invoices.set(invoice.invoiceId, invoice),
    cards: () => [...cards],
    keepCard: (card) => void cards.push(card),
    calls,
    count: (operation) => void (calls[operation] += 1),
    faults: () => faults,
    setFaults: (next) => void (faults = next),
    takeFault(operation) {
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
