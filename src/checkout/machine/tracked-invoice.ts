/**
 * Makes tracked invoices of answers, compares look-ups with them, and plans when each is looked up next.
 *
 * Promise kept here: a code is read before it is shown. A wrong check sum, or a static code for another amount, never
 * reaches the payer.
 * The location inside a dynamic code is for the payer's bank and is never fetched.
 */

import { BrCodeError, maxBrCodeLength, parseBrCode } from '../../domain/br-code.js';
import { mismatchStatuses, maxWaitSeconds } from '../../contract/types.js';
import type {
  CreatedInvoice,
  InvoiceStatus,
  Method,
  MismatchStatus,
} from '../../contract/types.js';
import type {
  CheckoutErrorCode,
  PixCode,
  PricedInvoice,
  Terms,
  LookUp,
  Given,
  Pace,
  Polling,
  TrackedInvoice,
  Watch,
} from './state.js';
import { minPollIntervalMs, nextLookUpDelayMs } from '../../contract/schedule.js';

/** A year. `Date` cannot hold much later times. */
const longestDeadlineSeconds = 31_536_000;

/** The receiver in every code of the sandbox (`sandbox/br-code-writer.ts`). */
const testReceiver = 'TESTE NAO PAGAR';

/** A code that may be shown, perhaps with a warning for the merchant; or the reason why it may not. */
type ReadCode =
  | { readonly code: PixCode; readonly warning: CheckoutErrorCode | null }
  | { readonly refused: CheckoutErrorCode };

/** Reads a Pix code for an amount. */
export function readCode(text: string, totalCents: number, terms: Terms): ReadCode {
  try {
    const read = parseBrCode(text);
    // To pay it would authorise later debits (Pix Automático), which no screen of ours explains.
    if (read.recurrenceLocation) return refuseCode(text, 'invalid_code', terms);
    const differs = read.amountCents !== null && read.amountCents !== totalCents;
    // The payer's bank charges a static code's own amount; a dynamic one's it asks for again (field 54 is ignored).
    if (differs && read.kind === 'static') return refuseCode(text, 'code_amount_differs', terms);
    return {
      code: {
        text: read.text,
        receiverName: read.merchantName,
        test: terms.allowUnverifiedCode || read.merchantName === testReceiver,
      },
      warning: differs ? 'code_amount_differs' : null,
    };
  } catch (error) {
    if (!(error instanceof BrCodeError)) throw error;
    return refuseCode(text, 'invalid_code', terms);
  }
}

function refuseCode(text: string, refused: CheckoutErrorCode, terms: Terms): ReadCode {
  const trimmed = text.trim();
  if (!terms.allowUnverifiedCode || trimmed === '' || trimmed.length > maxBrCodeLength) {
    return { refused };
  }
  return { code: { text: trimmed, receiverName: '', test: true }, warning: null };
}

/** How a look-up can differ from its invoice. */
export type Disagreement = 'reference_mismatch' | 'amount_mismatch' | 'invalid_code';

/** Compares the answer to a Pix creation with what the page said. What the page left out is not compared. */
export function checkCreated(created: CreatedInvoice, terms: Terms): Disagreement | null {
  return checkLookUp(created, { externalId: terms.externalId, totalCents: terms.pixCents });
}

/** Whether the invoice was paid: as it was created, or with a mismatch. */
export function isPayment({ status }: { readonly status: string }): boolean {
  return status === 'paid' || findMismatch(status) !== null;
}

function findMismatch(status: string): MismatchStatus | null {
  return mismatchStatuses.find((word) => word === status) ?? null;
}

/**
 * Compares a look-up with what is known of the invoice; null in `known` means not known, so not compared. A proxy that
 * compares with what it created knows more than any page.
 */
export function checkLookUp(
  answer: CreatedInvoice | InvoiceStatus,
  known: {
    readonly externalId: string | null;
    readonly totalCents: number | null;
    readonly code?: PixCode | null;
    readonly verified?: boolean;
  },
): Disagreement | null {
  const told = findMismatch(answer.status);
  if (told) return told;
  if (known.externalId !== null && answer.external_id !== known.externalId) {
    return 'reference_mismatch';
  }
  if (known.totalCents !== null && answer.total_cents !== known.totalCents) {
    return 'amount_mismatch';
  }
  // An invoice that the page handed in is believed only once the proxy names the very same code.
  const unverified = known.verified === false && known.code;
  if (unverified && answer.qr_code_pix && answer.qr_code_pix.trim() !== unverified.text) {
    return 'invalid_code';
  }
  return null;
}

/** The invoice that a create answer names, its code not yet read. */
export function toTracked(
  created: CreatedInvoice,
  terms: Terms,
  nowMs: number,
  verified: boolean,
  method: Method = 'pix',
): PricedInvoice {
  return {
    invoiceId: created.invoice_id,
    orderCode: created.order_code,
    externalId: created.external_id,
    method,
    totalCents: created.total_cents,
    code: null,
    lookupToken: created.lookup_token ?? null,
    status: created.status,
    createdAtMs: nowMs,
    // A code is offered for a time, a charge is not.
    deadlineMs: method === 'pix' ? toDeadline(created.expires_in, terms, nowMs, nowMs) : null,
    verified,
  };
}

/**
 * The merchant's deadline in monotonic milliseconds. An answer's `expires_in` counts from that answer and wins over the
 * page's own, which counts from the code's creation.
 */
export function toDeadline(
  expiresIn: number | undefined,
  terms: Terms,
  createdAtMs: number,
  nowMs: number,
): number | null {
  if (expiresIn !== undefined) return toDeadlineMs(expiresIn, nowMs);
  return terms.expiresInSeconds === null ? null : toDeadlineMs(terms.expiresInSeconds, createdAtMs);
}

/** A deadline only ever comes nearer: a proxy that repeats the same number must not put it off. */
export function toSoonerDeadline(
  deadlineMs: number | null,
  expiresIn: number | undefined,
  nowMs: number,
): number | null {
  if (expiresIn === undefined) return deadlineMs;
  return Math.min(deadlineMs ?? Infinity, toDeadlineMs(expiresIn, nowMs));
}

function toDeadlineMs(seconds: number, fromMs: number): number {
  return fromMs + Math.min(seconds, longestDeadlineSeconds) * 1_000;
}

// When the element looks up again, and which invoice.
//
// Promise kept here: whatever happens, there is a next step. A look-up is in flight or due, or the page is away.
//
// A proxy that holds its answers (`?wait=25`) is asked again as each answer comes; one that answers "still pending" in
// less than half the wait is asked on the schedule of `contract/schedule` until the payer's next return. Never two
// look-ups at once.

const heldPace: Pace = { kind: 'held' };
const scheduledPace: Pace = { kind: 'scheduled' };

/** The first look-up of an invoice that is not shown yet: the proxy must not hold it, because the payer waits. */
export const plainPace: Pace = { kind: 'quick', delaysMs: [] };

/** The pace after the payer came back: by then the bank has told the service, or soon will. */
export const quickPace: Pace = { kind: 'quick', delaysMs: [1_000, 2_000, 4_000, 8_000] };

/** Largest span of the jitter after failures. */
const longestSpanMs = 30_000;

/** Begins to follow invoices. The first look-up is due at once. */
export function startWatch(
  invoices: Watch['invoices'],
  attemptKey: string | null,
  nowMs: number,
  pace: Pace = heldPace,
): Watch {
  const polling = { startedAtMs: nowMs, pace, turn: 0, dueMs: nowMs, sinceMs: null };
  return { ...polling, failures: 0, refusals: 0, renewedAtMs: -Infinity, invoices, attemptKey };
}

/** The index of the invoice whose turn it is (0 is the newest), and how long the proxy may hold the answer. */
function findTurn({ turn, invoices, pace, failures }: Watch) {
  const others = invoices.length - 1;
  const index = turn % 2 && others ? 1 + (((turn - 1) / 2) % others) : 0;
  const holds = (pace.kind === 'held' || pace.kind === 'cut') && failures === 0 && index === 0;
  return { index, waitSeconds: holds ? maxWaitSeconds : 0 };
}

/** The invoice that the look-up in flight asks for; `null`: none is in flight. */
export function findAskedInvoice(watch: Watch): TrackedInvoice | null {
  return watch.sinceMs === null ? null : (watch.invoices[findTurn(watch).index] ?? null);
}

/** Starts the look-up that is due. */
export function startLookUp(watch: Watch, nowMs: number): { watch: Watch; lookUp: LookUp } {
  const { index, waitSeconds } = findTurn(watch);
  const { invoiceId, lookupToken } = watch.invoices[index] ?? watch.invoices[0];
  // After a return a connection that slept with the phone can hang for half a minute.
  const timeoutMs = watch.pace.kind === 'quick' ? 6_000 : waitSeconds * 1_000 + 8_000;
  return {
    lookUp: { type: 'look_up', invoiceId, lookupToken, waitSeconds, timeoutMs },
    watch: { ...watch, dueMs: null, sinceMs: nowMs },
  };
}

/** Plans the next look-up after an answer that is not final. */
export function planAfterAnswer(watch: Watch, given: Given): Watch {
  const { nowMs } = given;
  const { index, waitSeconds } = findTurn(watch);
  if (index > 0) return planNewest(watch, given);
  const wasHeld = nowMs - (watch.sinceMs ?? nowMs) >= waitSeconds * 500;
  const pace = waitSeconds === 0 ? watch.pace : wasHeld ? heldPace : scheduledPace;
  const next = { ...watch, pace, failures: 0, refusals: 0 };
  // A former code may be paid too. It is asked for right after the newest, so that the newest need not wait longer.
  return watch.invoices.length > 1
    ? planLookUp(nowMs, next, { turn: next.turn + 1 })
    : planNewest(next, given);
}

/** Plans the newest invoice's next look-up, at the time that the pace gives. */
function planNewest(watch: Watch, { nowMs, terms }: Given): Watch {
  const { pace, startedAtMs } = watch;
  const turn = toNextEven(watch);
  if (pace.kind === 'quick') {
    const [quickMs = 0, ...delaysMs] = pace.delaysMs;
    const next: Pace = hasQuickLookUp(pace) ? { kind: 'quick', delaysMs } : heldPace;
    return planLookUp(nowMs + quickMs, watch, { turn, pace: next });
  }
  const isScheduled = pace.kind === 'scheduled';
  const delayMs = isScheduled ? nextLookUpDelayMs(nowMs - startedAtMs, terms.pollIntervalMs) : 0;
  return planLookUp(nowMs + delayMs, watch, { turn });
}

/**
 * Plans the next look-up after one that failed, or after look-ups that stood still. It comes after jitter (a random time
 * in the second half of a span that doubles with each failure), and not before the proxy's Retry-After. Where former invoices are
 * followed, the next look-up asks for one of those. The quick look-ups after a return keep their times.
 */
export function planAfterFailure(
  watch: Watch,
  given: Given,
  retryAfterSeconds: number | null = null,
): Watch {
  const { pace, sinceMs, invoices } = watch;
  const { nowMs, random, terms } = given;
  const { index, waitSeconds } = findTurn(watch);
  const isFormer = sinceMs !== null && index > 0;
  // The failure of a former invoice's look-up says nothing of the newest.
  const failures = watch.failures + (isFormer ? 0 : 1);
  if (isFormer || hasQuickLookUp(pace)) {
    const next = planNewest(watch, given);
    const notBeforeMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
    return { ...next, failures, dueMs: Math.max(next.dueMs ?? 0, notBeforeMs) };
  }
  // Never sooner than after an answer: else a proxy that fails each other time would be asked more often.
  const delayMs = toPauseMs(random, terms.pollIntervalMs, failures, retryAfterSeconds);
  const turn = toNextEven(watch) + (invoices.length > 1 ? 1 : 0);
  return planLookUp(nowMs + delayMs, watch, {
    failures,
    turn,
    pace:
      pace.kind === 'quick'
        ? heldPace
        : sinceMs !== null && waitSeconds > 0
          ? toSlowerPace(pace)
          : pace,
  });
}

/** The pace after a look-up that the proxy held has failed. */
function toSlowerPace(pace: Pace): Pace {
  return pace.kind === 'held' ? { kind: 'cut' } : scheduledPace;
}

/** Whether a quick look-up is still to come. */
function hasQuickLookUp(pace: Pace): boolean {
  return pace.kind === 'quick' && pace.delaysMs.length > 0;
}

/**
 * Milliseconds until a failed request is made again: jitter over the second half of a span that doubles with each try, and
 * at least what the proxy asks for.
 */
export function toPauseMs(
  random: number,
  firstSpanMs: number,
  tries: number,
  retryAfterSeconds: number | null,
): number {
  const span = Math.min(longestSpanMs, firstSpanMs * 2 ** Math.min(tries, 16));
  const jitteredMs = (span * (1 + random)) / 2;
  return Math.max(minPollIntervalMs, jitteredMs, (retryAfterSeconds ?? 0) * 1_000);
}

/** The payer came back, pressed "Já paguei", or the line is up again: look now, then quickly, then as before. */
export function planAfterReturn(watch: Watch, nowMs: number): Watch {
  return planLookUp(nowMs, watch, { pace: quickPace, failures: 0, turn: toNextEven(watch) });
}

/** Nothing is asked until the next return: the browser is offline, or the page is being put away. */
export function pauseLookUps(watch: Watch): Watch {
  return planLookUp(null, watch);
}

/** Whether nothing is in flight, and nothing due. */
export function isPaused({ dueMs, sinceMs }: Watch): boolean {
  return dueMs === null && sinceMs === null;
}

/**
 * Look-ups that stood still go on, each time later: a proxy that refuses every token it gives is not asked in a loop.
 * It leaves alone a look-up that is in flight or waits for its time.
 */
export function goOnIfPaused(watch: Watch, given: Given, retryAfterSeconds?: number | null): Watch {
  return isPaused(watch) ? planAfterFailure(watch, given, retryAfterSeconds) : watch;
}

function planLookUp(dueMs: number | null, watch: Watch, changes: Partial<Polling> = {}): Watch {
  return { ...watch, ...changes, dueMs, sinceMs: null };
}

function toNextEven({ turn }: Watch): number {
  return turn + (turn % 2);
}
