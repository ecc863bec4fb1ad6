/** Our proxy on a sandbox, in this process, and the check held against it or against what a test makes of it. */
import { runCheck } from '../../../src/cli/check/run-check.js';
import { testPayer, tokenEnds } from '../../../src/cli/check/read-proxy.js';
import type { PointResult } from '../../../src/cli/check/point.js';
import { toReferencesAlike } from '../../../src/cli/check/values.js';
import type { CheckedProxy } from '../../../src/cli/check/values.js';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import { faultsOf } from '../../support/openapi-check.js';

export const endpoint = 'https://shop.example/pix';
export const origin = 'https://shop.example';
export const sandboxUrl = 'http://127.0.0.1:8081';
export const order = '1042';
export const secondOrder = 'another-order-of-the-check';
export const totalCents = 12_990;

export const secrets = ['a-secret-of-the-tests-of-the-check-command'];
const accessToken = 'access-token-of-the-check';

/** Answers a request. */
export type Answering = (request: Request) => Promise<Response>;

/** A shop with two open orders. */
export async function openCheckedShop(options: Partial<ProxyOptions> = {}) {
  const sandbox = createSandbox({
    accessToken,
    postbackFetch: (url, init) => hearing(new Request(url, init)),
  });
  const proxy = createProxy({
    serviceUrl: 'https://service.example',
    accessToken,
    secrets,
    publicUrl: endpoint,
    allowedOrigins: [origin],
    allowSandbox: true,
    backgroundJobs: false,
    holdSeconds: 0,
    resolveOrder: ({ externalId }) =>
      [order, secondOrder].includes(externalId) ? { total_price_cents: totalCents } : null,
    fetch: sandbox.fetch,
    log: () => undefined,
    ...options,
  });
  const sign = (externalId: string, inSeconds = 3_600) =>
    signOrder({
      secrets,
      publicUrl: endpoint,
      externalId,
      expiresInSeconds: 3_600,
      now: () => Date.now() + (inSeconds - 3_600) * 1_000,
    });
  const alike = Object.entries(toReferencesAlike(order)).filter(([, one]) =>
    /^[\w.]+$/.test(`${one}`),
  );
  const made = await Promise.all([
    ...Object.entries(tokenEnds).map(async ([name, end]) => [name, await sign(order, end)]),
    ...alike.map(async ([name, one]) => [`${name}_token`, await sign(`${one}`)]),
  ]);
  const orderToken = await sign(order);
  /** All that can be given for a proxy, but a card and its sandbox. */
  const given = {
    orderToken,
    madeTokens: Object.fromEntries(made) as Record<string, string>,
    otherOrder: { order: 'check-unknown', orderToken: await sign('check-unknown') },
    secondOrder: { order: secondOrder, orderToken: await sign(secondOrder) },
    totalCents,
  };
  const answer: Answering = (request) => proxy.fetch(request);
  let hearing = answer;
  /** To whom the sandbox sends postbacks: it knows one address. */
  const sendPostbacksTo = (other: Answering) => (hearing = other);
  return { sendPostbacksTo, sandbox, proxy, answer, sign, orderToken, given };
}

export type CheckedShop = Awaited<ReturnType<typeof openCheckedShop>>;

/** On requests whose body comes at once. */
const wholeHeader = 'x-body-is-whole';

/** Turns a function of requests into a `fetch`. Without the sandbox, nothing answers there. */
export function toFetch(answer: Answering, sandbox?: CheckedShop['sandbox']): typeof fetch {
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (typeof init.body === 'string') headers.set(wholeHeader, 'true');
    const request = new Request(input, { ...init, headers });
    if (sandbox && request.url.startsWith(sandboxUrl)) return sandbox.fetch(request);
    return answer(request);
  };
}

/** A `fetch` that notes what of the answers the OpenAPI document does not say. */
export function noting(faults: string[], send: typeof fetch, base = endpoint): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init);
    const url = input instanceof Request ? input.url : input.toString();
    const [path = ''] = url.slice(base.length).split('?');
    if (url.startsWith(base))
      faults.push(...(await faultsOf(init?.method ?? 'GET', path, answer.clone())));
    return answer;
  };
}

/** A machine with other work is no fault of a proxy. */
export const patient = {
  timeoutMs: 60_000,
  lookUpMs: 60_000,
  longestMs: 60_000,
  settleMs: 0,
  waitSeconds: 1,
  lateMs: 0,
  payer: testPayer,
};

/** Holds what answers against all points. */
export function check(answer: Answering, more: Partial<CheckedProxy> = {}): Promise<PointResult[]> {
  return runCheck({
    endpoint,
    order,
    origin,
    fetch: toFetch(answer),
    ...patient,
    stallMs: 5,
    ...more,
  });
}

/** Ids of the points that came out so. */
export function idsOf(results: readonly PointResult[], outcome: PointResult['outcome']): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id);
}

/** All that is said of a proxy: a right one passes without a word. */
export function saidOf(results: readonly PointResult[]): string[] {
  const said = results.filter(({ outcome }) => outcome !== 'passed');
  return said.map(({ id, outcome, came = '' }) => [id, outcome, came].join(' | '));
}

/** The body of a request. Null: it stalls, for all others come at once or say how long they are. */
export async function textOf(request: Request): Promise<string | null> {
  if (request.method !== 'POST') return '';
  const isWhole = request.headers.has(wholeHeader) || request.headers.has('content-length');
  return isWhole ? request.clone().text() : null;
}
