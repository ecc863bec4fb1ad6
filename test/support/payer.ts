/** What a payer's page asks a proxy for, whatever carries it. Knows no answer. */

import { randomUUID } from 'node:crypto';

/** A creation, with a key of its own: of a Pix code, unless the body says otherwise. */
export function toCreation(
  origin: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
) {
  const usual = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  return {
    method: 'POST' as const,
    headers: { origin, ...usual, ...headers },
    body: JSON.stringify({ method: 'pix', ...body }),
  };
}

/** The look-up of an invoice by the token that came with it. */
export const toLookUp = (origin: string, token = '') => ({
  headers: { origin, 'lookup-token': token },
});
