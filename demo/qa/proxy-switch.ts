/**
 * Breaks the line between page and proxy, forbids long polls, and hides the file of the card form, while all keeps
 * running. For one visitor: the others, and the gallery, keep what they have.
 */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

export interface ProxyState {
  /** `down`: every connection is cut. `slow`: each request is delayed. `lossy`: creations are made, and their answers lost. */
  readonly line: 'up' | 'slow' | 'lossy' | 'down';
  /** False: `?wait=` is removed, so that each look-up is answered at once, as with `holdSeconds: 0`. */
  readonly hold: boolean;
  /** False: the file of the card form cannot be fetched. */
  readonly cardFile: boolean;
}

/** A listener with switches in front of it. */
export interface ProxySwitch {
  readonly listener: RequestListener;
  stateOf(request: IncomingMessage): ProxyState;
  set(visitor: string, state: ProxyState): void;
}

/** The visitor that a `Cookie` header names; undefined: none has switched anything. */
export function visitorOf(cookies: string | null | undefined): string | undefined {
  return /(?:^|; )qa-visitor=([\w-]+)/.exec(cookies ?? '')?.[1];
}

/** Delay of a slow line, milliseconds. */
const slowMs = 8_000;

/** @param listener of the proxy */
export function createProxySwitch(listener: RequestListener): ProxySwitch {
  const states = new Map<string | undefined, ProxyState>();
  const open = new Map<ServerResponse, string | undefined>();
  const stateOf = ({ headers }: IncomingMessage): ProxyState =>
    states.get(visitorOf(headers.cookie)) ?? { line: 'up', hold: true, cardFile: true };

  return {
    listener(incoming, outgoing) {
      const { line, hold } = stateOf(incoming);
      if (line === 'down') {
        incoming.socket.destroy();
        return;
      }
      if (line === 'lossy' && incoming.method === 'POST') {
        outgoing.writeHead = () => {
          incoming.socket.destroy();
          return outgoing;
        };
      }
      const pass = () => listener(incoming, outgoing);
      const timer = line === 'slow' ? setTimeout(pass, slowMs) : undefined;
      open.set(outgoing, visitorOf(incoming.headers.cookie));
      outgoing.once('close', () => {
        open.delete(outgoing);
        clearTimeout(timer);
      });
      if (!hold) incoming.url = incoming.url?.split('?', 1)[0] ?? '/';
      if (timer === undefined) pass();
    },

    stateOf,

    set(visitor, state) {
      states.set(visitor, state);
      if (state.line !== 'down') return;
      for (const [outgoing, owner] of open) if (owner === visitor) outgoing.destroy();
    },
  };
}
