/** The page's calls of the demo's server: sandbox controls and QA routes. */

import type { Charges } from '../../src/sandbox/charges.js';
import type { Fault } from '../../src/sandbox/faults.js';
import type { ProxyState } from './proxy-switch.js';
import type { ShopRecord } from './routes.js';

/** An invoice of the sandbox, as the panels show it. */
export interface SandboxInvoice {
  readonly invoice_id: string;
  readonly order_code: string;
  readonly external_id: string | null;
  readonly method: string;
  readonly status: string;
  readonly total_cents: number;
}

export interface Postback {
  readonly delivered: boolean;
  /** HTTP status of the receiver; null: no answer. */
  readonly status: number | null;
}

/** Runs the action of a button, then shows its result or error. */
export type Run = (step: () => Promise<unknown>) => void;

/** @throws Error naming call and status */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
  return (await response.json()) as T;
}

/** Newest first. */
export async function listInvoices(): Promise<SandboxInvoice[]> {
  const { invoices } = await call<{ invoices: SandboxInvoice[] }>('GET', '/sandbox/invoices');
  return invoices.toReversed();
}

/** Reads what was charged for an order, and how often a card was tried. */
export function countCharges(reference: string): Promise<Charges> {
  return call('GET', `/sandbox/charges?external_id=${encodeURIComponent(reference)}`);
}

/** Reads what the shop knows about an order. */
export function readShop(reference: string): Promise<ShopRecord> {
  return call('GET', `/qa/orders/${encodeURIComponent(reference)}`);
}

/** Whether a payment is told to the shop at once, as banks do: the switch of the bank's panel. */
export const bank = { tellsAtOnce: true };

/** Pays an invoice. */
export function pay(invoiceId: string): Promise<SandboxInvoice> {
  return call('POST', `/sandbox/invoices/${invoiceId}/${bank.tellsAtOnce ? 'pay' : 'settle'}`);
}

/** Pays an invoice, and tells no one. */
export function settle(invoiceId: string): Promise<SandboxInvoice> {
  return call('POST', `/sandbox/invoices/${invoiceId}/settle`);
}

/** Gives an invoice any status. */
export function setStatus(invoiceId: string, status: string): Promise<SandboxInvoice> {
  return call('POST', `/sandbox/invoices/${invoiceId}/status`, { status });
}

/** Lets the sandbox send a postback. */
export function sendPostback(invoiceId: string): Promise<Postback> {
  return call('POST', `/sandbox/invoices/${invoiceId}/postback`);
}

export function listFaults(): Promise<Fault[]> {
  return call('GET', '/sandbox/faults');
}

/** Replaces all faults. */
export function setFaults(faults: readonly Fault[]): Promise<Fault[]> {
  return call('PUT', '/sandbox/faults', faults);
}

/** Sets the switches between page and proxy. */
export function setProxy(state: ProxyState): Promise<unknown> {
  return call('PUT', '/qa/proxy', state);
}
