/** Waits for what no clock of a test moves: another process, a network, a browser. Knows nothing of what it is. */
import { vi } from 'vitest';

/** Longer than a slow and busy machine needs: a test that waits for what never comes fails all the same. */
const atMostMs = 240_000;

/** Waits until it is true, or there. @returns it. @throws Error that shows `look`, if that never comes */
export async function until<T>(look: () => T | Promise<T>) {
  try {
    return await vi.waitUntil(look, { timeout: atMostMs, interval: 20 });
  } catch (cause) {
    throw new Error(`It never came: ${look.toString()}`, { cause });
  }
}
