/**
 * The way between browsers and processes: whichever process lives gets a request, and requests and answers get lost, are
 * late, or come twice. Postbacks travel it too.
 */

import type { PlainResponse } from '../../../src/proxy/door/request.js';
import { publicUrl, shopOrigin } from '../../support/proxy/shop.js';
import type { ProxyProcess } from '../processes/proxy-process.js';
import type { Owner } from '../timeline.js';
import type { World } from '../world.js';

/** A request of a browser, or of anybody. */
export interface StreetRequest {
  readonly method: 'GET' | 'POST';
  /** Below `publicUrl`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly remoteAddress: string;
  /** How long its sender waits, milliseconds. */
  readonly patienceMs: number;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  /** Of a problem document; empty with a success. */
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>> | null;
}

/** The street of one history. */
export interface Street {
  /** @returns null: no answer came */
  readonly send: (request: StreetRequest, sender: Owner) => Promise<Reply | null>;
}

/** @param processes those that run now */
export function createStreet(world: World, processes: () => readonly ProxyProcess[]): Street {
  const { timeline, chance, conditions, watch } = world;

  return {
    send(request, sender) {
      const { streetDoubles, streetLoses } = conditions();
      if (chance.happens(streetDoubles)) {
        const delayMs = chance.happens(0.7)
          ? chance.between(0, 3_000)
          : chance.between(5_000, 60_000);
        timeline.after(delayMs, null, () => void arrive(request, () => undefined));
      }
      const lost = chance.happens(streetLoses) ? chance.pick(['request', 'answer']) : 'nothing';
      return new Promise((resolve) => {
        let leave = () => undefined as void;
        timeline.after(request.patienceMs, sender, () => {
          leave();
          resolve(null);
        });
        if (lost === 'request') return;
        timeline.after(delayMs(), null, () => {
          leave = arrive(request, (answer) => {
            const reply = answer && lost === 'nothing' ? toReply(answer) : null;
            timeline.after(delayMs(), sender, () => resolve(reply));
          });
        });
      });
    },
  };

  /** @returns what tells the process that its client has gone */
  function arrive(
    request: StreetRequest,
    done: (answer: PlainResponse | null) => void,
  ): () => void {
    const [first, ...others] = processes();
    if (!first) {
      done(null);
      return () => undefined;
    }
    const process = chance.pick([first, ...others]);
    const controller = new AbortController();
    const asked = toAsked(request, controller.signal);
    process.whenGone(() => done(null));
    process.soon(() => {
      if (!process.isOpen) {
        done(null);
        return;
      }
      const receivedAtMs = timeline.now();
      watch.received(request);
      world.note(`process ${process.number}: ${request.method} ${request.path.slice(0, 16)}`);
      process.answer(asked, request.remoteAddress).then(
        (answer) => {
          if (!process.isAlive) return;
          const reply = toReply(answer);
          world.note(`process ${process.number}: answers ${reply.code || reply.status}`);
          watch.answered({ request, reply, receivedAtMs, processNumber: process.number });
          done(answer);
        },
        () => watch.fail('end', 'the handler rejected'),
      );
    });
    return () => process.soon(() => controller.abort());
  }

  function delayMs(): number {
    if (chance.happens(conditions().streetIsSlow)) return chance.between(100, 9_000);
    return chance.between(1, 80);
  }
}

function toAsked({ method, path, headers, body }: StreetRequest, signal: AbortSignal) {
  const url = publicUrl + path;
  let made: Request | undefined;
  const toRequest = () =>
    (made ??= new Request(url, {
      method,
      headers,
      signal,
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    }));
  return {
    method,
    url,
    headers: new Headers(headers),
    signal,
    isBodyUsed: () => toRequest().bodyUsed,
    openBody: () => toRequest().body?.getReader(),
    toRequest,
  };
}

function toReply({ status, body }: PlainResponse): Reply {
  const read = typeof body === 'string' && body !== '' ? JSON.parse(body) : {};
  return { status, code: read.code ?? '', data: read.data ?? null };
}

/** What a browser of the shop sends with each request. */
export const browserHeaders = { origin: shopOrigin, 'content-type': 'application/json' };
