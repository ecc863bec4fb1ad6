/** Job loops of orders: one pass at a time, a pause after each, no call dropped, and nothing kept for ever. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createOrderLoops } from '../../../src/proxy/postbacks/order-loops.js';
import { createTestClock, settle } from '../support/shop.js';

interface Options {
  readonly most?: number;
  /** In how many milliseconds one more round is wanted after each. */
  readonly wantsMore?: (round: number) => number | null;
  /** Loops last until they are let go. */
  readonly isSlow?: boolean;
}

function openRounds({ most = 10, wantsMore = () => null, isSlow = false }: Options = {}) {
  const clock = createTestClock();
  const startedMs = clock.now();
  const ran: [name: string, atMs: number, seen: number][] = [];
  const releases: (() => void)[] = [];
  const loops = createOrderLoops<{ asked: number }>({
    begin: () => ({ asked: 0 }),
    async work(name, state) {
      ran.push([name, clock.now() - startedMs, state.asked]);
      if (isSlow) await new Promise<void>((resolve) => releases.push(resolve));
      return wantsMore(ran.length);
    },
    pauseMs: 2_000,
    most,
    ...clock,
  });
  const ask = (name: string) => loops.ask(name, (state) => void (state.asked += 1));
  /** What has begun must end before time passes. */
  const advance = async (ms: number) => {
    await settle();
    await clock.advance(ms);
  };
  return { advance, clock, loops, ran, releases, ask };
}

describe('a pass', () => {
  it('begins at once, and once more for all who ask in its pause', async () => {
    const { advance, clock, ran, ask } = openRounds();
    for (let i = 0; i < 5; i++) assert.equal(ask('a'), true);
    await settle();
    assert.deepEqual(ran, [['a', 0, 1]]);
    await advance(1_999);
    ask('a');
    assert.equal(ran.length, 1);
    await advance(1);
    assert.deepEqual(ran.slice(1), [['a', 2_000, 6]]);
    await advance(60_000);
    assert.equal(ran.length, 2);
    assert.equal(clock.pending(), 0);
  });

  it('is of one name: others do not wait for it', async () => {
    const { ran, ask } = openRounds();
    ask('a');
    ask('b');
    await settle();
    assert.deepEqual(
      ran.map(([name]) => name),
      ['a', 'b'],
    );
  });

  it('is followed by another after a pause, as long as it wants more', async () => {
    const { advance, ran, ask } = openRounds({ wantsMore: (round) => (round < 3 ? 0 : null) });
    ask('a');
    await advance(60_000);
    assert.deepEqual(
      ran.map(([, atMs]) => atMs),
      [0, 2_000, 4_000],
    );
  });

  it('is followed by another as late as it wants, or sooner after a call', async () => {
    const { advance, clock, ran, ask } = openRounds({ wantsMore: () => 60_000 });
    ask('a');
    await advance(59_999);
    assert.equal(ran.length, 1);
    await advance(1);
    assert.equal(ran.length, 2);
    await advance(1_000);
    ask('a');
    ask('a');
    assert.equal(clock.pending(), 1);
    await advance(999);
    assert.equal(ran.length, 2);
    await advance(1);
    await advance(60_000);
    assert.deepEqual(
      ran.map(([, atMs]) => atMs),
      [0, 60_000, 62_000, 122_000],
    );
  });

  it('does not begin before the former one has ended, and paused', async () => {
    const { advance, ran, releases, ask } = openRounds({ isSlow: true });
    ask('a');
    await advance(9_000);
    ask('a');
    await advance(1_000);
    assert.equal(ran.length, 1);
    releases.shift()!();
    await advance(1_999);
    assert.equal(ran.length, 1);
    await advance(1);
    assert.equal(ran.length, 2);
  });

  it('comes after a pause at most, though the clock was set back', async () => {
    let skewMs = 0;
    const clock = createTestClock();
    let ran = 0;
    const loops = createOrderLoops<object>({
      begin: () => ({}),
      work: async () => ((ran += 1) > 99 ? 0 : null),
      pauseMs: 2_000,
      most: 10,
      now: () => clock.now() + skewMs,
      startTimer: clock.startTimer,
    });
    loops.ask('a', () => {});
    await settle();
    skewMs = -3_600_000;
    loops.ask('a', () => {});
    await clock.advance(1_000);
    loops.ask('a', () => {});
    await clock.advance(1_000);
    assert.equal(ran, 2);
  });
});

describe('names', () => {
  it('are as many as allowed, and the idle ones make room', async () => {
    const { advance, ran, ask } = openRounds({ most: 2 });
    assert.deepEqual(['a', 'b', 'c', 'a'].map(ask), [true, true, false, true]);
    await advance(2_000);
    // a had another round just now; b is forgotten.
    assert.equal(ask('c'), true);
    assert.equal(ask('d'), false);
    await advance(4_000);
    assert.equal(ask('d'), true);
    await settle();
    assert.deepEqual(
      ran.map(([name]) => name),
      ['a', 'b', 'a', 'c', 'd'],
    );
  });
});

describe('loops that are closed', () => {
  it('end what runs, begin nothing, and name what is left', async () => {
    const { clock, loops, ran, releases, ask } = openRounds({ isSlow: true });
    for (const name of ['runs', 'runs and is asked again', 'waits']) ask(name);
    releases[2]!();
    await settle();
    ask('runs and is asked again');
    ask('waits');
    assert.equal(clock.pending(), 1);
    let isClosed = false;
    const closing = loops.close().finally(() => (isClosed = true));
    await settle();
    assert.equal(isClosed, false);
    assert.equal(ask('late'), false);
    for (const release of releases) release();
    assert.deepEqual((await closing).toSorted(), ['runs and is asked again', 'waits']);
    assert.equal(clock.pending(), 0);
    assert.equal(ran.length, 3);
  });
});
