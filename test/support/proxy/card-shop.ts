/** A shop that takes cards, on the real sandbox: two rooms that know nothing of each other, and a network between them. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSandbox } from '../../../src/sandbox.js';
import type { Fault, Sandbox } from '../../../src/sandbox.js';
import { accessToken, createWorld, openShop } from './shop.js';
import type { CreateFields, ShopOptions, World } from './shop.js';

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

export type CardShop = ReturnType<typeof openCardShop>;

/** One that keeps its orders: see `openKeptShop`. */
export function openKeptCardShop(options: ShopOptions = {}, world: World = createWorld()) {
  return openCardShop({ ledger: world.store, ...options }, world);
}

export function openCardShop(
  options: ShopOptions = {},
  world: World & { readonly service?: Service } = createWorld(),
) {
  const service = world.service ?? openService(world);
  const { sandbox } = service;
  const base = openShop({ allowSandbox: true, serviceUrl: origin, ...options }, world);

  // A page is rendered once, and its token belongs to what makes two requests the same.
  const tokens = new Map<string, string>();
  const shop = Object.assign(base, {
    service,
    sandbox,
    /** `POST /invoices` with a card. */
    async pay(
      card: object = { token: 'tok_approve' },
      fields: Partial<CreateFields> = {},
    ): Promise<Response> {
      const { externalId = 'order-1', body } = fields;
      const order_token = tokens.get(externalId) ?? (await base.signOrder(externalId));
      tokens.set(externalId, order_token);
      return base.create({
        ...fields,
        body: { method: 'credit_card', card, order_token, ...body },
      });
    },
    async fail(...faults: Fault[]): Promise<void> {
      assert.equal((await shop.control('/faults', faults, 'PUT')).status, 200);
    },
    control: (path: string, body?: object, method = 'POST'): Promise<Response> => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      return sandbox.fetch(new Request(`${origin}/sandbox${path}`, init));
    },
    /** The invoice is paid, and that is not told. */
    async settle(invoiceId: string): Promise<void> {
      assert.equal((await shop.control(`/invoices/${invoiceId}/settle`)).status, 200);
    },
    /** The service makes what is asked of it next, and says this in place of its own answer. */
    answerNext: (answer: Service['nextAnswer']) => void (service.nextAnswer = answer),
    /** The invoice that the service made last. */
    newest: () => sandbox.invoices().at(-1)!.invoiceId,
    /** The service tells of an invoice, the newest unless another is named. */
    report: (id?: string): Promise<Response> => shop.postback({ id: id ?? shop.newest() }),
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
export async function loseCard(options: ShopOptions = {}, open = openCardShop) {
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
