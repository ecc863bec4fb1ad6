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
  /** The `Origin` that was sent. */
  readonly origin: string | null;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON object of the body; empty if it is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Its `data`; undefined if it is no object. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** The answer to the request for which the body was held back. */
  readonly other?: Answer;
}

/** Nothing came that could be read. The message is ours, and holds nothing of the answer or the request. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * @throws NoAnswer
 */
export async function sendRequest(
  target: Target,
  request: PointRequest,
  values: Values,
): Promise<Answer> {
  const { method, path, stalls = false, heldFor } = request;
  const { endpoint, fetch: send = globalThis.fetch, signal } = target;
  const lookUpMs = target.lookUpMs + (path.includes('?') ? 3_000 : 0);
  const timeoutMs = method === 'GET' ? Math.min(lookUpMs, target.timeoutMs) : target.timeoutMs;
  let other: Answer | undefined;
  const askFirst = async () => {
    if (heldFor) other = await sendRequest(target, heldFor, values);
  };
  const ending = new AbortController();
  // Not `AbortSignal.timeout`: its timer does not keep a process alive.
  const timer = setTimeout(() => ending.abort(new DOMException('', 'TimeoutError')), timeoutMs);
  const end = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const headers = toHeaders(request, values);
  const text = toBody(request, values);
  // Not every server takes a body in chunks.
  if (heldFor) headers.set('content-length', String(Buffer.byteLength(text)));
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers,
    redirect: 'manual',
    signal: end,
    ...(method === 'POST' && { body: text }),
    ...(stalls && { body: toSlowBody('{"method":', null), duplex: 'half' }),
    ...(heldFor && { body: toSlowBody(text, askFirst), duplex: 'half' }),
  };
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
    const answer = { method, path, origin, status, headers: answered, text: came, body, data };
    return other ? { ...answer, other } : answer;
  } catch (thrown) {
    throw new NoAnswer(explain(thrown, timeoutMs));
  } finally {
    clearTimeout(timer);
  }
}

function toHeaders({ method, path, headers: own = {} }: PointRequest, values: Values): Headers {
  const usual = {
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    'user-agent': 'pix-checkout check',
    ...('origin' in values ? { origin: '{origin}' } : {}),
    ...(method === 'GET' && path.startsWith('/invoices?') && 'order_token' in values
      ? { 'order-token': '{order_token}' }
      : {}),
    ...('lookup_token' in values ? { authorization: 'Bearer {lookup_token}' } : {}),
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries({ ...usual, ...own })) {
    if (value !== null) headers.set(name, fill(value, values));
  }
  return headers;
}

function toBody({ body: fields = {} }: PointRequest, values: Values): string {
  if (typeof fields === 'string') return fields;
  const token = 'order_token' in values ? { order_token: '{order_token}' } : {};
  const body = { method: 'pix', external_id: '{order}', ...token, ...fields };
  const filled = Object.entries(fill(body, values)).filter(
    ([, value]) => value !== null && value !== '',
  );
  return JSON.stringify(Object.fromEntries(filled));
}

/** Sends half of the text, and the other half after the work. @param before null: never */
function toSlowBody(text: string, before: (() => Promise<void>) | null) {
  const bytes = new TextEncoder().encode(text);
  const half = before ? bytes.length >> 1 : bytes.length;
  let isBegun = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (!isBegun) {
        isBegun = true;
        return controller.enqueue(bytes.subarray(0, half));
      }
      if (before === null) return new Promise(() => undefined);
      await before();
      controller.enqueue(bytes.subarray(half));
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
