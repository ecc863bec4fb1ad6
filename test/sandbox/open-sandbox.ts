/** A sandbox with a fixed clock and counted ids, and short ways to call it. */

import { createSandbox } from '../../src/sandbox.js';
import type { SandboxOptions } from '../../src/sandbox.js';

export const accessToken = 'canary-service-token';

/** 21 November 2026, 10:15:30.123 in Brasília. */
const startMs = Date.UTC(2026, 10, 21, 13, 15, 30, 123);

/** Answers as loose JSON, for tests to look into. */
export type Json = Record<string, unknown>;

/** What a call gave. */
export interface Called<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Opens a sandbox; `clock.ms` may be moved, `slept` holds every wait. */
export function openSandbox(options: Partial<SandboxOptions> = {}) {
  const clock = { ms: startMs };
  const slept: number[] = [];
  let ids = 0;
  const sandbox = createSandbox({
    accessToken,
    now: () => clock.ms,
    randomUuid: () => `0b1e6f0c-7f3a-4a3e-9d52-${String((ids += 1)).padStart(12, '0')}`,
    sleep: async (ms) => void slept.push(ms),
    ...options,
  });
  const base = 'http://127.0.0.1';

  return { sandbox, clock, slept, send, create, lookUp, control };

  /** One call of the service, with the right bearer unless headers say otherwise. */
  function send(
    method: string,
    path: string,
    {
      headers = {},
      ...init
    }: { headers?: Record<string, string>; body?: BodyInit; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const sent = { Authorization: `Bearer ${accessToken}`, ...headers };
    return sandbox.fetch(base + path, { ...init, method, headers: sent });
  }

  async function create(request: unknown = { method: 'pix', total_price_cents: 12_345 }) {
    const body = typeof request === 'string' ? request : JSON.stringify(request);
    return read<{ data: Json & { invoice_id: string }; message: string }>(
      await send('POST', '/api/v2/invoices', { body }),
    );
  }

  async function lookUp(id: string) {
    return read<{ data: Json; message: string }>(await send('GET', `/api/v2/invoices/${id}`));
  }

  async function control<T = Json>(method: string, path: string, body?: unknown) {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    return read<T>(await sandbox.fetch(`${base}/sandbox${path}`, init));
  }
}

async function read<T>(response: Response): Promise<Called<T>> {
  const body: T = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, body };
}
