/** The sandbox as a server on a real port: bodies on GET, cut connections, callers that leave. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'vitest';
import { createSandbox, serveSandbox } from '../../src/sandbox.js';
import { createServiceClient } from '../../src/service.js';
import { until } from '../support/until.js';
import { connectTo } from '../support/proxy/node-servers.js';
import { failureOf } from '../service/open-client.js';
import { creationRequest } from '../service/samples.js';
import { accessToken } from './open-sandbox.js';

async function openServer(t: TestContext) {
  const sandbox = createSandbox({ accessToken });
  const server = await serveSandbox(sandbox);
  t.onTestFinished(() => server.close());
  const client = createServiceClient({ serviceUrl: server.url, accessToken });
  /** A creation past the client. */
  const post = (more: object = {}, signal: AbortSignal | null = null) =>
    fetch(`${server.url}/api/v2/invoices`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ ...creationRequest, ...more }),
      signal,
    });
  return { sandbox, server, client, post, setFault };

  async function setFault(kind: string, on = 'create', more: object = {}) {
    const body = JSON.stringify([{ on, kind, ...more }]);
    const response = await fetch(`${server.url}/sandbox/faults`, { method: 'PUT', body });
    assert.equal(response.status, 200);
  }
}

describe('over HTTP', () => {
  it('a whole payment', async (t) => {
    const { client, server } = await openServer(t);
    assert.match(server.url, /^http:\/\/127\.0\.0\.1:\d+$/);
    const created = await client.createInvoice(creationRequest);
    assert.equal(created.isSandbox, true);
    const id = created.invoice_id;
    assert.equal((await client.lookUpInvoice(id)).status, 'pending');
    await fetch(`${server.url}/sandbox/invoices/${id}/settle`, { method: 'POST' });
    const paid = await client.lookUpInvoice(id);
    assert.deepEqual([paid.status, paid.payer?.name], ['paid', 'Pagador de Teste']);
  });

  const cuts = [
    ['cut_before', 0],
    ['cut_after', 1],
  ] as const;
  for (const [kind, made] of cuts) {
    it(`${kind} cuts the socket, with ${made} invoices made`, async (t) => {
      const { client, sandbox, setFault } = await openServer(t);
      await setFault(kind);
      const error = await failureOf(client.createInvoice(creationRequest));
      assert.deepEqual([error.kind, error.mayHaveHappened], ['network', true]);
      assert.equal(sandbox.invoices().length, made);
    });
  }

  it('truncated cuts the socket in the middle of the answer', async (t) => {
    const { client, post, setFault } = await openServer(t);
    await setFault('truncated');
    const error = await failureOf(client.createInvoice(creationRequest));
    assert.deepEqual([error.kind, error.mayHaveHappened], ['network', true]);
    const response = await post();
    assert.equal(response.status, 200);
    await assert.rejects(response.text(), TypeError);
  });

  const cards = [
    ['tok_hang_after_effect', 1],
    ['tok_reset_before_effect', 0],
    ['tok_reset_after_effect', 1],
  ] as const;
  for (const [token, charged] of cards) {
    it(`${token} leaves ${charged} charges behind`, async (t) => {
      const { sandbox, post } = await openServer(t);
      const leave = new AbortController();
      const lost = assert.rejects(post({ method: 'credit_card', card: { token } }, leave.signal));
      await until(() => sandbox.receivedCards().length === 1);
      if (token === 'tok_hang_after_effect') leave.abort();
      await lost;
      assert.equal(sandbox.charges().count, charged);
    });
  }

  it('a body that is too large is left by the client', async (t) => {
    const { client, setFault } = await openServer(t);
    await setFault('oversize');
    assert.equal((await failureOf(client.createInvoice(creationRequest))).kind, 'invalid_answer');
  });

  it('a slow body still arrives whole', async (t) => {
    const { client, setFault } = await openServer(t);
    await setFault('slow_body', 'create', { ms: 0 });
    assert.equal((await client.createInvoice(creationRequest)).status, 'pending');
  });

  it('a caller that hangs up, and a server that closes, end what hangs', async (t) => {
    const { sandbox, server, post, setFault } = await openServer(t);
    await setFault('hang');
    const leave = new AbortController();
    const first = assert.rejects(post({}, leave.signal), { name: 'AbortError' });
    await until(() => sandbox.invoices().length === 1);
    leave.abort();
    await first;
    const second = assert.rejects(post(), { name: 'TypeError' });
    await until(() => sandbox.invoices().length === 2);
    await server.close();
    await second;
  });

  const raw = [
    [
      'a chunked body on the look-up is not read either',
      `GET /api/v2/invoices/none HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${accessToken}\r\n` +
        'Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
      /^HTTP\/1\.1 404 /,
    ],
    [
      'a foreign Host does not reach the control surface',
      'GET /sandbox/invoices HTTP/1.1\r\nHost: evil.example\r\n\r\n',
      /^HTTP\/1\.1 403 /,
    ],
  ] as const;
  for (const [title, request, status] of raw) {
    it(title, async (t) => {
      const { server } = await openServer(t);
      const [answer] = await once(connectTo(t, server.url, request), 'data');
      assert.match(String(answer), status);
    });
  }

  it('a port that is taken is an error, not a crash', async (t) => {
    const { server, sandbox } = await openServer(t);
    const port = Number(new URL(server.url).port);
    await assert.rejects(serveSandbox(sandbox, { port }), { code: 'EADDRINUSE' });
  });
});
