/** Sent cards whose answer did not come in time, most often because their process was killed: how they ended is not known. */

import type { Log } from '../../set-up/log.js';
import { expired } from '../../order/attempts.js';
import { toTask } from './task.js';
import type { Task } from './task.js';

/** Most at once. */
const most = 50;

export function createSentCardTask(log: Log): Task {
  return toTask<number>({
    operation: 'sweep',
    kinds: ['sent'],
    room: () => most,
    takenForMs: 0,
    isRelaxed: false,
    take(order, _entry, given) {
      const [next, count] = expired(order, given);
      return [next, count > 0 ? count : null];
    },
    async run(count, externalId) {
      for (let left = count; left > 0; left -= 1) {
        log({ level: 'error', event: 'outcome_unknown', operation: 'sweep', externalId });
      }
    },
  });
}
