/** The rules of an attempt to pay: which progress may follow which. Every store of the ledger applies these. */

import type { Attempt, AttemptProgress, RememberedAttempt } from './ledger.js';

/** Most attempts kept of one order. Above, the oldest that ended go, so that an order does not grow with a client's keys. */
export const maxAttemptsPerOrder = 50;

/** An attempt moves to the right only. */
const states: readonly AttemptProgress['state'][] = [
  'claimed',
  'sent',
  'unknown',
  'created',
  'refused',
];

/**
 * What a progress does to an attempt. `advance`: it moves on. `improve`: its state stays, and more is known of it. `revive`:
 * it was forgotten, and is written again. `none`: the progress is late, or another owner's.
 */
type AttemptChange = 'advance' | 'improve' | 'revive' | 'none';

/** @param known the attempt as it stands; undefined: none is known */
export function toAttemptChange(
  known: Pick<RememberedAttempt, 'progress' | 'holder'> | undefined,
  attempt: Attempt,
  progress: AttemptProgress,
): AttemptChange {
  if (!known) {
    // A second request shared a Pix attempt whose owner gave it up: the invoice is there all the same.
    return attempt.method === 'pix' && progress.state === 'created' ? 'revive' : 'none';
  }
  const steps = states.indexOf(progress.state) - states.indexOf(known.progress.state);
  if (steps > 0) {
    return progress.state !== 'sent' || known.holder === attempt.holder ? 'advance' : 'none';
  }
  const saysMore = progress.state !== 'unknown' || progress.candidate !== null;
  return steps === 0 && saysMore ? 'improve' : 'none';
}

/** Whether an attempt has ended with an invoice or a refusal. */
export function hasEnded({ progress }: Pick<RememberedAttempt, 'progress'>): boolean {
  return progress.state === 'created' || progress.state === 'refused';
}

/** Whether a key comes with the request that it came with before. */
export function isSameRequest(
  known: Pick<Attempt, 'totalCents' | 'installment'>,
  { totalCents, installment }: Attempt,
): boolean {
  return known.totalCents === totalCents && known.installment === installment;
}

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isOpen({ progress }: RememberedAttempt): boolean {
  return progress.state !== 'refused';
}
