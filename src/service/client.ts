/**
 * The operations of the invoice service: the two that its specification shows, and `request` for those it only names.
 * Nothing is sent twice.
 */

import { createCall } from './call.js';
import type { CallOptions, Incoming, Outgoing, TraceContext } from './call.js';
import { parseMethod, toRequestUrl } from './free-request.js';
import type { ServiceMethod } from './free-request.js';
import { invoicesPath, parseServiceUrl } from './secure-url.js';
import { ServiceError } from './service-error.js';
import { parseCreation, parseLookUp, wireIdPattern, WireError } from './wire.js';
import type { CreatedWireInvoice, CreationRequest, WireInvoice } from './wire.js';

/** Options of {@link createServiceClient}. */
export interface ServiceClientOptions extends CallOptions {
  /** Base address; https except on loopback, a path prefix is kept. */
  readonly serviceUrl: string;
}

/** Where an answer came from. */
export interface Provenance {
  /** The answer is marked as the sandbox's: no money moves behind it. */
  readonly isSandbox: boolean;
}

/** What a call may send beside its body. */
export interface SendingOptions {
  /**
   * Sent as `Idempotency-Key`; without it no such header is. Give one only if your service has told you that it honours
   * it: the specification does not, and a service that ignores the header does the same thing twice.
   */
  readonly idempotencyKey?: string;
  /** Sent as `traceparent` and `tracestate`, if they are what the W3C calls so; else left out. */
  readonly trace?: TraceContext;
}

/** The answer to a request of an operation that this package does not know. */
export interface ServiceAnswer extends Provenance {
  /** HTTP status, 200 to 299. */
  readonly status: number;
  /** The JSON as it came, unchecked; undefined for an answer without a body. May hold personal data. */
  readonly body: unknown;
}

/**
 * The service's operations, each sent once. A creation by Pix is sent once more where the transport of `pix-checkout/node` found its
 * connection closed: a code that no payer sees harms none.
 *
 * Each rejects with a {@link ServiceError}; with a `TypeError` naming the argument, before anything leaves, where the
 * arguments of `request` or a body cannot be sent.
 */
export interface ServiceClient {
  /** Creates an invoice. Takes and sends personal data: `payer`, `card`, `ip_payer`. */
  createInvoice(
    request: CreationRequest,
    options?: SendingOptions,
  ): Promise<CreatedWireInvoice & Provenance>;

  /** Looks an invoice up. `client` and `payer` of the answer are personal data: keep them out of logs and pages. */
  lookUpInvoice(
    id: string,
    options?: Pick<SendingOptions, 'trace'>,
  ): Promise<WireInvoice & Provenance>;

  /**
   * Any other operation: refund, 3DS activation, payouts and their list, public invoices, company information. The
   * specification names these without a path, so the path comes from your service's own documentation.
   *
   * Not sent again after a failure: {@link ServiceError.mayHaveHappened} tells whether money may have moved.
   *
   * @param method `GET`, `POST`, `PUT`, `PATCH` or `DELETE`
   * @param path absolute below `serviceUrl`, which it cannot leave, of unreserved characters and `: @ , = +`; a query
   *   may follow (its values percent-encoded, `/` as `%2F`), a fragment may not
   * @param body what becomes JSON; absent for GET. Without one nothing but headers is sent
   */
  request(
    method: ServiceMethod,
    path: string,
    body?: unknown,
    options?: SendingOptions,
  ): Promise<ServiceAnswer>;
}

/**
 * Makes a client of the invoice service.
 *
 * @throws TypeError naming an option that is wrong
 */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const baseUrl = parseServiceUrl('serviceUrl', options.serviceUrl);
  const call = createCall(options);

  return {
    async createInvoice(request, { idempotencyKey, trace } = {}) {
      // Assumed: the service ignores Idempotency-Key (service spec does not show it), so the caller chooses to send it.
      const body = toJson(request);
      const url = toInvoicesUrl(baseUrl);
      // A second Pix invoice is paid by no payer who does not see its code. A card may be charged twice.
      const isRepeatable = request.method === 'pix' && request.card === undefined;
      const outgoing = { url, method: 'POST', body, idempotencyKey, trace, isRepeatable };
      return toInvoice(await call(outgoing), parseCreation);
    },

    async lookUpInvoice(id, { trace } = {}) {
      const url = toInvoicesUrl(baseUrl, id);
      return toInvoice(await call({ url, method: 'GET', trace }), parseLookUp);
    },

    async request(method, path, body, { idempotencyKey, trace } = {}) {
      const outgoing = toOutgoing(parseMethod(method), toRequestUrl(baseUrl, path), body);
      const answer = await call({ ...outgoing, idempotencyKey, trace, keepsRefusal: true });
      const { status, text, isSandbox } = answer;
      const isEmpty = text.trim() === '';
      return { status, body: isEmpty ? undefined : readJson(answer, (value) => value), isSandbox };
    },
  };
}

function toOutgoing(method: ServiceMethod, url: string, body: unknown): Outgoing {
  if (body === undefined) return { method, url };
  if (method === 'GET') throw new TypeError('body must be absent for GET');
  return { method, url, body: toJson(body) };
}

/**
 * Writes a body as JSON.
 *
 * @throws TypeError for values that JSON has no form for. NaN would become `null`, and an amount of `null` may well mean
 *   "all of it"
 */
function toJson(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value, refuseNonFinite);
  } catch {
    // The error may quote the value.
  }
  if (text === undefined) throw new TypeError('body must be JSON: no cycle, BigInt or NaN');
  return text;
}

function refuseNonFinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not finite');
  return value;
}

/** The id matches a strict pattern; the resulting URL is checked as well. */
function toInvoicesUrl(baseUrl: string, id?: string): string {
  const text = baseUrl + invoicesPath + (id === undefined ? '' : `/${id}`);
  const isWhole = id === undefined || wireIdPattern.test(id);
  if (!isWhole || new URL(text).href !== text) throw new ServiceError('unsent', { field: 'id' });
  return text;
}

function toInvoice<T extends object>(
  answer: Incoming,
  parse: (value: unknown) => T,
): T & Provenance {
  const { status, isSandbox } = answer;
  const invoice = readJson(answer, parse);
  // Invoices are shown to payers and stored: the token must not get there.
  if (answer.holdsToken(invoice))
    throw new ServiceError('invalid_answer', { status, field: 'data' });
  return { ...invoice, isSandbox };
}

function readJson<T>({ text, status, isJson }: Incoming, parse: (value: unknown) => T): T {
  // The specification calls all bodies JSON. One without a content type is read: it must be JSON all the same.
  if (!isJson) throw new ServiceError('invalid_answer', { status, field: 'Content-Type' });
  try {
    return parse(JSON.parse(text));
  } catch (thrown) {
    const field = thrown instanceof WireError ? { field: thrown.field } : {};
    throw new ServiceError('invalid_answer', { status, ...field });
  }
}
