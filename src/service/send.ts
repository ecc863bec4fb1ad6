/** How the client sends a request. Any `fetch` works; the one for Node has a faster way without a `Response`. */

import type { BodyReader } from './body.js';

/** The parts of an answer that the client reads. */
export interface Answer {
  readonly status: number;
  /** The value of a header, or null. */
  readonly header: (name: string) => string | null;
  /** Like the body of a `Response`, or null. */
  readonly body: { getReader(): BodyReader; cancel(): Promise<unknown> } | null;
}

export interface Sending {
  readonly method: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /**
   * Whether sending the request twice does no harm. Then it may use a kept connection, and is sent again if that was closed.
   */
  readonly isRepeatable?: boolean;
}

/** Sends one request, and follows no redirect. Rejects as `fetch` does. */
export type Send = (url: string, sending: Sending) => Promise<Answer>;

/** The property of a `fetch` that has a faster way to send, because Node takes long to make a `Response` and its stream. */
export const ownSend: unique symbol = Symbol('pix-checkout send');
