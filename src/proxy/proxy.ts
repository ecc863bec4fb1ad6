/**
 * The proxy put together: which part is given which. The access token goes to the service's client and nowhere else.
 */

import { createServiceClient } from '../service.js';
import { toCreatedInvoice } from './answers.js';
import { createCheckout } from './checkout.js';
import { toAddress } from './client-address.js';
import { createDebts } from './debts.js';
import { createHandler } from './handler.js';
import { createHolds } from './holds.js';
import type { Holds } from './holds.js';
import { errorNameOf } from './log.js';
import { createLookUps } from './look-ups.js';
import type { Finding } from './look-ups.js';
import { readOptions } from './options.js';
import { createOrderMemory } from './orders/memory.js';
import type { IssuedInvoice, RememberedInvoice } from './orders/orders.js';
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
  const service = createServiceClient({
    serviceUrl: options.serviceUrl,
    accessToken: options.accessToken,
    timeoutMs: settings.serviceTimeoutMs,
    fetch: settings.fetch,
    now,
  });
  const orders = createOrderMemory(now);
  const tokens = createLookUpTokens(settings, now);
  const sandbox = createSandboxMark(settings.allowSandbox, log);
  const faults = createServiceFaults(log);
  const { lookUp } = createLookUps({ service, faults, sandbox, log, now, onFound });
  const holds: Holds = createHolds(lookUp, now, startTimer);
  const toPostbackUrl = createPostbackUrls(settings);
  const createPix = createPixCreation({ settings, service, faults, sandbox, log, toPostbackUrl });
  const inTurn = createTurns();
  const settle = createDebts({ orders, lookUp, createPix, inTurn, now, toOrderPaid });
  const { hold } = holds;
  const checkout = createCheckout({ settings, orders, tokens, settle, toOrderPaid, lookUp, hold });

  return {
    fetch: createHandler(settings, checkout),
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

  async function onFound(issued: IssuedInvoice, finding: Finding): Promise<void> {
    try {
      if (finding.isPaid) await orders.recordPaid(toRemembered(issued, finding));
    } catch (thrown) {
      // The payer sees what the service said, whatever became of our record.
      log({ level: 'error', event: 'unexpected_error', errorName: errorNameOf(thrown) });
    }
    holds.publish(issued.invoiceId, finding);
  }

  /** For an order this process has not seen, or no longer remembers. */
  function toRemembered(issued: IssuedInvoice, { data }: Finding): RememberedInvoice {
    const { order_code: orderCode, qr_code_pix: code = '', status } = data;
    return { ...issued, orderCode, code, status, createdAtMs: now() };
  }
}
