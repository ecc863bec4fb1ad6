/**
 * Attempts in this process, by order and by key. Owns what may follow what, and that one card of an order is open at most.
 *
 * Synchronous, so that each function is whole by itself. Knows no clock and no invoice: its owner says when to forget.
 */

import type { Attempt, AttemptProgress, Claim, RememberedAttempt } from './orders.js';

/** Most attempts kept of one order: above, the oldest that are done go. */
const maxPerOrder = 50;

/** An attempt moves to the right only. */
const ranks: Readonly<Record<AttemptProgress['state'], number>> = {
  claimed: 0,
  sent: 1,
  unknown: 2,
  created: 3,
  refused: 4,
};

/** The attempts of all orders. */
export interface AttemptMemory {
  claim(attempt: Attempt): Claim;
  advance(attempt: Attempt, progress: AttemptProgress): boolean;
  drop(attempt: Attempt): void;
  dropOrder(externalId: string): void;
  withKey(key: string): RememberedAttempt[];
  /** The order's attempts by card, oldest first. */
  cardsOf(externalId: string): RememberedAttempt[];
}

/** Makes an empty memory. */
export function createAttemptMemory(): AttemptMemory {
  const byOrder = new Map<string, RememberedAttempt[]>();
  const byKey = new Map<string, RememberedAttempt[]>();
  const cardsOf = (externalId: string) => (byOrder.get(externalId) ?? []).filter(isCard);

  return {
    cardsOf,
    withKey: (key) => [...(byKey.get(key) ?? [])],

    claim(attempt) {
      const known = find(attempt);
      if (known) {
        const { totalCents, installment } = attempt;
        const isSame = known.totalCents === totalCents && known.installment === installment;
        return isSame ? 'known' : 'reused';
      }
      if (isCard(attempt) && cardsOf(attempt.externalId).some(isOpen)) return 'busy';
      put({ ...attempt, progress: { state: 'claimed' } });
      return 'new';
    },

    advance(attempt, progress) {
      const former = find(attempt)?.progress.state ?? 'claimed';
      if (ranks[progress.state] < ranks[former]) return false;
      put({ ...attempt, progress });
      return progress.state !== former;
    },

    drop,

    dropOrder(externalId) {
      for (const attempt of byOrder.get(externalId) ?? []) drop(attempt);
    },
  };

  function find({ key, scope }: Attempt): RememberedAttempt | undefined {
    return byKey.get(key)?.find((known) => known.scope === scope);
  }

  function put(attempt: RememberedAttempt): void {
    drop(attempt);
    const ofOrder = [...(byOrder.get(attempt.externalId) ?? []), attempt];
    byOrder.set(attempt.externalId, ofOrder);
    byKey.set(attempt.key, [...(byKey.get(attempt.key) ?? []), attempt]);
    const done = ofOrder.find(isDone);
    if (ofOrder.length > maxPerOrder && done) drop(done);
  }

  function drop(attempt: Attempt): void {
    const isOther = (known: Attempt) => known.key !== attempt.key || known.scope !== attempt.scope;
    keepOnly(byOrder, attempt.externalId, isOther);
    keepOnly(byKey, attempt.key, isOther);
  }
}

/** Whether nothing else of the order may be paid while this card attempt stands. */
export function isOpen({ progress }: RememberedAttempt): boolean {
  return progress.state !== 'refused';
}

function isCard({ method }: Attempt): boolean {
  return method === 'credit_card';
}

/** What a repeated request may forget without harm. */
function isDone(attempt: RememberedAttempt): boolean {
  return isCard(attempt) ? !isOpen(attempt) : attempt.progress.state === 'created';
}

function keepOnly(
  lists: Map<string, RememberedAttempt[]>,
  name: string,
  isKept: (attempt: Attempt) => boolean,
): void {
  const left = lists.get(name)?.filter(isKept) ?? [];
  if (left.length > 0) lists.set(name, left);
  else lists.delete(name);
}
