/** Look-ups of ids that postbacks named, and of paid invoices, which may have been returned. */

import { putOffNamedId, takenNamedId } from '../../order/due/due.js';
import type { NamedId, NamedOutcome } from '../../order/order.js';
import { isOfPaid } from '../../order/questions.js';
import { times, toNextNamedMs, toNextPaidMs } from '../../order/due/times.js';
import type { Failed } from '../../order/due/times.js';
import { toEnded, toFailed, toTask } from './task.js';
import type { LookUpTaskParts, Outcome, Task } from './task.js';

/** @param kind those of paid invoices may wait */
export function createNamedIdTask(parts: LookUpTaskParts, kind: 'named' | 'named_paid'): Task {
  const { store, findNamed, settings, pace, terms } = parts;
  const { watchReturns, now, log, onError } = settings;
  const { takenForMs } = times;
  const arePaid = kind === 'named_paid';

  return toTask<NamedId>({
    operation: 'postback',
    kinds: [kind],
    room: pace.room,
    ...(arePaid ? { roomBehind: pace.tenth } : {}),
    isLatestFirst: true,
    takenForMs,
    isRelaxed: true,
    take: (order, _entry, given) => takenNamedId(order, { arePaid, forMs: takenForMs }, given),
    run,
  });

  async function run(namedId: NamedId, externalId: string): Promise<Outcome> {
    const startedAtMs = now();
    const found = await findNamed(externalId, namedId.lookUpId, terms).catch(toFailed);
    const isThrottled = typeof found === 'object' && found.failed === 'throttled';
    if (!isThrottled) pace.note(toEnded(found, startedAtMs));
    const tried = { ...namedId, tries: isThrottled ? namedId.tries : namedId.tries + 1 };
    const isRepeated = await store.change(
      externalId,
      (order, nowMs) => {
        const atMs = isOfPaid(order, namedId)
          ? toNextPaidMs(tried, found, nowMs, watchReturns)
          : toNextNamedMs(tried, found, nowMs);
        return [putOffNamedId(order, { namedId: tried, atMs }), atMs !== null];
      },
      { isRelaxed: true },
    );
    const isAnswered = found === 'recorded' || found === 'open' || found === 'none';
    const about = { operation: 'postback', externalId, invoiceId: namedId.lookUpId } as const;
    if (!isRepeated && !isAnswered) log({ level: 'warn', event: 'postback_dropped', ...about });
    if (isRepeated && isUnanswered(namedId, found)) await tellUnanswered(namedId, externalId);
    return isThrottled ? 'later' : undefined;
  }

  /** No card leaves and no code is made beside one that is not identified. */
  function isUnanswered({ sinceMs, namedAtMs }: NamedId, found: NamedOutcome | Failed): boolean {
    if (arePaid || typeof found !== 'object' || found.failed !== 'no_answer') return false;
    return now() - (sinceMs ?? namedAtMs) >= times.named.unanswered.afterMs;
  }

  async function tellUnanswered({ lookUpId }: NamedId, externalId: string): Promise<void> {
    const name = `postback unanswered ${externalId}`;
    const { everyMs } = times.named.unanswered;
    if (!(await store.passThrottle(name, everyMs).catch(() => true))) return;
    const about = { operation: 'postback', externalId, invoiceId: lookUpId } as const;
    log({ level: 'error', event: 'postback_unanswered', ...about });
    const why = `A postback named ${lookUpId}, and the service does not say what it is`;
    const error = new Error(`${why}: order ${externalId} cannot be paid until it does`);
    onError(error, { hook: 'postback', externalId });
  }
}
