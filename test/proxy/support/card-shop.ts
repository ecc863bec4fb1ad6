/** A shop that takes cards, on the real sandbox: two rooms that know nothing of each other, and a network between them. */

import assert from 'node:assert/strict';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import type { Fault, Sandbox } from '../../../src/sandbox.js';
import { accessToken, createGate, openShop } from './shop.js';
import type { CreateFields, Shop } from './shop.js';

export { createGate };

/** What the sandbox must never be asked for here: nobody listens at this port. */
const origin = 'http://127.0.0.1:1';

/** Strikes before a request reaches the sandbox: throws, waits, or answers in its place. */
type Network = (request: Request) => void | Response | Promise<void | Response>;

export interface CardShop extends Shop {
  readonly sandbox: Sandbox;
  /** Creations that went out to the network, wherever they ended. */
  readonly sends: () => number;
  /** Replaced by tests. */
  network: Network;
  /** `POST /invoices` with a card. */
  readonly pay: (card?: object, fields?: Partial<CreateFields>) => Promise<Response>;
  readonly fail: (...faults: Fault[]) => Promise<void>;
  readonly control: (path: string, body?: object, method?: string) => Promise<Response>;
}

export function openCardShop(options: Partial<ProxyOptions> = {}): CardShop {
  const sandbox = createSandbox({ accessToken, sleep: () => new Promise(() => {}) });
  let sends = 0;
  const service: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (request.method === 'POST') sends += 1;
    return (await shop.network(request)) ?? sandbox.fetch(request);
  };
  const serviceUrl = `${origin}/service`;
  const base = openShop({ allowSandbox: true, serviceUrl, fetch: service, ...options });

  // A page is rendered once, and its token belongs to what makes two requests the same.
  const tokens = new Map<string, string>();
  const shop: CardShop = Object.assign(base, {
    sandbox,
    sends: () => sends,
    network: () => {},
    async pay(card: object = { token: 'tok_approve' }, fields: Partial<CreateFields> = {}) {
      const { externalId = 'order-1', body } = fields;
      const order_token = tokens.get(externalId) ?? (await base.signOrder(externalId));
      tokens.set(externalId, order_token);
      return base.create({
        ...fields,
        body: { method: 'credit_card', card, order_token, ...body },
      });
    },
    async fail(...faults: Fault[]) {
      assert.equal((await shop.control('/faults', faults, 'PUT')).status, 200);
    },
    control: (path: string, body?: object, method = 'POST') => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      return sandbox.fetch(new Request(`${origin}/sandbox${path}`, init));
    },
  });
  return shop;
}

/** Status and code of the answers that tests of payments compare. */
export const inProgress = '409 in_progress';
export const orderPaid = '409 order_paid';
export const refused = '402 payment_refused';
export const tooMany = '429 too_many_requests';
export const unavailable = '503 service_unavailable';
export const unknown = '502 outcome_unknown';

/** Status and code of an answer: `200` or `402 payment_refused`. */
export async function outcomeOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const { status } = response;
  const { code } = await response.clone().json();
  return code === undefined ? String(status) : `${status} ${code}`;
}

/** What Node's `fetch` throws. */
export function networkError(code: string): TypeError {
  return Object.assign(new TypeError('fetch failed'), {
    cause: Object.assign(new Error('secret of the network'), { code }),
  });
}

/** Holds creations back. @returns what lets them go */
export function holdCreations(shop: CardShop): () => void {
  const gate = createGate();
  shop.network = ({ method }) => (method === 'POST' ? gate.opened : undefined);
  return gate.release;
}
