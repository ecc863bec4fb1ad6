/** What the tests of the client share: one client, answered as a test likes. */

import assert from 'node:assert/strict';
import { lookUpInvoice } from '../../../src/checkout/browser/proxy-client.js';
import type { Answer, RequestOptions } from '../../../src/checkout/browser/proxy-client.js';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';
import type { Answerer, SentRequest } from '../../support/checkout/fake-environment.js';
import { invoiceId } from '../machine/samples.js';

export const body = {
  method: 'pix',
  external_id: 'order-1042',
  expected_total_cents: 12_990,
} as const;
export const look = { invoiceId, lookupToken: 'token-1', waitSeconds: 25, timeoutMs: 33_000 };

export function open(answer: Answerer) {
  const environment = createFakeEnvironment(answer);
  const aborter = new AbortController();
  const options: RequestOptions = { endpoint: '/pix', environment, over: aborter };
  return { environment, options, abort: () => aborter.abort() };
}

export const json = (value: unknown, init: ResponseInit = {}) =>
  new Response(JSON.stringify(value), init);
export const never = () => new Promise<Response>(() => {});

/** Sends headers, and a body that never ends. */
export const hangingBody = ({ signal }: SentRequest) => {
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"data":'));
      signal.addEventListener('abort', () => controller.error(new Error('aborted')));
    },
  });
  return new Response(stream);
};

export async function failureOf(request: Promise<Answer<unknown>>) {
  const answer = await request;
  assert.ok('failure' in answer, 'it was answered');
  const why =
    /^(\S* answered \d{3}( with HTML)?( \(WWW-Authenticate: Basic\))?( without a code| [a-z_]+|\. The answer's "[\w.]+" is missing or not as the contract says)|\S* (?:did not answer|was not heard whole): .*\?)?$/;
  assert.match(answer.advice, why, 'nothing of the answer is in it');
  return answer.failure;
}

/** The failure of a look-up that is answered so. */
export const failed = (answer: Answerer) => failureOf(lookUpInvoice(open(answer).options, look));
