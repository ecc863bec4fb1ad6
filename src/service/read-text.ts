/** Reads bodies as text up to a limit, counting bytes as they arrive: an announced length proves nothing. */

/** A body that is too large, or not UTF-8. Any other error of {@link readText} is the stream's. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  constructor(readonly problem: 'too_large' | 'not_utf8') {
    super(problem);
  }
}

/**
 * @param reader undefined where there is no body. If the caller cancels it, the text so far is returned
 * @param maxBytes largest body, in bytes after any content coding
 * @throws BodyError, and what the stream throws
 */
export async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return text + decode();
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new BodyError('too_large');
    }
    text += decode(chunk.value);
  }

  function decode(part?: Uint8Array): string {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw new BodyError('not_utf8');
    }
  }
}
