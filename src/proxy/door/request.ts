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
  /** Whether something in front has read its body, and keeps no copy. */
  isBodyUsed(this: void): boolean;
  /** Reads its body, once. Undefined: it has none. */
  openBody(this: void): BodyReader | undefined;
  /** The whole request; always the same object. */
  toRequest(this: void): Request;
}

/** What a `Response` is made of. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
}

/** Answers every request, and never rejects. */
export type Handle = (request: LazyRequest, info: ConnectionInfo) => Promise<PlainResponse>;

/** What an adapter uses of a proxy beside its public functions. */
interface Internals {
  readonly handle: Handle;
  /**
   * Says where postbacks go, once, and begins the work that no request asks for, such as events left in the store. May be
   * called any number of times.
   */
  readonly startListening: () => void;
  /** Makes sure that the store is this shop's. Never rejects. @returns why it is not; null: it is, or did not answer */
  readonly requireOwn: () => Promise<Error | null>;
}

/** The property of a proxy's functions that holds its internals. */
const internals: unique symbol = Symbol('pix-checkout internals');

/** Lets adapters find the internals by either function: they may be given no more of a proxy than one. */
export function attachInternals({ fetch, close }: PixProxy, own: Internals): void {
  Object.assign(fetch, { [internals]: own });
  Object.assign(close, { [internals]: own });
}

/** Null for a function that is not a proxy's, or that wraps one. */
export function findInternals(
  proxyFunction: object & { readonly [internals]?: Internals },
): Internals | null {
  return proxyFunction[internals] ?? null;
}

/** Routes for pages. */
export type Route =
  | { readonly name: 'create' }
  | {
      readonly name: 'recover' | 'summarize_order';
      /** Text of `?external_id=`. */
      readonly externalId: string | null;
    }
  | {
      readonly name: 'look_up';
      readonly invoiceId: string;
      /** Text of `?wait=`; null: respond at once. */
      readonly wait: string | null;
    }
  | { readonly name: 'preflight'; readonly methods: string };

/** Routes whose origin does not matter: the invoice service's postbacks, files, pictures in e-mails, the operator's checks. */
export type ServerRoute =
  | { readonly name: 'asset'; readonly file: string }
  | { readonly name: 'postback'; readonly reference: string }
  | { readonly name: 'qr'; readonly token: string }
  | { readonly name: 'health' | 'ready' };

/** Where a request goes within this proxy. */
export interface Target {
  readonly method: string;
  /** Empty for an address outside of `publicUrl`. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
}

/** @throws ProxyError 405: what is only read there is not written */
export function requireReading(method: string): void {
  if (method === 'GET' || method === 'HEAD') return;
  throw new ProxyError('invalid_request', { status: 405, field: 'method', allow: 'GET, HEAD' });
}
