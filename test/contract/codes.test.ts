/** The closed list of error codes: which there are, and what each means for HTTP and for a retry. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorCodes, isErrorCode, isRetryable } from '../../src/contract/codes.js';
import type { ErrorCode } from '../../src/contract/codes.js';

/** Code, first status, whether a retry is sensible. */
const table: [code: ErrorCode, status: number, retryable: boolean][] = [
  ['invalid_request', 400, false],
  ['unknown_order', 404, false],
  ['order_paid', 409, false],
  ['order_closed', 409, false],
  ['amount_mismatch', 409, false],
  ['unauthorized', 401, false],
  ['not_found', 404, false],
  ['in_progress', 409, true],
  ['key_reused', 422, false],
  ['too_many_requests', 429, true],
  ['payment_refused', 402, false],
  ['outcome_unknown', 502, false],
  ['service_unavailable', 503, true],
];

describe('the error codes', () => {
  it('are these, with these meanings', () => {
    const actual = table.map(([code]) => [code, errorCodes[code].statuses[0], isRetryable(code)]);
    assert.deepEqual(actual, table);
    assert.equal(Object.keys(errorCodes).length, table.length);
  });

  it('never mean 408, which browsers answer by sending again', () => {
    for (const { statuses } of Object.values(errorCodes)) assert.ok(!statuses.includes(408));
  });

  it('are all error statuses, named once, with a title of their own', () => {
    const titles = Object.values(errorCodes).map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length);
    for (const { statuses } of Object.values(errorCodes)) {
      assert.ok(statuses.every((status) => status >= 400 && status < 600));
      assert.equal(new Set(statuses).size, statuses.length);
    }
  });

  it('cover what a guard may refuse with', () => {
    for (const status of [403, 405, 413, 415]) {
      assert.ok(errorCodes.invalid_request.statuses.includes(status));
    }
  });

  for (const [code] of table) {
    it(`${code} is one`, () => assert.equal(isErrorCode(code), true));
  }

  for (const value of [
    '',
    'ORDER_PAID',
    'constructor',
    '__proto__',
    'toString',
    null,
    undefined,
    1,
    ['order_paid'],
  ]) {
    it(`${JSON.stringify(value)} is none`, () => assert.equal(isErrorCode(value), false));
  }
});
