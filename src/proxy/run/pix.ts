/** Puts the ask of a request for a Pix code, and says how each command is carried out. */

import type { CreationParts, PricedPayment } from '../outside/invoice-forms.js';
import { recordCode } from '../order/asks/pix.js';
import type { PixAsk } from '../order/asks/pix.js';
import type { Answer } from '../order/asks/ask.js';
import type { Attempt, MadeInvoice, IssuedInvoice } from '../order/order.js';
import { unavailable, PageLeft, ProxyError } from '../set-up/proxy-error.js';
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
  /** Null: the merchant's own server asks. */
  readonly attempt: Attempt | null;
  /** Compare-and-set: the invoice that the payer wants replaced. */
  readonly replaces: string | undefined;
}

/**
 * @returns the order's one open invoice
 * @throws OrderPaid; ProxyError, as the order answers or as a command failed
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
              ...(isWrong && { failed: unavailable() }),
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

// Carries out `create`: one Pix invoice at the service, checked before anyone sees it.

function createCodeMaker(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;
  const unusual = new Set<string>();

  /**
   * @returns the invoice that the service made; `isWrong`: no payer may see it
   * @throws ProxyError; then nothing was made for this order that is known, and a later try may create another
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
      // It is another order's, or can never be looked up.
      if (field !== null && field !== 'data.total_cents') throw unavailable();
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

    /** The service created an invoice, but none that may be shown for this order. */
    function note(event: 'invalid_answer' | 'invalid_code', wrong: string): void {
      log({ level: 'error', event, ...call, field: wrong });
    }
  };

  /** Some banks refuse it though nothing is wrong with it: it is shown all the same, and logged once for each kind. */
  function noteUnusual({ code, externalId, invoiceId }: MadeInvoice): void {
    const field = findUnusual(code);
    if (field === null || unusual.has(field)) return;
    unusual.add(field);
    const about = { operation: 'create', externalId, invoiceId, field } as const;
    log({ level: 'warn', event: 'code_unusual', ...about });
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

/** Null, too, for a test environment's placeholder. */
function findUnusual(code: string): string | null {
  try {
    return findUnusualField(code);
  } catch {
    return null;
  }
}

// Lets the requests of this process that want a code of one order wait for the one that makes it, and share its failure: else a
// crowd would send one creation after another in an outage. This only saves calls. The order itself ensures that it has one
// code (`order/asks/pix.ts`), because other processes know nothing of this one.

/** How often an order is asked that another process makes a code for, milliseconds. */
const askAgainMs = 150;

/** Requests for codes of one process. `own` is the ending of the request that calls. */
function createSingleFlight({ startTimer }: Pick<Settings, 'startTimer'>) {
  const leaders = new Map<string, Promise<unknown>>();
  const waits = new Map<string, Pause>();

  return {
    /** It makes the order's code now: others wait until it has ended. */
    lead(externalId: string, own: Promise<unknown>): void {
      leaders.set(externalId, own);
      waits.get(externalId)?.end();
      const end = () => {
        if (leaders.get(externalId) === own) leaders.delete(externalId);
      };
      own.then(end, end);
    },

    /** Waits while another request makes the order's code. @throws what that one fails with, if this one would, too */
    async follow(externalId: string, own: Promise<unknown>): Promise<void> {
      for (let leader = leaders.get(externalId); leader; leader = leaders.get(externalId)) {
        if (leader === own) return;
        await leader.catch((thrown: unknown) => {
          if (isShared(thrown)) throw thrown;
        });
      }
    },

    /** Waits a moment for another process, together with all that wait, or until one of this process makes the code. */
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

/** Whether the others who wait for the order would fail in the same way. */
function isShared(thrown: unknown): boolean {
  if (thrown instanceof LedgerError) return true;
  if (thrown instanceof PageLeft) return false;
  return thrown instanceof ProxyError && /^(?:service_unavailable|in_progress)$/.test(thrown.code);
}

// Notes that a page got an older code again. The payer may pay it, however old it is, and close the page a moment later: so its
// look-ups begin anew. Whatever hands out a code that exists already notes it here.

/** Most invoices remembered by one process, so that an open page is no write: above, the oldest is noted again. */
const maxKnown = 10_000;

/** Codes that are shown. */
export type Showings = ReturnType<typeof createShowings>;

/** Makes what notes them. */
export function createShowings(store: Pick<OrderStore, 'change'>, now: () => number) {
  // When reconciliation of each code began, as far as this process knows.
  const beganAtMs = createRecent<number>(
    (atMs) => isNear(atMs, times.open.beginsAnewAfterMs, now()),
    maxKnown,
  );

  return {
    /** Notes that a payer is shown this code. Call it before the code is handed out. */
    async note(invoice: MadeInvoice): Promise<void> {
      if (isHandedOut(invoice) && !invoice.isPaid) await begin(invoice);
    },

    /** The same for a page that shows it already. It does not fail. */
    async noteOpen(issued: IssuedInvoice): Promise<void> {
      // A store that fails is in the log of all that follows.
      if (issued.method === 'pix') await begin(issued).catch(() => undefined);
    },
  };

  async function begin(invoice: IssuedInvoice): Promise<void> {
    if (beganAtMs.get(invoice.invoiceId) !== undefined) return;
    await record(store, invoice.externalId, recordShown, invoice);
    beganAtMs.set(invoice.invoiceId, now());
  }
}
