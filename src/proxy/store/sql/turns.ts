/** Turns of a process whose database holds it up: between two steps, whatever else waits comes first. */

/** How long one turn lasts, milliseconds. A step that has begun is not cut short. */
const turnMs = 10;

/** Resolves at once while the turn lasts, else once all else that waited has run. */
export type OwnTurn = () => Promise<void>;

export function createTurns(): OwnTurn {
  let endsAtMs = -Infinity;
  let next: Promise<void> | null = null;

  return async function ownTurn() {
    // Many may wait for the next turn, and those for whom it is too short wait for the one after.
    while (performance.now() >= endsAtMs) await (next ??= begin());
  };

  function begin(): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        next = null;
        endsAtMs = performance.now() + turnMs;
        resolve();
      });
    });
  }
}
