/**
 * Guards against card testing: limits per order, per payer's address, and for the whole shop. They count the attempts of the
 * last hour in this process. All refusals read the same, so that they tell nothing about a card.
 */

import { toSubscriber } from '../runtime/client-address.js';
import type { Attempt, Order } from '../order/order.js';
import { findRecentCards } from '../order/order.js';
import { hourMs, isNear, isWithin, minuteMs } from '../../domain/spans.js';
import { isHuman } from '../outside/merchant.js';
import type { LazyQuestion } from '../outside/merchant.js';
import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError } from '../set-up/proxy-error.js';
import { createRecent } from '../runtime/running.js';
import { deriveKey, toHex } from '../runtime/signatures.js';
import type { SigningKey } from '../runtime/signatures.js';
import type { HumanQuestion } from '../set-up/options/options.js';

/** Most cards tried for one order. A payer has a few; a tester has thousands. */
const attemptsPerOrder = 5;

/** Pause between two cards of one order, milliseconds. A person needs longer to type another one. */
const pauseMs = 3_000;

/** Most refusals of one address in an hour. One household or shop counter causes fewer. */
const refusalsPerHour = 10;

/**
 * Limits for the whole shop, over ten minutes. Fewer than half of honest payers are refused, and nearly all testers. A few
 * attempts prove nothing. Payers who passed the merchant's human check get a second sample.
 */
const breaker = {
  windowMs: 10 * minuteMs,
  asksHuman: { sample: 20, ratio: 0.6 },
  leavesPix: { sample: 40, ratio: 0.8 },
} as const;

/** Most attempts counted. Above this, the oldest go. */
const maxCounted = 10_000;

interface Counted {
  readonly payerHash: string | null;
  readonly atMs: number;
  /** The only field that changes, so that an attempt keeps its place. */
  outcome: 'open' | 'charged' | 'refused';
}

export type CardGuards = ReturnType<typeof createCardGuards>;

export function createCardGuards(settings: Settings) {
  const { now, log } = settings;
  const counted = createRecent<Counted>(({ atMs }) => isNear(atMs, hourMs, now()), maxCounted);
  let hashKey: Promise<SigningKey> | undefined;
  let isSuspected = false;

  return {
    hashAddress,

    /**
     * Admits an attempt, and counts it as one that may be refused.
     * @param order with this attempt in it
     * @throws ProxyError `too_many_requests`
     */
    async admit(
      attempt: Attempt,
      order: Order,
      {
        payerHash,
        ...question
      }: LazyQuestion<HumanQuestion> & { readonly payerHash: string | null },
    ): Promise<void> {
      checkOrder(order);
      checkAddress(payerHash);
      const level = findLevel();
      // It is counted before the human check, so that parallel attempts do not all pass.
      count(attempt, 'open', payerHash);
      if (level === 'leaves_pix') throw toTooManyError(breaker.windowMs);
      if (level === 'asks_human' && !(await isHuman(settings, question)))
        throw toTooManyError(breaker.windowMs);
    },

    /**
     * Records how an attempt ended. `none`: an attempt that is still open was not decided, and says nothing about the card.
     */
    note(attempt: Attempt, outcome: 'charged' | 'refused' | 'none'): void {
      if (outcome !== 'none') count(attempt, outcome);
      else if (counted.get(toCountedName(attempt))?.outcome === 'open')
        counted.delete(toCountedName(attempt));
    },
  };

  /** Hashes the address that an attempt is counted for, with a key that lives as long as this process. */
  async function hashAddress(address: string | null): Promise<string | null> {
    if (address === null) return null;
    hashKey ??= deriveKey(crypto.randomUUID(), 'addresses of payers, in this process');
    return toHex(await (await hashKey).sign(toSubscriber(address)));
  }

  function checkOrder(order: Order): void {
    if (findRecentCards(order, now()).length > attemptsPerOrder) throw toTooManyError();
    const last = order.sends.findLast(({ method }) => method === 'credit_card');
    const lastMs = last?.atMs ?? -Infinity;
    if (isWithin(lastMs, pauseMs, now())) throw toTooManyError(lastMs + pauseMs - now());
  }

  /** Attempts in flight count as refused, because many at once would be over before the first refusal. */
  function checkAddress(payerHash: string | null): void {
    if (payerHash === null) return;
    const blocking = counted
      .values()
      .filter((one) => one.payerHash === payerHash && one.outcome !== 'charged')
      .at(-refusalsPerHour);
    if (blocking) throw toTooManyError(blocking.atMs + hourMs - now());
  }

  function findLevel(): 'passes' | 'asks_human' | 'leaves_pix' {
    const sinceMs = now() - breaker.windowMs;
    const known = counted
      .values()
      .filter(({ atMs, outcome }) => atMs > sinceMs && outcome !== 'open');
    const refused = known.filter(({ outcome }) => outcome === 'refused').length;
    const isOver = ({ sample, ratio }: { sample: number; ratio: number }) =>
      known.length >= sample && refused >= known.length * ratio;
    const isNow = isOver(breaker.asksHuman);
    if (isNow && !isSuspected) log({ level: 'warn', event: 'card_testing_suspected' });
    isSuspected = isNow;
    if (isOver(breaker.leavesPix)) return 'leaves_pix';
    return isNow ? 'asks_human' : 'passes';
  }

  /** Changes the outcome of an attempt; its address and time stay. */
  function count(
    attempt: Attempt,
    outcome: Counted['outcome'],
    payerHash: string | null = null,
  ): void {
    const name = toCountedName(attempt);
    const known = counted.get(name);
    if (known) known.outcome = outcome;
    else counted.set(name, { payerHash, atMs: now(), outcome });
  }
}

/** A repeated request has another holder, so it changes nothing that was counted for the first. */
function toCountedName({ key, scope, holder }: Attempt): string {
  return `${scope} ${key} ${holder}`;
}

function toTooManyError(waitMs?: number): ProxyError {
  if (waitMs === undefined) return new ProxyError('too_many_requests');
  return new ProxyError('too_many_requests', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
