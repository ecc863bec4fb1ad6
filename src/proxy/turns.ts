/** One piece of work at a time for each name. In this process; knows nothing of what is done. */

/**
 * @param name whatever must not be worked on twice at once
 * @param work given what the work it waited for was rejected with, if it was: the fault may be its own too
 */
export type InTurn = <T>(name: string, work: (failure?: unknown) => Promise<T>) => Promise<T>;

/** Makes the queue of one proxy. */
export function createTurns(): InTurn {
  const running = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    let failure: unknown;
    for (let former = running.get(name); former; former = running.get(name)) {
      failure = await former.then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    }
    const turn = work(failure);
    running.set(name, turn);
    try {
      return await turn;
    } finally {
      running.delete(name);
    }
  };
}
