/** Reads what a browser or the merchant's server asks for: untrusted values in, the contract's types out. */

import * as z from 'zod/mini';
import { createRequestSchema } from '../../contract/schemas.js';
import type { CreateRequest } from '../../contract/types.js';
import { ProxyError } from '../runtime/proxy-error.js';
import type { CreateInvoiceInput } from '../config/options.js';

/**
 * Reads a creation request.
 * @param rawCard the merchant lets card numbers pass
 * @throws ProxyError `invalid_request` naming the first field that is wrong
 */
export function parseCreateRequest(value: unknown, rawCard: boolean): CreateRequest {
  const result = z.safeParse(createRequestSchema, value);
  if (!result.success) throw invalid(nameField(result.error.issues[0]));
  const field = findCardFault(result.data, rawCard);
  if (field !== null) throw invalid(field);
  // The schema also lets undefined stand for absent, which callers in JavaScript write.
  const request: CreateRequest = JSON.parse(JSON.stringify(result.data));
  return request;
}

/**
 * The same for `createInvoice`.
 * @throws ProxyError `invalid_request`
 */
export function toCreateRequest(input: CreateInvoiceInput): CreateRequest {
  const { externalId, orderToken, method, payer, card, installment, replaces } = input;
  if (method === 'pix' && (installment ?? 1) !== 1) throw invalid('installment');
  const request = {
    method,
    external_id: externalId,
    order_token: orderToken,
    payer,
    card: card && { ...card, installment },
    replaces,
  };
  return parseCreateRequest(request, false);
}

/**
 * Reads `?wait=`, whole seconds; 0 when it is absent. How long is too long is decided elsewhere.
 * @throws ProxyError `invalid_request`
 */
export function readWait(wait: string | null): number {
  if (wait === null) return 0;
  if (!/^\d{1,3}$/.test(wait)) throw invalid('wait');
  return Number(wait);
}

/** The bearer of a look-up, empty if there is none (RFC 6750 section 2.1; the scheme's case does not matter). */
export function readBearer(headers: Pick<Headers, 'get'>): string {
  return /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

/** What is wrong between method and card; null: nothing. A security code without a number has no use but to leak. */
function findCardFault(
  { method, card, replaces }: z.infer<typeof createRequestSchema>,
  rawCard: boolean,
): string | null {
  if (method === 'pix') return card === undefined ? null : 'card';
  if (card === undefined) return 'card';
  if (replaces !== undefined) return 'replaces';
  const isRaw = card.number !== undefined || card.security_code !== undefined;
  if (isRaw && !rawCard) return 'card.number';
  return card.token || card.number ? null : 'card.token';
}

function invalid(field: string): ProxyError {
  return new ProxyError('invalid_request', { field });
}

/** The path of what is wrong. An unknown key is the sender's own text: it is repeated only if it looks like a name. */
function nameField(issue: z.core.$ZodIssue | undefined): string {
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].join('.');
  return /^[A-Za-z_.]{1,60}$/.test(path) ? path : 'body';
}
