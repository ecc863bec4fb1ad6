/**
 * The proxy put together: which part is given which. The access token goes to the service's client and nowhere else.
 */

import { createServiceClient } from '../service.js';
import { toCreatedInvoice } from './answers.js';
import { countCreations, createBudget } from './budget.js';
import { createCardCharging } from './card.js';
import { createCardGuards } from './card-guards.js';
import { createCharges } from './charges.js';
import { createCheckout } from './checkout.js';
import { createDeliveries } from './deliveries.js';
import { createRecording } from './findings.js';
import { createSweep } from './sweep.js';
import { createTally } from './tally.js';
import { createWorker } from './worker.js';
import type { Worker } from './worker.js';
import { toAddress } from './client-address.js';
import { createDebts } from './debts.js';
import { createHandler } from './handler.js';
import { createHolds } from './holds.js';
import type { Holds } from './holds.js';
import { createLookUps } from './look-ups.js';
import type { Evidence, Finding } from './look-ups.js';
import { createOpenCards } from './open-cards.js';
import { readOptions } from './options.js';
import { createMemoryLedger } from './orders/memory.js';
import type { IssuedInvoice, RememberedInvoice } from './orders/orders.js';
import { createOwnFaults } from './own-faults.js';
import { createPaidCheck } from './paid-check.js';
import { createPixCreation } from './pix.js';
import { createPostbacks } from './postbacks.js';
import { createReadiness } from './readiness.js';
import { Refusal, unavailable } from './refusal.js';
import { toCreateRequest } from './requests.js';
import { createResolveOutcome } from './resolve-outcome.js';
import { createSandboxMark } from './sandbox-mark.js';
import { createServiceFaults } from './service-faults.js';
import { noteStart } from './start.js';
import { createLookUpTokens, createPostbackUrls } from './tokens.js';
import { createTurns } from './turns.js';
import type { PixProxy, ProxyOptions } from './types.js';
import { createUnderWay } from './under-way.js';

/**
 * Makes the holder of the access token: a request handler for the browser's routes and the service's postbacks, and
 * `createInvoice` for the merchant's own server. With a ledger or a hook it also works although nobody asks, from its first
 * call (under `serveProxy` and `createNodeListener` at once) until it is closed.
 *
 * @throws TypeError naming an option that is wrong or unknown
 */
export function createProxy(options: ProxyOptions): PixProxy {
  const settings = readOptions(options);
  const { now, log, startTimer } = settings;
  const tally = createTally();
  const budget = createBudget(settings.serviceCallsPerMinute, now);
  const client = createServiceClient({
    serviceUrl: options.serviceUrl,
    accessToken: options.accessToken,
    timeoutMs: settings.serviceTimeoutMs,
    fetch: settings.fetch,
    now,
  });
  const service = countCreations(client, budget);
  const ledger = settings.ledger ?? createMemoryLedger(now);
  const tokens = createLookUpTokens(settings, now);
  const sandbox = createSandboxMark(settings.allowSandbox, log);
  const faults = createServiceFaults(log);
  const lookUps = createLookUps({
    settings,
    service,
    faults,
    sandbox,
    budget,
    tally,
    onFound,
  });
  const { lookUp } = lookUps;
  const holds: Holds = createHolds({ lookUp, ledger, settings });
  const refuseIfPaid = createPaidCheck(lookUp, toOrderPaid);
  const guards = createCardGuards(settings);
  const openCards = createOpenCards({ ledger, ...lookUps, guards, now, toOrderPaid });
  const resolveOutcome = createResolveOutcome({ ledger, lookUp, openCards, now });
  const { refuseIfOpen: refuseIfCardIsOpen } = openCards;

  const references = createPostbackUrls(settings, now);
  const { toUrl: toPostbackUrl } = references;
  const creation = { settings, service, faults, sandbox, log, toPostbackUrl };
  const createPix = createPixCreation(creation);
  const debt = { ledger, tally, refuseIfPaid, toOrderPaid };
  const inTurn = createTurns(ledger, settings);
  const settle = createDebts({ ...debt, refuseIfCardIsOpen, createPix, inTurn, now });
  const charging = createCardCharging(creation);
  const charge = createCharges({ ...debt, settings, openCards, guards, charging });

  const record = createRecording({ ledger, openCards, onPayment, now, log });
  const worker = makeWorker();
  const startWork = () => worker?.start();

  const { hold } = holds;
  const { hashAddress } = guards;
  const payments = { settle, charge, openCards, hashAddress, toOrderPaid };
  const checkout = createCheckout({ settings, ledger, tokens, ...payments, lookUp, hold });

  const onReceived = () => tally.count('postbacks');
  const postbacks = createPostbacks({
    settings,
    ledger,
    references,
    lookUp,
    openCards,
    onReceived,
  });
  const { receive: receivePostback } = postbacks;
  const isReady = createReadiness(ledger, settings);
  const toRefusal = createOwnFaults(log, now);
  const parts = { settings, checkout, receivePostback, isReady, toRefusal, startWork };
  const handler = createHandler(parts);
  const calls = createUnderWay();

  const proxy: PixProxy = {
    fetch: handler.fetch,

    createInvoice: (input) =>
      serveMerchant(async () => {
        if (calls.isClosing()) throw unavailable();
        const request = toCreateRequest(input);
        const clientAddress = toAddress(input.remoteAddress ?? '');
        return checkout.create({ request, fromBrowser: null, clientAddress });
      }),

    resolveOutcome: (outcome) => serveMerchant(() => resolveOutcome(outcome)),

    async close() {
      await Promise.all([holds.close(), handler.close(), calls.close()]);
      await postbacks.close();
      await worker?.close();
      // On connections that stay open, somebody may have asked meanwhile.
      await handler.close();
    },
  };
  noteStart(startWork, proxy.fetch, proxy.close);
  return proxy;

  /** The merchant's own server hears of failures as the browser does. */
  async function serveMerchant<T>(work: () => Promise<T>): Promise<T> {
    startWork();
    try {
      return await calls.track(work());
    } catch (thrown) {
      throw toRefusal(thrown);
    }
  }

  async function toOrderPaid(paid: RememberedInvoice | null): Promise<Refusal> {
    if (!paid) return new Refusal('order_paid');
    const data = toCreatedInvoice(paid, await tokens.issue(paid), now());
    return new Refusal('order_paid', { data });
  }

  async function onFound(issued: IssuedInvoice, found: Finding, evidence: Evidence) {
    const recorded = await record(issued, found, evidence);
    holds.publish(issued, recorded.finding);
    return recorded;
  }

  function onPayment(): void {
    tally.count('paid');
    worker?.kick();
  }

  /** Nobody hears of it without a ledger or a hook, and then no timer is ever left. */
  function makeWorker(): Worker | null {
    const hasHooks = Object.keys(settings.hooks).length > 0;
    if (hasHooks && !settings.ledger) log({ level: 'warn', event: 'ledger_missing' });
    if (!hasHooks && !settings.ledger) return null;
    const deliveries = createDeliveries({ ...settings, ledger });
    const sweep = createSweep({ ledger, lookUp, now, log });
    return createWorker({ deliveries, sweep, ledger, tally, startTimer, log });
  }
}
