/** Renders the element again when its width passes the one from which the styles make two columns. */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import { matches } from '../browser/environment.js';

/** Where the styles lay out two columns. */
const wideFromPixels = 672;
const wideFromRems = 42;

/** Follows the width of its host. */
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
