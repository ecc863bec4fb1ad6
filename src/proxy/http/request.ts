/**
 * A request and an answer as the guards and routes see them, with the way from and to the Web standard's objects.
 *
 * Owns that way, and the one beside it: making a Request and a Response costs Node 20 more than the whole look-up, so
 * an adapter finds the handler behind a `fetch` here and spares both. Knows no guard and no route.
 */

import type { ConnectionInfo, PixProxy } from '../config/options.js';

/** What is read of a request before it is known what it asks for. A Request is one. */
export interface RequestHead {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** A request, the rest of it made only if somebody asks. */
export interface Asked extends RequestHead {
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** The request as the Web standard has it, body and all; always the same object. */
  toRequest(this: void): Request;
}

/** What a Response is made of. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Answers every request, and never rejects. */
export type Answering = (asked: Asked, info: ConnectionInfo) => Promise<Answer>;

const answerings = new WeakMap<object, Answering>();

/** The handler as a `fetch`, for every place that speaks the Web standard. */
export function toFetch(answering: Answering): PixProxy['fetch'] {
  const fetch: PixProxy['fetch'] = async (request, info = {}) => {
    const { status, headers, body } = await answering(toAsked(request), info);
    return new Response(body, { status, headers });
  };
  answerings.set(fetch, answering);
  return fetch;
}

/** The handler behind a `fetch` of {@link toFetch}; null for any other function, and one that wraps it. */
export function findAnswering(fetch: object): Answering | null {
  return answerings.get(fetch) ?? null;
}

function toAsked(request: Request): Asked {
  const { method, url, headers, signal } = request;
  return { method, url, headers, signal, toRequest: () => request };
}
