/** What a command has written so far, and the wait for what it will write. */

/** @param toEnd settles when the command has ended */
export function createLines(toEnd: () => Promise<unknown>) {
  let written = '';
  const waiting = new Set<() => void>();
  return {
    add(text: string) {
      written += text;
      for (const look of waiting) look();
    },
    written: () => written,
    /** Resolves with what its output shows, also what was written before. @throws with the output, once the command has ended */
    untilWritten: (what: RegExp) =>
      new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const found = what.exec(written);
          if (!found) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
        toEnd().then(() => reject(new Error(`It ended without ${what}\n${written}`)), reject);
      }),
  };
}
