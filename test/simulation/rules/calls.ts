/**
 * The service is asked no more often than is agreed, no two processes do the same work, and none works on after it has
 * closed.
 */

import { minuteMs } from '../../../src/domain/spans.js';
import type { ProcessLife, Rule, RuleParts } from './watch.js';

/** Most look-ups of one invoice by one process in ten seconds: one a second, and those of postbacks. */
const most = { calls: 16, withinMs: 10_000 };

export function createCallRule({ now, fail }: RuleParts): Rule {
  const looked = new Map<string, number[]>();
  const called = new Map<number, number[]>();

  return {
    ledgerAsked(operation, _args, process) {
      mustBeOpen(process, operation);
    },

    /** A process that tries to tell takes the event, and only when it is due. */
    orderChanged(before, after) {
      for (const { notice, tries } of after.events) {
        const known = before.events.find((one) => one.notice.deliveryId === notice.deliveryId);
        if (known && tries > known.tries && known.dueAtMs > now()) {
          fail('calls', 'two processes do the same work');
        }
      }
    },

    serviceCalled(call, process) {
      mustBeOpen(process, 'the service');
      const calls = within(called.get(process.number), minuteMs);
      if (call.method === 'GET' && calls.length >= process.serviceCallsPerMinute) {
        fail('calls', 'a look-up goes beyond the rate limit');
      }
      called.set(process.number, [...calls, now()]);
      if (call.method !== 'GET') return;
      const name = `${process.number} ${call.path}`;
      const times = [...within(looked.get(name), most.withinMs), now()];
      looked.set(name, times);
      if (times.length > most.calls) fail('calls', 'an invoice is looked up without end');
    },

    closed(processNumber, timers) {
      if (timers > 0)
        fail('end', `process ${processNumber} has closed and ${timers} timers are left`);
    },
  };

  function within(times: readonly number[] = [], ms: number): number[] {
    return times.filter((atMs) => atMs > now() - ms);
  }

  function mustBeOpen({ isClosed, number }: ProcessLife, what: string): void {
    if (isClosed) fail('end', `process ${number} has closed and asks ${what}`);
  }
}
