/**
 * An answer that came over `node:http` as a Web-standard Response, its body read only as fast as somebody wants it.
 *
 * Knows nothing of how the request was sent.
 */

import type { IncomingMessage } from 'node:http';

/** Statuses whose answers have no body (Fetch, section 2.2.3). */
const bodilessStatuses: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * @param request what the answer is for: an abort of its signal ends the body, with the signal's reason
 * @throws RangeError for a status no Response can have
 */
export function toResponse(
  incoming: IncomingMessage,
  { method, signal }: { readonly method: string; readonly signal: AbortSignal | null },
): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = incoming;
  const headers = new Headers();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
  }
  const hasBody = method !== 'HEAD' && !bodilessStatuses.has(status);
  const response = new Response(hasBody ? toBody(incoming, signal) : null, {
    status,
    statusText,
    headers,
  });
  if (!hasBody) incoming.resume();
  return response;
}

function toBody(incoming: IncomingMessage, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  let isOver = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const finish = (say: () => void) => {
          signal?.removeEventListener('abort', abort);
          if (isOver) return;
          isOver = true;
          say();
        };
        const abort = () => {
          finish(() => controller.error(signal?.reason));
          incoming.destroy();
        };
        signal?.addEventListener('abort', abort, { once: true });
        incoming.on('data', (chunk: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on('end', () => finish(() => controller.close()));
        // Also where a body breaks off without an error: 'close' is always last.
        const fail = (cause?: unknown) =>
          finish(() => controller.error(new TypeError('terminated', { cause })));
        incoming.on('error', fail).on('close', () => fail());
        incoming.pause();
      },
      pull() {
        incoming.resume();
      },
      cancel() {
        isOver = true;
        incoming.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
