/** The closed list of error codes: which there are, and what each means for HTTP and for a retry. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { errorCodes, isErrorCode, isRetryable } from '../../src/contract/codes.js';
import type { ErrorCode } from '../../src/contract/codes.js';
import { groups } from '../support/tables.js';

/** Code, first status, whether a retry is sensible. */
const table: [code: ErrorCode, status: number, retryable: boolean][] = [
  ['invalid_request', 400, false],
  ['unknown_order', 404, false],
  ['order_paid', 409, false],
  ['order_closed', 409, false],
  ['order_failed', 500, false],
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

  it('are error statuses, named once, with a title of their own, and cover what a guard refuses', () => {
    const all = Object.values(errorCodes);
    assert.equal(new Set(all.map(({ title }) => title)).size, all.length);
    for (const { statuses, title } of all) {
      assert.match(title, /^[A-Z]/);
      // 408 browsers answer by sending again.
      assert.ok(statuses.every((status) => status >= 400 && status < 600 && status !== 408));
      assert.equal(new Set(statuses).size, statuses.length);
    }
    const { statuses } = errorCodes.invalid_request;
    assert.ok([403, 405, 413, 415].every((status) => statuses.includes(status)));
  });

  groups(isErrorCode, [
    [true, ...table.map(([code]) => code)],
    [false, '', 'ORDER_PAID', 'constructor', '__proto__', 'toString', null, undefined, 1],
    [false, ['order_paid']],
  ]);
});
