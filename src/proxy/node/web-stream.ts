/** A Node stream as a Web-standard one that reads only when it is asked to. */

import type { Readable } from 'node:stream';

/** @param end called where the reader wants no more of it */
export function toWebStream(readable: Readable, end: () => void): ReadableStream<Uint8Array> {
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
        end();
        await chunks.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
