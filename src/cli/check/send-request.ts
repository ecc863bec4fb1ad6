/** Sends requests as the element does, and reads the answers, with limits of time and size. It follows no redirect. */

import { randomUUID } from 'node:crypto';
import { readText } from '../../service/body.js';
import { parseObject, toObject } from '../json-object.js';
import { waitForEnd } from '../terminal.js';
import { fill, type Ask, type PointRequest, type Values } from './point.js';

/** Largest answer that is read, bytes. */
const maxAnswerBytes = 64 * 1024;

/** A proxy, and how requests are sent to it. */
export interface Target {
  /** Without a trailing slash. */
  readonly endpoint: string;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs: number;
  /** The same for a GET. Three seconds are added for the recovery of an attempt, and for a look-up that waits. */
  readonly lookUpMs: number;
  /** The same for a look-up that asks to wait for ten minutes. */
  readonly longestMs: number;
  /** The same for a body that stalls. */
  readonly stallMs: number;
  /** How long a sent request may take to reach the proxy, milliseconds. It exceeds TCP's delayed acknowledgement, up to 40 ms. */
  readonly settleMs: number;
  /** Sent with each creation, as the page's form does. */
  readonly payer: Readonly<Record<string, string>>;
  /** The sandbox behind the proxy, without a trailing slash. */
  readonly sandbox?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Ends all requests. */
  readonly signal?: AbortSignal;
}

/** An answer with its request. */
export interface Answer {
  readonly method: string;
  /** The path of the point, without values. */
  readonly path: string;
  /** Whether the request was to charge a card. */
  readonly isOfCard: boolean;
  /**
   * Whether a page of the shop sends such a request and reads the answer. Preflights do not count, because the browser sends
   * them.
   */
  readonly isOfPage: boolean;
  /** The `Origin` that was sent. */
  readonly origin: string | null;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON object of the body, or an empty one. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `data` of the body, if it is an object. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** How long the answer took, milliseconds. */
  readonly tookMs: number;
  /** The answer to the request that ran beside it (`heldFor`, `during`). */
  readonly other?: Answer;
}

/** There was no readable answer. The message contains nothing of the answer or the request. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/**
 * Sends one request several times, so that all end at the same moment. A proxy begins its work with the last byte of a body:
 * if each request were sent as soon as its connection opens, the first would be over before the second came.
 * @throws NoAnswer
 */
export async function sendTogether(
  target: Target,
  request: PointRequest,
  values: Values,
): Promise<Answer[]> {
  const { times = 1, heldFor, during } = request;
  if (heldFor) {
    const others: Answer[] = [];
    const askFirst = async () => void others.push(...(await sendTogether(target, heldFor, values)));
    const answer = await sendAlone(target, request, values, askFirst);
    return others.map((other) => ({ ...answer, other }));
  }
  if (during) {
    // Another point checks the answer of this waiting look-up.
    const waiting = sendAlone(target, during, values).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, target.settleMs));
    const [answer, other] = await Promise.all([sendAlone(target, request, values), waiting]);
    return [other ? { ...answer, other } : answer];
  }
  if (times === 1) return [await sendAlone(target, request, values)];
  const enter = createGate(times, target.settleMs);
  const send = async () => {
    const arrive = enter();
    // If a request is answered early, or fails, the others still go on.
    return sendAlone(target, request, values, arrive).finally(() => void arrive());
  };
  return Promise.all(Array.from({ length: times }, send));
}

/** Sends the beginning of a body, but never its end. The proxy need not answer. */
export async function sendStalled(target: Target, values: Values): Promise<Answer[]> {
  const request = { method: 'POST', path: '/invoices' };
  const slow = { ...target, timeoutMs: target.stallMs };
  const answer = await sendAlone(slow, request, values, null).catch(() => null);
  return answer ? [answer] : [];
}

/** Calls the sandbox's control surface. @throws NoAnswer if the sandbox refuses */
export async function tellSandbox(
  { sandbox = '', fetch: send = globalThis.fetch, signal }: Target,
  { method, path, body }: NonNullable<Ask['before']>[number],
  values: Values,
): Promise<void> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const url = `${sandbox}/sandbox${fill(path, values)}`;
  const answer = await send(url, { method, ...text, ...(signal && { signal }) }).catch(() => null);
  if (!answer?.ok) throw new NoAnswer(`the sandbox did not do ${path} (${answer?.status ?? '–'})`);
}

/** Sends one request, and reads the answer within the time limit. @param beforeEnd as `before` of {@link toSentBody} */
async function sendAlone(
  target: Target,
  request: PointRequest,
  values: Values,
  beforeEnd?: (() => Promise<void>) | null,
): Promise<Answer> {
  const { method, path } = request;
  const { endpoint, fetch: send = globalThis.fetch, signal } = target;
  const timeoutMs = toTimeout(target, request);
  const ending = new AbortController();
  // A timer is set here, because that of `AbortSignal.timeout` would not keep the process alive.
  const timer = setTimeout(() => ending.abort(new DOMException('', 'TimeoutError')), timeoutMs);
  const end = signal ? AbortSignal.any([ending.signal, signal]) : ending.signal;
  const headers = toHeaders(request, values);
  const text = toBody(target, request, values);
  // Some servers do not accept a chunked body, so its length is announced.
  if (beforeEnd) headers.set('content-length', String(Buffer.byteLength(text)));
  const body = method === 'POST' ? toSentBody(text, beforeEnd) : null;
  // A redirect is not followed, because its target would get the tokens.
  const init = { method, redirect: 'manual', duplex: 'half', headers, body, signal: end } as const;
  const begunMs = performance.now();
  try {
    // The signal is raced with the request, because an injected `fetch` may ignore it.
    const read = async () => {
      const response = await send(endpoint + fill(path, values), init);
      return { response, came: await readText(response.body?.getReader(), maxAnswerBytes) };
    };
    const fail = (): never => {
      throw end.reason;
    };
    const { response, came } = await Promise.race([read(), waitForEnd(end).then(fail)]);
    const object = parseObject(came) ?? {};
    const data = toObject(object['data']) ?? undefined;
    const { status, headers: answered } = response;
    const origin = headers.get('origin');
    const tookMs = performance.now() - begunMs;
    const isOfCard = typeof request.body === 'object' && request.body['method'] === 'credit_card';
    const asked = { method, path, origin, isOfCard, isOfPage: false };
    return { ...asked, status, headers: answered, text: came, body: object, data, tookMs };
  } catch (thrown) {
    throw new NoAnswer(describeFailure(thrown, timeoutMs));
  } finally {
    clearTimeout(timer);
  }
}

function toTimeout(target: Target, { method, path }: PointRequest): number {
  if (path.endsWith('wait=600')) return target.longestMs;
  const more = /\?external_id=|&wait=/.test(path) ? 3_000 : 0;
  return method === 'GET' ? Math.min(target.lookUpMs + more, target.timeoutMs) : target.timeoutMs;
}

/** Makes the headers that the element would send. The point's own headers replace them. */
function toHeaders({ method, path, headers: own }: PointRequest, values: Values): Headers {
  const isQuestion = method === 'GET' && path.startsWith('/invoices?');
  const usual = {
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    'user-agent': 'pix-checkout check',
    ...('origin' in values && { origin: '{origin}' }),
    ...(isQuestion && 'order_token' in values && { 'order-token': '{order_token}' }),
    ...(path.startsWith('/invoices/') &&
      'lookup_token' in values && { 'lookup-token': '{lookup_token}' }),
  };
  const headers = new Headers();
  for (const [name, value] of Object.entries({ ...usual, ...own })) {
    if (value !== null) headers.set(name, fill(value, values));
  }
  return headers;
}

/** Makes the body that the element would send. The point's own fields replace its fields. */
function toBody({ payer }: Target, { body: fields = {} }: PointRequest, values: Values): string {
  if (typeof fields === 'string') return fill(fields, values);
  const token = 'order_token' in values ? { order_token: '{order_token}' } : {};
  const body = { method: 'pix', external_id: '{order}', ...token, payer, ...fields };
  const filled = Object.entries(fill(body, values)).filter(
    ([, value]) => value !== null && value !== '',
  );
  return JSON.stringify(Object.fromEntries(filled));
}

/**
 * Streams the text up to its last byte, and sends that byte after `before`. @param before null sends a beginning, but never
 * the end
 */
function toSentBody(text: string, before: (() => Promise<void>) | null | undefined) {
  if (before === undefined) return text;
  const bytes = new TextEncoder().encode(before ? text : '{"method":');
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

/**
 * Describes a failure so that a person can act on it. It repeats only the code of an error, because messages may quote a
 * header.
 */
function describeFailure(thrown: unknown, timeoutMs: number): string {
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

// Holds requests back until all have arrived, so that they end in the same moment.

/** Longest wait for the last request, milliseconds. A server may accept fewer connections at once than the gate waits for. */
const mostMs = 3_000;

/**
 * Makes a gate for a number of requests. Each gets a function to call on its arrival; its promise resolves once all have
 * arrived.
 */
function createGate(count: number, settleMs: number): () => () => Promise<void> {
  let open: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let latest: ReturnType<typeof setTimeout> | undefined;
  let left = count;
  return () => {
    let isHere = false;
    return () => {
      if (isHere) return opened;
      isHere = true;
      left -= 1;
      latest ??= setTimeout(open, mostMs);
      if (left > 0) return opened;
      clearTimeout(latest);
      // Waits a moment more, because the last connection may not be accepted yet.
      setTimeout(open, settleMs);
      return opened;
    };
  };
}
