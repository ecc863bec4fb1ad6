/**
 * Lets QA break what stands between page and server, and forbid held look-ups, while all keeps running.
 *
 * Owns the switches. Knows no route of the proxy.
 */

import type { RequestListener, ServerResponse } from 'node:http';

/** How the proxy behaves as the page sees it. */
export interface ProxyState {
  /** `down`: every connection is cut, as by a proxy that is down. `slow`: each request waits before it gets there. */
  readonly line: 'up' | 'slow' | 'down';
  /** False: `?wait=` is taken away, so that each look-up is answered at once, as with `holdSeconds: 0`. */
  readonly hold: boolean;
  /** False: the file of the card form cannot be fetched. */
  readonly cardFile: boolean;
}

/** A listener with switches in front of it. */
export interface ProxySwitch {
  readonly listener: RequestListener;
  readonly state: ProxyState;
  set(state: ProxyState): void;
}

/** How long a slow line holds a request back, milliseconds. */
const slowMs = 8_000;

/** @param listener the proxy's own */
export function createProxySwitch(listener: RequestListener): ProxySwitch {
  let state: ProxyState = { line: 'up', hold: true, cardFile: true };
  const open = new Set<ServerResponse>();

  return {
    listener(incoming, outgoing) {
      if (state.line === 'down') {
        incoming.socket.destroy();
        return;
      }
      const pass = () => listener(incoming, outgoing);
      const timer = state.line === 'slow' ? setTimeout(pass, slowMs) : undefined;
      open.add(outgoing);
      outgoing.once('close', () => {
        open.delete(outgoing);
        clearTimeout(timer);
      });
      if (!state.hold) incoming.url = incoming.url?.split('?', 1)[0] ?? '/';
      if (timer === undefined) pass();
    },

    get state() {
      return state;
    },

    set(next) {
      state = next;
      if (state.line === 'down') for (const outgoing of open) outgoing.destroy();
    },
  };
}
