/** How many look-ups may begin without a page that waits in this process, whatever its rate limit. */

import { isWithin, minuteMs } from '../../../domain/spans.js';

/** Most of a minute. */
const mostPerMinute = 60;

/** Most at once. */
const atOnce = 4;

/** The pace of one process. */
export interface Pace {
  /** @param inFlight how many there are */
  readonly room: (inFlight: number) => number;
  /** One went out. */
  readonly note: () => void;
}

export function createPace(now: () => number): Pace {
  let begunAtMs: number[] = [];

  return {
    room(inFlight) {
      const nowMs = now();
      begunAtMs = begunAtMs.filter((atMs) => isWithin(atMs, minuteMs, nowMs));
      return Math.min(atOnce - inFlight, mostPerMinute - begunAtMs.length);
    },
    note: () => void begunAtMs.push(now()),
  };
}
