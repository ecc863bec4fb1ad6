/** Our proxy on a sandbox, in this process, and the check held against it or against what a test makes of it. */
import { runCheck } from '../../../src/cli/check/run-check.js';
import type { CheckedProxy, PointResult } from '../../../src/cli/check/run-check.js';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import { faultsOf } from '../../support/openapi-check.js';

export const endpoint = 'https://shop.example/pix';
export const origin = 'https://shop.example';
export const order = 'order-of-the-check';
const totalCents = 12_990;

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
      externalId === order ? { total_price_cents: totalCents } : null,
    fetch: sandbox.fetch,
    log: () => undefined,
    ...options,
  });
  const sign = (externalId: string) => signOrder({ secrets, publicUrl: endpoint, externalId });
  const orderToken = await sign(order);
  const answer: Answering = (request) => proxy.fetch(request);
  const expiredToken = await signOrder({
    secrets,
    publicUrl: endpoint,
    externalId: order,
    expiresInSeconds: 1,
    now: () => Date.now() - 3_600_000,
  });
  return { sandbox, proxy, answer, sign, orderToken, expiredToken };
}

export type CheckedShop = Awaited<ReturnType<typeof openCheckedShop>>;

/** Turns a function of requests into a `fetch`. */
export function toFetch(answer: Answering): typeof fetch {
  return (input, init) => answer(new Request(input, init));
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

/** Holds what answers against all points. */
export function check(answer: Answering, more: Partial<CheckedProxy> = {}): Promise<PointResult[]> {
  const times = { timeoutMs: 60_000, lookUpMs: 60_000, stallMs: 5 };
  return runCheck({ endpoint, order, origin, fetch: toFetch(answer), ...times, ...more });
}

/** Ids of the points that came out so. */
export function idsOf(results: readonly PointResult[], outcome: PointResult['outcome']): string[] {
  return results.filter((result) => result.outcome === outcome).map(({ id }) => id);
}

/** The body of a request. Null: it stalls; all others have come before the event loop has turned so often. */
export async function textOf(request: Request): Promise<string | null> {
  const stalled = async () => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return null;
  };
  return Promise.race([request.clone().text(), stalled()]);
}
