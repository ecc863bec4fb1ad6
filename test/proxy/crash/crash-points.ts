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
export type PaymentPoint = (typeof crashPoints)[number];

/** The same of a return, which a postback tells of. */
export const returnPoints = ['named', 'return stored', 'inside onReturned'] as const;

/** Any of them. */
export type CrashPoint = PaymentPoint | (typeof returnPoints)[number];

/** `kill -9`: nothing of this process runs afterwards, no handler and no `finally`. */
export function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

/** `SIGSTOP`: nothing of this process runs until it gets a `SIGCONT`, and then it goes on where it stood. */
export async function standStill(): Promise<void> {
  process.kill(process.pid, 'SIGSTOP');
}

/**
 * A ledger during whose use the process dies. What resolved before is durable; what was not begun is not.
 * @param halt in place of dying
 */
export function withCrash<L extends Ledger>(
  point: CrashPoint | null,
  ledger: L,
  halt: () => Promise<unknown> = die,
): L {
  return { ...ledger, ...toDeadly(point, ledger, halt) };
}

function toDeadly(
  point: CrashPoint | null,
  ledger: Ledger,
  halt: () => Promise<unknown>,
): Partial<Ledger> {
  /** Does it, and halts before, or after. */
  const halting =
    <A extends unknown[], T>(act: (...args: A) => Promise<T>, isAfter = true) =>
    async (...args: A): Promise<T> => {
      if (!isAfter) await halt();
      const done = await act(...args);
      if (isAfter) await halt();
      return done;
    };
  switch (point) {
    case 'before claim':
      return { claimAttempt: halting(ledger.claimAttempt, false) };
    case 'claimed':
      return { claimAttempt: halting(ledger.claimAttempt) };
    case 'sent':
      return {
        // A card has a state of its own for it; of Pix only the time is kept.
        async advanceAttempt(attempt, progress, sentForMs) {
          const isNew = await ledger.advanceAttempt(attempt, progress, sentForMs);
          if (progress.state === 'sent') await halt();
          return isNew;
        },
        async recordSend(...send) {
          await ledger.recordSend(...send);
          if (send[1] === 'pix') await halt();
        },
      };
    case 'answer read':
      return {
        recordInvoice: halting(ledger.recordInvoice, false),
        recordCode: halting(ledger.recordCode, false),
      };
    case 'stored':
      return {
        recordInvoice: halting(ledger.recordInvoice),
        recordCode: halting(ledger.recordCode),
      };
    case 'paid stored':
      return { recordPaid: halting(ledger.recordPaid) };
    case 'named':
      return { claimNamed: halting(ledger.claimNamed) };
    case 'return stored':
      return { recordReturned: halting(ledger.recordReturned) };
    case 'answered':
    case 'inside onPaid':
    case 'inside onReturned':
    case null:
      return {};
    default:
      return point satisfies never;
  }
}
