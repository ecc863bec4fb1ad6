/**
 * The proxy put together: which part is given which. The access token goes to the service's client and nowhere else.
 */

import { createServiceClient } from '../service.js';
import { toCreatedInvoice, toFoundInvoice } from './answers.js';
import { createCardCharging } from './card.js';
import { createCardGuards } from './card-guards.js';
import { createCharges } from './charges.js';
import { createCheckout } from './checkout.js';
import { toAddress } from './client-address.js';
import { createDebts } from './debts.js';
import { createHandler } from './handler.js';
import { createHolds } from './holds.js';
import type { Holds } from './holds.js';
import { errorNameOf } from './log.js';
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
  const service = createServiceClient({
    serviceUrl: options.serviceUrl,
    accessToken: options.accessToken,
    timeoutMs: settings.serviceTimeoutMs,
    fetch: settings.fetch,
    now,
  });
  const ledger = settings.ledger ?? createMemoryLedger(now);
  const tokens = createLookUpTokens(settings, now);
  const sandbox = createSandboxMark(settings.allowSandbox, log);
  const faults = createServiceFaults(log);
  const { lookUp } = createLookUps({ settings, service, faults, sandbox, onFound });
  const holds: Holds = createHolds(lookUp, now, startTimer);
  const refuseIfPaid = createPaidCheck(lookUp, toOrderPaid);
  const guards = createCardGuards(settings);
  const openCards = createOpenCards({ ledger, lookUp, guards, now, toOrderPaid });
  const { refuseIfOpen: refuseIfCardIsOpen } = openCards;

  const toPostbackUrl = createPostbackUrls(settings);
  const creation = { settings, service, faults, sandbox, log, toPostbackUrl };
  const createPix = createPixCreation(creation);
  const debt = { ledger, refuseIfPaid, toOrderPaid };
  const inTurn = createTurns(ledger, settings);
  const settle = createDebts({ ...debt, refuseIfCardIsOpen, createPix, inTurn, now });
  const charging = createCardCharging(creation);
  const charge = createCharges({ ...debt, settings, openCards, guards, charging });

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

    async close() {},

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

  async function onFound(
    issued: IssuedInvoice,
    finding: Finding,
    evidence: Evidence,
  ): Promise<boolean> {
    const isRecorded = await record(issued, finding, evidence);
    holds.publish(issued.invoiceId, finding);
    return isRecorded;
  }

  /** The payer sees what the service said, whatever becomes of our record. */
  async function record(
    issued: IssuedInvoice,
    finding: Finding,
    { mismatch, endToEndId }: Evidence,
  ): Promise<boolean> {
    const { externalId, invoiceId } = issued;
    try {
      if (finding.verdict === 'paid') {
        await ledger.recordPaid(toFoundInvoice(issued, finding.data, now()), { endToEndId });
      }
      if (mismatch !== null && finding.data.status === 'paid') {
        const { invoices } = await ledger.find(externalId);
        // Not for what somebody merely says to be of this order.
        const isOurs = invoices.some((known) => known.invoiceId === invoiceId);
        if (isOurs) await ledger.recordMismatch(issued, mismatch);
      }
      await openCards.noteFound(issued, finding);
      return true;
    } catch (thrown) {
      const errorName = errorNameOf(thrown);
      const event = 'ledger_failed';
      log({ level: 'error', event, operation: 'look_up', externalId, invoiceId, errorName });
      return false;
    }
  }
}
