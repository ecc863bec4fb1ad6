/**
 * A merchant on loopback: a page with the built script and one element, the real proxy, and the real sandbox behind it
 * over HTTP.
 *
 * Owns which part listens where and what an order costs; knows no browser (payer.ts).
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterAll } from 'vitest';
import { signOrder } from '../../../src/order-token.js';
import { createProxy } from '../../../src/proxy.js';
import type { CreatedInvoice } from '../../../src/html.js';
import type { LogEntry, ProxyOptions } from '../../../src/proxy.js';
import { createSandbox, serveSandbox } from '../../../src/sandbox.js';
import { faultsOf } from '../openapi-check.js';
import { createJumpingClock } from '../../proxy/machines/jumping-clock.js';
import { pageOf, startServer } from './server.js';

/** What every order of this shop costs, integer cents. */
export const totalCents = 12_990;

/** How much faster than in real life a proxy asks the service while it holds an answer. */
const hurry = 20;

/**
 * How long a proxy waits for the service, real milliseconds: a busy machine, where both are one process, is no service that
 * hangs. Its other clocks may be sped up, so that a charge has only a tenth of this to leave.
 */
const serviceTimeoutMs = 10_000;

/** Options of a proxy whose service hangs: it gives up before the page does, which waits 2.5 real seconds where time is sped up. */
export const givesUpSoon = { serviceTimeoutMs: 1_500 } as const;

/** The options in which one shop differs from the usual one. */
export interface ShopOptions {
  /** Seconds that a Pix code is offered; absent: no deadline. */
  readonly expiresInSeconds?: number;
  /** How many times faster than the world's the clocks of its proxy and its pages run. Default: 1. */
  readonly speed?: number;
  /** Time passes as in the world, and by jumps: see `passTime` of payer.ts. */
  readonly jumps?: boolean;
  /** Options of the proxy that differ from the usual ones. */
  readonly proxy?: Partial<ProxyOptions>;
}

/** One fault of the sandbox, as its control surface takes it. */
interface Fault {
  readonly on: 'create' | 'look_up';
  readonly kind: string;
  readonly [option: string]: unknown;
}

/** A page of the shop. */
export interface OrderPage {
  readonly reference: string;
  readonly url: string;
}

/** What a page of the shop shows. */
export interface PageOptions {
  /** Default: an unused one. */
  readonly reference?: string;
  /** Attributes of the element beside, or instead of, the usual ones; null: left out. */
  readonly attributes?: Readonly<Record<string, string | null>>;
  /** What stands inside the element. */
  readonly children?: string;
  /** HTML after the element. */
  readonly rest?: string;
  /** HTML in the head. Default: the element's script tag. */
  readonly head?: string;
}

/** Answers a request of the browser in place of the proxy, or around it. */
export type Between = (
  request: Request,
  forward: (request: Request) => Promise<Response>,
) => Promise<Response>;

/** An open shop. */
export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Opens a shop for the tests of a whole file. */
export async function useShop(options?: ShopOptions): Promise<Shop> {
  const shop = await openShop(options);
  afterAll(() => shop.close());
  return shop;
}

/** Opens a shop on free ports of 127.0.0.1. */
export async function openShop(options: ShopOptions = {}) {
  const accessToken = `token-${randomUUID()}`;
  const secrets = [`secret-${randomUUID()}`];
  const sandbox = createSandbox({ accessToken });
  const service = await serveSandbox(sandbox);
  const server = await startServer();
  const publicUrl = `${server.origin}/pix`;
  const log: LogEntry[] = [];
  const clock = options.jumps === true ? createJumpingClock() : null;
  const proxy = createProxy({
    serviceUrl: service.url,
    accessToken,
    secrets,
    publicUrl,
    allowedOrigins: [server.origin],
    resolveOrder: () => ({
      total_price_cents: totalCents,
      items: [{ name: 'Café', quantity: 1, unit_price: totalCents }],
      ...(options.expiresInSeconds === undefined ? {} : { expires_in: options.expiresInSeconds }),
    }),
    allowSandbox: true,
    serviceTimeoutMs,
    ...(options.speed === undefined ? { startTimer: startHurriedTimer } : clockOf(options.speed)),
    ...(clock && { now: clock.now, startTimer: clock.startTimer }),
    log: (entry) => log.push(entry),
    ...options.proxy,
  });
  /** What of the proxy's answers the OpenAPI document does not say. */
  const undescribed: string[] = [];
  server.handlers.set('/pix', (request, info) => {
    const forward = async (forwarded: Request) => {
      const { method, url } = forwarded;
      const answer = await proxy.fetch(forwarded, info);
      const path = new URL(url).pathname.slice('/pix'.length);
      undescribed.push(...(await faultsOf(method, path, answer)));
      return answer;
    };
    return shop.between ? shop.between(request, forward) : forward(request);
  });

  const shop = {
    origin: server.origin,
    /** How many times faster than the world's the clocks of its proxy and its pages run. */
    speed: options.speed ?? 1,
    /** The proxy's, if it can jump. */
    clock,
    server,
    serviceUrl: service.url,
    accessToken,
    /** What the proxy has logged. */
    log,
    /** Stands between browser and proxy while it is set: for answers that are late, lost, or another proxy's. */
    between: null as Between | null,
    /** Lays a page out, and says where it is. */
    async addPage(options: PageOptions = {}): Promise<OrderPage> {
      const { reference = randomUUID(), attributes = {}, children = '', rest = '', head } = options;
      const orderToken = await signOrder({ secrets, publicUrl, externalId: reference });
      const all = {
        endpoint: '/pix',
        'external-id': reference,
        'order-token': orderToken,
        'total-price-cents': String(totalCents),
        'poll-interval': '250',
        ...attributes,
      };
      const path = `/orders/${reference}`;
      const element = `<pix-checkout ${toHtml(all)}>${children}</pix-checkout>`;
      const body = `<main><h1>Loja</h1>${element}</main>${rest}`;
      server.pages.set(path, pageOf(body, head === undefined ? {} : { head }));
      return { reference, url: server.origin + path };
    },
    /** Makes an order's Pix code on the server, before its page is asked for. */
    createInvoice: (externalId: string): Promise<CreatedInvoice> =>
      proxy.createInvoice({ externalId, method: 'pix' }),
    /** Makes an order's payment link; the proxy has `paymentPage`. */
    createPaymentLink: async (externalId: string) =>
      (await proxy.createPaymentLink({ externalId })).url,
    /** A person found out how an order's card ended. */
    async resolveOutcome(externalId: string, invoiceId: string | null) {
      let deliveryId = '';
      while (deliveryId === '') {
        await new Promise(setImmediate);
        const { entries = [] } = (await proxy.describeOrder(externalId)) ?? {};
        deliveryId = String(entries.findLast((one) => one['deliveryId'])?.['deliveryId'] ?? '');
      }
      return proxy.resolveOutcome({ externalId, deliveryId, invoiceId });
    },
    /** A payment in a bank app. */
    settle: async (invoiceId: string) => {
      await control('POST', `invoices/${invoiceId}/settle`);
    },
    /** The same of an order's newest code. */
    payNewest: (reference: string) =>
      shop.settle(shop.invoicesOf(reference).at(-1)?.invoiceId ?? 'none'),
    /** Sets any status at the service. */
    setStatus: async (invoiceId: string, status: string) => {
      await control('POST', `invoices/${invoiceId}/status`, { status });
    },
    /** Sets all faults of the service; none: it is well. */
    setFaults: async (faults: readonly Fault[] = []) => {
      await control('PUT', 'faults', faults);
    },
    /** How often each operation of the service was called. */
    countRequests: async () =>
      (await control('GET', 'requests')) as { create: number; look_up: number },
    /** What the service made for an order, oldest first. */
    invoicesOf: (reference: string) =>
      sandbox.invoices().filter(({ request }) => request.external_id === reference),
    /** What the service charged for an order. */
    chargesOf: (reference: string) => sandbox.charges(reference),
    /** Every card that reached the service, whether or not it had an effect. */
    receivedCards: () => sandbox.receivedCards(),
    async close() {
      await Promise.all([server.close(), service.close()]);
      assert.deepEqual(undescribed, []);
    },
  };
  return shop;

  async function control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${service.url}/sandbox/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`The sandbox answered ${path} with ${answer.status}`);
    return answer.json();
  }
}

/** The schedule is hurried, a held answer is not: an element must not take this proxy for one that holds nothing. */
function startHurriedTimer(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs < 20_000 ? delayMs / hurry : delayMs);
  return () => clearTimeout(timer);
}

/** Deadlines, schedule and held answers alike, so that the proxy agrees with a page that is sped up. */
function clockOf(speed: number): Pick<ProxyOptions, 'now' | 'startTimer'> {
  const startedAt = Date.now();
  return {
    now: () => startedAt + (Date.now() - startedAt) * speed,
    startTimer(run, delayMs) {
      const timer = setTimeout(run, delayMs / speed);
      return () => clearTimeout(timer);
    },
  };
}

function toHtml(attributes: Readonly<Record<string, string | null>>): string {
  return Object.entries(attributes)
    .map(([name, value]) =>
      value === null ? '' : `${name}="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`,
    )
    .join(' ');
}

/** Holds the answers to creations back until the gate is opened. */
export function holdAnswers(shop: Pick<Shop, 'between'>): Gate {
  const gate = createGate();
  shop.between = async (request, forward) => {
    const answer = await forward(request);
    if (request.method === 'POST') await gate.pass();
    return answer;
  };
  return gate;
}

/** A place where a request waits until a test lets it go on. */
export type Gate = ReturnType<typeof createGate>;

export function createGate() {
  let arrive = (): void => undefined;
  let open = (): void => undefined;
  const reached = new Promise<void>((resolve) => (arrive = resolve));
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    /** Resolved when something waits. */
    reached,
    pass: () => {
      arrive();
      return opened;
    },
    open: () => open(),
  };
}
