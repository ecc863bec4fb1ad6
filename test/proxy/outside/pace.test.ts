/** The pace of look-ups without a page that waits, beside services that take so many calls a second. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import {
  countBegunCall,
  applyEndedCall,
  firstRate,
  toRoomMs,
  countRoom,
} from '../../../src/proxy/outside/service-calls.js';
import type { Rate } from '../../../src/proxy/outside/service-calls.js';
import { forAny } from '../../support/tables.js';

const tripMs = 200;

/** Asks a service as often as there is room, in steps of a tenth of a second. @param takes calls a second; above, it answers 429 */
function play(takes: number, seconds: number, { afterMs = 1_000, startMs = 0 } = {}) {
  let rate: Rate = firstRate;
  let nowMs = startMs;
  const counts = { answered: 0, refused: 0 };
  const perSecond: number[] = [];
  for (let second = 0; second < seconds; second += 1) {
    let calls = 0;
    for (let step = 0; step < 10; step += 1) {
      for (let room = countRoom(rate, nowMs); room > 0; room -= 1) {
        calls += 1;
        const isRefused = calls > takes;
        counts[isRefused ? 'refused' : 'answered'] += 1;
        const ended = { beganAtMs: nowMs - tripMs, afterMs: isRefused ? afterMs : null };
        rate = applyEndedCall(countBegunCall(rate, nowMs), ended, nowMs);
        if (isRefused) break;
      }
      nowMs += 100;
    }
    perSecond.push(calls);
  }
  return { rate, perSecond, ...counts };
}

describe('the pace', () => {
  it('begins gently: five at once, and five a second', () => {
    let rate = firstRate;
    assert.equal(countRoom(rate, 0), 5);
    for (let n = 0; n < 5; n += 1) rate = countBegunCall(rate, 0);
    assert.equal(countRoom(rate, 0), 0);
    assert.equal(toRoomMs(rate, 0), 200);
    assert.equal(countRoom(rate, 1_000), 5);
  });

  for (const takes of [10, 50]) {
    it(`comes near a service of ${takes} a second, and is refused seldom`, () => {
      const { answered, refused, perSecond } = play(takes, 300);
      assert.ok(answered >= takes * 300 * 0.6, `${answered} answered`);
      assert.ok(refused <= answered / 50, `${refused} refused`);
      assert.ok(perSecond.slice(-60).every((calls) => calls <= takes + 2));
    });
  }

  it('does not grow while little is to be done', () => {
    let rate = firstRate;
    for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1_000) {
      rate = applyEndedCall(
        countBegunCall(rate, nowMs),
        { beganAtMs: nowMs, afterMs: null },
        nowMs + tripMs,
      );
    }
    assert.equal(rate.perSecond, firstRate.perSecond);
  });

  it('halves once for all calls that were in flight, and keeps to the longest that the service asked for, two minutes at most', () => {
    let rate = firstRate;
    for (let n = 0; n < 4; n += 1) rate = countBegunCall(rate, 0);
    for (const afterMs of [1_000, 600_000, 30_000, 0]) {
      rate = applyEndedCall(rate, { beganAtMs: 0, afterMs }, 100);
    }
    assert.equal(rate.perSecond, 2.5);
    assert.equal(countRoom(rate, 120_099), 0);
    assert.ok(countRoom(rate, 120_100) > 0);
    assert.equal(toRoomMs(rate, 120_000), Infinity, 'a run does not wait for it');
    for (const atMs of [1_000, 2_000, 3_000, 4_000]) {
      rate = applyEndedCall(rate, { beganAtMs: atMs, afterMs: 0 }, atMs);
    }
    assert.equal(rate.perSecond, 0.5, 'and never stops');
  });

  it('is neither lost nor held for ever by a clock that jumps', () => {
    const jump = fc.record({
      ms: fc.integer({ min: -7_200_000, max: 7_200_000 }),
      isRefused: fc.boolean(),
    });
    forAny(300, fc.array(jump, { maxLength: 40 }), (jumps) => {
      let rate = firstRate;
      let nowMs = 1_700_000_000_000;
      for (const { ms, isRefused } of jumps) {
        const ended = { beganAtMs: nowMs, afterMs: isRefused ? 600_000 : null };
        rate = applyEndedCall(countBegunCall(rate, nowMs), ended, nowMs);
        nowMs += ms;
      }
      assert.ok(rate.perSecond >= 0.5);
      // A pause that lay further ahead than any counts once it is near.
      assert.ok([0, 30_000, 155_000].some((ms) => countRoom(rate, nowMs + ms) >= 1));
    });
  });
});
