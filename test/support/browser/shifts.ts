/** What moves by itself on a page, by the browser's own count (Layout Instability). */
import type { Page } from 'puppeteer-core';

/** LayoutShift, as far as it is read. */
interface Shift {
  readonly value: number;
  readonly hadRecentInput: boolean;
}

/** Call it before the page is opened. */
export async function noteShifts(page: Page): Promise<void> {
  await page.evaluateOnNewDocument(() => {
    const shifts: unknown[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push(entry.toJSON());
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** What has shifted, once all that was drawn is known. */
export function shiftsOn(page: Page): Promise<Shift[]> {
  return page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames += 1) await new Promise(requestAnimationFrame);
    return Reflect.get(window, 'shifts') as Shift[];
  });
}
