/** Holds requests back until all have arrived, so that they end in the same moment. */

/** Longest wait of the first for the last, milliseconds: a server may take no more connections than it answers. */
const mostMs = 3_000;

/** Opens when all have arrived at it. */
export function createGate(count: number, settleMs: number) {
  const arrived = new Set<object>();
  let open: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let latest: ReturnType<typeof setTimeout> | undefined;

  return {
    take() {
      const seat = {};
      const arrive = () => {
        if (arrived.has(seat)) return;
        latest ??= setTimeout(open, mostMs);
        if (arrived.add(seat).size === count) finish();
      };
      const wait = async () => {
        arrive();
        await opened;
      };
      return { arrive, wait };
    },
  };

  /** What was sent last may still be on its way, and the connection not yet taken. */
  function finish(): void {
    clearTimeout(latest);
    if (settleMs === 0) open();
    else setTimeout(open, settleMs);
  }
}
