/**
 * What a connection is told that broke the rules of HTTP, or did not send its request in time. Knows no request.
 */

import type { Duplex } from 'node:stream';

/**
 * A listener for `clientError` of a `node:http` server. Does what Node does without one, but never answers 408: browsers
 * send a request again on it, a payment too.
 */
export function refuseClient(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`, () => socket.destroy());
}
