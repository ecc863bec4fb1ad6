/**
 * The sandbox replaces the invoice service in the demo and in tests. It routes requests and marks every answer.
 *
 * It is written from the service's specification alone, so that sandbox and proxy can disagree.
 */

import { toFailure, toProblem } from './json-response.js';
import { countCharges, type Charges } from './charges.js';
import { answerControl, isControlPath, type ControlContext } from './control.js';
import { answerUnder, type Fault, type Operation, type FaultTools } from './faults.js';
import type { Creation, SandboxInvoice } from './invoice.js';
import {
  isAuthorized,
  performCreation,
  performLookUp,
  readCreation,
} from './invoice-operations.js';
import { createStore } from './invoice-store.js';
import type { ReceivedCard } from './test-cards.js';

/** Marks every answer, so that a proxy does not count its payments as real. */
const sandboxHeader = 'x-pix-sandbox';

/** The whole path is matched, because a `serviceUrl` with a further path would fail at the service, too. */
const servicePath = /^\/api\/v2\/invoices(?:\/([^/]+))?$/;

/** Options of {@link createSandbox}. */
export interface SandboxOptions {
  /** The bearer that callers have to send. */
  readonly accessToken: string;
  /** Wait before each answer of the service, milliseconds; default 0. */
  readonly delayMs?: number;
  /** For how many look-ups a test card that ends by itself stays pending; default 1. */
  readonly pendingLookUps?: number;
  /** Milliseconds since 1970; default: the system's clock. */
  readonly now?: () => number;
  readonly randomUuid?: () => string;
  readonly sleep?: (ms: number) => Promise<void>;
  /** Sends the postbacks; default: the global `fetch`. */
  readonly postbackFetch?: typeof fetch;
}

/** A running sandbox. */
export interface Sandbox {
  /** Answers one request, like the global `fetch`. Rejects if a fault cuts the connection, or when the caller aborts. */
  readonly fetch: (input: Request | URL | string, init?: RequestInit) => Promise<Response>;
  /** All invoices, with personal data but without cards: for tests in this process only. */
  invoices(): readonly SandboxInvoice[];
  /** The charges, of all orders or of one reference, as `GET /sandbox/charges` answers. */
  charges(externalId?: string): Charges;
  /**
   * The card of each valid creation, with every value as it came, charged or not. For tests in this process only: no answer,
   * log or error of the sandbox contains any of it.
   */
  receivedCards(): readonly ReceivedCard[];
  /** Forgets invoices, cards, faults and counts. */
  reset(): void;
}

/**
 * Makes a sandbox.
 *
 * @throws Error under `NODE_ENV=production`
 * @throws TypeError without an access token
 */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { NODE_ENV: environment } = process.env;
  if (environment === 'production') throw new Error('The sandbox never runs in production');
  if (!options.accessToken) throw new TypeError('accessToken is missing');
  const { accessToken, delayMs = 0, pendingLookUps = 1, sleep = sleepFor } = options;
  const store = createStore();
  const context: ControlContext = {
    store,
    now: options.now ?? Date.now,
    randomUuid: options.randomUuid ?? (() => crypto.randomUUID()),
    pendingLookUps,
    postbackFetch: options.postbackFetch ?? globalThis.fetch,
  };

  return {
    async fetch(input, init) {
      const response = await answer(new Request(input, init));
      response.headers.set(sandboxHeader, '1');
      return response;
    },
    invoices: () => store.invoices(),
    charges: (externalId) => countCharges(store.invoices(), externalId),
    receivedCards: () => store.cards(),
    reset: () => store.reset(),
  };

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (isControlPath(pathname)) return answerControl(request, context);
    const path = servicePath.exec(pathname);
    if (path) return answerService(request, path[1]);
    return pathname.startsWith('/sandbox/')
      ? toProblem(404, 'No such control')
      : toFailure(404, 'Not found');
  }

  /** Answers a call of the service: counts it, checks the bearer, and performs the operation under a fault if one is due. */
  async function answerService(request: Request, id: string | undefined): Promise<Response> {
    const operation = toOperation(request.method, id);
    if (!operation) return toFailure(405, 'Method not allowed');
    store.count(operation);
    if (delayMs > 0) await sleep(delayMs);
    if (!isAuthorized(request, accessToken)) {
      return toFailure(401, 'Unauthorized', { 'WWW-Authenticate': 'Bearer' });
    }
    const fault = store.takeFault(operation);
    const tools: FaultTools = { sleep, signal: request.signal };
    if (id !== undefined) return answerUnder(fault, tools, () => performLookUp(id, context));
    // Assumed: only the body of a creation is read (service spec does not show it for the look-up).
    const creation = readCreation(await request.text());
    if (creation instanceof Response) return answerUnder(fault, tools, () => creation);
    if (creation.request.card) store.keepCard(creation.request.card);
    const due = fault ?? findFaultOfCard(creation);
    return answerUnder(due, tools, () => performCreation(creation, context));
  }
}

function findFaultOfCard({ testCard }: Creation): Fault | undefined {
  return testCard?.fault && { on: 'create', kind: testCard.fault };
}

function toOperation(method: string, id: string | undefined): Operation | null {
  if (method === 'POST' && id === undefined) return 'create';
  if (method === 'GET' && id !== undefined) return 'look_up';
  return null;
}

function sleepFor(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
