/** A Node stream as a Web-standard one that reads only when it is asked to. */

import type { Readable } from 'node:stream';

/** @param onCancel without it the Node stream stays open: a request's connection still has to carry the response */
export function toWebStream(readable: Readable, onCancel?: () => void): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array, undefined> = readable.iterator({
    destroyOnReturn: false,
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await chunks.next();
        if (chunk.done) controller.close();
        else controller.enqueue(chunk.value);
      },
      async cancel() {
        onCancel?.();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
