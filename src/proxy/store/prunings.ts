/** When a store may delete: what was old at two prunings a day apart. A clock that is ahead for a moment deletes nothing. */

import { dayMs } from '../../domain/spans.js';

/** How far apart two prunings have to be, milliseconds. */
const apartMs = dayMs;

/** When a store was pruned last, by its own clock, milliseconds since 1970. */
export interface Pruned {
  readonly atMs: number;
}

/**
 * @param known null: it was never pruned
 * @returns what is remembered from now on; and before what time an order's own has to have passed, null: nothing is deleted now
 */
export function toPruning(
  known: Pruned | null,
  nowMs: number,
): { readonly pruned: Pruned; readonly beforeMs: number | null } {
  // A pruning that lies ahead was one by a clock that was wrong: it begins anew.
  if (known === null || known.atMs > nowMs) return { pruned: { atMs: nowMs }, beforeMs: null };
  if (nowMs - known.atMs < apartMs) return { pruned: known, beforeMs: null };
  return { pruned: { atMs: nowMs }, beforeMs: known.atMs };
}
