/** Gets a Pix code: puts the ask to the order and carries out its commands. */

import type { CreationParts, PricedPayment } from '../outside/invoice-forms.js';
import { recordCode } from '../order/asks/pix.js';
import type { PixAsk } from '../order/asks/pix.js';
import type { Answer } from '../order/asks/ask.js';
import type { Attempt, MadeInvoice, IssuedInvoice } from '../order/order.js';
import { toUnavailableError, PageLeft, ProxyError } from '../set-up/proxy-error.js';
import type { LookUpFirst } from './look-up.js';
import type { RunAsk } from './run-ask.js';
import { toInvoice } from './run-ask.js';
import { BrCodeError, findUnusualField, parseBrCode } from '../../domain/br-code.js';
import {
  findWrongField,
  toCreationRequest,
  toMadeInvoice,
  toSendingOptions,
  isPassableCode,
} from '../outside/invoice-forms.js';
import type { Settings } from '../set-up/options/read-options.js';
import { startPause, createRecent } from '../runtime/running.js';
import type { Pause } from '../runtime/running.js';
import { LedgerError, record } from '../store/order-store.js';
import { recordShown } from '../order/invoices.js';
import { isHandedOut } from '../order/order.js';
import { times } from '../order/times.js';
import { isNear } from '../../domain/spans.js';
import type { OrderStore } from '../store/order-store.js';

export interface PixParts extends CreationParts {
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
}

interface PixPayment extends PricedPayment {
  /** Null if the merchant's own server asks. */
  readonly attempt: Attempt | null;
  /** The invoice that the payer wants replaced (compare-and-set). */
  readonly replaces: string | undefined;
}

/**
 * @returns the order's one open invoice
 * @throws OrderPaid, or ProxyError as the order answers or as a command failed
 */
export type PayByPix = (payment: PixPayment) => Promise<MadeInvoice>;

export function createPayByPix(parts: PixParts): PayByPix {
  const { runAsk, lookUpFirst, settings } = parts;
  const createCode = createCodeMaker(parts);
  const flight = createSingleFlight(settings);

  return async function payByPix(payment) {
    const { externalId, attempt, order, replaces = null } = payment;
    const holder = attempt?.holder ?? settings.randomUuid();
    const totalCents = order.total_price_cents;
    const ask: PixAsk = { kind: 'pix', externalId, attempt, holder, totalCents, replaces };
    const ending: Promise<Answer> = Promise.resolve().then(() =>
      runAsk(ask, {
        isAwaited: payment.isAwaited,
        beforeAsking: () => flight.follow(externalId, ending),
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async create({ known, isNewKey }) {
            flight.lead(externalId, ending);
            // A service that honours the key would answer a repeated one with the former code.
            const idempotencyKey = isNewKey ? payment.idempotencyKey : settings.randomUuid();
            const { invoice, isWrong } = await createCode({ ...payment, idempotencyKey });
            return {
              fact: (before, given) => recordCode(before, { ask, invoice, known, isWrong }, given),
              learned: { madeId: invoice.invoiceId },
              ...(isWrong && { failed: toUnavailableError() }),
            };
          },
          async wait() {
            await flight.waitBriefly(externalId, ending);
            return {};
          },
        },
      }),
    );
    return toInvoice(await ending);
  };
}

// Carrying out `create`
//
// Creates one Pix invoice at the service, and checks it before a payer can see it.

function createCodeMaker(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;
  const unusual = new Set<string>();

  /**
   * @returns the invoice, and `isWrong` if no payer may see it
   * @throws ProxyError if nothing is known to be created for this order; a later try may create another
   */
  return async function createCode(payment: PricedPayment) {
    const { externalId } = payment;
    const call = { operation: 'create', externalId } as const;
    try {
      const postbackUrl = await toPostbackUrl(externalId);
      const request = toCreationRequest(payment, 'pix', settings, postbackUrl);
      if (!payment.isAwaited()) throw new PageLeft();
      const options = toSendingOptions(payment, settings);
      const wire = await service.createCode(request, options, payment.isAwaited);
      const invoice = toMadeInvoice(wire, payment, 'pix', settings);
      const field = findWrongField(invoice, wire, request, settings);
      if (field !== null) note('invalid_answer', field);
      // The invoice belongs to another order, or can never be looked up.
      if (field !== null && field !== 'data.total_cents') throw toUnavailableError();
      const fault = findCodeFault(invoice, settings.allowUnverifiedCodes);
      if (field === null && fault !== null) note('invalid_code', fault);
      const isWrong = field !== null || fault !== null;
      sandbox.noteCreated(invoice.invoiceId, isWrong ? '' : invoice.code, wire.isSandbox);
      if (!isWrong) noteUnusual(invoice);
      return { invoice, isWrong };
    } catch (thrown) {
      const isPayerTyped = Object.keys(payment.typedPayer).length > 0;
      throw service.toProxyError(thrown, { ...call, isPayerTyped });
    }

    /** Logs that the service created an invoice that no page of this order may show. */
    function note(event: 'invalid_answer' | 'invalid_code', wrong: string): void {
      log({ level: 'error', event, ...call, field: wrong });
    }
  };

  /** Logs a valid code that some banks refuse, once for each kind. The page shows it all the same. */
  function noteUnusual({ code, externalId, invoiceId }: MadeInvoice): void {
    const field = findUnusual(code);
    if (field === null || unusual.has(field)) return;
    unusual.add(field);
    const about = { operation: 'create', externalId, invoiceId, field } as const;
    log({ level: 'warn', event: 'code_unusual', ...about });
  }
}

/** Why a bank would not pay this code, or would pay another amount; null if it would pay it. */
function findCodeFault({ code, totalCents }: MadeInvoice, isUnverified: boolean): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    // Paying this code, alone or with a charge, would authorise later debits.
    if (recurrenceLocation !== null) return 'recurrence';
    // For a code with a location, the bank asks there for the amount. A static code is paid as it is written.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}

/** Also null for a test environment's placeholder. */
function findUnusual(code: string): string | null {
  try {
    return findUnusualField(code);
  } catch {
    return null;
  }
}

// One creation at a time
//
// Requests of this process that want a code of the same order wait for the one that creates it, and share its failure.
// Otherwise many pages would send one creation after another in an outage. This only saves calls: the order itself ensures
// that it has one code (`order/asks/pix.ts`), because other processes know nothing of this one.

/** How often an order is asked while another process creates its code, milliseconds. */
const askAgainMs = 150;

/** Each request passes its own promise as `own`. */
function createSingleFlight({ startTimer }: Pick<Settings, 'startTimer'>) {
  const leaders = new Map<string, Promise<unknown>>();
  const waits = new Map<string, Pause>();

  return {
    /** Makes this request the one that creates the order's code. Others wait for its end. */
    lead(externalId: string, own: Promise<unknown>): void {
      leaders.set(externalId, own);
      waits.get(externalId)?.end();
      const end = () => {
        if (leaders.get(externalId) === own) leaders.delete(externalId);
      };
      own.then(end, end);
    },

    /**
     * Waits while another request creates the order's code. @throws its failure, if this request would fail in the same way
     */
    async follow(externalId: string, own: Promise<unknown>): Promise<void> {
      for (let leader = leaders.get(externalId); leader; leader = leaders.get(externalId)) {
        if (leader === own) return;
        await leader.catch((thrown: unknown) => {
          if (isShared(thrown)) throw thrown;
        });
      }
    },

    /** Waits briefly for another process, together with all that wait, or until a request of this process creates the code. */
    async waitBriefly(externalId: string, own: Promise<unknown>): Promise<void> {
      if ((leaders.get(externalId) ?? own) !== own) return;
      await (waits.get(externalId) ?? startWait(externalId)).over;
    },
  };

  function startWait(externalId: string): Pause {
    const wait = startPause(startTimer, askAgainMs);
    waits.set(externalId, wait);
    void wait.over.then(() => waits.delete(externalId));
    return wait;
  }
}

/** Whether the other requests for this order would fail in the same way. */
function isShared(thrown: unknown): boolean {
  if (thrown instanceof LedgerError) return true;
  if (thrown instanceof PageLeft) return false;
  return thrown instanceof ProxyError && /^(?:service_unavailable|in_progress)$/.test(thrown.code);
}

// Codes that are shown again
//
// A payer may pay an older code and close the page a moment later, so its look-ups begin anew. Everything that hands out an
// existing code notes it here.

/** Most invoices remembered, so that an open page causes no write. Above this, the oldest is noted again. */
const maxKnown = 10_000;

export type Showings = ReturnType<typeof createShowings>;

export function createShowings(store: Pick<OrderStore, 'change'>, now: () => number) {
  // When this process last began the look-ups of each code.
  const beganAtMs = createRecent<number>(
    (atMs) => isNear(atMs, times.open.beginsAnewAfterMs, now()),
    maxKnown,
  );

  return {
    /** Notes that a page will show this code. Call it before the code is handed out. */
    async note(invoice: MadeInvoice): Promise<void> {
      if (isHandedOut(invoice) && !invoice.isPaid) await begin(invoice);
    },

    /** Notes that a page still shows this code. Never fails. */
    async noteOpen(issued: IssuedInvoice): Promise<void> {
      // A store that is down is logged by everything that follows.
      if (issued.method === 'pix') await begin(issued).catch(() => undefined);
    },
  };

  async function begin(invoice: IssuedInvoice): Promise<void> {
    if (beganAtMs.get(invoice.invoiceId) !== undefined) return;
    await record(store, invoice.externalId, recordShown, invoice);
    beganAtMs.set(invoice.invoiceId, now());
  }
}
