/**
 * What the proxy's tests share: a proxy on a captured upstream (`upstream.ts`), a clock that stands still (`clock.ts`), a store
 * of orders, and the requests. Nothing here waits for real time.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type {
  LogEntry,
  LogEvent,
  MetricsSink,
  OrderAnswer,
  OrderQuestion,
  ProxyOptions,
} from '../../../src/proxy.js';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import { hookNames } from '../../../src/proxy/order/order.js';
import { createMemoryStore } from '../../../src/proxy/store/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { toCreation, toLookUp } from '../payer.js';
import { createTestClock, settle } from './clock.js';
import { readKept, storeOf } from './kept-order.js';
import { createUpstream } from './upstream.js';
import type { WireFields } from './upstream.js';

export { createGate, createTestClock, settle, turnsUntil } from './clock.js';
export type { TestClock } from './clock.js';
export { json, toWireInvoice } from './upstream.js';
export type { Upstream, WireFields } from './upstream.js';

export const secrets = ['a secret of the tests, 32 bytes long!!'];
export const publicUrl = 'https://shop.example/pay';
export const shopOrigin = 'https://shop.example';
export const accessToken = 'canary-access-token';
export const serviceUrl = 'https://service.example';

/** Options of a proxy that sells nothing. */
export const leastOptions: ProxyOptions = {
  serviceUrl,
  accessToken,
  secrets,
  publicUrl,
  allowedOrigins: [shopOrigin],
  resolveOrder: () => null,
};

/** A hook that is told of orders. */
type HookName = (typeof hookNames)[keyof typeof hookNames];

/** What each hook was told, in order. */
type Heard = { [Name in HookName]: Parameters<NonNullable<ProxyOptions[Name]>>[0][] };

export interface ShopOptions extends Partial<ProxyOptions> {
  /** The hooks that there are, and write down what they hear. */
  readonly hears?: readonly HookName[];
}

/** What outlives a process: the service, the clock, where orders are kept, and what the merchant's server has heard. */
export type World = ReturnType<typeof createWorld>;

/** @param changes of the store */
export function createWorld(changes: Partial<OrderStore> = {}) {
  const clock = createTestClock();
  const store = { ...createMemoryStore(clock.now), ...changes };
  const silence = Object.values(hookNames).map((name) => [name, []]);
  return { upstream: createUpstream(), clock, store, heard: Object.fromEntries(silence) as Heard };
}

/** The body of a creation by card. */
export const card = { method: 'credit_card', card: { token: 'tok_any' } };

/** A proxy with everything a test looks at. */
export type Shop = ReturnType<typeof openShop>;

/** What a look-up needs of a create answer. */
export interface Ticket {
  readonly invoice_id: string;
  readonly lookup_token: string;
}

interface AskFields {
  /** Null: it is not named. Default: of the creation with this key. */
  readonly externalId: string | null;
  /** Default: of the order. */
  readonly token: string | null;
  readonly remoteAddress: string;
}

export interface CreateFields {
  readonly key: string | null;
  readonly externalId: string;
  readonly headers: Record<string, string>;
  /** Merged over the body; undefined leaves a field out. */
  readonly body: Record<string, unknown>;
  readonly remoteAddress: string;
  /** Aborts when the page leaves. */
  readonly signal: AbortSignal;
}

/** The same entry, whose hint can be read but is not compared: each event has its own, which one test holds. */
function withQuietHint({ hint, ...entry }: LogEntry): LogEntry {
  return Object.defineProperty({ ...entry }, 'hint', { value: hint, enumerable: false });
}

/** A shop that keeps its orders: another one of its world knows them, as another process does. */
export function openKeptShop(options: ShopOptions = {}, world: World = createWorld()) {
  return openShop({ ledger: world.store, ...options }, world);
}

/** @param world that of another shop, which is one itself */
export function openShop(given: ShopOptions = {}, world: World = createWorld()) {
  const { upstream, clock, heard } = world;
  const { hears = [], ...options } = given;
  const hooks = hears.map((name) => [name, (notice: never) => void heard[name].push(notice)]);
  const store = options.ledger ? storeOf(options.ledger) : world.store;
  const log: LogEntry[] = [];
  const questions: OrderQuestion[] = [];
  const orderOfKey = new Map<string | null, string>();
  const shop = {
    upstream,
    clock,
    store,
    heard,
    /** What `resolveOrder` was asked, unless a test brings its own. */
    questions,
    log,
    /** The entries of an event. */
    logged: (name: LogEvent) => log.filter(({ event }) => event === name),
    /** Price of every order, integer cents. */
    totalCents: 12_345,
    proxy: createProxy({
      ...leastOptions,
      resolveOrder(question): OrderAnswer {
        questions.push(question);
        return { total_price_cents: shop.totalCents };
      },
      fetch: upstream.fetch,
      now: clock.now,
      startTimer: clock.startTimer,
      log: (entry) => log.push(withQuietHint(entry)),
      ...Object.fromEntries(hooks),
      ...options,
    }),
    /** `POST /invoices`, as an element sends it. */
    async create(given: Partial<CreateFields> = {}): Promise<Response> {
      const { key = randomUUID(), externalId = 'order-1', ...fields } = given;
      const { headers, body, remoteAddress, signal } = fields;
      orderOfKey.set(key, externalId);
      const order = { external_id: externalId, order_token: await shop.signOrder(externalId) };
      const named = { 'idempotency-key': key ?? '', ...headers };
      const asked = toCreation(shopOrigin, { ...order, ...body }, named);
      const request = new Request(`${publicUrl}/invoices`, { ...asked, ...(signal && { signal }) });
      if (key === null) request.headers.delete('idempotency-key');
      return shop.proxy.fetch(request, remoteAddress === undefined ? {} : { remoteAddress });
    },
    /** `GET /invoices/{id}`. */
    async lookUp(invoice: Ticket, query = '', signal?: AbortSignal): Promise<Response> {
      const { invoice_id: id, lookup_token: token } = invoice;
      const asked = { ...toLookUp(shopOrigin, token), ...(signal && { signal }) };
      return shop.proxy.fetch(new Request(`${publicUrl}/invoices/${id}${query}`, asked));
    },
    /** The invoice is paid, and its page sees that. */
    async seePaid(invoice: Ticket): Promise<void> {
      upstream.pay(invoice);
      assert.equal((await dataOf(shop.lookUp(invoice)))['status'], 'paid');
    },
    signOrder: (externalId: string): Promise<string> =>
      signOrder({ secrets, publicUrl, externalId, now: clock.now }),
    /** `GET /invoices` with the key, as an element sends it. */
    async ask(key: string, fields: Partial<AskFields> = {}): Promise<Response> {
      const { externalId = orderOfKey.get(key) ?? 'order-1', token, remoteAddress } = fields;
      const orderToken =
        token === undefined && externalId !== null ? await shop.signOrder(externalId) : token;
      const headers = {
        origin: shopOrigin,
        'idempotency-key': key,
        ...(orderToken ? { 'order-token': orderToken } : {}),
      };
      const query = externalId === null ? '' : `?external_id=${externalId}`;
      const request = new Request(`${publicUrl}/invoices${query}`, { headers });
      return shop.proxy.fetch(request, remoteAddress === undefined ? {} : { remoteAddress });
    },
    /** Any other request, to a path below `publicUrl`. */
    request: (path: string, init?: RequestInit, remoteAddress?: string): Promise<Response> =>
      shop.proxy.fetch(new Request(publicUrl + path, init), remoteAddress ? { remoteAddress } : {}),
    /** The address that came with the newest creation. */
    postbackUrl: upstream.postbackUrl,
    /** A postback to the address that came with the newest creation: a POST of this, unless `init` says otherwise. */
    postback(body?: object | string, init?: RequestInit): Promise<Response> {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const request = { method: 'POST', ...(text && { body: text }), ...init };
      return shop.proxy.fetch(new Request(shop.postbackUrl(), request));
    },
    /** Calls `runDue` when it asked to be called, so long, milliseconds. */
    async live(forMs: number): Promise<void> {
      const endMs = clock.now() + forMs;
      for (;;) {
        const due = { isDone: false };
        const run = shop.proxy.runDue().finally(() => (due.isDone = true));
        // It waits for the pace where much is due.
        for (let turns = 1; !due.isDone; turns += 1) {
          await settle();
          if (turns % 20 === 0) await clock.advance(100);
        }
        const { nextAt } = await run;
        if (nextAt === null || nextAt.getTime() > endMs) break;
        await clock.advance(nextAt.getTime() - clock.now());
      }
      await clock.advance(endMs - clock.now());
    },
    /** What the store has of an order, `order-1` unless another is named. */
    kept: (externalId = 'order-1') => readKept(store, externalId),
  };
  return shop;
}

/** Closes a proxy that has something to finish first, which `release` lets it. */
export async function closeOnly(
  { proxy }: Pick<Shop, 'proxy'>,
  release: () => void | Promise<void>,
): Promise<void> {
  let isClosed = false;
  const closing = proxy.close().finally(() => (isClosed = true));
  await settle();
  assert.equal(isClosed, false);
  await release();
  await closing;
}

/** Where numbers go that a test looks at; all others go nowhere. */
export const toSink = (heard: Partial<MetricsSink>): MetricsSink => ({
  count: () => undefined,
  observe: () => undefined,
  set: () => undefined,
  ...heard,
});

/** `data` of an answer that must be a success. */
export async function dataOf(
  answer: Response | Promise<Response>,
): Promise<Record<string, unknown> & Ticket> {
  const response = await answer;
  const body = await response.json();
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.equal(body.message, '');
  return body.data;
}

/** What was logged, by name. */
export const eventsOf = ({ log }: Pick<Shop, 'log'>): string[] => log.map(({ event }) => event);

/** Status, code and detail of a refusal. */
export async function refusalOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const { status } = response;
  const body = await response.json();
  assert.equal(body.status, status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return [status, body.code, body.detail].filter((part) => part !== undefined).join(' ');
}

/** @param retryAfter seconds, as the answer says them */
export async function assertRefused(
  answer: Response | Promise<Response>,
  refusal: string,
  retryAfter: string | null,
): Promise<void> {
  const response = await answer;
  assert.equal(response.headers.get('retry-after'), retryAfter);
  assert.equal(await refusalOf(response), refusal);
}

/** The answer must say that this invoice has paid the order. @returns what the page gets of it */
export async function assertPaidBy(
  answer: Response | Promise<Response>,
  { invoice_id }: Pick<Ticket, 'invoice_id'>,
): Promise<WireFields & Ticket> {
  const response = await answer;
  const { data } = await response.clone().json();
  assert.equal(await refusalOf(response), '409 order_paid');
  assert.deepEqual([data.invoice_id, data.status], [invoice_id, 'paid']);
  return data;
}
