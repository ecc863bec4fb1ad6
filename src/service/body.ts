/**
 * Reads a body of HTTP as text, up to a limit: answers of the service and of the merchant's server, requests of pages, and
 * postbacks.
 *
 *     if (isAnnouncedTooLarge(request.headers, 16 * 1024)) return refuse(413);
 *     const text = await readText(request.body?.getReader(), 16 * 1024);
 *
 * An announced length saves the wait for the body but proves nothing, so `readText` counts the bytes as they arrive.
 */

/** A body that is read chunk by chunk. A `ReadableStreamDefaultReader` is one. */
export interface BodyReader {
  read(): Promise<{ readonly done?: boolean | undefined; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** Whether the headers announce a body of more bytes than these. */
export function isAnnouncedTooLarge(headers: Pick<Headers, 'get'>, mostBytes: number): boolean {
  return Number(headers.get('content-length') ?? 0) > mostBytes;
}

/** A body that is too large, or not UTF-8. Any other error of {@link readText} is the stream's. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
  constructor(readonly problem: 'too_large' | 'not_utf8') {
    super(problem);
  }
}

/**
 * Reads a body as text up to a limit, counting bytes as they arrive, because an announced length proves nothing.
 * @param reader undefined if there is no body. If the caller cancels it, the text so far is returned
 * @param maxBytes largest body, in bytes after any content coding
 * @throws BodyError, and the errors of the stream
 */
export async function readText(reader: BodyReader | undefined, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (!chunk?.value) return text + decode();
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
