/** Reads what a creation is asked with, by a page or by the merchant's own server. */

import * as z from 'zod/mini';
import { createRequestSchema } from '../../contract/schemas.js';
import type { cardSchema } from '../../contract/schemas.js';
import type { CreateRequest } from '../../contract/types.js';
import type { CreateInvoiceInput } from '../set-up/options/options.js';
import { ProxyError, SetupError, toFieldPath } from '../set-up/proxy-error.js';

/**
 * Reads a creation request.
 * @param rawCard option `rawCard`: card numbers may pass
 * @throws ProxyError `invalid_request` naming the first field that is wrong, or the option that refuses a card's number
 */
export function parseCreateRequest(value: unknown, rawCard: boolean): CreateRequest {
  const result = z.safeParse(createRequestSchema, value);
  if (!result.success) throw invalid(toFieldPath(result.error) || 'body');
  const field = findCardFault(result.data, rawCard);
  if (field !== null) throw invalid(field);
  // The schema lets undefined stand for absent, as JavaScript callers write it: leave such fields out.
  const request: CreateRequest = JSON.parse(JSON.stringify(result.data));
  return request;
}

/**
 * Reads the input of `createInvoice`.
 * @throws ProxyError `invalid_request`
 */
export function toCreateRequest(input: CreateInvoiceInput): CreateRequest {
  const { externalId, orderToken, method, payer, card, installment, replaces } = input;
  if (method === 'pix' && (installment ?? 1) !== 1) throw invalid('installment');
  if (card && isRawCard(card)) throw invalid('card.number');
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

/** The field that does not suit the method; null: none. A security code without a number could only leak. */
function findCardFault(
  { method, card, replaces }: z.infer<typeof createRequestSchema>,
  rawCard: boolean,
): string | null {
  if (method === 'pix') return card === undefined ? null : 'card';
  if (card === undefined) return 'card';
  if (replaces !== undefined) return 'replaces';
  if (isRawCard(card) && !rawCard) throw new SetupError('raw_card_refused');
  return card.token || card.number ? null : 'card.token';
}

function isRawCard(card: z.infer<typeof cardSchema>): boolean {
  return card.number !== undefined || card.security_code !== undefined;
}

function invalid(field: string): ProxyError {
  return new ProxyError('invalid_request', { field });
}
