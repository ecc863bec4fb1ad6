/** Which headers of a trace go to the service: those the W3C describes, as they came. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { toTraceHeaders } from '../../src/service/client.js';

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('a trace', () => {
  it('is handed on as it came', () => {
    const tracestate = 'rojo=00f067aa0ba902b7, tenant@system=a b;c:d';
    assert.deepEqual(toTraceHeaders({ traceparent, tracestate }), { traceparent, tracestate });
    assert.deepEqual(toTraceHeaders({ traceparent }), { traceparent });
    assert.deepEqual(toTraceHeaders(undefined), {});
  });

  for (const wrong of [
    '',
    traceparent.toUpperCase(),
    `${traceparent}-more`,
    `${traceparent}\n`,
    ` ${traceparent}`,
    traceparent.replace(/^00/, 'ff'),
    traceparent.replace(/^00/, '01'),
    traceparent.replace(/-\w{32}-/, `-${'0'.repeat(32)}-`),
    traceparent.replace(/-\w{16}-/, `-${'0'.repeat(16)}-`),
    `${traceparent}, ${traceparent}`,
  ]) {
    it(`is none: ${JSON.stringify(wrong)}`, () => {
      assert.deepEqual(toTraceHeaders({ traceparent: wrong, tracestate: 'a=b' }), {});
    });
  }

  for (const wrong of [
    '',
    'a',
    'a=',
    'A=b',
    'a=b,',
    'a=b=c',
    'a=ç',
    'a=b\r\nx: y',
    `a=${'b'.repeat(257)}`,
    `a=${'b'.repeat(200)},b=${'b'.repeat(200)},c=${'b'.repeat(200)}`,
    Array.from({ length: 33 }, (_, n) => `k${n}=v`).join(','),
  ]) {
    it(`goes without a state that is none: ${JSON.stringify(wrong).slice(0, 30)}`, () => {
      assert.deepEqual(toTraceHeaders({ traceparent, tracestate: wrong }), { traceparent });
    });
  }
});
