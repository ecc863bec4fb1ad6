/** How a call of the service leaves: by any `fetch`. The one for Node makes no `Response` for it. */

import type { BodyReader } from './body.js';

/** What a call reads of an answer. */
export interface Answer {
  readonly status: number;
  /** The header's value; null: there is none. */
  readonly header: (name: string) => string | null;
  /** As a `Response` has it; null: there is none. */
  readonly body: { getReader(): BodyReader; cancel(): Promise<unknown> } | null;
}

/** What is sent. */
export interface Sending {
  readonly method: string;
  /** Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Twice does no harm: it may go over a kept connection, and once more where that was closed. */
  readonly isRepeatable?: boolean;
}

/** Sends one request, and follows no redirect. Rejects as `fetch` does. */
export type Send = (url: string, sending: Sending) => Promise<Answer>;

/** A `fetch` that has this property can send with less work: Node takes long to make a `Response` and its stream. */
export const ownSend: unique symbol = Symbol('pix-checkout send');
