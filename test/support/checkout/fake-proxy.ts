/**
 * A merchant's proxy in memory: the three routes of the contract, with knobs for everything it may do wrong.
 *
 * One order is one debt: it answers again with an open invoice, and with `order_paid` once that is paid. Knows nothing of
 * the element; built on the contract's words alone. The merchants' own (src/testing) never lies, and has the world's time.
 */

import { errorCodes } from '../../../src/contract/codes.js';
import type { ErrorCode } from '../../../src/contract/codes.js';
import type { CreateRequest, CreatedInvoice } from '../../../src/contract/types.js';
import type { TestClock } from '../clock.js';
import { dynamicCode } from '../pix-code.js';

export type Route = 'create' | 'recover' | 'look-up';

/** A request as it arrived, and what became of it. */
export interface SeenRequest {
  readonly route: Route;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: CreateRequest | null;
  readonly waitSeconds: number;
  readonly atMs: number;
  outcome: 'open' | 'answered' | 'failed' | 'aborted';
}

/** What is sent back. A `body` that is a string is sent as it is, anything else as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What to answer in place of the usual. `lost`: the connection breaks; `hangs`: nothing ever comes. */
export type Reply = Answer | 'lost' | 'hangs' | ((usual: Answer) => Answer);

/** Page-wide, because `pix-paid` is told once per invoice and page load. */
let lastInvoice = 0;

/** A problem document of the contract. */
export function problem(code: ErrorCode, more: object = {}, retryAfter?: string): Answer {
  const { statuses, title } = errorCodes[code];
  const status = statuses[0] ?? 500;
  return {
    status,
    body: { type: 'about:blank', title, status, code, ...more },
    ...(retryAfter === undefined ? {} : { headers: { 'Retry-After': retryAfter } }),
  };
}

/** The usual answer with other or further fields in `data`. */
export function changed(fields: object): Reply {
  return ({ status, body }) => {
    const envelope = body as { data: object };
    return { status, body: { ...envelope, data: { ...envelope.data, ...fields } } };
  };
}

export type FakeProxy = ReturnType<typeof createFakeProxy>;

/** Serves `/pix` on whatever host it is asked. */
export function createFakeProxy(clock: TestClock) {
  const invoices: CreatedInvoice[] = [];
  const requests: SeenRequest[] = [];
  const byKey = new Map<string, CreatedInvoice>();
  /** Keys of which it said that it does not know them: nothing is created by them any more. */
  const barred = new Set<string>();
  const replies: Record<Route, Reply[]> = { create: [], recover: [], 'look-up': [] };
  const standing: Partial<Record<Route, Reply>> = {};
  const held = new Set<() => void>();

  const proxy = {
    requests,
    invoices,
    totalCents: 12_990,
    /** How many look-ups were under way at once, at most. */
    mostLookUps: 0,
    /** Seconds that every answer says are left; `null`: no deadline. */
    expiresIn: null as number | null,
    /** Whether `?wait=` holds an answer until the status changes. */
    holds: false,
    /** How long every answer takes. */
    delayMs: 0,
    codeOf: dynamicCode as (cents: number, id: string) => string,

    /** Answers so, once each and in this order, before the usual answers go on. */
    reply: (route: Route, ...next: Reply[]) => void replies[route].push(...next),
    /** Answers so from now on; `null`: as usual again. */
    replyAlways(route: Route, reply: Reply | null) {
      if (reply === null) delete standing[route];
      else standing[route] = reply;
    },
    /** Gives an invoice another status; held look-ups are answered. */
    setStatus(status: string, invoice = invoices.at(-1)) {
      if (!invoice) throw new Error('There is no invoice yet');
      invoice.status = status;
      for (const release of held) release();
    },
    /** Makes an invoice without being asked, as a merchant's server does. */
    makeInvoice(externalId: string): CreatedInvoice {
      const invoiceId = `inv-${String(++lastInvoice).padStart(8, '0')}`;
      const invoice: CreatedInvoice = {
        invoice_id: invoiceId,
        order_code: `PIX-${lastInvoice}`,
        external_id: externalId,
        qr_code_pix: proxy.codeOf(proxy.totalCents, invoiceId),
        status: 'pending',
        total_cents: proxy.totalCents,
        lookup_token: `token-of-${invoiceId}`,
      };
      invoices.push(invoice);
      return invoice;
    },
    of: (route: Route) => requests.filter((request) => request.route === route),
    get open() {
      return requests.filter(({ outcome }) => outcome === 'open');
    },
    fetch,
  };

  async function fetch(url: string, init: RequestInit): Promise<Response> {
    const request = readRequest(url, init, clock.now());
    requests.push(request);
    const lookUps = proxy.open.filter(({ route }) => route === 'look-up');
    proxy.mostLookUps = Math.max(proxy.mostLookUps, lookUps.length);
    // At once, as the line is free at once.
    init.signal?.addEventListener('abort', () => {
      if (request.outcome === 'open') request.outcome = 'aborted';
    });
    try {
      const answer = await orAbort(handle(request), init.signal);
      request.outcome = 'answered';
      return toResponse(answer);
    } catch (error) {
      if (request.outcome === 'open') request.outcome = 'failed';
      throw error;
    }
  }

  async function handle(request: SeenRequest): Promise<Answer> {
    const reply = replies[request.route].shift() ?? standing[request.route];
    if (proxy.delayMs > 0) await pass(proxy.delayMs);
    if (reply === 'lost') throw new TypeError('Failed to fetch');
    if (reply === 'hangs') return new Promise(() => undefined);
    if (typeof reply === 'object') return reply;
    const usual = await answer(request);
    return reply ? reply(usual) : usual;
  }

  async function answer({ route, url, headers, body, waitSeconds }: SeenRequest): Promise<Answer> {
    const key = headers['idempotency-key'] ?? '';
    if (route === 'recover') {
      const known = byKey.get(key);
      if (!known) barred.add(key);
      return known ? envelope(known) : problem('not_found');
    }
    if (route === 'create') return body ? create(key, body) : problem('invalid_request');
    const id = new URL(url).pathname.split('/').at(-1);
    const invoice = invoices.find(({ invoice_id }) => invoice_id === id);
    if (!invoice) return problem('not_found');
    if (headers['lookup-token'] !== invoice.lookup_token) {
      return problem('unauthorized');
    }
    if (proxy.holds && waitSeconds > 0 && invoice.status !== 'paid') await hold(waitSeconds);
    return lookUp(invoice);
  }

  function create(key: string, { external_id, replaces }: CreateRequest): Answer {
    if (barred.has(key)) return problem('key_reused');
    const ofOrder = invoices.filter((invoice) => invoice.external_id === external_id);
    const paid = ofOrder.find(({ status }) => status === 'paid');
    if (paid) return problem('order_paid', { data: paid });
    const open = ofOrder.at(-1);
    const same = open && open.invoice_id !== replaces && open.total_cents === proxy.totalCents;
    const invoice = same ? open : proxy.makeInvoice(external_id);
    byKey.set(key, invoice);
    return envelope(invoice);
  }

  function lookUp(invoice: CreatedInvoice): Answer {
    const { lookup_token: _, ...data } = invoice;
    return envelope({
      ...data,
      is_pix: true,
      installments: 1,
      created_at: '2026-03-10T12:00:00-03:00',
      updated_at: '2026-03-10T12:05:00-03:00',
    } as CreatedInvoice);
  }

  function envelope(data: CreatedInvoice): Answer {
    const deadline = proxy.expiresIn === null ? {} : { expires_in: proxy.expiresIn };
    return { status: 200, body: { data: { ...data, ...deadline }, message: '' } };
  }

  function pass(ms: number): Promise<void> {
    return new Promise((resolve) => clock.startTimer(resolve, ms));
  }

  function hold(seconds: number): Promise<void> {
    return new Promise((resolve) => {
      const release = () => {
        stopTimer();
        held.delete(release);
        resolve();
      };
      const stopTimer = clock.startTimer(release, seconds * 1_000);
      held.add(release);
    });
  }

  return proxy;
}

function readRequest(url: string, init: RequestInit, atMs: number): SeenRequest {
  const { pathname, searchParams } = new URL(url);
  const headers = Object.fromEntries(new Headers(init.headers).entries());
  const create = init.method === 'POST';
  return {
    route: create ? 'create' : pathname.endsWith('/invoices') ? 'recover' : 'look-up',
    url,
    headers,
    body: typeof init.body === 'string' ? (JSON.parse(init.body) as CreateRequest) : null,
    waitSeconds: Number(searchParams.get('wait') ?? 0),
    atMs,
    outcome: 'open',
  };
}

function orAbort<T>(answer: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new DOMException('Given up', 'AbortError'));
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    answer.then(resolve, reject);
  });
}

/** Only promises, no streams: a test's time stands still until all of them are through. */
function toResponse({ status, body, headers }: Answer): Response {
  if (status === 0) return redirected();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: new Headers(headers),
    text: () => Promise.resolve(text),
  } as Response;
}

/** What a page sees of a redirect that it does not follow. */
export function redirected(): Response {
  return {
    type: 'opaqueredirect',
    ok: false,
    status: 0,
    headers: new Headers(),
    text: () => Promise.resolve(''),
  } as Response;
}
