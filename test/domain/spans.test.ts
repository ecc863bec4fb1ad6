/** Spans of time, and moments by clocks that differ. */

import { describe } from 'vitest';
import {
  daySeconds,
  dayMs,
  hourSeconds,
  isAhead,
  isNear,
  isWithin,
  toDayMs,
} from '../../src/domain/spans.js';
import { maps } from '../support/tables.js';

describe('a day', () => {
  maps(() => [dayMs, daySeconds, hourSeconds], [[[86_400_000, 86_400, 3_600]]]);
});

describe('less than a span away', () => {
  maps(isNear, [
    [100, 10, 109, true],
    [100, 10, 110, false],
    [100, 10, 91, true],
    [100, 10, 90, false],
  ]);
});

describe('less than a span ago', () => {
  maps(isWithin, [
    [100, 10, 100, true],
    [100, 10, 109, true],
    [100, 10, 110, false],
    [100, 10, 99, false],
  ]);
});

describe('still to come, in a span at most', () => {
  maps(isAhead, [
    [100, 10, 99, true],
    [100, 10, 90, true],
    [100, 10, 89, false],
    [100, 10, 100, false],
  ]);
});

describe('the end of its day', () => {
  maps(toDayMs, [
    [0, 0],
    [1, dayMs],
    [dayMs, dayMs],
    [dayMs + 1, 2 * dayMs],
  ]);
});
