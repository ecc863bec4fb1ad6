/**
 * What each fault does to an answer, and whether the operation had its effect before.
 *
 * Knows no operation: what one does and answers comes in.
 */

import { failure, json, success } from './json-response.js';
import type { earlyKinds, Fault, lateKinds } from './fault-list.js';

type EarlyKind = (typeof earlyKinds)[number];
type LateKind = (typeof lateKinds)[number];

/** What a late fault finds to spoil. */
interface Data {
  external_id: string | null;
  invoice_id: string;
  qr_code_pix: string;
  status: string;
  total_cents: number;
}

/** What a fault may use. */
export interface FaultTools {
  readonly sleep: (ms: number) => Promise<void>;
  /** The caller has gone. */
  readonly signal: AbortSignal;
}

type Early = (fault: Fault) => Response;
type Late = (data: Data, fault: Fault, tools: FaultTools) => Response | Promise<Response>;

/** Beyond any limit that a careful reader of answers would set, bytes. */
const oversizeBytes = 1_048_576;

/** Bytes that a slow body gives at a time. */
const dripBytes = 16;

// Assumed: how the service words and numbers its failures (service spec shows the 401 only, without a body).
const early: Readonly<Record<EarlyKind, Early>> = {
  unauthorized: () => failure(401, 'Unauthorized'),
  rate_limited: (fault) =>
    failure(429, 'Too many requests', { 'Retry-After': String(fault.retry_after ?? 2) }),
  client_error: clientError,
  server_error: serverError,
  cut_before: cut,
  redirect,
};

const late: Readonly<Record<LateKind, Late>> = {
  delay: async (data, fault, { sleep }) => {
    await sleep(fault.ms ?? 3_000);
    return success(data);
  },
  hang: (_data, _fault, { signal }) => untilGone(signal),
  redirect_after_effect: (_data, fault) => redirect(fault),
  client_error_after_effect: (_data, fault) => clientError(fault),
  server_error_after_effect: (_data, fault) => serverError(fault),
  cut_after: cut,
  garbage: () =>
    new Response('<!doctype html><title>Bad gateway</title><h1>It works!</h1>', {
      headers: { 'Content-Type': 'text/html' },
    }),
  empty: () => new Response(''),
  invalid_json: (data) => asJson(JSON.stringify({ data }).slice(0, -1)),
  wrong_shape: (data) => json(200, { invoice: { id: data.invoice_id, state: data.status } }),
  truncated: (data) => asJson(breakOff(JSON.stringify({ data }))),
  oversize: (data) => asJson(JSON.stringify({ data, message: 'x'.repeat(oversizeBytes) })),
  slow_body: (data, fault, { sleep }) =>
    asJson(drip(JSON.stringify({ data }), () => sleep(fault.ms ?? 1_000))),
  unknown_status: (data, fault) => success({ ...data, status: fault.status ?? 'em_analise' }),
  wrong_total: (data) => success({ ...data, total_cents: data.total_cents + 1 }),
  foreign_reference: (data) => success({ ...data, external_id: 'another-order' }),
  bad_crc: (data) => success({ ...data, qr_code_pix: withBadCrc(data.qr_code_pix) }),
  no_invoice_id: ({ invoice_id: _left, ...data }) => success(data),
};

/**
 * Runs an operation under a fault.
 *
 * @param perform has the effect, and gives the data of a success, or the answer of a refusal
 * @throws TypeError where the fault is a cut connection, as `fetch` does
 */
export async function answerUnder(
  fault: Fault | undefined,
  tools: FaultTools,
  perform: () => Data | Response,
): Promise<Response> {
  if (fault && isKeyOf(early, fault.kind)) return early[fault.kind](fault);
  const data = perform();
  if (data instanceof Response) return data;
  if (fault && isKeyOf(late, fault.kind)) return late[fault.kind](data, fault, tools);
  return success(data);
}

function redirect(fault: Fault): Response {
  // Reserved by RFC 2606: whoever follows it finds nobody.
  const headers = { Location: 'https://redirect.invalid/api/v2/invoices' };
  return new Response(null, { status: fault.http_status ?? 307, headers });
}

function clientError(fault: Fault): Response {
  return failure(fault.http_status ?? 400, 'Request refused');
}

function serverError(fault: Fault): Response {
  return failure(fault.http_status ?? 500, 'Internal error');
}

/** As Node's `fetch` reports a connection that was reset: nobody can say when. */
function cut(): never {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
}

function untilGone(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = () => reject(new DOMException('The caller has gone', 'AbortError'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

function asJson(body: BodyInit): Response {
  return new Response(body, { headers: { 'Content-Type': 'application/json' } });
}

function drip(text: string, pause: () => Promise<void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let given = 0;
  return new ReadableStream({
    async pull(controller) {
      await pause();
      controller.enqueue(bytes.slice(given, given + dripBytes));
      given += dripBytes;
      if (given >= bytes.length) controller.close();
    },
  });
}

/** Half of the text, then the connection is gone, as Node's `fetch` reports it. */
function breakOff(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let isHalfGiven = false;
  return new ReadableStream({
    pull(controller) {
      if (isHalfGiven) controller.error(new TypeError('terminated'));
      else controller.enqueue(bytes.slice(0, bytes.length / 2));
      isHalfGiven = true;
    },
  });
}

function withBadCrc(code: string): string {
  return code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
}

function isKeyOf<K extends string>(record: Readonly<Record<K, unknown>>, key: string): key is K {
  return Object.hasOwn(record, key);
}
