/**
 * The tables, as the ledger reads and writes them. Holds no card data, no personal data and no token.
 *
 * Every time is in milliseconds since 1970, every amount in integer cents. `step` is the order's own counter: what has the
 * lower one happened first. What the tables are made of is `migrations.ts`'s.
 */

import type { Insertable, Selectable } from 'kysely';
import type { Method } from '../../../contract/types.js';
import type { DeliveryKind } from '../outbox-events.js';
import type { AttemptProgress } from '../ledger.js';

/** One row for each order the merchant resolved. Whoever writes anything of the order locks it first. */
export interface OrderTable {
  external_id: string;
  /** The first invoice of the order that was paid. */
  paid_invoice_id: string | null;
  turn_holder: string | null;
  turn_until_ms: number;
  /** How many operations have written to the order. */
  steps: number;
  used_at_ms: number;
}

/** Creations that were sent to the service. */
export interface SendTable {
  external_id: string;
  step: number;
  method: Method;
  at_ms: number;
}

/** Invoices that were handed out. A wrong answer may name one of another order: the reference is part of the key. */
export interface InvoiceTable {
  external_id: string;
  invoice_id: string;
  step: number;
  look_up_id: string;
  order_code: string;
  code: string;
  status: string;
  total_cents: number;
  method: Method;
  deadline_ms: number | null;
  created_at_ms: number;
  /** When the next look-up that nobody asks for is due; null: never again. */
  look_up_at_ms: number | null;
  paid_at_ms: number | null;
  /** When it was found paid or refused, or a person released it. */
  settled_at_ms: number | null;
  /** When a person found out that this card was not charged. */
  released_at_ms: number | null;
  lapsed_at_ms: number | null;
}

/** Requests with an idempotency key. */
export interface AttemptTable {
  scope: string;
  key: string;
  external_id: string;
  step: number;
  method: Method;
  total_cents: number;
  installment: number;
  holder: string;
  state: AttemptProgress['state'];
  /** When the claim, or the time in which the outcome is recorded, runs out. */
  until_ms: number;
  claimed_at_ms: number;
  changed_at_ms: number;
  invoice_id: string | null;
  /** An `IssuedInvoice` in JSON. */
  candidate: string | null;
}

/** What the merchant's server is told. */
export interface OutboxTable {
  delivery_id: string;
  kind: DeliveryKind;
  external_id: string;
  step: number;
  /** The notice of its kind, in JSON. */
  notice: string;
  queued_at_ms: number;
  /** When it may be claimed. */
  due_at_ms: number;
  tries: number;
  ended_at_ms: number | null;
  outcome: 'delivered' | 'given_up' | 'dropped' | null;
}

/** When a name was claimed last, by any process. */
export interface ThrottleTable {
  name: string;
  at_ms: number;
}

/** The tables share a database with the merchant's own, perhaps: their names say whose they are. */
export interface Tables {
  pix_orders: OrderTable;
  pix_sends: SendTable;
  pix_invoices: InvoiceTable;
  pix_attempts: AttemptTable;
  pix_deliveries: OutboxTable;
  pix_pauses: ThrottleTable;
  /** One row for each migration that was run. */
  pix_migrations: { version: number };
}

export type InvoiceRow = Selectable<InvoiceTable>;
export type AttemptRow = Selectable<AttemptTable>;
export type OutboxRow = Insertable<OutboxTable>;
