/** How long the client waits, when it stops, what it leaves behind, and how long it is told to wait. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createInvoice,
  lookUpInvoice,
  recoverInvoice,
} from '../../../src/checkout/browser/proxy-client.js';
import type { RequestOptions } from '../../../src/checkout/browser/proxy-client.js';
import { key, status } from '../machine/samples.js';
import { body, failed, failureOf, hangingBody, json, look, never, open } from './open-client.js';

describe('Retry-After', () => {
  const now = Date.UTC(2026, 2, 2, 12);
  for (const [value, seconds] of [
    ['30', 30],
    ['0', 1],
    ['3600', 120],
    ['9'.repeat(400), 120],
    [new Date(now + 45_000).toUTCString(), 45],
    [new Date(now - 45_000).toUTCString(), 1],
    [new Date(now + 86_400_000).toUTCString(), 120],
    ['soon', null],
    ['soon 5', null],
    ['-5', null],
    ['1.5', null],
    ['1e3', null],
    ['', null],
    [' GMT', null],
  ] as const) {
    it(`"${value.slice(0, 30)}": ${seconds}`, async () => {
      const headers = { 'Retry-After': value };
      const found = await failed(() => new Response('', { status: 503, headers }));
      assert.equal(found.retryAfterSeconds, seconds);
    });
  }
});

describe('time', () => {
  for (const [name, send, timeoutMs] of [
    ['a creation', (options: RequestOptions) => createInvoice(options, key, body), 25_000],
    ['a recovery', (options: RequestOptions) => recoverInvoice(options, key), 8_000],
    ['a look-up', (options: RequestOptions) => lookUpInvoice(options, look), 33_000],
  ] as const) {
    for (const [what, answer] of [
      ['an answer', never],
      ['the rest of an answer', hangingBody],
    ] as const) {
      it(`${name} waits ${timeoutMs} ms for ${what}, then it is the network`, async () => {
        const { environment, options } = open(answer);
        let code = 'none yet';
        void failureOf(send(options)).then((failure) => (code = failure.code));
        await environment.advance(timeoutMs - 1);
        assert.equal(code, 'none yet');
        await environment.advance(1);
        assert.equal(code, 'network');
        assert.equal(environment.sent[0]?.signal.aborted, true, 'the connection is given up');
      });
    }
  }

  it('an answer leaves no timer behind, good or bad', async () => {
    for (const answer of [
      () => json({ data: status(), message: '' }),
      () => new Response('', { status: 500 }),
      () => Promise.reject(new TypeError('lost')),
    ]) {
      const { environment, options } = open(answer);
      await lookUpInvoice(options, look).catch(() => {});
      assert.deepEqual(environment.timers, []);
    }
  });

  it('who no longer wants the answer ends the request', async () => {
    const { environment, options, abort } = open(never);
    const request = failureOf(lookUpInvoice(options, look));
    await environment.advance(100);
    abort();
    assert.equal((await request).code, 'network');
    assert.deepEqual([environment.inFlight.size, environment.timers.length], [0, 0]);
  });

  it('who no longer wanted it before it was sent ends it, too', async () => {
    const { options, abort } = open(never);
    abort();
    assert.equal((await failureOf(lookUpInvoice(options, look))).code, 'network');
  });
});
