/**
 * The machine under any sequence of events: what must always hold is checked after each step (model.ts).
 *
 * Requests are answered as the controller would answer them, while they are in flight, but with anything; the payer, the
 * page and the clock do what they like.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { numRuns } from '../../support/runs.js';
import { openModel } from './model.js';
import { moves, pages } from './moves.js';

const sequences = fc.array(moves, { maxLength: 60, size: 'max' });

describe('whatever happens, in whatever order', () => {
  it('what must always hold does', () => {
    fc.assert(
      fc.property(pages, sequences, (terms, sequence) => {
        const model = openModel(terms);
        for (const move of sequence) model.step(move);
      }),
      { numRuns: numRuns(1_500) },
    );
  });

  it('and every phase is reached, so that this says something', () => {
    const reached = new Map<string, number>();
    const count = (phase: string) => reached.set(phase, (reached.get(phase) ?? 0) + 1);
    fc.assert(
      fc.property(pages, sequences, (terms, sequence) => {
        const model = openModel(terms);
        for (const move of sequence) count(model.step(move).phase);
      }),
      { numRuns: 800, seed: 1 },
    );
    assert.equal(reached.size, 7);
    for (const [phase, times] of reached) assert.ok(times > 100, `${phase} only ${times} times`);
  });
});
