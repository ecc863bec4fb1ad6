/** Waits for what no clock of a test moves: another process, a network, a browser. Knows nothing of what it is. */
import { vi } from 'vitest';

/** Longer than a slow and busy machine needs: a test that waits for what never comes fails all the same. */
const atMostMs = 240_000;

/** Waits until it is true, or there. @returns it. @throws Error if that never comes */
export const until = <T>(look: () => T | Promise<T>) =>
  vi.waitUntil(look, { timeout: atMostMs, interval: 20 });
