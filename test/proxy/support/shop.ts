/**
 * What the proxy's tests share: a proxy on a captured upstream, a clock that stands still, a store of orders, and the requests.
 *
 * The upstream behaves like the specification unless a test says otherwise. Nothing here waits for real time.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { LogEntry, PixProxy, ProxyOptions } from '../../../src/proxy.js';
import type { StartTimer } from '../../../src/proxy/config/options.js';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { readKept, storeOf } from './kept-order.js';
import { toPixCode } from './pix-code.js';

export const secrets = ['a secret of the tests, 32 bytes long!!'];
export const publicUrl = 'https://shop.example/pay';
export const shopOrigin = 'https://shop.example';
export const accessToken = 'canary-access-token';
export const serviceUrl = 'https://service.example';

/** A request as it went to the service. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown> | null;
}

/** What the service answers: one invoice per creation. */
export interface WireFields {
  [field: string]: unknown;
  invoice_id: string;
  status: string;
  total_cents: number;
}

/** How a test lets the service behave: an answer, a throw, or undefined for the usual. */
type Behaviour = (
  sent: Sent,
  request: Request,
) => Response | Promise<Response | undefined> | undefined;

/** A captured stand-in for the service. */
export interface Upstream {
  readonly fetch: typeof fetch;
  readonly sent: Sent[];
  readonly invoices: Map<string, WireFields>;
  readonly creates: () => number;
  readonly lookUps: () => number;
  /** The invoice as the service has it. */
  readonly of: (made: Pick<Ticket, 'invoice_id'>) => WireFields;
  /** It is paid, and nobody tells. */
  readonly pay: (made: Pick<Ticket, 'invoice_id'>) => void;
  behave: Behaviour;
}

function createUpstream(): Upstream {
  const sent: Sent[] = [];
  const invoices = new Map<string, WireFields>();
  const upstream: Upstream = {
    sent,
    invoices,
    creates: () => sent.filter(({ method }) => method === 'POST').length,
    lookUps: () => sent.filter(({ method }) => method === 'GET').length,
    of: ({ invoice_id: id }) => invoices.get(id) ?? assert.fail(`there is no invoice ${id}`),
    pay: (made) => void (upstream.of(made).status = 'paid'),
    behave: () => undefined,
    async fetch(input, init) {
      const request = new Request(input, init);
      const text = await request.clone().text();
      const { method, url, headers } = request;
      const call = { method, url, headers, body: text ? JSON.parse(text) : null };
      sent.push(call);
      return (await upstream.behave(call, request)) ?? answerAsSpecified(call, invoices);
    },
  };
  return upstream;
}

function answerAsSpecified(call: Sent, invoices: Map<string, WireFields>): Response {
  if (call.method === 'POST') {
    const created = toWireInvoice(call.body ?? {});
    invoices.set(created.invoice_id, created);
    return json({ data: created, message: 'created' });
  }
  const id = call.url.split('/').at(-1) ?? '';
  const found = [...invoices.values()].find((each) =>
    [each.invoice_id, each.order_code].includes(id),
  );
  return found ? json({ data: found, message: 'found' }) : json({}, 404);
}

/** Every field of the specification, the personal ones too. */
export function toWireInvoice(request: Record<string, unknown>): WireFields {
  const totalCents = Number(request['total_price_cents']);
  const end_to_end_id = 'E0000000020261121canary0000000';
  const contact = { email: 'canary@example.com', phone: '11987654321' };
  return {
    invoice_id: randomUUID(),
    order_code: `ORDER-${randomUUID().slice(0, 8)}`,
    external_id: request['external_id'],
    status: 'pending',
    total_cents: totalCents,
    qr_code_pix: toPixCode({ totalCents }),
    is_pix: true,
    installments: 1,
    created_at: '2026-11-21T10:00:00.000000-03:00',
    updated_at: '2026-11-21T10:00:00.000000-03:00',
    end_to_end_id,
    client: { id: 1, name: 'Canary Client', cpf_cnpj: '52998224725', ...contact },
    payer: { name: 'Canary Payer', cpf: '11144477735', end_to_end_id },
    items: [],
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}

/** A clock that only tests move, with the timers that hang on it. */
export type TestClock = ReturnType<typeof createTestClock>;

export function createTestClock() {
  let nowMs = Date.UTC(2026, 10, 21, 12);
  const timers = new Set<{ run: () => void; atMs: number }>();
  const startTimer: StartTimer = (run, delayMs) => {
    const timer = { run, atMs: nowMs + delayMs };
    timers.add(timer);
    return () => timers.delete(timer);
  };
  return {
    now: () => nowMs,
    /** Timers that are set. */
    pending: () => timers.size,
    startTimer,
    /** Time passes before any timer is heard of, as for a process that stood still. */
    skip: (ms: number) => void (nowMs += ms),
    /** Timers do not go by it. */
    setBack(ms: number): void {
      nowMs -= ms;
      for (const timer of timers) timer.atMs -= ms;
    },
    /** Lets what began by itself come to its end, and moves the clock, running what falls due, in order. */
    async advance(ms: number): Promise<void> {
      await settle();
      const endMs = nowMs + ms;
      for (;;) {
        const next = [...timers].toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next || next.atMs > endMs) break;
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
        await settle();
      }
      nowMs = endMs;
      await settle();
    },
  };
}

/** Lets everything happen that needs no time of the test's clock. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (computing > 0) turn = 0;
  }
}

/** Signatures under way: they are made on threads, and on a busy machine a test's clock would overtake them. */
let computing = 0;

type Compute = (this: unknown, ...args: unknown[]) => Promise<unknown>;
const subtle = Object.getPrototypeOf(crypto.subtle) as Record<string, Compute>;
for (const name of ['importKey', 'generateKey', 'deriveKey', 'sign', 'verify', 'digest']) {
  const compute = subtle[name]!;
  subtle[name] = async function (...args) {
    computing += 1;
    try {
      return await compute.apply(this, args);
    } finally {
      computing -= 1;
    }
  };
}

/** Waits for a condition that needs no time of the test's clock, but may need turns of the event loop. */
export async function until(isTrue: () => boolean): Promise<void> {
  const giveUpAtMs = performance.now() + 60_000;
  while (!isTrue()) {
    if (performance.now() > giveUpAtMs) assert.fail('what the test waits for never came');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Lets a request wait until it is released. */
export function createGate() {
  let release = () => {};
  const opened = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
  return { opened, release };
}

/** What outlives a process: the service, the clock, and where orders are kept. */
export interface World {
  readonly upstream: Upstream;
  readonly clock: TestClock;
  readonly store: OrderStore;
}

/** @param changes of the store */
export function createWorld(changes: Partial<OrderStore> = {}): World {
  const clock = createTestClock();
  const store = { ...createMemoryStore(clock.now), ...changes };
  return { upstream: createUpstream(), clock, store };
}

/** The body of a creation by card. */
export const card = { method: 'credit_card', card: { token: 'tok_any' } };

/** A proxy with everything a test looks at. */
export interface Shop extends World {
  readonly proxy: PixProxy;
  readonly log: LogEntry[];
  /** Price of every order, integer cents. */
  totalCents: number;
  /** `POST /invoices`, as an element sends it. */
  readonly create: (fields?: Partial<CreateFields>) => Promise<Response>;
  /** `GET /invoices/{id}`. */
  readonly lookUp: (invoice: Ticket, query?: string, signal?: AbortSignal) => Promise<Response>;
  readonly signOrder: (externalId: string) => Promise<string>;
  /** `GET /invoices` with the key, as an element sends it. */
  readonly ask: (key: string, fields?: Partial<AskFields>) => Promise<Response>;
  /** Any other request, to a path below `publicUrl`. */
  readonly request: (path: string, init?: RequestInit) => Promise<Response>;
  /** The address that came with the newest creation. */
  readonly postbackUrl: () => string;
  /** A postback to the address that came with the newest creation: a POST of this, unless `init` says otherwise. */
  readonly postback: (body?: object | string, init?: RequestInit) => Promise<Response>;
  /** Calls `runDue` when it asked to be called, so long, milliseconds. */
  readonly live: (forMs: number) => Promise<void>;
  /** What the store has of an order, `order-1` unless another is named. */
  readonly kept: (externalId?: string) => ReturnType<typeof readKept>;
}

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
export function openKeptShop(options: Partial<ProxyOptions> = {}, world = createWorld()): Shop {
  return openShop({ ledger: world.store, ...options }, world);
}

/** @param world that of another shop, which is one itself */
export function openShop(options: Partial<ProxyOptions> = {}, world: World = createWorld()): Shop {
  const { upstream, clock } = world;
  const store = options.ledger ? storeOf(options.ledger) : world.store;
  const log: LogEntry[] = [];
  const orderOfKey = new Map<string | null, string>();
  const shop: Shop = {
    upstream,
    clock,
    store,
    log,
    totalCents: 12_345,
    proxy: createProxy({
      serviceUrl,
      accessToken,
      secrets,
      publicUrl,
      allowedOrigins: [shopOrigin],
      resolveOrder: () => ({ total_price_cents: shop.totalCents }),
      fetch: upstream.fetch,
      now: clock.now,
      startTimer: clock.startTimer,
      log: (entry) => log.push(withQuietHint(entry)),
      ...options,
    }),
    async create({ key = randomUUID(), externalId = 'order-1', ...fields } = {}) {
      const { headers, body, remoteAddress, signal } = fields;
      orderOfKey.set(key, externalId);
      const request = new Request(`${publicUrl}/invoices`, {
        method: 'POST',
        headers: {
          origin: shopOrigin,
          'content-type': 'application/json',
          ...(key === null ? {} : { 'idempotency-key': key }),
          ...headers,
        },
        body: JSON.stringify({
          method: 'pix',
          external_id: externalId,
          order_token: await shop.signOrder(externalId),
          ...body,
        }),
        ...(signal && { signal }),
      });
      return shop.proxy.fetch(request, remoteAddress === undefined ? {} : { remoteAddress });
    },
    async lookUp({ invoice_id: id, lookup_token: token }, query = '', signal) {
      const headers = { origin: shopOrigin, authorization: `Bearer ${token}` };
      const init = signal ? { headers, signal } : { headers };
      return shop.proxy.fetch(new Request(`${publicUrl}/invoices/${id}${query}`, init));
    },
    signOrder: (externalId) => signOrder({ secrets, publicUrl, externalId, now: clock.now }),
    async ask(key, fields = {}) {
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
    request: (path, init) => shop.proxy.fetch(new Request(publicUrl + path, init)),
    postbackUrl() {
      const made = upstream.sent.findLast(({ method }) => method === 'POST');
      return String(made?.body?.['postback_url']);
    },
    postback(body, init) {
      const text = typeof body === 'object' ? JSON.stringify(body) : body;
      const request = { method: 'POST', ...(text && { body: text }), ...init };
      return shop.proxy.fetch(new Request(shop.postbackUrl(), request));
    },
    async live(forMs) {
      const endMs = clock.now() + forMs;
      for (;;) {
        const { nextAt } = await shop.proxy.runDue();
        if (nextAt === null || nextAt.getTime() > endMs) break;
        await clock.advance(nextAt.getTime() - clock.now());
      }
      await clock.advance(endMs - clock.now());
    },
    kept: (externalId = 'order-1') => readKept(store, externalId),
  };
  return shop;
}

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
export function eventsOf({ log }: Pick<Shop, 'log'>): string[] {
  return log.map(({ event }) => event);
}

/** Status, code and detail of a refusal. */
export async function refusalOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  const { status } = response;
  const body = await response.json();
  assert.equal(body.status, status);
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return [status, body.code, body.detail].filter((part) => part !== undefined).join(' ');
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
