/**
 * Renders the element again when only time has changed what it shows: the countdown, and the offer of a new code after
 * three minutes. One timer, none while nothing on the screen depends on time.
 */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Environment } from '../browser/environment.js';
import { currentInvoice } from '../machine/state.js';
import type { State } from '../machine/state.js';
import { askForNewCodeAfterMs } from './to-model.js';

/** The countdown shows seconds below this, and is announced at marks below it; above, the time of day is enough. */
const secondsShownBelowMs = 601_000;

/** What it renders again. */
interface Host extends ReactiveControllerHost {
  readonly environment: Environment;
  readonly isConnected: boolean;
}

/** Re-renders its host in time. */
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
