/**
 * What following an invoice costs and how soon a payment is seen, over many payers: half pay within 45 s, 95 % within
 * 180 s (log-normal); a request takes 150 ms there and back.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { checkout, createdEvent, submitted } from '../samples.js';
import { run, seeded } from './virtual-proxy.js';
import type { Run, VirtualProxy } from './virtual-proxy.js';

const tripMs = 150;

/** Answers each look-up at once, whatever it asks. */
const answersAtOnce =
  (paidAtMs: number): VirtualProxy =>
  (_, atMs) => ({
    afterMs: tripMs,
    answer: paidAtMs <= atMs + tripMs / 2 ? 'paid' : 'pending',
  });

/** Holds the answer as it is asked to. */
const holds =
  (paidAtMs: number): VirtualProxy =>
  ({ waitSeconds }, atMs) => {
    const untilMs = atMs + tripMs / 2 + waitSeconds * 1_000;
    return {
      afterMs: Math.max(tripMs, Math.min(untilMs, paidAtMs) - atMs + tripMs / 2),
      answer: paidAtMs <= untilMs ? 'paid' : 'pending',
    };
  };

/** When each of many payers has paid, milliseconds after the code was shown. */
function paymentTimes(): number[] {
  const random = seeded(20_260_302);
  const sigma = Math.log(180 / 45) / 1.645;
  return Array.from({ length: 1_000 }, () => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return 45_000 * Math.exp(sigma * normal);
  });
}

function follow(proxy: VirtualProxy, untilMs: number): Run {
  const posting = checkout().play(submitted).state;
  return run(posting, createdEvent(), proxy, { untilMs, random: seeded(1) });
}

function measure(proxyOf: (paidAtMs: number) => VirtualProxy) {
  const runs = paymentTimes().map((paidAtMs) => {
    const { state, nowMs, asked } = follow(proxyOf(paidAtMs), 86_400_000);
    assert.equal(state.phase, 'paid');
    return { requests: asked.length, delayMs: nowMs - paidAtMs };
  });
  const delays = runs.map(({ delayMs }) => delayMs).toSorted((one, other) => one - other);
  return {
    requests: mean(runs.map(({ requests }) => requests)),
    delayMs: mean(delays),
    p95DelayMs: delays[Math.floor(delays.length * 0.95)]!,
  };
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** A figure may be better than what was worked out for the schedule; it may not be worse. */
function assertAtMost(figures: Record<string, number>, most: Record<string, number>): void {
  for (const [name, limit] of Object.entries(most)) {
    const figure = figures[name]!;
    assert.ok(figure <= limit, `${name}: ${figure} is more than ${limit}`);
  }
}

describe('a paid invoice', () => {
  it('costs 15 requests, and is seen within 2.4 s, where the proxy answers at once', () => {
    assertAtMost(measure(answersAtOnce), { requests: 15, delayMs: 2_400, p95DelayMs: 4_300 });
  });

  it('costs 3 requests, and is seen as soon as the proxy knows, where it holds its answers', () => {
    assertAtMost(measure(holds), { requests: 3, delayMs: tripMs, p95DelayMs: tripMs });
  });
});

for (const [name, proxyOf, most] of [
  ['at once', answersAtOnce, 115],
  ['held', holds, 37],
] as const) {
  it(`an unpaid invoice left open for a quarter of an hour costs ${most} requests, ${name}`, () => {
    const { asked, state } = follow(proxyOf(Infinity), 900_000);
    assert.equal(state.phase, 'awaiting');
    assertAtMost({ requests: asked.length }, { requests: most });
  });
}
