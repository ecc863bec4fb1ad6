/** Reads the `Idempotency-Key` of a request, and says what it is valid for. Nothing personal is in its scope or fingerprint. */

import type { CreateRequest } from '../../contract/types.js';
import type { Attempt } from '../order/order.js';
import { digest, toHex } from '../runtime/signatures.js';
import { ProxyError, SetupError } from '../set-up/proxy-error.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** @throws ProxyError `invalid_request`: a key that can be guessed would hand one payer's invoice to another */
export function readKey(headers: Pick<Headers, 'get'>): string {
  const key = headers.get('idempotency-key');
  if (key === null) throw new SetupError('header_missing', { expected: 'Idempotency-Key' });
  if (!uuid.test(key)) throw new ProxyError('invalid_request', { field: 'Idempotency-Key' });
  return key.toLowerCase();
}

/**
 * The attempt of a request. Its scope is a digest, so the order token is not kept.
 * @param holder a new random id for each request, a repeated one too
 */
export async function toAttempt(
  key: string,
  request: CreateRequest,
  totalCents: number,
  holder: string,
): Promise<Attempt> {
  const { method, external_id: externalId, order_token: orderToken = null, card } = request;
  const scope = toHex(await digest(JSON.stringify([externalId, orderToken, method])));
  const installment = card?.installment ?? 1;
  return { key, scope, externalId, method, totalCents, installment, holder };
}
