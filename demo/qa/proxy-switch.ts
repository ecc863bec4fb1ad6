/**
 * Lets QA break the line between page and proxy, and forbid held look-ups, while all keeps running.
 *
 * Owns the two switches. Knows no route of the proxy.
 */

import type { RequestListener, ServerResponse } from 'node:http';

/** How the proxy behaves as the page sees it. */
export interface ProxyState {
  /** Every connection is cut: as a proxy that is down, or a payer without a line. */
  readonly down: boolean;
  /** False: `?wait=` is taken away, so that each look-up is answered at once, as with `holdSeconds: 0`. */
  readonly hold: boolean;
}

/** A listener with switches in front of it. */
export interface ProxySwitch {
  readonly listener: RequestListener;
  set(state: ProxyState): void;
}

/** @param listener the proxy's own */
export function createProxySwitch(listener: RequestListener): ProxySwitch {
  let state: ProxyState = { down: false, hold: true };
  const open = new Set<ServerResponse>();

  return {
    listener(incoming, outgoing) {
      if (state.down) {
        incoming.socket.destroy();
        return;
      }
      open.add(outgoing);
      outgoing.once('close', () => open.delete(outgoing));
      if (!state.hold) incoming.url = incoming.url?.split('?', 1)[0] ?? '/';
      listener(incoming, outgoing);
    },

    set(next) {
      state = next;
      if (state.down) for (const outgoing of open) outgoing.destroy();
    },
  };
}
