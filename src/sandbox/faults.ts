/** The faults that the sandbox can play, and how each changes an answer. */

import * as z from 'zod/mini';
import { toFailure, toSuccess } from './json-response.js';

/** The operation that a fault affects. */
export type Operation = 'create' | 'look_up';

/** The parameters of a fault. */
const values = {
  /** `delay`, and each pause of `slow_body`: milliseconds. */
  ms: z.exactOptional(z.int().check(z.minimum(0), z.maximum(600_000))),
  /** `rate_limited`: the header's value. */
  retry_after: z.exactOptional(z.union([z.string(), z.int()])),
  /** `unknown_status`: the word. */
  status: z.exactOptional(z.string()),
  /** `redirect`, `client_error`, `server_error`, before or after the effect: the status. */
  http_status: z.exactOptional(z.int()),
};

const valuesSchema = z.object(values);

type FaultValues = z.infer<typeof valuesSchema>;

/** The data of a success, which a late fault changes. */
interface Data {
  external_id: string | null;
  invoice_id: string;
  qr_code_pix: string;
  status: string;
  total_cents: number;
}

export interface FaultTools {
  readonly sleep: (ms: number) => Promise<void>;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

type Early = (fault: FaultValues) => Response;
type Late = (data: Data, fault: FaultValues, tools: FaultTools) => Response | Promise<Response>;

/** Size of an answer that a careful reader refuses, bytes. */
const oversizeBytes = 1_048_576;

/** Bytes that a slow body sends at a time. */
const dripBytes = 16;

// Assumed: how the service words and numbers its failures (service spec shows the 401 only, without a body).
/** Faults that come before the operation, which then has no effect. */
const earlyFaults = {
  unauthorized: () => toFailure(401, 'Unauthorized'),
  rate_limited: (fault) =>
    toFailure(429, 'Too many requests', { 'Retry-After': String(fault.retry_after ?? 2) }),
  client_error: clientError,
  server_error: serverError,
  cut_before: cut,
  redirect,
} satisfies Record<string, Early>;

/** Faults that come after the operation has had its effect. */
const lateFaults = {
  delay: async (data, fault, { sleep }) => {
    await sleep(fault.ms ?? 3_000);
    return toSuccess(data);
  },
  hang: (_data, _fault, { signal }) => waitUntilLeft(signal),
  redirect_after_effect: (_data, fault) => redirect(fault),
  client_error_after_effect: (_data, fault) => clientError(fault),
  server_error_after_effect: (_data, fault) => serverError(fault),
  cut_after: cut,
  garbage: () =>
    new Response('<!doctype html><title>Bad gateway</title><h1>It works!</h1>', {
      headers: { 'Content-Type': 'text/html' },
    }),
  empty: () => new Response(''),
  invalid_json: (data) => toJsonBody(JSON.stringify({ data }).slice(0, -1)),
  wrong_shape: (data) => Response.json({ invoice: { id: data.invoice_id, state: data.status } }),
  truncated: (data) => toJsonBody(breakOff(JSON.stringify({ data }))),
  oversize: (data) => toJsonBody(JSON.stringify({ data, message: 'x'.repeat(oversizeBytes) })),
  slow_body: (data, fault, { sleep }) =>
    toJsonBody(drip(JSON.stringify({ data }), () => sleep(fault.ms ?? 1_000))),
  unknown_status: (data, fault) => toSuccess({ ...data, status: fault.status ?? 'em_analise' }),
  wrong_total: (data) => toSuccess({ ...data, total_cents: data.total_cents + 1 }),
  foreign_reference: (data) => toSuccess({ ...data, external_id: 'another-order' }),
  bad_crc: (data) => toSuccess({ ...data, qr_code_pix: breakCrc(data.qr_code_pix) }),
  no_invoice_id: ({ invoice_id: _left, ...data }) => toSuccess(data),
} satisfies Record<string, Late>;

type Kind = keyof typeof earlyFaults | keyof typeof lateFaults;

/** All faults. */
export const faultKinds = Object.keys({ ...earlyFaults, ...lateFaults }) as readonly Kind[];

/** The first digit of the statuses that a kind allows (RFC 9110 section 15). */
const statusClasses: Readonly<Record<string, number>> = {
  redirect: 3,
  client_error: 4,
  server_error: 5,
};

const fault = z.strictObject({
  on: z.enum(['create', 'look_up']),
  kind: z.enum(faultKinds),
  /** How often the fault is played; null or absent: until it is removed. */
  times: z.exactOptional(z.nullable(z.int().check(z.minimum(0)))),
  ...values,
});

/** The body of `PUT /sandbox/faults`. The first fault that fits the call and is not used up is played. */
export const faultList = z.array(fault.check(z.refine(isStatusFitting, { path: ['http_status'] })));

/** One fault. */
export type Fault = z.infer<typeof fault>;

/**
 * Runs an operation under a fault.
 *
 * @param perform has the effect; returns the data of a success or the answer of a refusal
 * @throws TypeError as `fetch` does, if the fault cuts the connection
 */
export async function answerUnder(
  fault: Fault | undefined,
  tools: FaultTools,
  perform: () => Data | Response,
): Promise<Response> {
  if (fault && isKeyOf(earlyFaults, fault.kind)) return earlyFaults[fault.kind](fault);
  const data = perform();
  if (data instanceof Response) return data;
  if (fault && isKeyOf(lateFaults, fault.kind)) return lateFaults[fault.kind](data, fault, tools);
  return toSuccess(data);
}

function redirect(fault: FaultValues): Response {
  // RFC 2606 reserves this domain, so no server answers there.
  const headers = { Location: 'https://redirect.invalid/api/v2/invoices' };
  return new Response(null, { status: fault.http_status ?? 307, headers });
}

function clientError(fault: FaultValues): Response {
  return toFailure(fault.http_status ?? 400, 'Request refused');
}

function serverError(fault: FaultValues): Response {
  return toFailure(fault.http_status ?? 500, 'Internal error');
}

/** Fails as Node's `fetch` does when a connection is reset. */
function cut(): never {
  throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
}

/** Waits until the caller disconnects, and then rejects. */
function waitUntilLeft(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const leave = () => reject(new DOMException('The caller has gone', 'AbortError'));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
}

function toJsonBody(body: BodyInit): Response {
  return new Response(body, { headers: { 'Content-Type': 'application/json' } });
}

/** Sends the text a few bytes at a time, with a pause before each part. */
function drip(text: string, pause: () => Promise<void>): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      await pause();
      controller.enqueue(bytes.slice(sent, sent + dripBytes));
      sent += dripBytes;
      if (sent >= bytes.length) controller.close();
    },
  });
}

/** Sends half of the text, then fails as Node's `fetch` does when the connection ends. */
function breakOff(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const bytes = new TextEncoder().encode(text);
  let isHalfSent = false;
  return new ReadableStream({
    pull(controller) {
      if (isHalfSent) controller.error(new TypeError('terminated'));
      else controller.enqueue(bytes.slice(0, bytes.length / 2));
      isHalfSent = true;
    },
  });
}

function breakCrc(code: string): string {
  return code.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
}

function isKeyOf<T extends object>(table: T, key: PropertyKey): key is keyof T {
  return Object.hasOwn(table, key);
}

/** Whether the fault's status is of the class that its kind allows. A fault of another kind must have none. */
function isStatusFitting({ kind, http_status: status }: Fault): boolean {
  const group = statusClasses[kind.replace('_after_effect', '')];
  return status === undefined || Math.floor(status / 100) === group;
}
