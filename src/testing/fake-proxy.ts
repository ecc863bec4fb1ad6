/**
 * A merchant's proxy in memory, for the merchant's own tests: the contract's three routes, and what a test decides.
 *
 * One order is one debt, as with the real proxy. It knows neither browser nor test runner (see fake-checkout.ts). It is not
 * the real proxy on the sandbox, because in a page those two weigh thirty-six times as much, need HTTPS or localhost, cannot
 * always see from which origin a request comes, and report an ended deadline only when a long poll is over.
 */

import { errorCodes, type ErrorCode } from '../contract/codes.js';
import { maxWaitSeconds } from '../contract/types.js';
import type { CreateRequest, CreatedInvoice, InvoiceStatus, Method } from '../contract/types.js';
import { writeBrCode } from '../sandbox/br-code-writer.js';

/** A request as a browser makes it. */
export interface FakeRequest {
  readonly method: string;
  readonly url: string;
  /** Headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the browser gets; `null` means that the connection breaks. */
export type FakeAnswer = { readonly status: number; readonly body: string } | null;

/** An invoice that the page has created. */
export interface FakeInvoice {
  readonly invoiceId: string;
  readonly externalId: string;
  readonly method: Method;
  readonly totalCents: number;
  readonly status: 'pending' | 'paid' | 'payment_refused';
}

/** Controls for a test: what happens to the checkout of its page. */
export interface FakeCheckout {
  /** Everything that was created, oldest first. A repeated request creates nothing. */
  readonly invoices: readonly FakeInvoice[];
  /**
   * Pays the newest invoice that is neither paid nor refused; if there is none, waits for the page to create one. Resolves
   * when the page has looked it up.
   * @throws Error if the page does not do so within 30 seconds
   */
  pay(): Promise<void>;
  /** Refuses the next card that is sent. */
  refuseCard(): void;
  /** Lets the newest Pix code expire; waits for it as {@link pay} does. */
  expire(): Promise<void>;
  /** Creates the next invoice, but breaks the connection before its answer. */
  loseAnswer(): void;
}

/** What a test decides in place of the merchant. */
export interface FakeProxyOptions {
  /** What an order costs, integer cents. Default: what the page says, else 10000. */
  readonly totalCents?: number;
}

interface Entry {
  readonly created: CreatedInvoice;
  readonly method: Method;
  readonly installments: number;
  status: FakeInvoice['status'];
  expired: boolean;
}

/** Milliseconds that a test waits for its page. */
const patienceMs = 30_000;

const recovering = /\/invoices$/;

/** Creates the fake. @returns its answers to requests, and the controls for a test */
export function createFakeProxy({ totalCents }: FakeProxyOptions = {}) {
  const entries: Entry[] = [];
  /** Null if the page was told that there is no invoice, so that there will be none. */
  const byKey = new Map<string, Entry | null>();
  const changes = new EventTarget();
  let refusesCard = false;
  let losesAnswer = false;

  async function answer(request: FakeRequest): Promise<FakeAnswer> {
    const { pathname, searchParams } = new URL(request.url);
    const key = request.headers['idempotency-key'] ?? '';
    if (request.method === 'POST') return create(key, JSON.parse(request.body) as CreateRequest);
    if (recovering.test(pathname)) {
      const known = byKey.get(key) ?? null;
      byKey.set(key, known);
      return known ? toCreateAnswer(known) : problem('not_found');
    }
    const id = pathname.slice(pathname.lastIndexOf('/') + 1);
    const entry = entries.find(({ created }) => created.invoice_id === id);
    if (!entry) return problem('not_found');
    if (request.headers['lookup-token'] !== entry.created.lookup_token) {
      return problem('unauthorized');
    }
    const waitSeconds = Math.min(Number(searchParams.get('wait') ?? 0), maxWaitSeconds);
    if (waitSeconds > 0 && isOpen(entry)) await next('change', waitSeconds * 1_000);
    changes.dispatchEvent(new Event(id));
    return entry.status === 'payment_refused' ? problem(entry.status) : toLookUpAnswer(entry);
  }

  function create(key: string, request: CreateRequest): FakeAnswer {
    let entry = byKey.get(key);
    if (entry === null) return problem('key_reused');
    if (!entry) {
      const ofOrder = entries.filter(({ created }) => created.external_id === request.external_id);
      const paid = ofOrder.find(({ status }) => status === 'paid');
      if (paid) return problem('order_paid', { data: paid.created });
      const open = ofOrder.findLast(isOpen);
      if (open?.method === 'credit_card') return problem('in_progress');
      const isSame = request.method === 'pix' && open?.created.invoice_id !== request.replaces;
      entry = open && isSame ? open : add(request);
      byKey.set(key, entry);
    }
    if (!losesAnswer) return toCreateAnswer(entry);
    losesAnswer = false;
    return null;
  }

  function add(request: CreateRequest): Entry {
    const number = String(entries.length + 1).padStart(8, '0');
    const cents = totalCents ?? request.expected_total_cents ?? 10_000;
    const isPix = request.method === 'pix';
    const entry: Entry = {
      created: {
        invoice_id: `fake-${number}`,
        order_code: `TESTE-${number}`,
        external_id: request.external_id,
        qr_code_pix: isPix ? writeBrCode(cents, `fake${number}`) : '',
        status: 'pending',
        total_cents: cents,
        lookup_token: `token-of-fake-${number}`,
      },
      method: request.method,
      installments: request.card?.installment ?? 1,
      status: !isPix && refusesCard ? 'payment_refused' : 'pending',
      expired: false,
    };
    if (!isPix) refusesCard = false;
    entries.push(entry);
    changes.dispatchEvent(new Event('creation'));
    return entry;
  }

  function newestPending(): Entry | undefined {
    return entries.findLast(({ status }) => status === 'pending');
  }

  /** Changes the newest invoice that waits for a payment, and resolves when the page has heard of it. */
  async function change(apply: (entry: Entry) => void): Promise<void> {
    let entry = newestPending();
    for (; !entry; entry = newestPending()) await waitFor('creation', 'not created an invoice');
    apply(entry);
    const { invoice_id: id } = entry.created;
    const heard = waitFor(id, `not looked up ${id}`);
    changes.dispatchEvent(new Event('change'));
    await heard;
  }

  /** Waits for an event. @param fault what the page has not done, for the error */
  async function waitFor(event: string, fault: string): Promise<void> {
    if (await next(event, patienceMs)) return;
    throw new Error(`The page has ${fault} within ${patienceMs / 1_000} seconds`);
  }

  /** Whether the event came in time. */
  function next(event: string, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timeOut = AbortSignal.timeout(withinMs);
      const options = { once: true, signal: timeOut };
      changes.addEventListener(event, () => resolve(true), options);
      timeOut.addEventListener('abort', () => resolve(false), { once: true });
    });
  }

  const checkout: FakeCheckout = {
    get invoices() {
      return entries.map(toFakeInvoice);
    },
    pay: () => change((entry) => (entry.status = 'paid')),
    refuseCard: () => void (refusesCard = true),
    expire: () => change((entry) => (entry.expired = true)),
    loseAnswer: () => void (losesAnswer = true),
  };
  return { answer, checkout };
}

function isOpen({ status, expired }: Entry): boolean {
  return status === 'pending' && !expired;
}

function toFakeInvoice({ created, method, status }: Entry): FakeInvoice {
  return {
    invoiceId: created.invoice_id,
    externalId: created.external_id ?? '',
    method,
    totalCents: created.total_cents,
    status,
  };
}

function toCreateAnswer(entry: Entry): FakeAnswer {
  if (entry.status === 'payment_refused') return problem(entry.status);
  return toAnswer(200, { data: { ...entry.created, ...deadlineOf(entry) }, message: '' });
}

function toLookUpAnswer(entry: Entry): FakeAnswer {
  const { lookup_token: _, ...created } = entry.created;
  const at = '2026-01-01T12:00:00-03:00';
  const data: InvoiceStatus = {
    ...created,
    ...deadlineOf(entry),
    status: entry.status,
    is_pix: entry.method === 'pix',
    installments: entry.installments,
    created_at: at,
    updated_at: at,
  };
  return toAnswer(200, { data, message: '' });
}

function deadlineOf({ expired }: Entry): { expires_in?: number } {
  return expired ? { expires_in: 0 } : {};
}

function problem(code: ErrorCode, more: object = {}): FakeAnswer {
  const { statuses, title } = errorCodes[code];
  const status = statuses[0] ?? 500;
  return toAnswer(status, { type: 'about:blank', title, status, code, ...more });
}

function toAnswer(status: number, body: object): FakeAnswer {
  return { status, body: JSON.stringify(body) };
}
