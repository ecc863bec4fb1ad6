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
import { startWorker } from './worker.js';
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
import { createPaidCheck } from './paid-check.js';
import { createPixCreation } from './pix.js';
import { Refusal } from './refusal.js';
import { toCreateRequest } from './requests.js';
import { createSandboxMark } from './sandbox-mark.js';
import { createServiceFaults } from './service-faults.js';
import { createLookUpTokens, createPostbackUrls } from './tokens.js';
import { createTurns } from './turns.js';
import type { PixProxy, ProxyOptions } from './types.js';

/**
 * Makes the holder of the access token: a request handler for the browser's three routes, and `createInvoice` for the
 * merchant's own server.
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
  const { lookUp } = createLookUps({
    settings,
    service,
    faults,
    sandbox,
    budget,
    tally,
    onFound,
  });
  const holds: Holds = createHolds(lookUp, now, startTimer);
  const refuseIfPaid = createPaidCheck(lookUp, toOrderPaid);
  const guards = createCardGuards(settings);
  const openCards = createOpenCards({ ledger, lookUp, guards, now, toOrderPaid });
  const { refuseIfOpen: refuseIfCardIsOpen } = openCards;

  const { toUrl: toPostbackUrl } = createPostbackUrls(settings, now);
  const creation = { settings, service, faults, sandbox, log, toPostbackUrl };
  const createPix = createPixCreation(creation);
  const debt = { ledger, tally, refuseIfPaid, toOrderPaid };
  const inTurn = createTurns(ledger, settings);
  const settle = createDebts({ ...debt, refuseIfCardIsOpen, createPix, inTurn, now });
  const charging = createCardCharging(creation);
  const charge = createCharges({ ...debt, settings, openCards, guards, charging });

  const record = createRecording({ ledger, openCards, onPayment, now, log });
  const worker = startWork();

  const { hold } = holds;
  const { hashAddress } = guards;
  const payments = { settle, charge, openCards, hashAddress, toOrderPaid };
  const checkout = createCheckout({ settings, ledger, tokens, ...payments, lookUp, hold });

  return {
    fetch: createHandler(settings, checkout),
    async resolveOutcome({ externalId, invoiceId }) {
      if (invoiceId === null) return ledger.releaseUnknown(externalId);
      return openCards.tryCandidate(externalId, invoiceId);
    },

    async close() {
      await worker?.close();
    },

    async createInvoice(input) {
      const clientAddress = toAddress(input.remoteAddress ?? '');
      return checkout.create({ request: toCreateRequest(input), fromBrowser: null, clientAddress });
    },
  };

  async function toOrderPaid(paid: RememberedInvoice | null): Promise<Refusal> {
    if (!paid) return new Refusal('order_paid');
    const data = toCreatedInvoice(paid, await tokens.issue(paid), now());
    return new Refusal('order_paid', { data });
  }

  async function onFound(issued: IssuedInvoice, finding: Finding, evidence: Evidence) {
    const isRecorded = await record(issued, finding, evidence);
    holds.publish(issued.invoiceId, finding);
    return isRecorded;
  }

  function onPayment(): void {
    tally.count('paid');
    worker?.kick();
  }

  /** Nobody hears of it without a ledger or a hook, and then no timer is ever left. */
  function startWork(): Worker | null {
    const hasHooks = Object.keys(settings.hooks).length > 0;
    if (hasHooks && !settings.ledger) log({ level: 'warn', event: 'ledger_missing' });
    if (!hasHooks && !settings.ledger) return null;
    const deliveries = createDeliveries({ ...settings, ledger });
    const sweep = createSweep({ ledger, lookUp, now, log });
    return startWorker({ deliveries, sweep, ledger, tally, startTimer, log });
  }
}
