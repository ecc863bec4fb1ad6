/** What counts as an amount that can be owed. */

import { isTotalCents } from '../../src/domain/money.js';
import { groups } from '../support/tables.js';

groups(isTotalCents, [
  [true, 1, 12345, Number.MAX_SAFE_INTEGER],
  [false, Number.MAX_SAFE_INTEGER + 1, 0, -1, 1.5, Number.NaN, Infinity, '1', 1n, null, [1]],
]);
