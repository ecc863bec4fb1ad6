/**
 * Reads the body of an answer as text, counting bytes while they come: a length that is only announced proves nothing.
 *
 * Knows no JSON and no operation.
 */

import { ServiceError } from './service-error.js';

/**
 * @param maxBytes largest body, in bytes after any content coding
 * @throws ServiceError `invalid_answer` for a body that is larger or is not UTF-8; what the stream throws otherwise
 */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const { status } = response;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = response.body?.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    bytes += chunk.value.byteLength;
    if (bytes > maxBytes) {
      void reader?.cancel().catch(() => undefined);
      throw new ServiceError('invalid_answer', { status });
    }
    text += decode(chunk.value);
  }
  return text + decode();

  function decode(part?: Uint8Array): string {
    try {
      return part ? decoder.decode(part, { stream: true }) : decoder.decode();
    } catch {
      throw new ServiceError('invalid_answer', { status });
    }
  }
}
