/** A Node stream as a Web-standard one that reads only when it is asked to. */

import type { Readable } from 'node:stream';

/** @param onCancel without it the Node stream stays open: a request's connection still has to carry the response */
export function toWebStream(readable: Readable, onCancel?: () => void): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array, undefined> = readable.iterator({
    destroyOnReturn: false,
  });
  // A stream that flows is read at once: else its data goes to those alone who listen to it.
  let first = readable.readableFlowing === true ? chunks.next() : null;
  first?.catch(() => undefined);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = await (first ?? chunks.next());
        first = null;
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
