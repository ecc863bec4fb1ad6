/**
 * One call of the service: sent once, with a time-out and a limited answer. Its closure is the only holder of the access
 * token. Bodies are read here, the proxy's too.
 */

import { toNetworkError, toStatusError } from './failures.js';
import { refuseMissing } from './secure-url.js';
import { ownSend } from './send.js';
import type { Answer, BodyReader, Send } from './send.js';
import { ServiceError } from './service-error.js';

/** Time for one whole call, milliseconds: token, connection, answer and body. */
const defaultTimeoutMs = 10_000;

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 256 * 1024;

/** Largest refusal that is read, bytes: a few sentences and a list of fields. */
const maxRefusalBytes = 16 * 1024;

/** Shortest token that answers are searched for. */
const shortestSoughtToken = 8;

/** What a token may hold: visible ASCII. Wider than RFC 6750 section 2.1, because real tokens have bars in them. */
const tokenPattern = /^[\x21-\x7e]+$/;

/** RFC 9110 section 5.5. `fetch` would refuse any other, which could then not be told from a request that was sent. */
const headerPattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/** RFC 8259 section 11, and RFC 6839 section 3.1. A gateway's error page is neither. */
const jsonType = /^(?:application\/json|[\w.-]+\/[\w.+-]+\+json)\s*(?:;|$)/i;

/** W3C Trace Context (2021), section 3.2: version 00, and no id of zeros. What a later version adds is not known, so it is not handed on. */
const traceparentPattern = /^00-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/;

/** Section 3.3.1.3: a key, and a value of visible ASCII without a comma and an equals sign. */
const memberPattern =
  /^[\da-z][\da-z_\-*/]{0,240}(?:@[a-z][\da-z_\-*/]{0,13})?=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** Section 3.3.1.1 and 3.3.1.5. */
const most = { members: 32, characters: 512 };

/** The headers of a trace, as they came. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The bearer: a string, or a function asked before each call. */
export type AccessToken = string | (() => Promise<string>);

/** What all calls of one client share. */
export interface CallOptions {
  readonly accessToken: AccessToken;
  /** Time for one whole call, milliseconds; default 10 s. */
  readonly timeoutMs?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Wall clock, milliseconds since 1970, to read a Retry-After date by; default: the system's. */
  readonly now?: () => number;
}

/** A request that is ready but for its token. */
export interface Outgoing {
  readonly url: string;
  readonly method: string;
  /** JSON text. */
  readonly body?: string;
  /** Sent as `Idempotency-Key`. */
  readonly idempotencyKey?: string | undefined;
  readonly trace?: TraceContext | undefined;
  /** The error of a refusal carries its body; otherwise that is dropped unread. */
  readonly keepsRefusal?: boolean;
  /** As {@link Sending} says. */
  readonly isRepeatable?: boolean;
}

/** A successful answer. */
export interface Incoming {
  readonly status: number;
  /** Its content type does not say otherwise. */
  readonly isJson: boolean;
  readonly text: string;
  /** Whether any text in a parsed value holds the access token. */
  readonly holdsToken: (value: object) => boolean;
  /** The answer is marked as the sandbox's: no money moves behind it. */
  readonly isSandbox: boolean;
}

/**
 * Makes the function that calls. It rejects with a {@link ServiceError} and nothing else.
 *
 * @throws TypeError for a string that cannot be a token
 */
export function createCall(options: CallOptions): (outgoing: Outgoing) => Promise<Incoming> {
  const { timeoutMs = defaultTimeoutMs, now = Date.now } = options;
  const send = toSend(options.fetch ?? globalThis.fetch);
  const readToken = toTokenReader(options.accessToken);

  return async (outgoing) =>
    withDeadline(timeoutMs, async (deadline) => {
      const { url, method, body, keepsRefusal = false, isRepeatable = false } = outgoing;
      const token = await readToken().catch(failUnsent);
      const headers = toHeaders(token, outgoing);
      const { signal } = deadline;
      // The deadline may have passed while the token was awaited: then the request must never leave.
      if (signal.aborted) throw new ServiceError('unsent');
      const sending = { method, headers, signal, isRepeatable };
      const answer = await send(url, body === undefined ? sending : { ...sending, body });
      const { status, header } = answer;
      if (status < 200 || status > 299) {
        const nowMs = now();
        // The status decides. A body that never ends must not turn a refusal into a time-out.
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
        holdsToken: (value) => token.length >= shortestSoughtToken && holds(value, token),
        isSandbox: header('x-pix-sandbox') !== null,
      };
    });
}

/** Any `fetch` as what a call sends with. */
function toSend(fetch: typeof globalThis.fetch & { readonly [ownSend]?: Send }): Send {
  return (
    fetch[ownSend] ??
    (async (url, sending) => {
      const { method, body: sent = null, signal } = sending;
      // A shop's own `fetch` may read and add headers.
      const headers = new Headers(sending.headers);
      const init = { method, headers, body: sent, signal, redirect: 'manual' } as const;
      const { status, headers: answered, body } = await fetch(url, init);
      return { status, header: (name) => answered.get(name), body };
    })
  );
}

interface Deadline {
  readonly signal: AbortSignal;
  /** The error to report when time runs out, if the status has come already. */
  verdict?: ServiceError;
}

/** Runs one call with a time-out, and turns all that it throws into a `ServiceError`. */
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
  // Does not wait for the work to end: a token function or an injected fetch may not know the signal.
  return Promise.race([passed, work(deadline)])
    .catch((thrown: unknown) => {
      throw thrown instanceof ServiceError ? thrown : toNetworkError(thrown);
    })
    .finally(() => clearTimeout(timer));
}

/** The JSON of a refusal; undefined if it is not JSON, too long or cut. */
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

/** Whether the headers announce a body of more bytes than these. */
export function announcesMore(headers: Pick<Headers, 'get'>, mostBytes: number): boolean {
  return Number(headers.get('content-length') ?? 0) > mostBytes;
}

/** For failures before the request is sent. The original error may quote the token. */
function failUnsent(): never {
  throw new ServiceError('unsent');
}

/** Token and trace are checked where they come in. */
function toHeaders(token: string, { idempotencyKey, trace }: Outgoing): Record<string, string> {
  const isKey = idempotencyKey === undefined || headerPattern.test(idempotencyKey);
  if (!isKey) return failUnsent();
  return {
    authorization: `Bearer ${token}`,
    // The specification sends it on the look-up too, which has no body.
    'content-type': 'application/json',
    accept: 'application/json',
    ...toTraceHeaders(trace),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
}

/** A token as short as a word occurs in answers by chance, so it is not searched for. */
function holds(value: unknown, token: string): boolean {
  if (typeof value === 'string') return value.includes(token);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((part) => holds(part, token));
}

function toTokenReader(accessToken: AccessToken): () => Promise<string> {
  if (typeof accessToken === 'function') {
    return async () => checkToken('accessToken', await accessToken());
  }
  const token = checkToken('accessToken', accessToken);
  return async () => token;
}

/**
 * A token that no header can carry must fail here: `fetch` would quote it in its error.
 * @throws TypeError naming the option
 */
export function checkToken(option: string, token: unknown): string {
  refuseMissing(option, token);
  if (typeof token === 'string' && tokenPattern.test(token)) return token;
  throw new TypeError(`${option} is not a bearer token: give the token alone`);
}

/** A body that is too large, or not UTF-8. Any other error of {@link readText} is the stream's. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  constructor(readonly problem: 'too_large' | 'not_utf8') {
    super(problem);
  }
}

/**
 * Reads a body as text up to a limit, counting bytes as they arrive: an announced length proves nothing.
 * @param reader undefined where there is no body. If the caller cancels it, the text so far is returned
 * @param maxBytes largest body, in bytes after any content coding
 * @throws BodyError, and what the stream throws
 */
export async function readText(reader: BodyReader | undefined, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk?.value) return text + decode();
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new BodyError('too_large');
    }
    text += decode(chunk.value);
  }

  function decode(part?: Uint8Array): string {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw new BodyError('not_utf8');
    }
  }
}

/** The trace that a request belongs to, as it says; null: it says nothing. Only the service's client reads it. */
export function readTrace(headers: Pick<Headers, 'get'>): TraceContext | null {
  const traceparent = headers.get('traceparent');
  if (traceparent === null) return null;
  const tracestate = headers.get('tracestate');
  return tracestate === null ? { traceparent } : { traceparent, tracestate };
}

/** @returns the headers to send: none if `traceparent` is not one, and that one alone if `tracestate` is none */
export function toTraceHeaders(
  trace: TraceContext | null | undefined,
): Readonly<Record<string, string>> {
  if (!trace || !traceparentPattern.test(trace.traceparent)) return {};
  const { traceparent, tracestate } = trace;
  return isTraceState(tracestate) ? { traceparent, tracestate } : { traceparent };
}

function isTraceState(text: string | undefined): text is string {
  if (text === undefined || text.length > most.characters) return false;
  const members = text.split(',').map((member) => member.replaceAll(/^[ \t]+|[ \t]+$/g, ''));
  return members.length <= most.members && members.every((member) => memberPattern.test(member));
}
