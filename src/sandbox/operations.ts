/**
 * The two operations of the invoice service, as its specification shows them.
 *
 * Owns what the service demands of a request. Knows nothing of faults and of the control surface.
 */

import { parseCreationRequest, WireError } from '../service/wire.js';
import type { ReceivedCreation } from '../service/wire.js';
import { failure } from './answers.js';
import { maxCodeCents } from './br-code.js';
import { createInvoice, toCreationData, toLookUpData } from './invoice.js';
import type { Store } from './store.js';

/** What an operation works with. */
export interface Room {
  readonly store: Store;
  readonly now: () => number;
  readonly randomUuid: () => string;
}

// Assumed: the two names, read in any case (service spec says "PIX or credit card" only).
const methods: Readonly<Record<string, { isPix: boolean }>> = {
  pix: { isPix: true },
  credit_card: { isPix: false },
};

/** `POST /api/v2/invoices`: makes an invoice, or gives the answer that refuses it. */
export function performCreation(body: string, { store, now, randomUuid }: Room) {
  const request = readRequest(body);
  if (request instanceof Response) return request;
  const name = request.method.toLowerCase();
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) return refuse('method');
  if (request.total_price_cents > maxCodeCents) return refuse('total_price_cents');
  const invoice = createInvoice({
    request,
    isPix: method.isPix,
    number: store.invoices().length + 1,
    nowMs: now(),
    randomUuid,
  });
  store.put(invoice);
  return toCreationData(invoice);
}

/** `GET /api/v2/invoices/{id}`. Assumed: by either id, 404 for another (service spec does not show it). */
export function performLookUp(id: string, { store }: Room) {
  const invoice = store.find(id);
  return invoice ? toLookUpData(invoice) : failure(404, 'Invoice not found');
}

/** The specification: a request without acceptable credentials is answered 401. */
export function isAuthorized(request: Request, accessToken: string): boolean {
  const [scheme, token] = (request.headers.get('authorization') ?? '').split(' ', 2);
  return scheme?.toLowerCase() === 'bearer' && token === accessToken;
}

function readRequest(body: string): ReceivedCreation | Response {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return failure(400, 'The body is not JSON');
  }
  try {
    return parseCreationRequest(value);
  } catch (thrown) {
    if (thrown instanceof WireError) return refuse(thrown.field);
    throw thrown;
  }
}

/** Assumed: 422, naming the field (service spec does not show validation failures). */
function refuse(field: string): Response {
  return failure(422, `${field} is missing or invalid`);
}
