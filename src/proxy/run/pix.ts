/** Gets a Pix code: puts the ask to its order, and carries out the commands that the order replies. */

import type { CreationParts, PricedPayment } from '../outside/invoice-forms.js';
import { recordCode, recordShown, type PixAsk } from '../order/asks/pix.js';
import type { Answer } from '../order/asks/ask.js';
import type { Attempt, MadeInvoice, IssuedInvoice } from '../order/order.js';
import { toUnavailableError, PageLeft, ProxyError } from '../set-up/proxy-error.js';
import type { LookUpFirst } from './look-up.js';
import { toInvoice, type RunAsk } from './run-ask.js';
import { BrCodeError, findUnusualField, parseBrCode } from '../../domain/br-code.js';
import { readCreated, toCreation, isPassableCode } from '../outside/invoice-forms.js';
import type { Settings } from '../set-up/options/read-options.js';
import { startPause, createRecentNames, type Pause } from '../runtime/running.js';
import { LedgerError, record, type OrderStore } from '../store/order-store.js';
import { times } from '../order/times.js';

export interface PixParts extends CreationParts {
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
}

interface PayByPixParts extends PixParts {
  readonly showings: Pick<Showings, 'remember'>;
}

interface PixPayment extends PricedPayment {
  /** Null if the merchant's own server asks. */
  readonly attempt: Attempt | null;
  /** The invoice that the payer wants to replace (compare-and-set). */
  readonly replaces: string | undefined;
}

/**
 * Finds or creates the code.
 * @returns the order's one open invoice
 * @throws OrderPaid, or ProxyError as the order answers or as a command failed
 */
export type PayByPix = (payment: PixPayment) => Promise<MadeInvoice>;

/** Creates the function that gets the order's Pix code. Requests of this process for one order share a creation. */
export function createPayByPix(parts: PayByPixParts): PayByPix {
  const { runAsk, lookUpFirst, settings, showings } = parts;
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
            // With a repeated key, a service that honours keys would answer with the former code.
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
    const invoice = toInvoice(await ending);
    // For a page that waits, the order has recorded that it shows the code, so the page's first look-up need not record it.
    if (payment.isAwaited()) showings.remember(invoice);
    return invoice;
  };
}

// Carrying out `create`
//
// Creates one Pix invoice at the service, and checks it before a payer can see it.

/** Creates the function that creates a Pix invoice at the service and checks its code. It logs each unusual kind once. */
function createCodeMaker(parts: CreationParts) {
  const { settings, service, sandbox, toPostbackUrl } = parts;
  const { log } = settings;
  const unusual = new Set<string>();

  /**
   * Creates a code.
   * @returns the invoice, and `isWrong` if no payer may see it
   * @throws ProxyError if it is not known that an invoice of this order was created; a later try may create another
   */
  return async function createCode(payment: PricedPayment) {
    const { externalId } = payment;
    const call = { operation: 'create', externalId } as const;
    try {
      const postbackUrl = await toPostbackUrl(externalId);
      const { request, options } = toCreation(payment, 'pix', settings, postbackUrl);
      if (!payment.isAwaited()) throw new PageLeft();
      const wire = await service.createCode(request, options, payment.isAwaited);
      const { invoice, field } = readCreated(wire, payment, 'pix', settings);
      if (field !== null) note('invalid_answer', field);
      // The invoice belongs to another order, or can never be looked up.
      if (field !== null && field !== 'data.total_cents') throw toUnavailableError();
      const fault = findCodeFault(invoice, settings.allowUnverifiedCodes);
      if (field === null && fault !== null) note('invalid_code', fault);
      const isWrong = field !== null || fault !== null;
      sandbox.noteCreated(invoice.invoiceId, isWrong ? '' : invoice.code, wire.isSandbox);
      if (!isWrong) warnOfUnusualCode(invoice);
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
  function warnOfUnusualCode({ code, externalId, invoiceId }: MadeInvoice): void {
    const field = tryFindUnusualField(code);
    if (field === null || unusual.has(field)) return;
    unusual.add(field);
    const about = { operation: 'create', externalId, invoiceId, field } as const;
    log({ level: 'warn', event: 'code_unusual', ...about });
  }
}

/**
 * Finds out why no payer may see this code: a bank would not pay it, or would pay another amount, or it would authorise
 * later debits.
 * @param isUnverified the option `allowUnverifiedCodes`: then a text that a page can show is enough
 * @returns null if payers may see it
 */
function findCodeFault({ code, totalCents }: MadeInvoice, isUnverified: boolean): string | null {
  if (code === '') return 'no-code';
  if (isUnverified) return isPassableCode(code, true) ? null : 'unreadable';
  try {
    const { kind, amountCents, recurrenceLocation } = parseBrCode(code);
    // Paying this code, alone or with a charge, would authorise later debits.
    if (recurrenceLocation !== null) return 'recurrence';
    // For a code with a location, the bank asks there for the amount. A static code is paid with its own amount.
    const differs = kind === 'static' && amountCents !== null && amountCents !== totalCents;
    return differs ? 'amount-differs' : null;
  } catch (thrown) {
    return thrown instanceof BrCodeError ? thrown.fault : 'unreadable';
  }
}

/** Finds the field of a code for which some banks refuse it. @returns null if none, or if the code cannot be parsed */
function tryFindUnusualField(code: string): string | null {
  try {
    return findUnusualField(code);
  } catch {
    return null;
  }
}

// One creation at a time
//
// In this process, one request creates the code of an order. Other requests for it wait, and share its failure.
// Otherwise many pages would send one creation after another in an outage. This only saves calls: the order itself ensures
// that it has one code (`order/asks/pix.ts`), because other processes know nothing of these requests.

/** How often the order is asked while another process creates its code, milliseconds. */
const askAgainMs = 150;

/**
 * Keeps which request of this process creates the code of an order, so that other requests can wait for it. Each request
 * identifies itself by its own promise, `own`.
 */
function createSingleFlight({ startTimer }: Pick<Settings, 'startTimer'>) {
  const leaders = new Map<string, Promise<unknown>>();
  const waits = new Map<string, Pause>();

  return {
    /** Notes that this request creates the order's code. Ends the short waits for it; those requests then wait in `follow`. */
    lead(externalId: string, own: Promise<unknown>): void {
      leaders.set(externalId, own);
      waits.get(externalId)?.end();
      const end = () => {
        if (leaders.get(externalId) === own) leaders.delete(externalId);
      };
      own.then(end, end);
    },

    /**
     * Waits while another request of this process creates the order's code. Returns at once if this request, known by its
     * promise `own`, is the one that creates it. @throws the other's failure, if this request would fail in the same way
     */
    async follow(externalId: string, own: Promise<unknown>): Promise<void> {
      for (let leader = leaders.get(externalId); leader; leader = leaders.get(externalId)) {
        if (leader === own) return;
        await leader.catch((thrown: unknown) => {
          if (isShared(thrown)) throw thrown;
        });
      }
    },

    /**
     * Waits briefly for the code of another process. Returns at once if another request of this process creates one, because
     * `follow` waits for that.
     */
    async waitBriefly(externalId: string, own: Promise<unknown>): Promise<void> {
      if ((leaders.get(externalId) ?? own) !== own) return;
      await (waits.get(externalId) ?? startWait(externalId)).over;
    },
  };

  /** Starts the short wait that all waiting requests of an order share. */
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
// A payer may pay an older code and close the page a moment later, so its look-ups begin anew. An ask records that in its
// own change of the order. Look-ups and pictures record it here.

/**
 * Most codes remembered as recorded, so that an open page causes one write in half an hour. Above this, the oldest is
 * forgotten, and its page causes another write.
 */
const maxKnown = 10_000;

export type Showings = ReturnType<typeof createShowings>;

/** Creates the record of codes that pages show again. It stores each at most once in half an hour. */
export function createShowings(store: Pick<OrderStore, 'change'>, now: () => number) {
  // The codes whose look-ups this process has begun anew lately.
  const begun = createRecentNames(times.open.beginsAnewAfterMs, now, maxKnown);

  return {
    /** Notes that a page will show this code. Call it before the code is handed out. */
    note: recordShowing,

    /** Remembers a code whose order has just recorded that a page will show it. */
    remember({ invoiceId }: IssuedInvoice): void {
      begun.note(invoiceId);
    },

    /** Notes that a page still shows this code. Never fails. */
    async noteOpen(issued: IssuedInvoice): Promise<void> {
      // The error is dropped, because the look-up itself writes to the store, and logs that it is down.
      if (issued.method === 'pix') await recordShowing(issued).catch(() => undefined);
    },
  };

  /** Records that a page got this code, unless this process did so lately. */
  async function recordShowing(invoice: IssuedInvoice): Promise<void> {
    if (begun.has(invoice.invoiceId)) return;
    await record(store, invoice.externalId, recordShown, invoice);
    begun.note(invoice.invoiceId);
  }
}
