/**
 * Derives what the views show from the state, the order and the time. Pure, and the only place where that is derived.
 */

import { toAtOnceCents } from '../../domain/card/installments.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { Method } from '../../contract/types.js';
import type { Locale } from '../locales/choose-messages.js';
import type { Messages } from '../locales/messages.js';
import {
  attemptOf,
  currentInvoice,
  isAt,
  isCharging,
  isPosting,
  unresolvedCharge,
  watchOf,
} from '../machine/state.js';
import type { CheckoutError, State } from '../machine/state.js';
import type { CardPanel, MethodOffer, Model } from '../views/model.js';
import { calm } from './controller.js';
import type { TimedAttention } from './controller.js';
import type { FieldModel } from '../page/payer-draft.js';
import type { Order } from '../page/order.js';

/** After this long a payer may say that the code does not work, milliseconds. */
export const askForNewCodeAfterMs = 180_000;

/** So many failures in a row are worth a word about the connection. */
const troubledAfterFailures = 2;

/** What a model is made of. */
interface ModelSources {
  readonly state: State;
  readonly attention: TimedAttention;
  readonly order: Order;
  readonly fields: readonly FieldModel[];
  readonly letterKeypad: boolean;
  readonly card: CardPanel | null;
  readonly locale: Locale;
  readonly texts: Messages;
  readonly installments: readonly InstallmentOffer[];
  /** The form's button was pressed, or the page pressed it: not so where the element began by itself. */
  readonly pressed: boolean;
  /** What the form said last. */
  readonly formerError: CheckoutError | null;
  /** There is room for two columns, and a mouse. */
  readonly wide: boolean;
  readonly cardUsed: string | null;
  readonly offline: boolean;
  readonly copyKeys: string | null;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  readonly wallClock: Date;
}

/** A narrow page, before the payer does anything. */
export const untouched = {
  attention: calm,
  fields: [],
  letterKeypad: false,
  card: null,
  installments: [],
  pressed: false,
  formerError: null,
  wide: false,
  cardUsed: null,
  offline: false,
  copyKeys: null,
  nowMs: 0,
};

export function toModel(sources: ModelSources): Model {
  const { state, attention, order, card, nowMs, wallClock } = sources;
  const tracked = currentInvoice(state);
  const totalCents =
    tracked?.totalCents ?? unresolvedCharge(state)?.totalCents ?? order.expectedCents;
  // A choice of methods says what Pix saves. A card's total may hold interest: it shows no discount.
  const full = card || order.methods.length > 1 ? null : order.totalCents;
  const { deadlineMs = null, createdAtMs = 0 } = tracked ?? {};
  const leftMs = deadlineMs === null ? null : Math.max(0, deadlineMs - nowMs);
  const busy = isBusy(state, sources.pressed);
  return {
    ...sources,
    state:
      state.phase === 'awaiting'
        ? { ...state, ...attention, justCopied: attention.copiedUntilMs < Infinity }
        : state,
    method: order.method ?? 'pix',
    offers: order.methods.map((method) => toOffer(method, order, sources.installments)),
    externalId: tracked?.externalId ?? order.externalId,
    totalCents,
    fullPriceCents: full !== null && totalCents !== null && full > totalCents ? full : null,
    items: order.items,
    lines: order.lines,
    receiverName: order.receiverName,
    secondsLeft: leftMs === null ? null : Math.ceil(leftMs / 1_000),
    shareLeft: leftMs === null ? null : Math.min(1, leftMs / (deadlineMs! - createdAtMs || 1)),
    // To the second: the time of day must not flicker by the milliseconds between two renderings.
    deadlineAt:
      leftMs === null ? null : new Date(Math.round((wallClock.getTime() + leftMs) / 1_000) * 1_000),
    epochMs: wallClock.getTime() - nowMs,
    busy,
    formerError: busy ? sources.formerError : null,
    mayAskForNewCode: tracked !== null && nowMs - tracked.createdAtMs >= askForNewCodeAfterMs,
    // A card has no code to tell by, and a receipt none any more: sandbox and test kit mark their invoices.
    test:
      tracked?.code?.test ??
      (order.terms.allowUnverifiedCode ||
        /^SBX-|,fake-/.test(`${tracked?.orderCode},${tracked?.invoiceId}`)),
    troubledLine: failuresOf(state) >= troubledAfterFailures,
  };
}

/** What a method costs. What Pix saves is counted against what the box of the card shows. */
function toOffer(
  method: Method,
  { terms, totalCents, methods }: Order,
  installments: readonly InstallmentOffer[],
): MethodOffer {
  const atOnce = toAtOnceCents(installments, totalCents);
  if (method === 'pix') {
    const cents = terms.pixCents;
    const full = methods.length < 2 ? totalCents : atOnce;
    const savedCents = Math.max(0, (full ?? 0) - (cents ?? Infinity));
    return { method, cents, savedCents, free: null };
  }
  return { method, cents: atOnce, savedCents: 0, free: longestFree(installments) };
}

/** The row of most instalments without interest; one instalment is none. */
function longestFree(offers: readonly InstallmentOffer[]): MethodOffer['free'] {
  const { installment = 1, eachCents = 0 } =
    offers.filter(({ interestFree }) => interestFree).at(-1) ?? {};
  return installment > 1 ? { installment, eachCents } : null;
}

/** Another code is asked for from the screen of the former one, not from the form. */
function isBusy(state: State, pressed: boolean): boolean {
  if (state.phase !== 'creating') return false;
  return isCharging(state) || (pressed && isAt(state, 'posting') && !state.watch);
}

function failuresOf(state: State): number {
  const { tries = 0 } = attemptOf(state) ?? {};
  if (isPosting(state)) return tries;
  return Math.max(tries, watchOf(state)?.failures ?? 0);
}
