/**
 * Breaks the line between page and proxy, forbids long polls, and hides the file of the card form, while all keeps
 * running.
 */

import type { RequestListener, ServerResponse } from 'node:http';

/** The switches. */
export interface ProxyState {
  /** `down`: every connection is cut. `slow`: each request is delayed. */
  readonly line: 'up' | 'slow' | 'down';
  /** False: `?wait=` is removed, so that each look-up is answered at once, as with `holdSeconds: 0`. */
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

/** Delay of a slow line, milliseconds. */
const slowMs = 8_000;

/** @param listener of the proxy */
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
