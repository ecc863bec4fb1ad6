/**
 * Requests and responses as the routes see them, beside the Web standard's. To make a `Request` and a `Response` costs
 * Node 20 several times as much as a whole look-up, so the Node adapter finds the handler here and makes neither.
 */

import type { ConnectionInfo, PixProxy } from '../config/options.js';

/** What routing reads of a request. A `Request` is one. */
export interface RequestHead {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
}

/** A request whose `Request` is made only when it is needed. */
export interface LazyRequest extends RequestHead {
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** The whole request with its body; always the same object. */
  toRequest(this: void): Request;
}

/** What a `Response` is made of. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Answers every request, and never rejects. */
export type Handle = (request: LazyRequest, info: ConnectionInfo) => Promise<PlainResponse>;

/** What an adapter uses of a proxy beside its public functions. */
interface Internals {
  readonly handle: Handle;
  /** Begins the work that no request asks for, such as events left in the ledger. May be called any number of times. */
  readonly startWork: () => void;
}

const internals = new WeakMap<object, Internals>();

/** Lets adapters find the internals by either function: they may be given no more of a proxy than one. */
export function noteInternals({ fetch, close }: PixProxy, own: Internals): void {
  internals.set(fetch, own).set(close, own);
}

/** Null for a function that is not a proxy's, or that wraps one. */
export function findInternals(proxyFunction: object): Internals | null {
  return internals.get(proxyFunction) ?? null;
}

/** The handler as a `fetch`. */
export function toFetch(handle: Handle): PixProxy['fetch'] {
  return async (request, info = {}) => {
    const { method, url, headers, signal } = request;
    const lazy = { method, url, headers, signal, toRequest: () => request };
    const { status, headers: answered, body } = await handle(lazy, info);
    return new Response(body, { status, headers: answered });
  };
}
