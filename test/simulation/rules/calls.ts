/**
 * The service is asked no more often than is agreed, no two processes do the same work, and nobody works on after it has
 * closed.
 */

import type { ClaimedEvent } from '../../../src/proxy/order/outbox-events.js';
import type { DueInvoice } from '../../../src/proxy/ledger/ledger.js';
import type { ProcessLife, Rule, RuleParts } from './watch.js';

/** Most look-ups of one invoice by one process in ten seconds: one a second, and those of postbacks. */
const most = { calls: 16, withinMs: 10_000 };

const minuteMs = 60_000;

const dueAgain: ReadonlySet<string> = new Set(['scheduleLookUp', 'hastenLookUp', 'recordInvoice']);

export function createCallRule({ now, fail }: RuleParts): Rule {
  const looked = new Map<string, number[]>();
  const called = new Map<number, number[]>();
  const claimedUntilMs = new Map<string, number>();
  /** Look-ups of all processes. */
  let lookedUpAtMs: number[] = [];
  let bookings: number[] = [];
  let troubledAtMs = -Infinity;

  return {
    ledgerAsked(operation, _args, process) {
      mustBeOpen(process, operation);
      if (operation === 'bookCalls') bookings.push(now());
    },

    ledgerFailed() {
      troubledAtMs = now();
    },

    ledgerDid(operation, args, answer) {
      if (operation === 'bookCalls') bookings.shift();
      if (operation === 'claimDueLookUps') {
        for (const { invoiceId } of answer as DueInvoice[]) claim(invoiceId, Number(args[1]));
      }
      if (operation === 'claimEvents') {
        for (const { notice } of answer as ClaimedEvent[])
          claim(notice.deliveryId, Number(args[2]));
      }
      // Whatever makes a look-up due again ends the claim.
      if (dueAgain.has(operation)) claimedUntilMs.delete((args[0] as DueInvoice).invoiceId);
      if (operation === 'advanceAttempt') {
        const { candidate } = args[1] as { candidate?: DueInvoice | null };
        if (candidate) claimedUntilMs.delete(candidate.invoiceId);
      }
      if (operation === 'endEvent') claimedUntilMs.delete(String(args[0]));
    },

    serviceCalled(call, process) {
      mustBeOpen(process, 'the service');
      const calls = within(called.get(process.number), minuteMs);
      if (call.method === 'GET' && calls.length >= process.serviceCallsPerMinute) {
        fail('calls', 'a look-up goes beyond the rate limit');
      }
      called.set(process.number, [...calls, now()]);
      if (call.method !== 'GET') return;
      // A process that cannot book its calls goes on with few.
      if (bookings.some((atMs) => now() - atMs > 1_000)) troubledAtMs = now();
      lookedUpAtMs = [...within(lookedUpAtMs, minuteMs), now()];
      const isBooked = now() - troubledAtMs > 2 * minuteMs;
      if (isBooked && lookedUpAtMs.length > process.serviceCallsPerMinute) {
        fail('calls', 'the look-ups of all processes go beyond the rate limit');
      }
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

  function claim(what: string, forMs: number): void {
    if ((claimedUntilMs.get(what) ?? 0) > now()) fail('calls', 'two processes do the same work');
    claimedUntilMs.set(what, now() + forMs);
  }

  function within(times: readonly number[] = [], ms: number): number[] {
    return times.filter((atMs) => atMs > now() - ms);
  }

  function mustBeOpen({ isClosed, number }: ProcessLife, what: string): void {
    if (isClosed) fail('end', `process ${number} has closed and asks ${what}`);
  }
}
