/** Connections that break the rules of HTTP: what they are told, and that it is never a 408. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { refuseClient } from '../../../src/proxy/node/server.js';

/** Time for a request, milliseconds: those of this test never come. */
const times = { headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 5 };

/** What a server without a route answers to this text, until it ends the connection. */
async function answerTo(t: TestContext, text: string): Promise<string> {
  const server = createServer(times, () => undefined);
  server.on('clientError', refuseClient);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => socket.destroy());
  let answer = '';
  socket.on('data', (chunk) => (answer += String(chunk)));
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

const badRequest = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n';

describe('a connection that is refused', () => {
  it('is not told 408 when its request does not come in time: browsers would send it again', async (t) => {
    const head = 'POST /pay/invoices HTTP/1.1\r\nHost: shop.example\r\nContent-Length: 9\r\n';
    assert.equal(await answerTo(t, head), badRequest);
    assert.equal(await answerTo(t, `${head}\r\n{`), badRequest);
  });

  it('is told what was wrong with its request', async (t) => {
    assert.equal(await answerTo(t, 'no HTTP\r\n\r\n'), badRequest);
    const large = `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`;
    assert.match(await answerTo(t, large), /^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
  });
});
