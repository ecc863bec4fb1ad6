/** A client on a network that is one function, and the usual answers of such a network. */

import assert from 'node:assert/strict';
import { createServiceClient, ServiceError } from '../../src/service.js';
import type { ServiceClientOptions } from '../../src/service.js';

export const accessToken = 'canary|t0ken';
export const nowMs = Date.UTC(2026, 10, 21, 13, 0, 0);

export type Answer = (request: Request) => Response | Promise<Response>;

/** A client whose network is one function, and all that it sent. */
export function openClient(answer: Answer, options: Partial<ServiceClientOptions> = {}) {
  const sent: Request[] = [];
  const client = createServiceClient({
    serviceUrl: 'https://service.example',
    accessToken,
    now: () => nowMs,
    fetch: async (input, init) => {
      const request = new Request(input, init);
      sent.push(request);
      return answer(request);
    },
    ...options,
  });
  return { client, sent };
}

export function answerWith(
  body: BodyInit | null,
  { headers, ...init }: Omit<ResponseInit, 'headers'> & { headers?: Record<string, string> } = {},
): Answer {
  const type = { 'content-type': 'application/json' };
  return () => new Response(body, { ...init, headers: { ...type, ...headers } });
}

export const envelope =
  (data: object): Answer =>
  () =>
    Response.json({ data, message: 'ok' });

export async function failureOf(work: Promise<unknown>): Promise<ServiceError> {
  const thrown = await work.then(
    () => assert.fail('the call succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(thrown instanceof ServiceError, String(thrown));
  return thrown;
}

/** As Node's `fetch` fails. */
export function fetchFailed(cause?: unknown): Answer {
  return () => {
    throw new TypeError('fetch failed', { cause });
  };
}
