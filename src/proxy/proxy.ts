/**
 * The proxy put together: which part is given which. The access token goes to the service's client and nowhere else.
 */

import { createServiceClient } from '../service.js';
import { toCreatedInvoice } from './gateway/browser-data.js';
import { countCreations, createRateLimit } from './status/rate-limit.js';
import { createCardCharging } from './cards/send-charge.js';
import { createCardGuards } from './cards/card-guards.js';
import { createCharges } from './cards/charge-once.js';
import { createCheckout } from './operations/operations.js';
import { createOutbox } from './outbox/outbox.js';
import { createStatusRecording } from './status/record-status.js';
import { createReconciliation } from './reconciliation/reconciliation.js';
import { createMetrics } from './config/metrics.js';
import { createWorker } from './reconciliation/background-jobs.js';
import type { Worker } from './reconciliation/background-jobs.js';
import { toAddress } from './gateway/client-address.js';
import { createOpenInvoices } from './pix/open-invoice.js';
import { createHandler } from './http/handler.js';
import { createLongPolls } from './status/long-polls.js';
import type { LongPolls } from './status/long-polls.js';
import { createLookUps } from './status/shared-look-ups.js';
import type { RawAnswer, StatusResult } from './status/shared-look-ups.js';
import { createUnresolvedCharges } from './cards/unresolved-charges.js';
import { readOptions } from './config/read-options.js';
import { createMemoryLedger } from './ledger/memory/memory-ledger.js';
import type { IssuedInvoice, RememberedInvoice } from './ledger/ledger.js';
import { createUnexpectedErrors } from './runtime/unexpected-errors.js';
import { createPaidCheck } from './status/refuse-if-paid.js';
import { createPixCreation } from './pix/create-pix.js';
import { createPostbacks } from './postbacks/postbacks.js';
import { createReadiness } from './http/readiness.js';
import { ProxyError, unavailable } from './runtime/proxy-error.js';
import { toCreateRequest } from './operations/create-request.js';
import { createResolveOutcome } from './cards/resolve-outcome.js';
import { createSandboxMark } from './gateway/sandbox-mark.js';
import { createServiceErrors } from './gateway/service-errors.js';
import { noteInternals } from './http/request.js';
import { createLookUpTokens, createPostbackUrls } from './tokens/tokens.js';
import { createOrderLock } from './idempotency/order-lock.js';
import type { PixProxy, ProxyOptions } from './config/options.js';
import { createInFlight } from './runtime/in-flight.js';

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
  const metrics = createMetrics();
  const rateLimit = createRateLimit(settings.serviceCallsPerMinute, now);
  const client = createServiceClient({
    serviceUrl: options.serviceUrl,
    accessToken: options.accessToken,
    timeoutMs: settings.serviceTimeoutMs,
    fetch: settings.fetch,
    now,
  });
  const service = countCreations(client, rateLimit);
  const ledger = settings.ledger ?? createMemoryLedger(now);
  const tokens = createLookUpTokens(settings, now);
  const sandbox = createSandboxMark(settings.allowSandbox, log);
  const faults = createServiceErrors(log);
  const lookUps = createLookUps({
    settings,
    service,
    faults,
    sandbox,
    rateLimit,
    metrics,
    onFound,
  });
  const { lookUp } = lookUps;
  const longPolls: LongPolls = createLongPolls({ lookUp, ledger, settings });
  const refuseIfPaid = createPaidCheck(lookUp, toOrderPaid);
  const guards = createCardGuards(settings);
  const unresolvedCharges = createUnresolvedCharges({
    ledger,
    ...lookUps,
    guards,
    now,
    toOrderPaid,
  });
  const resolveOutcome = createResolveOutcome({ ledger, lookUp, unresolvedCharges, now });
  const { refuseIfOpen: refuseIfChargeIsUnresolved } = unresolvedCharges;

  const references = createPostbackUrls(settings, now);
  const { toUrl: toPostbackUrl } = references;
  const creation = { settings, service, faults, sandbox, log, toPostbackUrl };
  const createPix = createPixCreation(creation);
  const debt = { ledger, metrics, refuseIfPaid, toOrderPaid };
  const withOrderLock = createOrderLock(ledger, settings);
  const settle = createOpenInvoices({
    ...debt,
    refuseIfChargeIsUnresolved,
    createPix,
    withOrderLock,
    now,
  });
  const charging = createCardCharging(creation);
  const charge = createCharges({ ...debt, settings, unresolvedCharges, guards, charging });

  const record = createStatusRecording({ ledger, unresolvedCharges, onPayment, now, log });
  const worker = makeWorker();
  const startWork = () => worker?.start();

  const { hold } = longPolls;
  const { hashAddress } = guards;
  const payments = { settle, charge, unresolvedCharges, hashAddress, toOrderPaid };
  const checkout = createCheckout({ settings, ledger, tokens, ...payments, lookUp, hold });

  const onReceived = () => metrics.count('postbacks');
  const postbacks = createPostbacks({
    settings,
    ledger,
    references,
    lookUp,
    unresolvedCharges,
    onReceived,
  });
  const { receive: receivePostback } = postbacks;
  const isReady = createReadiness(ledger, settings);
  const toProxyError = createUnexpectedErrors(log, now);
  const parts = { settings, checkout, receivePostback, isReady, toProxyError, startWork };
  const handler = createHandler(parts);
  const calls = createInFlight();

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
      await Promise.all([longPolls.close(), handler.close(), calls.close()]);
      await postbacks.close();
      await worker?.close();
      // On connections that stay open, somebody may have asked meanwhile.
      await handler.close();
    },
  };
  noteInternals(proxy, { handle: handler.handle, startWork });
  return proxy;

  /** The merchant's own server hears of failures as the browser does. */
  async function serveMerchant<T>(work: () => Promise<T>): Promise<T> {
    startWork();
    try {
      return await calls.track(work());
    } catch (thrown) {
      throw toProxyError(thrown);
    }
  }

  async function toOrderPaid(paid: RememberedInvoice | null): Promise<ProxyError> {
    if (!paid) return new ProxyError('order_paid');
    const data = toCreatedInvoice(paid, await tokens.issue(paid), now());
    return new ProxyError('order_paid', { data });
  }

  async function onFound(issued: IssuedInvoice, found: StatusResult, evidence: RawAnswer) {
    const recorded = await record(issued, found, evidence);
    longPolls.publish(issued, recorded.finding);
    return recorded;
  }

  function onPayment(): void {
    metrics.count('paid');
    worker?.wake();
  }

  /** Nobody hears of it without a ledger or a hook, and then no timer is ever left. */
  function makeWorker(): Worker | null {
    const hasHooks = Object.keys(settings.hooks).length > 0;
    if (hasHooks && !settings.ledger) log({ level: 'warn', event: 'ledger_missing' });
    if (!hasHooks && !settings.ledger) return null;
    const deliveries = createOutbox({ ...settings, ledger });
    const sweep = createReconciliation({ ledger, lookUp, now, log });
    return createWorker({ deliveries, sweep, ledger, metrics, startTimer, log });
  }
}
