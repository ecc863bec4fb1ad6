/**
 * The line between one process and the service, as a `fetch`: it delays, loses requests or answers, and refuses to
 * connect. What has left may arrive long after its sender gave up, or died.
 */

import type { Service, ServiceAnswer, ServiceCall } from './service.js';
import { never } from './store.js';
import type { ProcessLife } from '../rules/watch.js';
import type { World } from '../world.js';

/** @param owner the process that calls: silent once it is gone */
export function createServiceLine(
  world: World,
  service: Service,
  owner: ProcessLife,
): typeof fetch {
  const { timeline, chance, conditions, watch } = world;

  return async (input, init = {}) => {
    if (!owner.isAlive) return never();
    const call = toCall(input as string, init);
    const { lineLoses, lineIsSlow } = conditions();
    const delay = () =>
      chance.happens(lineIsSlow) ? chance.between(100, 12_000) : chance.between(1, 40);
    const lost = chance.happens(lineLoses)
      ? chance.pick(['connection', 'request', 'answer', 'silence'])
      : 'nothing';
    watch.serviceCalled(call, owner);
    return new Promise<Response>((resolve, reject) => {
      world.note(`line: process ${owner.number} ${call.method} ${call.path.slice(17, 21)}`);
      const signal = init.signal;
      signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
      const end = (delayMs: number, run: () => void) => void timeline.after(delayMs, owner, run);
      if (lost === 'connection') {
        end(delay(), () => reject(new TypeError('fetch failed', { cause: refused })));
        return;
      }
      const isLost = lost === 'request' || lost === 'silence';
      if (lost !== 'nothing') world.note(`line: ${lost} lost, ${call.method}`);
      if (isLost) {
        if (lost === 'request') end(delay(), () => reject(new TypeError('fetch failed')));
        return;
      }
      watch.travels(call, false);
      timeline.after(delay(), null, () => {
        service.receive(call, (answer) => {
          watch.travels(call, true);
          if (lost === 'answer') end(delay(), () => reject(new TypeError('fetch failed')));
          else {
            end(delay(), () => {
              if (answer.about) watch.lookedUp(answer.about.invoice, answer.about.status, owner);
              resolve(toResponse(answer));
            });
          }
        });
      });
    });
  };
}

const refused = { code: 'ECONNREFUSED' };

function toCall(url: string, { method = 'GET', body }: RequestInit): ServiceCall {
  return {
    method,
    path: new URL(url).pathname,
    body: typeof body === 'string' ? JSON.parse(body) : null,
  };
}

const encoder = new TextEncoder();

/** As much of a Response as the client reads: a real one costs more than the rest of a step. */
function toResponse({ status, body }: ServiceAnswer): Response {
  const chunks = [encoder.encode(JSON.stringify(body))];
  const read = async () => {
    const value = chunks.pop();
    return value ? { done: false, value } : { done: true, value: undefined };
  };
  const cancel = async () => undefined;
  const headers = new Map<string, string>();
  const isRateLimited = status === 429;
  if (isRateLimited) headers.set('retry-after', '3');
  return {
    ok: status < 300,
    status,
    headers: {
      get: (name: string) => headers.get(name) ?? null,
      has: (name: string) => headers.has(name),
    },
    body: { getReader: () => ({ read, cancel }), cancel },
  } as unknown as Response;
}
