/**
 * What the element shows: the model that its views render (`toModel`, pure), and the reactive controllers. These render the
 * element again when only its width has changed, and choose the text of the live region.
 */

import type { InstallmentOffer, Installments } from '../../domain/card/installments.js';
import type { Method } from '../../contract/types.js';
import type { Locale } from '../locales/choose-messages.js';
import type { Messages } from '../locales/pt-br.js';
import {
  findAttempt,
  findCurrentInvoice,
  isAt,
  isCardPending,
  isCodePhase,
  isPosting,
  findUnresolvedCharge,
  findWatch,
} from '../machine/state.js';
import type { CheckoutError, State, Phase } from '../machine/state.js';
import type { CardPanel, MethodOffer, Model } from '../views/model.js';
import { askForNewCodeAfterMs, noAttention } from './controller.js';
import type { TimedAttention } from './controller.js';
import type { FieldModel } from '../page/payer-draft.js';
import type { Order } from '../page/order.js';
import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Environment } from '../browser/environment.js';
import { matchesMedia } from '../browser/environment.js';

/** After so many failures in a row the screen says that the connection is bad. */
const troubledAfterFailures = 2;

/** The values from which a model is made. */
interface ModelSources {
  readonly state: State;
  readonly attention: TimedAttention;
  readonly order: Order;
  readonly fields: readonly FieldModel[];
  readonly letterKeypad: boolean;
  readonly card: CardPanel | null;
  readonly locale: Locale;
  readonly texts: Messages;
  readonly installments: Installments;
  /** Whether the payer, or the page by `start()`, pressed the form's button; false if the element began by itself. */
  readonly pressed: boolean;
  /** The last error of the form. */
  readonly formerError: CheckoutError | null;
  /** Whether there is room for two columns, and a mouse. */
  readonly wide: boolean;
  readonly cardUsed: string | null;
  readonly offline: boolean;
  readonly copyKeys: string | null;
  /** Monotonic milliseconds. */
  readonly nowMs: number;
  readonly sinceMs: number;
  readonly wallClock: Date;
}

/** The sources on a narrow page, before the payer does anything. */
export const untouched = {
  attention: noAttention,
  fields: [],
  letterKeypad: false,
  card: null,
  installments: { offers: [], atOnceCents: null, faults: [] },
  pressed: false,
  formerError: null,
  wide: false,
  cardUsed: null,
  offline: false,
  copyKeys: null,
  nowMs: 0,
  sinceMs: 0,
};

/** Makes the model that the views render. */
export function toModel(sources: ModelSources): Model {
  const { state, attention, order, card, nowMs, wallClock } = sources;
  const tracked = findCurrentInvoice(state);
  const totalCents =
    tracked?.totalCents ?? findUnresolvedCharge(state)?.totalCents ?? order.expectedCents;
  // A choice of methods already shows what Pix saves. A card's total may contain interest, so it shows no discount.
  const full = card || order.methods.length > 1 ? null : order.totalCents;
  const { deadlineMs = null, createdAtMs = 0 } = tracked ?? {};
  const leftMs = deadlineMs === null ? null : Math.max(0, deadlineMs - nowMs);
  const busy = isBusy(state, sources.pressed);
  return {
    ...sources,
    state: isCodePhase(state)
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
    // The time is rounded to the second, so that it does not flicker by the milliseconds between two renderings.
    deadlineAt:
      leftMs === null ? null : new Date(Math.round((wallClock.getTime() + leftMs) / 1_000) * 1_000),
    epochMs: wallClock.getTime() - nowMs,
    busy,
    formerError: busy ? sources.formerError : null,
    mayAskForNewCode: tracked !== null && nowMs - tracked.createdAtMs >= askForNewCodeAfterMs,
    // A card and a receipt have no code that shows a test, so sandbox and test kit mark the names of their invoices.
    test:
      tracked?.code?.test ??
      (order.terms.allowUnverifiedCode ||
        /^SBX-|,fake-/.test(`${tracked?.orderCode},${tracked?.invoiceId}`)),
    troubledLine: countFailures(state) >= troubledAfterFailures,
  };
}

/** Makes the offer of a method with its price. The saving by Pix is the difference to the price that the card's box shows. */
function toOffer(
  method: Method,
  { terms, totalCents, methods }: Order,
  { offers, atOnceCents }: Installments,
): MethodOffer {
  // A table without a single instalment begins with its smallest number.
  const byCard = offers[0]?.totalCents ?? atOnceCents;
  if (method === 'pix') {
    const cents = terms.pixCents;
    const full = methods.length < 2 ? totalCents : byCard;
    const savedCents = Math.max(0, (full ?? 0) - (cents ?? Infinity));
    return { method, cents, savedCents, free: null };
  }
  return { method, cents: byCard, savedCents: 0, free: findLongestFree(offers) };
}

/** Finds the offer with the most instalments without interest; `null` if there is none, or if it has a single instalment. */
function findLongestFree(offers: readonly InstallmentOffer[]): MethodOffer['free'] {
  const { installment = 1, eachCents = 0 } =
    offers.filter(({ interestFree }) => interestFree).at(-1) ?? {};
  return installment > 1 ? { installment, eachCents } : null;
}

/** Whether the form is busy. A request for another code does not come from the form. */
function isBusy(state: State, pressed: boolean): boolean {
  if (state.phase !== 'creating') return false;
  return isCardPending(state) || (pressed && isAt(state, 'posting') && !state.watch);
}

function countFailures(state: State): number {
  const { tries = 0 } = findAttempt(state) ?? {};
  if (isPosting(state)) return tries;
  return Math.max(tries, findWatch(state)?.failures ?? 0);
}

// The element's reactive controllers.

/** How long a short-lived text must stay before it is announced, milliseconds. */
const standsForMs = 500;

/** Phases that the checkout may leave at any moment without the payer. */
const passing = /creating|awaiting|confirming/;

/** The parts of the element that a controller needs. */
interface Host extends ReactiveControllerHost {
  readonly environment: Environment;
  readonly isConnected: boolean;
}

/**
 * Decides what the live region says, and when. A screen reader reads every text that is put there, even a text that is
 * outdated a moment later. So the text of a screen that may soon change waits until the screen has stayed.
 */
export class Announcer implements ReactiveController {
  readonly #host: Host;
  /** The region's text. */
  #text = '';
  /** The last news, joined to one text. */
  #latest = '';
  /** The news of this phase that were announced. */
  #announced: readonly string[] = [];
  #phase: Phase = 'form';
  #timer: unknown;

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /**
   * Chooses the region's text after a rendering, now or when the screen has stayed.
   * @param news the texts that apply now; those of the last announcement in this phase are left out
   * @param isPassing whether an answer that is expected will replace them
   * @returns the region's text
   */
  announce(news: readonly string[], phase: Phase, isPassing: boolean): string {
    const isNew = phase !== this.#phase;
    this.#phase = phase;
    if (isNew) this.#announced = [];
    else if (news.join() === this.#latest) return this.#text;
    this.hostDisconnected();
    this.#latest = news.join();
    const say = () => {
      const fresh = news.filter((text) => text && !this.#announced.includes(text)).join(' ');
      this.#announced = news;
      if (fresh || !this.#latest) this.#text = fresh;
    };
    const waits = passing.test(phase) && (isNew || isPassing);
    if (!waits) say();
    else if (this.#host.isConnected) {
      this.#timer = this.#host.environment.setTimer(() => {
        say();
        this.#host.requestUpdate();
      }, standsForMs);
    }
    return this.#text;
  }

  hostDisconnected(): void {
    this.#host.environment.clearTimer(this.#timer);
    // News that the region has not announced yet count as new when they come again.
    this.#latest = this.#announced.join();
  }
}

/** From this width the styles lay out two columns. */
const wideFromPixels = 672;
const wideFromRems = 42;

/** Renders the element again when its width crosses the limit between the layouts of one column and of two. */
export class RoomObserver implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  /** `null` if there is no ResizeObserver, as in the DOM of unit tests. */
  readonly #observer: ResizeObserver | null = null;
  /**
   * Whether the element was wide enough when it was last laid out; `null` until the first rendering in this place. To measure
   * at each rendering would force a layout.
   */
  #hasRoom: boolean | null = null;

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    if (typeof ResizeObserver === 'undefined') return;
    this.#observer = new ResizeObserver(() => {
      const wasWide = this.isWide();
      this.#measure();
      if (wasWide !== this.isWide()) host.requestUpdate();
    });
  }

  hostConnected(): void {
    this.#observer?.observe(this.#host);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
    this.#hasRoom = null;
  }

  /** Whether the styles lay out two columns, which depends on the element's width and a mouse. */
  isWide(): boolean {
    const isFine = matchesMedia('not all and (pointer: coarse)');
    return isFine && ((this.#observer && this.#hasRoom) ?? this.#measure());
  }

  #measure(): boolean {
    const { fontSize } = getComputedStyle(document.documentElement);
    const least = Math.max(wideFromPixels, wideFromRems * parseFloat(fontSize));
    return (this.#hasRoom = this.#host.offsetWidth >= least);
  }
}
