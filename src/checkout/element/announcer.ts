/**
 * Decides what the live region says, and when. A screen reader reads every text put there, even one that is outdated a moment
 * later. So the text of a screen that may change at once waits until the screen has stayed.
 */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { Environment } from '../browser/environment.js';
import type { Phase } from '../machine/state.js';

/** So long has to stand what is said, milliseconds. */
const standsForMs = 500;

/** From these the checkout goes on by itself, perhaps at once. */
const passing = /creating|awaiting|confirming/;

/** Whose news it is. */
interface Host extends ReactiveControllerHost {
  readonly environment: Environment;
  readonly isConnected: boolean;
}

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
    // Of what was not said nothing was heard.
    this.#heard = this.#told.join();
  }
}
