/** The two operations of the invoice service, as its specification shows them. */

import { isTaxId } from '../domain/tax-id.js';
import { parseCreationRequest, WireError, type ReceivedCreation } from '../service/wire.js';
import { toFailure } from './json-response.js';
import { maxCodeCents } from './br-code-writer.js';
import { createInvoice, recordLookUp, toCreationData, toLookUpData } from './invoice.js';
import type { Creation, InvoiceTools } from './invoice.js';
import type { Store } from './invoice-store.js';
import { findTestCard } from './test-cards.js';

export interface OperationContext extends InvoiceTools {
  readonly store: Store;
}

/** Reads the body of `POST /api/v2/invoices`, or returns the answer that refuses it. */
export function readCreation(body: string): Creation | Response {
  const request = readRequest(body);
  if (request instanceof Response) return request;
  // Assumed: the two names, read in any case (service spec says "PIX or credit card" only).
  const method = request.method.toLowerCase();
  if (method !== 'pix' && method !== 'credit_card') return toRefusal('method');
  if (request.total_price_cents > maxCodeCents) return toRefusal('total_price_cents');
  // Assumed: check digits are verified (service spec does not show validation).
  const { cpf_cnpj: document } = request.payer ?? {};
  if (document && !isTaxId(document)) return toRefusal('payer.cpf_cnpj');
  const isPix = method === 'pix';
  return { request, isPix, testCard: isPix ? undefined : findTestCard(request.card ?? {}) };
}

/** Performs `POST /api/v2/invoices`: makes an invoice. */
export function performCreation(creation: Creation, context: OperationContext) {
  const { store } = context;
  const invoice = createInvoice(creation, store.invoices().length + 1, context);
  store.put(invoice);
  return toCreationData(invoice);
}

/** Performs `GET /api/v2/invoices/{id}`. Assumed: by either id, 404 for another (service spec does not show it). */
export function performLookUp(id: string, { store, now }: OperationContext) {
  const found = store.find(id);
  if (!found) return toFailure(404, 'Invoice not found');
  const invoice = recordLookUp(found, now());
  store.put(invoice);
  return toLookUpData(invoice);
}

/** Whether the request has the right bearer. By the specification, any other is answered 401. */
export function isAuthorized(request: Request, accessToken: string): boolean {
  const [scheme, token] = (request.headers.get('authorization') ?? '').split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token === accessToken;
}

function readRequest(body: string): ReceivedCreation | Response {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return toFailure(400, 'The body is not JSON');
  }
  try {
    return parseCreationRequest(value);
  } catch (thrown) {
    if (thrown instanceof WireError) return toRefusal(thrown.field);
    throw thrown;
  }
}

/** Assumed: 422, naming the field (service spec does not show validation failures). */
function toRefusal(field: string): Response {
  return toFailure(422, `${field} is missing or invalid`);
}
