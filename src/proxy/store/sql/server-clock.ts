/**
 * The clock of a database's server. Machines that share rows go by it: by clocks of their own one would end what another has
 * just begun. It goes on by this process's steady clock, so that a machine whose clock is set does not notice.
 */

/** How long the server's clock is taken to go on as ours does, milliseconds. */
const knownForMs = 60_000;

/** Makes the clock. It is the machine's own, until the server told its time. */
export function createServerClock() {
  // Of performance.now(). Where the machine's own clock is right, nothing changes.
  let startedAtMs = performance.timeOrigin;
  let notedAtMs = -Infinity;

  return {
    /** Milliseconds since 1970. */
    now: () => Math.floor(startedAtMs + performance.now()),
    isKnown: () => performance.now() - notedAtMs < knownForMs,

    /**
     * The server said this time between then, of performance.now(), and now: a time that agrees with both stays.
     * @param serverMs milliseconds since 1970
     */
    note(serverMs: number, askedAtMs: number): void {
      notedAtMs = performance.now();
      startedAtMs = Math.max(startedAtMs, serverMs - notedAtMs);
      startedAtMs = Math.min(startedAtMs, serverMs + 1 - askedAtMs);
    },
  };
}
