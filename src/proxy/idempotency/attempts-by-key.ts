/**
 * Tells a repeated request from a new attempt by its `Idempotency-Key`. Owns the key's form, scope and fingerprint;
 * nothing personal is in either.
 */

import type { CreateRequest } from '../../contract/types.js';
import { isOpen } from '../ledger/attempt-rules.js';
import type { Attempt, Ledger, RememberedAttempt, RememberedInvoice } from '../ledger/ledger.js';
import { ProxyError, inProgress } from '../runtime/proxy-error.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws ProxyError `invalid_request`: a key that can be guessed would hand one payer's invoice to another */
export function readKey(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? '';
  if (!uuid.test(key)) throw new ProxyError('invalid_request', { field: 'Idempotency-Key' });
  return key.toLowerCase();
}

/**
 * The attempt a request stands for. Its scope is a digest: the order token in it is not kept.
 * @param holder a new random id: a repeated request is another holder
 */
export async function toAttempt(
  key: string,
  request: CreateRequest,
  totalCents: number,
  holder: string,
): Promise<Attempt> {
  const { method, external_id: externalId, order_token: orderToken = null, card } = request;
  const name = new TextEncoder().encode(JSON.stringify([externalId, orderToken, method]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', name));
  const scope = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const installment = card?.installment ?? 1;
  return { key, scope, externalId, method, totalCents, installment, holder };
}

/**
 * Does the work of an attempt to pay by Pix, which may be done again. `isNew`: the key was not seen before.
 * @throws ProxyError `key_reused`, or what the work throws; then the key is free again
 */
export async function runAttempt(
  ledger: Ledger,
  attempt: Attempt,
  work: (isNew: boolean) => Promise<RememberedInvoice>,
): Promise<RememberedInvoice> {
  const claim = await ledger.claimAttempt(attempt);
  if (claim === 'reused') throw new ProxyError('key_reused');
  try {
    const invoice = await work(claim === 'new');
    await ledger.advanceAttempt(attempt, { state: 'created', invoiceId: invoice.invoiceId });
    return invoice;
  } catch (thrown) {
    // Only by whoever claimed it: a repeated request that fails leaves the first one's answer.
    if (claim === 'new') await ledger.releaseAttempt(attempt);
    throw thrown;
  }
}

/**
 * The attempt that a key stands for. A card goes first: somebody who is told that nothing is known would charge it again.
 * @throws ProxyError `not_found` also for a key of two orders, which says nothing; `outcome_unknown` if one was for a card
 */
export async function findAttempt(ledger: Ledger, key: string): Promise<RememberedAttempt> {
  const known = await ledger.findAttempts(key);
  const cards = known.filter(({ method }) => method === 'credit_card');
  const attempts = cards.length > 0 ? cards : known;
  // One order may have several: a page that is loaded again sends its key with a newer order token.
  const attempt =
    attempts.findLast(({ progress }) => progress.state === 'created') ??
    attempts.findLast(isOpen) ??
    attempts.at(-1);
  const isOfTwo = attempts.some(({ externalId }) => externalId !== attempt?.externalId);
  if (attempt && !isOfTwo) return attempt;
  throw new ProxyError(cards.length > 0 ? 'outcome_unknown' : 'not_found');
}

/**
 * What an attempt is answered with, as often as it is asked for.
 * @throws ProxyError `in_progress`, `payment_refused`, `outcome_unknown`; `order_paid` where another payment settled it
 */
export async function toAttemptInvoice(
  ledger: Ledger,
  { externalId, progress }: RememberedAttempt,
  toOrderPaid: (paid: RememberedInvoice) => Promise<ProxyError>,
): Promise<RememberedInvoice> {
  if (progress.state === 'claimed' || progress.state === 'sent') throw inProgress();
  const { invoices, paid } = await ledger.find(externalId);
  const ownId = progress.state === 'created' ? progress.invoiceId : null;
  if (paid && paid.invoiceId !== ownId) throw await toOrderPaid(paid);
  if (progress.state === 'refused') throw new ProxyError('payment_refused');
  if (progress.state === 'unknown') throw new ProxyError('outcome_unknown');
  const invoice = invoices.find(({ invoiceId }) => invoiceId === ownId);
  if (!invoice) throw new ProxyError('not_found');
  return invoice;
}
