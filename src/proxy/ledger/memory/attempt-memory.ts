/**
 * Attempts in this process, by order and by key. Owns what may follow what, and that one card of an order is open at most.
 *
 * Synchronous, so that each function is whole by itself. Knows no invoice: its owner says when to forget.
 */

import {
  hasEnded,
  isOpen,
  isSameRequest,
  maxAttemptsPerOrder,
  maxBarsPerOrder,
  toAttemptChange,
  toBar,
  toBarScope,
} from '../ledger-rules.js';
import { claimedForMs } from '../ledger.js';
import type { Attempt, AttemptProgress, Claim, RememberedAttempt } from '../ledger.js';

/** How long a key stays barred, milliseconds. */
const barredForMs = 24 * 3_600_000;

/** An attempt with its times, milliseconds since 1970. */
interface TimedAttempt extends RememberedAttempt {
  readonly claimedAtMs: number;
  /** When the claim, or the time in which the outcome is recorded, runs out. */
  readonly untilMs: number;
  readonly changedAtMs: number;
}

/**
 * Makes an empty memory.
 * @param now wall clock, milliseconds since 1970
 */
export function createAttemptMemory(now: () => number) {
  const byOrder = new Map<string, TimedAttempt[]>();
  const byKey = new Map<string, TimedAttempt[]>();

  return {
    find,
    /** The order's attempts by card, oldest first. */
    cardsOf: (externalId: string) => cardsOf(externalId).map(toRemembered),
    timedCardsOf: cardsOf,
    timedOf: (externalId: string) => standing(byOrder.get(externalId)),
    withKey: (key: string) => standing(byKey.get(key)).map(toRemembered),
    inState: (state: AttemptProgress['state']) =>
      [...byOrder.values()].flat().filter(({ progress }) => progress.state === state),

    claim(attempt: Attempt): Claim {
      const known = find(attempt);
      if (known) return isSameRequest(known, attempt) ? 'known' : 'reused';
      if (isCard(attempt) && cardsOf(attempt.externalId).some(isOpen)) return 'busy';
      const claimedAtMs = now();
      const untilMs = claimedAtMs + claimedForMs;
      put({ ...attempt, progress: { state: 'claimed' }, claimedAtMs, untilMs });
      return 'new';
    },

    bar(externalId: string, key: string): boolean {
      const ofOrder = standing(byOrder.get(externalId));
      if (ofOrder.some((known) => known.key === key)) return true;
      if (ofOrder.filter(isBar).length >= maxBarsPerOrder) return false;
      put({ ...toBar(externalId, key), claimedAtMs: now(), untilMs: now() + barredForMs });
      return true;
    },

    advance(attempt: Attempt, progress: AttemptProgress, sentForMs = 0): boolean {
      const known = find(attempt);
      const change = toAttemptChange(known, attempt, progress);
      const isSent = change === 'advance' && progress.state === 'sent';
      if (!known) {
        if (change === 'revive') put({ ...attempt, progress, claimedAtMs: now(), untilMs: now() });
      } else if (change !== 'none') {
        put({ ...known, progress, untilMs: isSent ? now() + sentForMs : known.untilMs });
      }
      return change === 'advance' || change === 'revive';
    },

    /** Only for its holder, and not once there is an invoice or a refusal. */
    release(attempt: Attempt): void {
      const known = find(attempt);
      if (known && !hasEnded(known) && known.holder === attempt.holder) drop(known);
    },

    dropOrder(externalId: string): void {
      for (const attempt of byOrder.get(externalId) ?? []) drop(attempt);
    },
  };

  function cardsOf(externalId: string): TimedAttempt[] {
    return standing(byOrder.get(externalId)).filter(isCard);
  }

  /** Drops claims whose owner never went on. */
  function standing(attempts: readonly TimedAttempt[] = []): TimedAttempt[] {
    for (const attempt of attempts.filter(isAbandoned)) drop(attempt);
    return attempts.filter((attempt) => !isAbandoned(attempt));
  }

  function isAbandoned({ progress: { state }, untilMs }: TimedAttempt): boolean {
    return (state === 'claimed' || state === 'barred') && untilMs <= now();
  }

  function find({ key, scope, externalId }: Attempt): TimedAttempt | undefined {
    const scopes = [scope, toBarScope(externalId)];
    return standing(byKey.get(key)).find((known) => scopes.includes(known.scope));
  }

  /** An attempt keeps its place: the order of claims is the order of the list. */
  function put(given: Omit<TimedAttempt, 'changedAtMs'>): void {
    const attempt = { ...given, changedAtMs: now() };
    replace(byKey, attempt.key, attempt);
    const ofOrder = replace(byOrder, attempt.externalId, attempt);
    const done = ofOrder.find(isDone);
    const count = ofOrder.filter((one) => !isBar(one)).length;
    if (count > maxAttemptsPerOrder && done) drop(done);
  }

  function drop(attempt: Attempt): void {
    keepOnly(byOrder, attempt.externalId, (known) => !isSame(known, attempt));
    keepOnly(byKey, attempt.key, (known) => !isSame(known, attempt));
  }
}

function isCard({ method }: Attempt): boolean {
  return method === 'credit_card';
}

function isBar({ progress }: RememberedAttempt): boolean {
  return progress.state === 'barred';
}

/** What a repeated request may forget without harm. */
function isDone(attempt: RememberedAttempt): boolean {
  return isCard(attempt) ? !isOpen(attempt) : attempt.progress.state === 'created';
}

function toRemembered({
  claimedAtMs: _claimed,
  untilMs: _until,
  changedAtMs: _changed,
  ...attempt
}: TimedAttempt): RememberedAttempt {
  return attempt;
}

function isSame(known: Attempt, attempt: Attempt): boolean {
  return known.key === attempt.key && known.scope === attempt.scope;
}

function replace(
  lists: Map<string, TimedAttempt[]>,
  name: string,
  attempt: TimedAttempt,
): TimedAttempt[] {
  const list = [...(lists.get(name) ?? [])];
  const index = list.findIndex((known) => isSame(known, attempt));
  list.splice(index < 0 ? list.length : index, index < 0 ? 0 : 1, attempt);
  lists.set(name, list);
  return list;
}

function keepOnly(
  lists: Map<string, TimedAttempt[]>,
  name: string,
  isKept: (attempt: Attempt) => boolean,
): void {
  const left = lists.get(name)?.filter(isKept) ?? [];
  if (left.length > 0) lists.set(name, left);
  else lists.delete(name);
}
