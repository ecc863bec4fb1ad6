/** Waits for what happens in this process. What happens in a page is waited for there (payer.ts). */

/** How often a condition is tried, and how long in vain, milliseconds. */
const everyMs = 20;
const atMostMs = 60_000;

/** Waits until a condition is met. @throws Error if it never is */
export async function until(isMet: () => boolean): Promise<void> {
  for (let waitedMs = 0; !isMet(); waitedMs += everyMs) {
    if (waitedMs > atMostMs) throw new Error(`Waited in vain for ${isMet.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
