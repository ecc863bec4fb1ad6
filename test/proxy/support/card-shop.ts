/** A shop that takes cards, on the real sandbox: two rooms that know nothing of each other, and a network between them. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ProxyOptions } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import type { Fault, Sandbox } from '../../../src/sandbox.js';
import { accessToken, createGate, createWorld, openShop } from './shop.js';
import type { CreateFields, Shop, World } from './shop.js';

export { createGate };

/** What the sandbox must never be asked for here: no one listens at this port. */
const origin = 'http://127.0.0.1:1';

/** Strikes before a request reaches the sandbox: throws, waits, or answers in its place. */
type Network = (request: Request) => void | Response | Promise<void | Response>;

/** The service, and the way to it. Shared by all shops of a world. */
interface Service {
  readonly sandbox: Sandbox;
  /** Replaced by tests. */
  network: Network;
  /** What the service says of the next creation that it makes, in place of its own answer. */
  nextAnswer: ((own: Response) => Response | Promise<Response>) | null;
}

export interface CardShop extends Shop {
  readonly service: Service;
  readonly sandbox: Sandbox;
  /** Of the service. */
  network: Network;
  /** `POST /invoices` with a card. */
  readonly pay: (card?: object, fields?: Partial<CreateFields>) => Promise<Response>;
  readonly fail: (...faults: Fault[]) => Promise<void>;
  readonly control: (path: string, body?: object, method?: string) => Promise<Response>;
  /** The invoice is paid, and that is not told. */
  readonly settle: (invoiceId: string) => Promise<void>;
  /** The service makes what is asked of it next, and says this in place of its own answer. */
  readonly answerNext: (answer: Service['nextAnswer']) => void;
  /** The invoice that the service made last. */
  readonly newest: () => string;
  /** The service tells of an invoice, the newest unless another is named. */
  readonly report: (id?: string) => Promise<Response>;
}

/** One that keeps its orders: see `openKeptShop`. */
export function openKeptCardShop(
  options: Partial<ProxyOptions> = {},
  world: World = createWorld(),
): CardShop {
  return openCardShop({ ledger: world.store, ...options }, world);
}

export function openCardShop(
  options: Partial<ProxyOptions> = {},
  world: World & { readonly service?: Service } = createWorld(),
): CardShop {
  const service = world.service ?? openService(world);
  const { sandbox } = service;
  const base = openShop({ allowSandbox: true, serviceUrl: origin, ...options }, world);

  // A page is rendered once, and its token belongs to what makes two requests the same.
  const tokens = new Map<string, string>();
  const shop = Object.assign(base, {
    service,
    sandbox,
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
    async settle(invoiceId: string) {
      assert.equal((await shop.control(`/invoices/${invoiceId}/settle`)).status, 200);
    },
    answerNext: (answer: Service['nextAnswer']) => void (service.nextAnswer = answer),
    newest: () => sandbox.invoices().at(-1)!.invoiceId,
    report: (id?: string) => shop.postback({ id: id ?? shop.newest() }),
  });
  return Object.defineProperty(shop as typeof shop & { network: Network }, 'network', {
    get: () => service.network,
    set(network: Network) {
      service.network = network;
    },
  });
}

function openService({ upstream }: World): Service {
  const sandbox = createSandbox({ accessToken, sleep: () => new Promise(() => {}) });
  const service: Service = { sandbox, network: () => {}, nextAnswer: null };
  upstream.behave = async ({ method }, request) => {
    const struck = await service.network(request);
    if (struck) return struck;
    const own = await sandbox.fetch(request);
    if (method !== 'POST' || !service.nextAnswer) return own;
    const answer = service.nextAnswer;
    service.nextAnswer = null;
    return answer(own);
  };
  return service;
}

/** An order whose card the service took, but its answer was lost. */
export async function loseCard(options: Partial<ProxyOptions> = {}, open = openCardShop) {
  const shop = open(options);
  const key = randomUUID();
  shop.answerNext(losesAnswer);
  await shop.pay(undefined, { key });
  /** Sends a postback with this body, and lets its look-up end. */
  const tell = async (body: object | string) => {
    await shop.postback(body);
    await shop.clock.advance(0);
  };
  return { shop, key, id: shop.newest(), tell };
}

/** No answer comes. */
export function losesAnswer(): never {
  throw networkError('ECONNRESET');
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
