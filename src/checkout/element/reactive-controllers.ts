/** The element's reactive controllers: what the live region says, when time alone changes the screen, and whether it is wide. */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Environment } from '../browser/environment.js';
import type { Phase, State } from '../machine/state.js';
import { currentInvoice } from '../machine/state.js';
import { askForNewCodeAfterMs } from './to-model.js';
import { matches } from '../browser/environment.js';

/** So long has to stand what is said, milliseconds. */
const standsForMs = 500;

/** From these the checkout goes on by itself, perhaps at once. */
const passing = /creating|awaiting|confirming/;

/** The element. */
interface Host extends ReactiveControllerHost {
  readonly environment: Environment;
  readonly isConnected: boolean;
}

/**
 * Decides what the live region says, and when. A screen reader reads every text put there, even one that is outdated a moment
 * later. So the text of a screen that may change at once waits until the screen has stayed.
 */
export class Announcer implements ReactiveController {
  readonly #host: Host;
  #said = '';
  /** What there was to say last, and of which phase; what of it was said. */
  #heard = '';
  #told: readonly string[] = [];
  #phase: Phase = 'form';
  #timer: unknown;

  constructor(host: Host) {
    this.#host = host;
    host.addController(this);
  }

  /**
   * @param news what there is to say now, each thing by itself: what was told last, in this phase, is not said again
   * @param ends whether it ends with an answer that is on its way
   * @returns what the region says
   */
  hear(news: readonly string[], phase: Phase, ends: boolean): string {
    const isNew = phase !== this.#phase;
    this.#phase = phase;
    if (isNew) this.#told = [];
    else if (news.join() === this.#heard) return this.#said;
    this.hostDisconnected();
    this.#heard = news.join();
    const say = () => {
      const text = news.filter((one) => one && !this.#told.includes(one)).join(' ');
      this.#told = news;
      if (text || !this.#heard) this.#said = text;
    };
    const waits = passing.test(phase) && (isNew || ends);
    if (!waits) say();
    else if (this.#host.isConnected) {
      this.#timer = this.#host.environment.setTimer(() => {
        say();
        this.#host.requestUpdate();
      }, standsForMs);
    }
    return this.#said;
  }

  hostDisconnected(): void {
    this.#host.environment.clearTimer(this.#timer);
    // News that the region did not say yet counts as new when it comes again.
    this.#heard = this.#told.join();
  }
}

/** The countdown shows seconds below this, and is announced at marks below it; above, the time of day is enough. */
const secondsShownBelowMs = 601_000;

/**
 * Renders the element again when only time has changed what it shows: the countdown, and the offer of a new code after three
 * minutes. It runs one timer, and none while nothing on the screen depends on time.
 */
export class RenderClock implements ReactiveController {
  readonly #host: Host;
  readonly #state: () => State;
  #timer: unknown;

  constructor(host: Host, state: () => State) {
    this.#host = host;
    this.#state = state;
  }

  hostUpdated(): void {
    this.hostDisconnected();
    // An element also renders after it has left the page.
    if (!this.#host.isConnected) return;
    const { environment } = this.#host;
    const delayMs = nextRenderDelayMs(this.#state(), environment.now());
    if (delayMs === null) return;
    this.#timer = environment.setTimer(() => this.#host.requestUpdate(), delayMs);
  }

  hostDisconnected(): void {
    this.#host.environment.clearTimer(this.#timer);
  }
}

/** Milliseconds until the screen would change by itself; `null`: it would not. */
export function nextRenderDelayMs(state: State, nowMs: number): number | null {
  const tracked = state.phase === 'awaiting' ? currentInvoice(state) : null;
  if (!tracked) return null;
  const delays: number[] = [];
  const untilTrouble = tracked.createdAtMs + askForNewCodeAfterMs - nowMs;
  if (untilTrouble > 0) delays.push(untilTrouble);
  if (tracked.deadlineMs !== null && tracked.deadlineMs > nowMs) {
    const left = tracked.deadlineMs - nowMs;
    // The bar over the deadline goes on by hundredths; the current second ends after the remainder.
    delays.push(
      left > secondsShownBelowMs
        ? Math.min(left - secondsShownBelowMs, (tracked.deadlineMs - tracked.createdAtMs) / 100)
        : left % 1_000 || 1_000,
    );
  }
  // A day is the least that any browser's timer takes.
  return delays.length === 0 ? null : Math.min(86_400_000, ...delays);
}

/** Where the styles lay out two columns. */
const wideFromPixels = 672;
const wideFromRems = 42;

/** Renders the element again when its width passes the one from which the styles make two columns. */
export class RoomObserver implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  /** `null`: there is none, as in the DOM of unit tests. */
  readonly #observer: ResizeObserver | null = null;
  #was = false;

  constructor(host: ReactiveControllerHost & HTMLElement) {
    this.#host = host;
    if (typeof ResizeObserver === 'undefined') return;
    this.#observer = new ResizeObserver(() => {
      if (this.#was !== this.isWide()) host.requestUpdate();
    });
  }

  hostConnected(): void {
    this.#observer?.observe(this.#host);
  }

  hostDisconnected(): void {
    this.#observer?.disconnect();
  }

  /** As the styles decide it: by the element's own width, and where there is a mouse. */
  isWide(): boolean {
    const { fontSize } = getComputedStyle(document.documentElement);
    const least = Math.max(wideFromPixels, wideFromRems * parseFloat(fontSize));
    const isFine = matches('not all and (pointer: coarse)');
    return (this.#was = isFine && this.#host.offsetWidth >= least);
  }
}
