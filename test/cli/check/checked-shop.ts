/** Our proxy on a sandbox, in this process, and the check held against it or against what a test makes of it. */
import { runCheck } from '../../../src/cli/check/run-check.js';
import { tokenEnds } from '../../../src/cli/check/read-proxy.js';
import type { PointResult } from '../../../src/cli/check/point.js';
import type { CheckedProxy } from '../../../src/cli/check/values.js';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import { faultsOf } from '../../support/openapi-check.js';

export const endpoint = 'https://shop.example/pix';
export const origin = 'https://shop.example';
export const order = 'order-of-the-check';
export const secondOrder = 'another-order-of-the-check';
export const totalCents = 12_990;

export const secrets = ['a-secret-of-the-tests-of-the-check-command'];
const accessToken = 'access-token-of-the-check';

/** Answers a request. */
export type Answering = (request: Request) => Promise<Response>;

/** A shop with one open order. */
export async function openCheckedShop(options: Partial<ProxyOptions> = {}) {
  const sandbox = createSandbox({ accessToken });
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
  const sign = (externalId: string) => signOrder({ secrets, publicUrl: endpoint, externalId });
  const orderToken = await sign(order);
  const answer: Answering = (request) => proxy.fetch(request);
  /** All that can be given for a proxy, but a card. */
  const given = async () => ({
    orderToken,
    agedTokens: await signAged(),
    otherOrder: { order: 'check-unknown', orderToken: await sign('check-unknown') },
    secondOrder: { order: secondOrder, orderToken: await sign(secondOrder) },
    totalCents,
  });
  return { sandbox, proxy, answer, sign, orderToken, given };

  async function signAged() {
    const about = { secrets, publicUrl: endpoint, externalId: order, expiresInSeconds: 3_600 };
    const signed = Object.entries(tokenEnds).map(async ([name, inSeconds]) => {
      const now = () => Date.now() + (inSeconds - 3_600) * 1_000;
      return [name, await signOrder({ ...about, now })];
    });
    return Object.fromEntries(await Promise.all(signed)) as Record<string, string>;
  }
}

export type CheckedShop = Awaited<ReturnType<typeof openCheckedShop>>;

/** On requests whose body comes at once. */
const wholeHeader = 'x-body-is-whole';

/** Turns a function of requests into a `fetch`. */
export function toFetch(answer: Answering): typeof fetch {
  return (input, init = {}) => {
    const headers = new Headers(init.headers);
    if (typeof init.body === 'string') headers.set(wholeHeader, 'true');
    return answer(new Request(input, { ...init, headers }));
  };
}

/** A `fetch` that notes what of the answers the OpenAPI document does not say. */
export function noting(faults: string[], send: typeof fetch, base = endpoint): typeof fetch {
  return async (input, init) => {
    const answer = await send(input, init);
    const url = input instanceof Request ? input.url : input.toString();
    const [path = ''] = url.slice(base.length).split('?');
    faults.push(...(await faultsOf(init?.method ?? 'GET', path, answer.clone())));
    return answer;
  };
}

/** A machine with other work is no fault of a proxy. */
export const patient = { timeoutMs: 60_000, lookUpMs: 60_000, settleMs: 0, waitSeconds: 1 };

/** Holds what answers against all points. */
export function check(answer: Answering, more: Partial<CheckedProxy> = {}): Promise<PointResult[]> {
  const times = { ...patient, stallMs: 5 };
  return runCheck({ endpoint, order, origin, fetch: toFetch(answer), ...times, ...more });
}

/** Ids of the points that came out so. */
export function idsOf(results: readonly PointResult[], outcome: PointResult['outcome']): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id);
}

/** All that is said of a proxy: a right one passes without a word. */
export function saidOf(results: readonly PointResult[]): string[] {
  const said = results.filter(({ outcome, note }) => outcome !== 'passed' || note !== undefined);
  return said.map(({ id, outcome, came = '', note = '' }) => [id, outcome, came, note].join(' | '));
}

/** The body of a request. Null: it stalls, for all others come at once or say how long they are. */
export async function textOf(request: Request): Promise<string | null> {
  if (request.method !== 'POST') return '';
  const isWhole = request.headers.has(wholeHeader) || request.headers.has('content-length');
  return isWhole ? request.clone().text() : null;
}
