/**
 * Tells a repeated request from a new attempt by its `Idempotency-Key`. Owns the key's form, scope and fingerprint;
 * nothing personal is in either.
 */

import type { CreateRequest } from '../contract/types.js';
import type { Attempt, OrderMemory, RememberedInvoice } from './orders/orders.js';
import { Refusal } from './refusal.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** How long a page waits before it asks again for an attempt under way, seconds. */
const inProgressSeconds = 1;

/** @throws Refusal `invalid_request`: a key that can be guessed would hand one payer's invoice to another */
export function readKey(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? '';
  if (!uuid.test(key)) throw new Refusal('invalid_request', { field: 'Idempotency-Key' });
  return key.toLowerCase();
}

/** The attempt a request stands for. Its scope is a digest: the order token in it is not kept. */
export async function toAttempt(
  key: string,
  request: CreateRequest,
  totalCents: number,
): Promise<Attempt> {
  const { method, external_id: externalId, order_token: orderToken = null, card } = request;
  const name = new TextEncoder().encode(JSON.stringify([externalId, orderToken, method]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', name));
  const scope = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return { key, scope, externalId, totalCents, installment: card?.installment ?? 1 };
}

/**
 * Does the work of an attempt. `isNew`: the key was not seen before.
 * @throws Refusal `key_reused`, or what the work throws; then the key is free again
 */
export async function runAttempt(
  orders: OrderMemory,
  attempt: Attempt,
  work: (isNew: boolean) => Promise<RememberedInvoice>,
): Promise<RememberedInvoice> {
  const claim = await orders.claimAttempt(attempt);
  if (claim === 'reused') throw new Refusal('key_reused');
  try {
    const invoice = await work(claim === 'new');
    await orders.completeAttempt(attempt, invoice.invoiceId);
    return invoice;
  } catch (thrown) {
    // Only by whoever claimed it: a repeated request that fails leaves the first one's answer.
    if (claim === 'new') await orders.releaseAttempt(attempt);
    throw thrown;
  }
}

/**
 * The invoice that an attempt was answered with, and the one that has paid its order.
 * @throws Refusal `not_found` also for a key of two orders, which says nothing; `in_progress`
 */
export async function findAttemptInvoice(
  orders: OrderMemory,
  key: string,
): Promise<{ invoice: RememberedInvoice; paid: RememberedInvoice | null }> {
  const attempts = await orders.findAttempts(key);
  // One order may have several: a page that is loaded again sends its key with a newer order token.
  const attempt = attempts.findLast(({ invoiceId }) => invoiceId !== null) ?? attempts.at(-1);
  const isOfTwo = attempts.some(({ externalId }) => externalId !== attempt?.externalId);
  if (!attempt || isOfTwo) throw new Refusal('not_found');
  if (attempt.invoiceId === null) {
    throw new Refusal('in_progress', { retryAfterSeconds: inProgressSeconds });
  }
  const { invoices, paid } = await orders.find(attempt.externalId);
  const invoice = invoices.find(({ invoiceId }) => invoiceId === attempt.invoiceId);
  if (!invoice) throw new Refusal('not_found');
  return { invoice, paid };
}
