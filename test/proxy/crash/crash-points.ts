/** The points at which a machine dies, and how it is brought to each: by a ledger that kills it. Knows no test. */

import type { Ledger } from '../../../src/proxy.js';

/** In the order in which a payment comes by. At `answered` the test kills the machine itself, once it has the answer. */
export const crashPoints = [
  'before claim',
  'claimed',
  'sent',
  'answer read',
  'stored',
  'answered',
  'paid stored',
  'inside onPaid',
] as const;

/** One of them. */
export type CrashPoint = (typeof crashPoints)[number];

/** `kill -9`: nothing of this process runs afterwards, no handler and no `finally`. */
export function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

/** A ledger during whose use the process dies. What resolved before is durable; what was not begun is not. */
export function withCrash<L extends Ledger>(point: CrashPoint | null, ledger: L): L {
  return { ...ledger, ...toDeadly(point, ledger) };
}

function toDeadly(point: CrashPoint | null, ledger: Ledger): Partial<Ledger> {
  switch (point) {
    case 'before claim':
      return { claimAttempt: die };
    case 'claimed':
      return { claimAttempt: (attempt) => ledger.claimAttempt(attempt).then(die) };
    case 'sent':
      return {
        // A card has a state of its own for it; of Pix only the time is kept.
        async advanceAttempt(attempt, progress, sentForMs) {
          const isNew = await ledger.advanceAttempt(attempt, progress, sentForMs);
          return progress.state === 'sent' ? die() : isNew;
        },
        async recordSend(...send) {
          await ledger.recordSend(...send);
          if (send[1] === 'pix') await die();
        },
      };
    case 'answer read':
      return { recordInvoice: die, recordCode: die };
    case 'stored':
      return {
        recordInvoice: (...args) => ledger.recordInvoice(...args).then(die),
        recordCode: (...args) => ledger.recordCode(...args).then(die),
      };
    case 'paid stored':
      return { recordPaid: (...args) => ledger.recordPaid(...args).then(die) };
    case 'answered':
    case 'inside onPaid':
    case null:
      return {};
    default:
      return point satisfies never;
  }
}
