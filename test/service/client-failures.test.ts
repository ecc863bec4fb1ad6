/** The client tells failures apart, and says of each whether the request may have had an effect. */

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'vitest';
import { createServiceClient } from '../../src/service.js';
import type { ServiceErrorKind } from '../../src/service.js';
import { freePort, listen } from '../support/proxy/node-servers.js';
import {
  accessToken,
  answerWith,
  envelope,
  failureOf,
  fetchFailed,
  nowMs,
  openClient,
} from './open-client.js';
import type { Answer } from './open-client.js';
import { bareInvoice, creationRequest, invoice } from './samples.js';

/** An answer with so much more in it than is needed. */
const bytes = (count: number) => JSON.stringify({ data: bareInvoice, pad: 'x'.repeat(count) });

describe('an invoice that holds the access token', () => {
  // As JSON may write it, and whatever has to be escaped in it.
  const escaped = accessToken.replace('c', '\\u0063');
  for (const field of ['external_id', 'order_code', 'qr_code_pix', 'status'] as const) {
    for (const token of [accessToken, escaped]) {
      it(`is no answer: ${token} in ${field}`, async () => {
        const body = JSON.stringify({ data: { ...bareInvoice, [field]: 'Bearer TOKEN' } });
        const { client } = openClient(answerWith(body.replace('TOKEN', token)));
        for (const call of [
          () => client.createInvoice(creationRequest),
          () => client.lookUpInvoice(bareInvoice.invoice_id),
        ]) {
          const error = await failureOf(call());
          assert.deepEqual([error.kind, error.field], ['invalid_answer', 'data']);
          assert.ok(!inspect(error).includes(accessToken));
        }
      });
    }
  }

  it('is one where it stands in what is not read, or the token is a word as short as others', async () => {
    const body = { data: { ...bareInvoice, more: accessToken }, message: accessToken };
    const { client } = openClient(answerWith(JSON.stringify(body)));
    assert.equal((await client.lookUpInvoice(bareInvoice.invoice_id)).status, 'pending');
    const short = openClient(envelope(bareInvoice), { accessToken: 'pending' });
    assert.equal((await short.client.lookUpInvoice(bareInvoice.invoice_id)).status, 'pending');
  });

  it('is none either where a function gave the token, or JSON has to escape it', async () => {
    for (const token of ['"quoted\\token"', 'from-a-function']) {
      const { client } = openClient(envelope({ ...bareInvoice, order_code: token }), {
        accessToken: async () => token,
      });
      const error = await failureOf(client.lookUpInvoice(bareInvoice.invoice_id));
      assert.equal(error.kind, 'invalid_answer');
    }
  });
});

describe('answers that are no success', () => {
  const cases: readonly (readonly [ServiceErrorKind, mayHaveHappened: boolean, ...number[]])[] = [
    ['redirect', true, 301, 302, 304, 307, 308],
    ['refused_request', false, 400, 418, 422],
    ['refused_request', true, 408, 409],
    ['unauthorized', false, 401, 403],
    ['not_found', false, 404, 410],
    ['rate_limited', false, 429],
    ['server', true, 500, 502, 503, 599],
  ];
  for (const [kind, mayHaveHappened, ...statuses] of cases) {
    for (const status of statuses) {
      it(`${status} is ${kind}${mayHaveHappened ? ', and may have happened' : ''}`, async () => {
        const headers = { Location: 'https://elsewhere.example/' };
        const { client, sent } = openClient(answerWith(null, { status, headers }));
        const error = await failureOf(client.createInvoice(creationRequest));
        assert.deepEqual(
          [error.kind, error.status, error.mayHaveHappened, sent.length],
          [kind, status, mayHaveHappened, 1],
        );
      });
    }
  }

  const after = (ms: number) => new Date(nowMs + ms).toUTCString();
  for (const [seconds, ...headers] of [
    [undefined, null, '-3', 'soon'],
    [1, '0', after(-30_000)],
    [7, '7'],
    [30, after(30_000)],
    [120, '99999', after(86_400_000)],
  ] as const) {
    it(`Retry-After ${headers.map(String).join(' or ')} is ${seconds} seconds`, async () => {
      for (const header of headers) {
        const sent = header === null ? {} : { headers: { 'Retry-After': header } };
        const { client } = openClient(answerWith(null, { status: 429, ...sent }));
        const error = await failureOf(client.lookUpInvoice(invoice.invoice_id));
        assert.equal(error.retryAfterSeconds, seconds, String(header));
      }
    });
  }
});

describe('answers that are not of the specification', () => {
  const cases: readonly (readonly [string, Answer, string | undefined])[] = [
    ['HTML', answerWith('<h1>It works!</h1>'), undefined],
    ['nothing', answerWith(''), undefined],
    ['no body at all', answerWith(null, { status: 204 }), undefined],
    ['half of a JSON', answerWith('{"data": {"invoice_id": "'), undefined],
    ['bytes that are no UTF-8', answerWith(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d])), undefined],
    ['a cut UTF-8 character', answerWith(new Uint8Array([0x7b, 0x7d, 0xc3])), undefined],
    ['a missing field', envelope({ ...bareInvoice, status: undefined }), 'data.status'],
    ['a wrong field', envelope({ ...bareInvoice, total_cents: '1' }), 'data.total_cents'],
    ['more than 256 KiB', answerWith(bytes(256 * 1024)), undefined],
  ];
  for (const [title, answer, field] of cases) {
    it(title, async () => {
      const { client } = openClient(answer);
      const error = await failureOf(client.createInvoice(creationRequest));
      assert.equal(error.kind, 'invalid_answer');
      assert.equal(error.field, field);
      assert.equal(error.mayHaveHappened, true);
    });
  }

  it('up to 256 KiB are read', async () => {
    const { client } = openClient(answerWith(bytes(256 * 1024 - bytes(0).length)));
    assert.equal((await client.createInvoice(creationRequest)).status, 'pending');
  });

  it('a body without end is left when it passes the limit', async () => {
    let given = 0;
    let left = false;
    const chunk = new Uint8Array(65_536).fill(0x20);
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: (controller) => {
        given += chunk.length;
        controller.enqueue(chunk);
      },
      cancel: () => void (left = true),
    });
    const { client } = openClient(answerWith(body));
    assert.equal((await failureOf(client.lookUpInvoice('INV-0001'))).kind, 'invalid_answer');
    assert.equal(left, true);
    assert.ok(given <= 6 * chunk.length);
  });

  it('text in pieces that split a character is whole again', async () => {
    const text = new TextEncoder().encode(
      JSON.stringify({ data: { ...bareInvoice, client: { name: 'José' } } }),
    );
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        for (const byte of text) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const { client } = openClient(answerWith(body));
    assert.equal((await client.lookUpInvoice('INV-0001')).client?.name, 'José');
  });
});

describe('a connection that fails', () => {
  const refused = { code: 'ECONNREFUSED', syscall: 'connect' };
  const unsent: Readonly<Record<string, object>> = {
    'no such name': { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    'no name server': { code: 'EAI_AGAIN', syscall: 'getaddrinfo' },
    'no one listens': refused,
    'no one answers': { code: 'UND_ERR_CONNECT_TIMEOUT' },
    'no way to the host': { code: 'EHOSTUNREACH', syscall: 'connect' },
    'an expired certificate': { code: 'CERT_HAS_EXPIRED' },
    'a foreign certificate': { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'each address refused': { code: 'ECONNREFUSED', errors: [refused, refused] },
  };
  const network: Readonly<Record<string, object | undefined>> = {
    'one address cut': { code: 'ECONNREFUSED', errors: [refused, { code: 'ECONNRESET' }] },
    'the way lost while reading': { code: 'EHOSTUNREACH', syscall: 'read' },
    reset: { code: 'ECONNRESET', syscall: 'read' },
    closed: { code: 'UND_ERR_SOCKET' },
    'no list of reasons': { errors: [] },
    'no reason at all': undefined,
  };
  for (const [kind, causes] of Object.entries({ unsent, network })) {
    for (const [title, cause] of Object.entries(causes)) {
      it(`${title} is ${kind}`, async () => {
        const { client, sent } = openClient(fetchFailed(cause));
        const error = await failureOf(client.createInvoice(creationRequest));
        assert.deepEqual([error.kind, error.mayHaveHappened], [kind, kind === 'network']);
        assert.equal(sent.length, 1);
      });
    }
  }

  it('on a real port where no one listens is unsent', async () => {
    const serviceUrl = await freePort();
    const client = createServiceClient({ serviceUrl, accessToken });
    const error = await failureOf(client.createInvoice(creationRequest));
    assert.deepEqual([error.kind, error.mayHaveHappened], ['unsent', false]);
  });

  it('on a real socket that is cut after the request is network', async (t) => {
    let connections = 0;
    const serviceUrl = await listen(t, (data, socket) => {
      connections += 1;
      assert.match(data, /^POST \/api\/v2\/invoices /);
      socket.resetAndDestroy();
    });
    const client = createServiceClient({ serviceUrl, accessToken });
    const error = await failureOf(client.createInvoice(creationRequest));
    assert.deepEqual([error.kind, error.mayHaveHappened], ['network', true]);
    assert.equal(connections, 1);
  });

  it('on a real socket in the middle of the body is network', async (t) => {
    const serviceUrl = await listen(t, (_data, socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"data":');
    });
    const client = createServiceClient({ serviceUrl, accessToken });
    assert.equal((await failureOf(client.lookUpInvoice('INV-0001'))).kind, 'network');
  });
});

it('a refusal whose body was read before keeps its status', async () => {
  const { client } = openClient(async () => {
    const response = new Response('{}', { status: 422 });
    await response.text();
    return response;
  });
  const error = await failureOf(client.lookUpInvoice('invoice-1'));
  assert.deepEqual([error.kind, error.status], ['refused_request', 422]);
});
