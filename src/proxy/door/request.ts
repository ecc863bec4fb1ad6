/**
 * Requests and responses as plain objects beside the Web standard's. To make a `Request` and a `Response` costs Node 20
 * several times as much as a whole look-up, so the Node adapter finds the handler here and makes neither.
 */

import type { BodyReader } from '../../service/body.js';
import type { ConnectionInfo, PixProxy } from '../set-up/options/options.js';
import { ProxyError } from '../set-up/proxy-error.js';

/** A request whose `Request` is made only when it is needed. */
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
   * Logs where postbacks go, once, and starts the background work, such as the delivery of events that are left in the store.
   * It may be called any number of times.
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

/** @returns null for a function that is not a proxy's, or that wraps one */
export function findInternals(
  proxyFunction: object & { readonly [internals]?: Internals },
): Internals | null {
  return proxyFunction[internals] ?? null;
}

/** Routes that pages call. */
export type Route =
  | { readonly name: 'create' }
  | {
      readonly name: 'recover' | 'summarize_order';
      /** The text of `?external_id=`. */
      readonly externalId: string | null;
    }
  | {
      readonly name: 'look_up';
      readonly invoiceId: string;
      /** The text of `?wait=`; null answers at once. */
      readonly wait: string | null;
    }
  | { readonly name: 'preflight'; readonly methods: string };

/** Routes whose origin does not matter: postbacks of the service, files, pictures in e-mails, health checks. */
export type ServerRoute =
  | { readonly name: 'asset'; readonly file: string }
  | { readonly name: 'postback'; readonly reference: string }
  | { readonly name: 'qr'; readonly token: string }
  | { readonly name: 'health' | 'ready' };

/** Where a request goes within this proxy. */
export interface Target {
  readonly method: string;
  /** Empty if the address is outside of `publicUrl`. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
}

/** @throws ProxyError 405 for a method that writes */
export function requireReading(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ProxyError('invalid_request', { status: 405, field: 'method', allow: 'GET, HEAD' });
}
