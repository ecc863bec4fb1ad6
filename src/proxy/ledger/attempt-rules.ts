/** Rules of an attempt to pay, shared by every store of the ledger. */

import type { RememberedAttempt } from './ledger.js';

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isOpen({ progress }: RememberedAttempt): boolean {
  return progress.state !== 'refused';
}
