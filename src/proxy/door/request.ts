/**
 * Requests and responses as plain objects beside the Web standard's. Making a `Request` and a `Response` costs Node 20
 * several times as much as a whole look-up, so the Node adapter finds the handler here and makes neither.
 */

import type { BodyReader } from '../../service/body.js';
import type { ConnectionInfo, PixProxy } from '../set-up/options/options.js';
import { ProxyError } from '../set-up/proxy-error.js';

/** Largest body that the proxy reads, bytes: of a creation, or of a postback. */
export const maxBodyBytes = 16 * 1024;

/** A page's request as plain values. `toRequest` makes the Web standard's `Request`, which is slow, where one is needed. */
export interface LazyRequest {
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: Pick<Headers, 'get' | 'has'>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Whether something in front has read the body without keeping a copy. */
  isBodyUsed(this: void): boolean;
  /** Opens the body, which can be read once. Undefined if there is none. */
  openBody(this: void): BodyReader | undefined;
  /** Makes the Web-standard request. Returns the same object each time. */
  toRequest(this: void): Request;
}

/** The data of a `Response`. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Answers every request, and never rejects. */
export type Handle = (request: LazyRequest, info: ConnectionInfo) => Promise<PlainResponse>;

/** The parts of a proxy that the Node adapter uses beside its public functions. */
interface Internals {
  readonly handle: Handle;
  /**
   * Logs once where postbacks go, and starts the background work, such as the delivery of events that are left in the store.
   * It may be called again.
   */
  readonly startListening: () => void;
  /** Checks that the store belongs to this shop. Never rejects. @returns the error if it does not, else null */
  readonly requireOwn: () => Promise<Error | null>;
}

/** The property of a proxy's functions that holds its internals. */
const internals: unique symbol = Symbol('pix-checkout internals');

/** Attaches the internals to both functions, because an adapter may get only one of them. */
export function attachInternals({ fetch, close }: PixProxy, own: Internals): void {
  Object.assign(fetch, { [internals]: own });
  Object.assign(close, { [internals]: own });
}

/** Finds the internals of a proxy. @returns null for a function that is not a proxy's, or that wraps one */
export function findInternals(
  proxyFunction: object & { readonly [internals]?: Internals },
): Internals | null {
  return proxyFunction[internals] ?? null;
}

/** The place within this proxy that a request goes to. */
export interface Target {
  readonly method: string;
  /** The path below `publicUrl`; empty if the address is outside of it. */
  readonly path: string;
  /** The query without its question mark. */
  readonly query: string;
}

/** Refuses methods that write. @throws ProxyError 405 */
export function requireReading(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ProxyError('invalid_request', { status: 405, field: 'method', allow: 'GET, HEAD' });
}
