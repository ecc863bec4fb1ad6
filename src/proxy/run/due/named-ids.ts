/** Look-ups of ids that postbacks named, and of paid invoices, which may have been returned. */

import { putOffNamedId, takenNamedId } from '../../order/due/due.js';
import type { NamedId } from '../../order/order.js';
import { isOfPaid } from '../../order/questions.js';
import { times, toNextNamedMs, toNextPaidMs } from '../../order/due/times.js';
import type { Settings } from '../../set-up/options/read-options.js';
import type { CallTerms } from '../look-up.js';
import type { OrderStore } from '../../store/order-store.js';
import type { FindNamed } from '../find-named.js';
import type { Pace } from './pace.js';
import { toFailed, toTask } from './task.js';
import type { Outcome, Task } from './task.js';

/** What it needs. */
export interface NamedIdTaskParts {
  readonly store: Pick<OrderStore, 'read' | 'change'>;
  readonly findNamed: FindNamed;
  readonly settings: Pick<Settings, 'watchReturns' | 'log'>;
  readonly pace: Pace;
  readonly terms: CallTerms;
}

/** @param kind those of paid invoices may wait */
export function createNamedIdTask(parts: NamedIdTaskParts, kind: 'named' | 'named_paid'): Task {
  const { store, findNamed, settings, pace, terms } = parts;
  const { watchReturns, log } = settings;
  const { takenForMs } = times;
  const arePaid = kind === 'named_paid';

  return toTask<NamedId>({
    operation: 'postback',
    kinds: [kind],
    room: pace.room,
    takenForMs,
    isRelaxed: true,
    take: (order, _entry, given) => takenNamedId(order, { arePaid, forMs: takenForMs }, given),
    run,
  });

  async function run(namedId: NamedId, externalId: string): Promise<Outcome> {
    const found = await findNamed(externalId, namedId.lookUpId, terms).catch(toFailed);
    const isThrottled = typeof found === 'object' && found.failed === 'throttled';
    if (!isThrottled) pace.note();
    const tried = { ...namedId, tries: isThrottled ? namedId.tries : namedId.tries + 1 };
    const isRepeated = await store.change(
      externalId,
      (order, nowMs) => {
        const atMs = isOfPaid(order, namedId)
          ? toNextPaidMs(tried, found, nowMs, watchReturns)
          : toNextNamedMs(tried, found, nowMs);
        return [putOffNamedId(order, { namedId: tried, atMs })[0], atMs !== null];
      },
      { isRelaxed: true },
    );
    const isAnswered = found === 'recorded' || found === 'open' || found === 'none';
    if (!isRepeated && !isAnswered) noteDropped(namedId, externalId);
    return isThrottled ? 'later' : 'done';
  }

  function noteDropped({ lookUpId: invoiceId }: NamedId, externalId: string): void {
    const about = { operation: 'postback', externalId, invoiceId } as const;
    log({ level: 'warn', event: 'postback_dropped', ...about });
  }
}
