/**
 * Gets or creates the one open Pix invoice of an order: two keys, tabs or devices that ask for one order and price get one
 * code. What an order allows is said by `order/creations.ts`; here it is carried out. A new invoice is checked before anyone
 * sees it.
 */

import { BrCodeError, parseBrCode } from '../../domain/br-code.js';
import type { UnresolvedCharges } from '../cards/unresolved-charges.js';
import {
  findWrongField,
  toCreationRequest,
  toMadeInvoice,
  toSendingOptions,
} from '../gateway/invoice-forms.js';
import type { CreationParts, PricedPayment } from '../gateway/invoice-forms.js';
import { isPassableCode } from '../gateway/wire-texts.js';
import { begun, failed, madeCode } from '../order/creations.js';
import type { Begun } from '../order/creations.js';
import type { Attempt, MadeInvoice } from '../order/order.js';
import {
  OrderPaid,
  PageLeft,
  ProxyError,
  inProgress,
  unavailable,
} from '../runtime/proxy-error.js';
import type { OrderStore } from '../store/order-store.js';
import { record } from '../store/record.js';
import { createOrderLock } from './order-lock.js';
import { createUnusualCodes } from './unusual-codes.js';

/** How long a request waits for the one that makes the code, milliseconds: longer than that may take. Then its page asks again. */
const patienceMs = 8_000;

/** When to ask again for a code that another process has just recorded, seconds. */
const soonSeconds = 1;

/** A request for an order's open invoice. */
interface PixRequest extends PricedPayment {
  /** Null: the merchant's own server asks. */
  readonly attempt: Attempt | null;
  /** Compare-and-set: the invoice that the payer wants replaced. */
  readonly replaces: string | undefined;
}

/** What it needs. */
interface OpenInvoiceParts extends CreationParts {
  readonly store: OrderStore;
  readonly unresolvedCharges: Pick<UnresolvedCharges, 'lookAtCard' | 'findUnpaid'>;
}

/**
 * @returns the order's one open invoice
 * @throws OrderPaid; ProxyError `in_progress`, `key_reused`, `too_many_requests`, or why none could be made
 */
export type GetOrCreatePix = (request: PixRequest) => Promise<MadeInvoice>;

/** Makes the function that answers with an order's open invoice. */
export function createOpenInvoices(parts: OpenInvoiceParts): GetOrCreatePix {
  const { settings, store, unresolvedCharges } = parts;
  const { now, randomUuid } = settings;
  const lock = createOrderLock(settings);
  const noteUnusual = createUnusualCodes(parts.log);

  return async function getOrCreatePix(request) {
    const { externalId, attempt } = request;
    const codeRequest = toCodeRequest(request, attempt?.holder ?? randomUuid());
    const lookedUp = new Set<string>();
    const giveUpAtMs = now() + patienceMs;
    let hasLookedAtCard = false;
    for (;;) {
      const found = await lock.run(externalId, () => beginOrMake(request, codeRequest, lookedUp));
      switch (found.is) {
        case 'open':
          return found.invoice;
        case 'unsure':
          for (const id of await unresolvedCharges.findUnpaid(found, request)) {
            lookedUp.add(id);
          }
          break;
        case 'card':
          if (hasLookedAtCard) throw inProgress();
          await unresolvedCharges.lookAtCard(externalId, request);
          hasLookedAtCard = true;
          break;
        case 'making':
          if (now() >= giveUpAtMs) throw inProgress(1);
          await lock.waitBriefly(externalId);
          break;
        case 'paid':
          throw new OrderPaid(found.invoice);
        case 'reused':
          throw new ProxyError('key_reused');
        case 'stopped':
          throw inProgress();
        case 'too_many': {
          const retryAfterSeconds = Math.ceil((found.freeAtMs - now()) / 1_000);
          throw new ProxyError('too_many_requests', { retryAfterSeconds });
        }
        default:
          found satisfies never;
      }
    }
  };

  async function beginOrMake(
    request: PixRequest,
    codeRequest: ReturnType<typeof toCodeRequest>,
    lookedUp: ReadonlySet<string>,
  ): Promise<Exclude<Begun, Beginning> | Answer> {
    const what = { ...codeRequest, lookedUp };
    const found = await record(store, request.externalId, begun, what, { isRelaxed: true });
    if (found.is !== 'begin') return found;
    const invoice = await make(request, codeRequest, found);
    return invoice ? { is: 'open', invoice } : { is: 'card' };
  }

  /** @returns null: a card is in the way now, and has to be looked at */
  async function make(
    request: PixRequest,
    codeRequest: ReturnType<typeof toCodeRequest>,
    { known, isNewKey }: Beginning,
  ): Promise<MadeInvoice | null> {
    const { externalId } = request;
    try {
      // A service that honours the key would answer a repeated one with the former code.
      const idempotencyKey = isNewKey ? request.idempotencyKey : randomUuid();
      const invoice = await createPix(parts, { ...request, idempotencyKey });
      noteUnusual(invoice);
      const what = { ...codeRequest, invoice, known, isAwaited: request.isAwaited() };
      const made = await record(store, externalId, madeCode, what);
      switch (made.is) {
        case 'made':
          return made.invoice;
        case 'paid':
          throw new OrderPaid(made.invoice);
        case 'barred':
          throw new ProxyError('key_reused');
        case 'late':
          throw unavailable(soonSeconds);
        case 'card':
          return null;
        default:
          return made satisfies never;
      }
    } catch (thrown) {
      // If that cannot be recorded, the claim runs out.
      await record(store, externalId, failed, codeRequest).catch(() => undefined);
      throw thrown;
    }
  }
}

type Beginning = Extract<Begun, { readonly is: 'begin' }>;

interface Answer {
  readonly is: 'open';
  readonly invoice: MadeInvoice;
}

function toCodeRequest({ attempt, order, replaces }: PixRequest, holder: string) {
  return { attempt, holder, totalCents: order.total_price_cents, replaces: replaces ?? null };
}

/** Creates one invoice at the service. @throws ProxyError; then nothing was handed out, and a later try may create another */
async function createPix(parts: CreationParts, payment: PricedPayment): Promise<MadeInvoice> {
  const { settings, service, sandbox, log, toPostbackUrl } = parts;
  const { externalId } = payment;
  const call = { operation: 'create', externalId } as const;
  try {
    const postbackUrl = await toPostbackUrl(externalId);
    const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
    if (!payment.isAwaited()) throw new PageLeft();
    const wire = await service.createInvoice(request, toSendingOptions(payment, settings));
    const invoice = toMadeInvoice(wire, payment, 'pix', settings);
    refuseIf('invalid_answer', findWrongField(invoice, wire, request, settings));
    refuseIf('invalid_code', findCodeFault(invoice, settings.allowUnverifiedCodes));
    sandbox.noteCreated(invoice.invoiceId, invoice.code, wire.isSandbox);
    return invoice;
  } catch (thrown) {
    const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
    throw service.toProxyError(thrown, { ...call, isPayerTyped });
  }

  /** The service created an invoice, but none that may be shown for this order. */
  function refuseIf(event: 'invalid_answer' | 'invalid_code', field: string | null): void {
    if (field === null) return;
    log({ level: 'error', event, ...call, field });
    throw unavailable();
  }
}

/** Why a bank would not pay this code, or would pay another amount; null: it would pay it. */
function findCodeFault({ code, totalCents }: MadeInvoice, isUnverified: boolean): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    // Paying it, alone or with a charge, would authorise later debits.
    if (recurrenceLocation !== null) return 'recurrence';
    // A bank asks a location for the amount again; it pays a key's code as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}
