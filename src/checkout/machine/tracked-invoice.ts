/**
 * Makes tracked invoices from answers, compares look-ups with them, and plans when each is looked up next.
 *
 * Promise kept here: a code is read before it is shown. A code with a wrong check sum, or a static code for another amount,
 * never reaches the payer. The location inside a dynamic code is for the payer's bank and is never fetched.
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
  ShownErrorCode,
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

/** The longest deadline, a year. `Date` cannot represent much later times. */
const longestDeadlineSeconds = 31_536_000;

/** The receiver's name in every code of the sandbox (`sandbox/br-code-writer.ts`). */
const testReceiver = 'TESTE NAO PAGAR';

/** A code that may be shown, perhaps with a warning for the merchant; or the reason why it may not be shown. */
type ReadCode =
  | { readonly code: PixCode; readonly warning: ShownErrorCode | null }
  | { readonly refused: ShownErrorCode };

/** Reads a Pix code for an amount. */
export function readCode(text: string, totalCents: number, terms: Terms): ReadCode {
  try {
    const read = parseBrCode(text);
    // Paying this code would authorise later debits (Pix Automático), which the element's screens do not explain.
    if (read.recurrenceLocation) return refuseCode(text, 'invalid_code', terms);
    const differs = read.amountCents !== null && read.amountCents !== totalCents;
    // The payer's bank charges the amount in a static code. For a dynamic code it asks for the amount again, so field 54 does
    // not matter.
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

/** Refuses a code, except a placeholder that `allow-unverified-code` lets pass, marked as a test. */
function refuseCode(text: string, refused: ShownErrorCode, terms: Terms): ReadCode {
  const trimmed = text.trim();
  if (!terms.allowUnverifiedCode || trimmed === '' || trimmed.length > maxBrCodeLength) {
    return { refused };
  }
  return { code: { text: trimmed, receiverName: '', test: true }, warning: null };
}

/** How a look-up can differ from its invoice. */
export type Disagreement = 'reference_mismatch' | 'amount_mismatch' | 'invalid_code';

/** Whether the invoice was paid: as it was created, or with a mismatch. */
export function isPayment({ status }: { readonly status: string }): boolean {
  return status === 'paid' || findMismatch(status) !== null;
}

function findMismatch(status: string): MismatchStatus | null {
  return mismatchStatuses.find((word) => word === status) ?? null;
}

/**
 * Compares a look-up with what the page knows of the invoice. A null in `known` is unknown, so it is not compared. The proxy
 * compares as well, with what it created, and so knows more than any page.
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
  // An invoice that the page handed in is not trusted until the proxy names exactly the same code.
  const unverified = known.verified === false && known.code;
  if (unverified && answer.qr_code_pix && answer.qr_code_pix.trim() !== unverified.text) {
    return 'invalid_code';
  }
  return null;
}

/** Makes a tracked invoice from a create answer, without reading its code. */
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
    // Only a code has a deadline; a charge has none.
    deadlineMs: method === 'pix' ? toDeadline(created.expires_in, terms, nowMs, nowMs) : null,
    verified,
  };
}

/**
 * The merchant's deadline in monotonic milliseconds. An answer's `expires_in` counts from that answer, and is used before the
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

/**
 * Takes the earlier of two deadlines, because a proxy that repeats the same number of seconds must not put the deadline off.
 */
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
// Promise kept here: there is always a next step. A look-up is in flight or due, or look-ups are paused until the payer
// returns or a request for a new token is answered.
//
// If the proxy holds its answers (`?wait=25`), the next look-up follows each answer. If it answers "still pending" in less
// than half the wait, look-ups follow the schedule of `contract/schedule` until the payer's next return. There are never two
// look-ups at once.

const heldPace: Pace = { kind: 'held' };
const scheduledPace: Pace = { kind: 'scheduled' };

/**
 * The pace for the first look-up of an invoice that is not shown yet. The proxy must not hold its answer, because the payer
 * waits.
 */
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

/** Finds the invoice to look up next, as an index (0 is the newest), and how long the proxy may hold the answer. */
function findTurn({ turn, invoices, pace, failures }: Watch) {
  const others = invoices.length - 1;
  const index = turn % 2 && others ? 1 + (((turn - 1) / 2) % others) : 0;
  const holds = (pace.kind === 'held' || pace.kind === 'cut') && failures === 0 && index === 0;
  return { index, waitSeconds: holds ? maxWaitSeconds : 0 };
}

/** Finds the invoice of the look-up in flight; `null` if none is in flight. */
export function findAskedInvoice(watch: Watch): TrackedInvoice | null {
  return watch.sinceMs === null ? null : (watch.invoices[findTurn(watch).index] ?? null);
}

/** Starts the look-up that is due. */
export function startLookUp(watch: Watch, nowMs: number): { watch: Watch; lookUp: LookUp } {
  const { index, waitSeconds } = findTurn(watch);
  const { invoiceId, lookupToken } = watch.invoices[index] ?? watch.invoices[0];
  // After a return, a connection that slept with the phone can hang for half a minute, so the time-out is short.
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
  // A former code may be paid too. It is looked up right after the newest, so that the newest need not wait longer.
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
 * Plans the next look-up after one failed, or after look-ups were paused. It waits a random time in the second half of a span
 * that doubles with each failure, and at least the proxy's Retry-After. If the page follows former invoices, it asks for one
 * of them. The quick look-ups after the payer came back keep their times.
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
  // A failed look-up of a former invoice says nothing about the newest.
  const failures = watch.failures + (isFormer ? 0 : 1);
  if (isFormer || hasQuickLookUp(pace)) {
    const next = planNewest(watch, given);
    const notBeforeMs = nowMs + (retryAfterSeconds ?? 0) * 1_000;
    return { ...next, failures, dueMs: Math.max(next.dueMs ?? 0, notBeforeMs) };
  }
  // The pause is at least the base interval (up to 15 seconds), so that a proxy that fails every other time is not asked more
  // often.
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

/** The pace after a look-up failed while the proxy held it. */
function toSlowerPace(pace: Pace): Pace {
  return pace.kind === 'held' ? { kind: 'cut' } : scheduledPace;
}

/** Whether one of the quick look-ups is still to come. */
function hasQuickLookUp(pace: Pace): boolean {
  return pace.kind === 'quick' && pace.delaysMs.length > 0;
}

/**
 * Milliseconds until a failed request is repeated: jitter in the second half of a span that doubles with each try, and at
 * least what the proxy asks for.
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

/**
 * Plans for a payer who came back or pressed "Já paguei", or a connection that works again: look up now, then quickly, then
 * as before.
 */
export function planAfterReturn(watch: Watch, nowMs: number): Watch {
  return planLookUp(nowMs, watch, { pace: quickPace, failures: 0, turn: toNextEven(watch) });
}

/** Stops look-ups: until the next return, if the page or the element goes away, or until a new look-up token comes. */
export function pauseLookUps(watch: Watch): Watch {
  return planLookUp(null, watch);
}

/** Whether no look-up is in flight or due. */
export function isPaused({ dueMs, sinceMs }: Watch): boolean {
  return dueMs === null && sinceMs === null;
}

/**
 * Goes on with paused look-ups, each time later, so that a proxy that refuses its own tokens is not asked in a loop. Changes
 * nothing if a look-up is in flight or due.
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
