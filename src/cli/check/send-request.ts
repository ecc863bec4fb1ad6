/** Sends one request as an element does, and reads what comes: bounded in time and size, no redirect followed. */

import { randomUUID } from 'node:crypto';
import { readText } from '../../service/call.js';
import { parseObject, toObject } from '../json-object.js';
import { untilEnded } from '../terminal.js';
import { fill } from './point.js';
import type { PointRequest, Values } from './point.js';

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 64 * 1024;

/** A proxy, and how it is asked. */
export interface Target {
  /** Without a trailing slash. */
  readonly endpoint: string;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  /** The same for a GET; where the address has a question, three seconds more. */
  readonly lookUpMs: number;
  /** Pause in which what was sent comes to the proxy, milliseconds. Longer than a delayed acknowledgement (40). */
  readonly settleMs: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
}

/** An answer, and the request that it came to. */
export interface Answer {
  readonly method: string;
  /** As the point names it, with no value in it. */
  readonly path: string;
  /** It asked to charge a card. */
  readonly isOfCard: boolean;
  /** The `Origin` that was sent. */
  readonly origin: string | null;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON object of the body; empty if it is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Its `data`; undefined if it is no object. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** How long it took, milliseconds. */
  readonly tookMs: number;
  /** The answer to the request for which the body was held back, or that was on its way meanwhile. */
  readonly other?: Answer;
}

/** Nothing came that could be read. The message is ours, and holds nothing of the answer or the request. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * @param beforeEnd held before the last byte of a body
 * @throws NoAnswer
 */
export async function sendRequest(
  target: Target,
  request: PointRequest,
  values: Values,
  beforeEnd?: () => Promise<void>,
): Promise<Answer> {
  const { heldFor, during, ...alone } = request;
  let other: Answer | undefined;
  if (during) {
    // Whether that one is answered at all is another question.
    const waiting = sendAlone(target, during, values).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, target.settleMs));
    const [answer, waited] = await Promise.all([sendAlone(target, alone, values), waiting]);
    return waited ? { ...answer, other: waited } : answer;
  }
  const askFirst = async () => {
    other = await sendRequest(target, heldFor!, values);
  };
  const answer = await sendAlone(target, alone, values, heldFor ? askFirst : beforeEnd);
  return other ? { ...answer, other } : answer;
}

async function sendAlone(
  target: Target,
  request: PointRequest,
  values: Values,
  beforeEnd?: () => Promise<void>,
): Promise<Answer> {
  const { method, path } = request;
  const { endpoint, fetch: send = globalThis.fetch, signal } = target;
  const lookUpMs = target.lookUpMs + (path.includes('?') ? 3_000 : 0);
  const timeoutMs = method === 'GET' ? Math.min(lookUpMs, target.timeoutMs) : target.timeoutMs;
  const ending = new AbortController();
  // Not `AbortSignal.timeout`: its timer does not keep a process alive.
  const timer = setTimeout(() => ending.abort(new DOMException('', 'TimeoutError')), timeoutMs);
  const end = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const headers = toHeaders(request, values);
  const text = toBody(request, values);
  // Not every server takes a body in chunks.
  if (beforeEnd) headers.set('content-length', String(Buffer.byteLength(text)));
  const init = { ...toInit(request, text, beforeEnd), headers, signal: end };
  const begunMs = performance.now();
  try {
    // A race, because what was injected may not know the signal.
    const read = async () => {
      const response = await send(endpoint + fill(path, values), init);
      return { response, came: await readText(response.body?.getReader(), maxAnswerBytes) };
    };
    const fail = (): never => {
      throw end.reason;
    };
    const { response, came } = await Promise.race([read(), untilEnded(end).then(fail)]);
    const body = parseObject(came) ?? {};
    const data = toObject(body['data']) ?? undefined;
    const { status, headers: answered } = response;
    const origin = headers.get('origin');
    const tookMs = performance.now() - begunMs;
    const asked = { method, path, origin, isOfCard: isOfCard(request) };
    return { ...asked, status, headers: answered, text: came, body, data, tookMs };
  } catch (thrown) {
    throw new NoAnswer(explain(thrown, timeoutMs));
  } finally {
    clearTimeout(timer);
  }
}

/** No redirection is followed: it would take the tokens along. */
function toInit(
  { method, stalls = false }: PointRequest,
  text: string,
  beforeEnd: (() => Promise<void>) | undefined,
): RequestInit & { duplex?: 'half' } {
  const init: RequestInit = { method, redirect: 'manual' };
  if (stalls) return { ...init, body: toSlowBody('{"method":', null), duplex: 'half' };
  if (beforeEnd) return { ...init, body: toSlowBody(text, beforeEnd), duplex: 'half' };
  return method === 'POST' ? { ...init, body: text } : init;
}

function isOfCard({ body }: PointRequest): boolean {
  return typeof body === 'object' && body['method'] === 'credit_card';
}

function toHeaders(request: PointRequest, values: Values): Headers {
  const { method, path, headers: own = {}, isForm = false } = request;
  const usual = {
    'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
    'idempotency-key': randomUUID(),
    'user-agent': 'pix-checkout check',
    ...('origin' in values ? { origin: '{origin}' } : {}),
    ...(method === 'GET' && path.startsWith('/invoices?') && 'order_token' in values
      ? { 'order-token': '{order_token}' }
      : {}),
    ...('lookup_token' in values ? { 'lookup-token': '{lookup_token}' } : {}),
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries({ ...usual, ...own })) {
    if (value !== null) headers.set(name, fill(value, values));
  }
  return headers;
}

function toBody({ body: fields = {}, isForm = false }: PointRequest, values: Values): string {
  if (typeof fields === 'string') return fields;
  const token = 'order_token' in values ? { order_token: '{order_token}' } : {};
  const body = { method: 'pix', external_id: '{order}', ...token, ...fields };
  const filled = Object.entries(fill(body, values)).filter(
    ([, value]) => value !== null && value !== '',
  );
  if (isForm) return new URLSearchParams(filled.map(([name, one]) => [name, one])).toString();
  return JSON.stringify(Object.fromEntries(filled));
}

/** Sends all of the text but its last byte, and that after the work. @param before null: sends all, and never ends */
function toSlowBody(text: string, before: (() => Promise<void>) | null) {
  const bytes = new TextEncoder().encode(text);
  const most = before ? bytes.length - 1 : bytes.length;
  let isBegun = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isBegun) {
        isBegun = true;
        return controller.enqueue(bytes.subarray(0, most));
      }
      if (before === null) return new Promise(() => undefined);
      await before();
      controller.enqueue(bytes.subarray(most));
      controller.close();
    },
  });
}

/** What a person can do something about. Only the code of a system's error is repeated: messages may quote a header. */
function explain(thrown: unknown, timeoutMs: number): string {
  const { name, cause, problem } = thrown as { name?: string; cause?: unknown; problem?: string };
  if (problem === 'too_large') return `an answer of more than ${maxAnswerBytes / 1024} KiB`;
  if (problem === 'not_utf8') return 'an answer that is not UTF-8';
  if (name === 'TimeoutError') return `no answer within ${timeoutMs / 1_000} s`;
  if (name === 'AbortError') return 'no answer: the check was ended';
  const { code, errors } = (cause ?? {}) as { code?: unknown; errors?: { code?: unknown }[] };
  const found = code ?? errors?.[0]?.code;
  const known =
    typeof found === 'string' && /^[A-Z_\d]{3,50}$/.test(found) ? found : 'no connection';
  const isTls = /CERT|TLS|SSL|SIGNATURE/.test(known);
  return isTls ? `no answer: its certificate is not valid (${known})` : `no answer (${known})`;
}
