/**
 * The operations of the invoice service: the two that its specification shows, and `request` for operations that it only
 * names. Each request is sent once.
 */

import { parseMethod, toRequestUrl, type ServiceMethod } from './free-request.js';
import { invoicesPath, parseServiceUrl, refuseMissing } from './secure-url.js';
import { ServiceError, toNetworkError, toStatusError } from './service-error.js';
import { parseCreation, parseLookUp, wireIdPattern, WireError } from './wire.js';
import type { CreatedWireInvoice, CreationRequest, WireInvoice } from './wire.js';
import { BodyError, readText } from './body.js';
import { ownSend, type Answer, type Send } from './send.js';

/** Options of {@link createServiceClient}. */
export interface ServiceClientOptions extends CallOptions {
  /** Base address; https except on loopback, a path prefix is kept. */
  readonly serviceUrl: string;
}

/** Whether an answer came from the sandbox or from a real service. */
export interface Provenance {
  /** Whether the answer is marked as the sandbox's, which moves no money. */
  readonly isSandbox: boolean;
}

/** Headers that a call may send. */
export interface SendingOptions {
  /**
   * Sent as `Idempotency-Key`; without it no such header is. Give one only if your service has told you that it honours
   * it: the specification does not, and a service that ignores the header does the same thing twice.
   */
  readonly idempotencyKey?: string;
  /** Sent as `traceparent` and `tracestate` if they are valid by the W3C's rules, otherwise left out. */
  readonly trace?: TraceContext;
}

/** The answer to a free request, whose operation this package does not know. */
export interface ServiceAnswer extends Provenance {
  /** HTTP status, 200 to 299. */
  readonly status: number;
  /** The JSON as it came, unchecked; undefined for an answer without a body. It may contain personal data. */
  readonly body: unknown;
}

/**
 * The service's operations, each sent once. A creation by Pix is sent once more where the transport of `pix-checkout/node` found its
 * connection closed, because a code that no payer sees does no harm.
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
      // A second Pix invoice does no harm, because no payer sees its code. A card could be charged twice.
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
    // The original error may quote the value, so it is dropped.
  }
  if (text === undefined) throw new TypeError('body must be JSON: no cycle, BigInt or NaN');
  return text;
}

function refuseNonFinite(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not finite');
  return value;
}

/** Makes the URL of creations, or of an id's look-up. Checks the id by a strict pattern, and then the URL as well. */
function toInvoicesUrl(baseUrl: string, id?: string): string {
  const text = baseUrl + invoicesPath + (id === undefined ? '' : `/${id}`);
  const isWhole = id === undefined || wireIdPattern.test(id);
  if (!isWhole || new URL(text).href !== text) throw new ServiceError('unsent', { field: 'id' });
  return text;
}

/** Reads an invoice out of a successful answer. */
function toInvoice<T extends object>(
  answer: Incoming,
  parse: (value: unknown) => T,
): T & Provenance {
  const { status, isSandbox } = answer;
  const invoice = readJson(answer, parse);
  // Payers see invoices, and stores keep them, so the access token must not be in one.
  if (answer.holdsToken(invoice))
    throw new ServiceError('invalid_answer', { status, field: 'data' });
  return { ...invoice, isSandbox };
}

/** Reads the JSON of a successful answer. @throws ServiceError for an answer in any other form */
function readJson<T>({ text, status, isJson }: Incoming, parse: (value: unknown) => T): T {
  // The specification calls all bodies JSON, so a body without a content type is read as well.
  if (!isJson) throw new ServiceError('invalid_answer', { status, field: 'Content-Type' });
  try {
    return parse(JSON.parse(text));
  } catch (thrown) {
    const field = thrown instanceof WireError ? { field: thrown.field } : {};
    throw new ServiceError('invalid_answer', { status, ...field });
  }
}

// A call of the service is sent once, with a time-out and a limited answer. Only the closure of `createCall` holds the access
// token.

/** Time limit of one whole call, milliseconds: token, connection, answer and body. */
const defaultTimeoutMs = 10_000;

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 256 * 1024;

/** Largest refusal that is read, bytes. Refusals contain a few sentences and a list of fields. */
const maxRefusalBytes = 16 * 1024;

/** Shortest token that answers are searched for. A shorter one, like a word, occurs in answers by chance. */
const shortestSoughtToken = 8;

/** Visible ASCII. This allows more than RFC 6750 section 2.1, because real tokens may contain `|`. */
const tokenPattern = /^[\x21-\x7e]+$/;

/** RFC 9110 section 5.5. `fetch` would refuse any other value, and its error would look like a failure after sending. */
const headerPattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** RFC 8259 section 11, and RFC 6839 section 3.1. A gateway's error page has another type. */
const jsonType = /^(?:application\/json|[\w.-]+\/[\w.+-]+\+json)\s*(?:;|$)/i;

/** W3C Trace Context (2021), section 3.2: version 00, and no id of zeros. A later version is not passed on. */
const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Section 3.3.1.3: a key, and a value of visible ASCII without a comma and an equals sign. */
const memberPattern =
  /^[\da-z][\da-z_\-*/]{0,240}(?:@[a-z][\da-z_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The limits of sections 3.3.1.1 and 3.3.1.5. */
const mostOfTraceState = { members: 32, characters: 512 };

/** The headers of a trace, as they were received. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The access token: a string, or a function that is called before each call. */
export type AccessToken = string | (() => Promise<string>);

/** What all calls of one client share. */
interface CallOptions {
  readonly accessToken: AccessToken;
  /** Time for one whole call, milliseconds; default 10 s. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Wall clock, milliseconds since 1970, to read a date in Retry-After; default: the system's. */
  readonly now?: () => number;
}

/** A request without its token. */
interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** JSON text. */
  readonly body?: string;
  /** Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  readonly trace?: TraceContext | undefined;
  /** Whether the error of a refusal keeps the answer's body. Otherwise the body is dropped unread. */
  readonly keepsRefusal?: boolean;
  /** As {@link Sending} says. */
  readonly isRepeatable?: boolean;
}

/** A successful answer. */
interface Incoming {
  readonly status: number;
  /** Whether the content type is JSON, or missing. */
  readonly isJson: boolean;
  readonly text: string;
  /** Whether any text in a parsed value contains the access token. */
  readonly holdsToken: (value: object) => boolean;
  /** The answer is marked as the sandbox's: no money moves behind it. */
  readonly isSandbox: boolean;
}

/**
 * Creates the function that calls the service. It rejects with a {@link ServiceError} and nothing else.
 *
 * @throws TypeError for a string that cannot be a token
 */
function createCall(options: CallOptions): (outgoing: Outgoing) => Promise<Incoming> {
  const { timeoutMs = defaultTimeoutMs, now = Date.now } = options;
  const send = toSend(options.fetch ?? globalThis.fetch);
  const readToken = toTokenReader(options.accessToken);

  return async (outgoing) =>
    withDeadline(timeoutMs, async (deadline) => {
      const { url, method, body, keepsRefusal = false, isRepeatable = false } = outgoing;
      // If the deadline passes while the token is awaited, nothing was sent, and nothing may be sent afterwards.
      deadline.verdict = new ServiceError('unsent');
      const token = await readToken().catch(failAsUnsent);
      const headers = toHeaders(token, outgoing);
      const { signal } = deadline;
      if (signal.aborted) throw deadline.verdict;
      delete deadline.verdict;
      const sending = { method, headers, signal, isRepeatable };
      const answer = await send(url, body === undefined ? sending : { ...sending, body });
      const { status, header } = answer;
      if (status < 200 || status > 299) {
        const nowMs = now();
        // The status decides already, so a body that never ends must not turn a refusal into a time-out.
        deadline.verdict = toStatusError(answer, nowMs);
        throw toStatusError(answer, nowMs, await readRefusal(answer.body, keepsRefusal));
      }
      const text = await readText(answer.body?.getReader(), maxAnswerBytes).catch((thrown) => {
        throw thrown instanceof BodyError ? new ServiceError('invalid_answer', { status }) : thrown;
      });
      return {
        status,
        isJson: jsonType.test(header('content-type') ?? 'application/json'),
        text,
        holdsToken: (value) => token.length >= shortestSoughtToken && hasToken(value, token),
        isSandbox: header('x-pix-sandbox') !== null,
      };
    });
}

/** Makes a `Send` out of any `fetch`. */
function toSend(fetch: typeof globalThis.fetch & { readonly [ownSend]?: Send }): Send {
  return (
    fetch[ownSend] ??
    (async (url, sending) => {
      const { method, body: sent = null, signal } = sending;
      // The headers become a `Headers` object, because a shop's own `fetch` may read and add some.
      const headers = new Headers(sending.headers);
      const init = { method, headers, body: sent, signal, redirect: 'manual' } as const;
      const { status, headers: answered, body } = await fetch(url, init);
      return { status, header: (name) => answered.get(name), body };
    })
  );
}

interface Deadline {
  readonly signal: AbortSignal;
  /** The error to report if time runs out before the request is sent, or after the status has arrived. */
  verdict?: ServiceError;
}

/** Runs one call with a time-out, and turns every error into a `ServiceError`. */
function withDeadline<T>(timeoutMs: number, work: (deadline: Deadline) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const deadline: Deadline = { signal: controller.signal };
  let timer: ReturnType<typeof setTimeout>;
  const passed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(deadline.verdict ?? new ServiceError('timeout'));
      controller.abort();
    }, timeoutMs);
  });
  // This does not wait for the work to end, because a token function or an injected `fetch` may ignore the signal.
  return Promise.race([passed, work(deadline)])
    .catch((thrown: unknown) => {
      throw thrown instanceof ServiceError ? thrown : toNetworkError(thrown);
    })
    .finally(() => clearTimeout(timer));
}

/** Reads the JSON of a refusal if the caller wants it. @returns undefined if not, or if it is no JSON, too long or cut off */
async function readRefusal(body: Answer['body'], isWanted: boolean): Promise<unknown> {
  if (!isWanted) {
    void body?.cancel().catch(() => undefined);
    return undefined;
  }
  try {
    return JSON.parse(await readText(body?.getReader(), maxRefusalBytes));
  } catch {
    return undefined;
  }
}

/** Throws an error without a cause, because the original error may quote the token. */
function failAsUnsent(): never {
  throw new ServiceError('unsent');
}

/** Makes a request's headers. @throws ServiceError `unsent` for a key that no header can carry */
function toHeaders(token: string, { idempotencyKey, trace }: Outgoing): Record<string, string> {
  const isKey = idempotencyKey === undefined || headerPattern.test(idempotencyKey);
  if (!isKey) return failAsUnsent();
  return {
    authorization: `Bearer ${token}`,
    // The specification sends this header with the look-up too, which has no body.
    'content-type': 'application/json',
    accept: 'application/json',
    ...toTraceHeaders(trace),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

function hasToken(value: unknown, token: string): boolean {
  if (typeof value === 'string') return value.includes(token);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => hasToken(part, token));
}

/** Makes the function that gets the token, and checks a constant token at once. */
function toTokenReader(accessToken: AccessToken): () => Promise<string> {
  if (typeof accessToken === 'function') {
    return async () => checkToken('accessToken', await accessToken());
  }
  const token = checkToken('accessToken', accessToken);
  return async () => token;
}

/**
 * Checks an access token. A token with characters that no header can carry fails here, because `fetch` would quote it in its
 * error.
 * @throws TypeError naming the option
 */
export function checkToken(option: string, token: unknown): string {
  refuseMissing(option, token);
  if (typeof token === 'string' && tokenPattern.test(token)) return token;
  throw new TypeError(`${option} is not a bearer token: give the token alone`);
}

/** Reads the headers of a trace, without checking them. @returns null if there is none */
export function readTrace(headers: Pick<Headers, 'get'>): TraceContext | null {
  const traceparent = headers.get('traceparent');
  if (traceparent === null) return null;
  const tracestate = headers.get('tracestate');
  return tracestate === null ? { traceparent } : { traceparent, tracestate };
}

/**
 * Makes the headers of a trace. @returns none if `traceparent` is not valid, and only that one if `tracestate` is not valid
 */
export function toTraceHeaders(
  trace: TraceContext | null | undefined,
): Readonly<Record<string, string>> {
  if (!trace || !traceparentPattern.test(trace.traceparent)) return {};
  const { traceparent, tracestate } = trace;
  return isTraceState(tracestate) ? { traceparent, tracestate } : { traceparent };
}

/** Whether this is a valid `tracestate` (sections 3.3.1.1 to 3.3.1.5). */
function isTraceState(text: string | undefined): text is string {
  if (text === undefined || text.length > mostOfTraceState.characters) return false;
  const members = text.split(',').map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
  return (
    members.length <= mostOfTraceState.members &&
    members.every((member) => memberPattern.test(member))
  );
}
