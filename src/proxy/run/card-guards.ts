/**
 * Guards against card testing: limits per order, per payer's address, and for the whole shop. The order counts its own cards
 * of a day; this process counts those of an address for an hour and those of the shop for ten minutes. Each limit throws the
 * same error, which reveals nothing about a card. A card too soon after the order's last one is not refused: it waits.
 */

import { toSubscriber } from '../runtime/client-address.js';
import { findRecentCards, type Attempt, type Order } from '../order/order.js';
import { hourMs, isNear, isWithin, minuteMs } from '../../domain/spans.js';
import { isHuman, type LazyQuestion } from '../outside/merchant.js';
import type { Settings } from '../set-up/options/read-options.js';
import { ProxyError } from '../set-up/proxy-error.js';
import { createRecent, startPause } from '../runtime/running.js';
import { deriveKey, toHex, type SigningKey } from '../runtime/signatures.js';
import type { HumanQuestion } from '../set-up/options/options.js';

/** Most cards tried for one order in a day. A payer tries a few; a thief who tests stolen cards tries thousands. */
const attemptsPerOrder = 5;

/**
 * Shortest time between two cards of one order, milliseconds (OWASP ASVS 5.0, 2.4.2). It slows down a program that tries
 * cards. A payer whose browser fills the form in may be quicker, so the card waits and is not refused.
 */
const paceMs = 3_000;

/** Most refusals of one address in an hour. One household or shop counter causes fewer. */
const refusalsPerHour = 10;

/**
 * Limits for the whole shop, over ten minutes. Fewer than half of honest payers' cards are refused, but nearly all stolen
 * ones. If this part (`ratio`) of at least `sample` cards was refused, cards need the merchant's human check (`asksHuman`),
 * and above the higher limit none passes, so that Pix is left (`leavesPix`).
 */
const breaker = {
  windowMs: 10 * minuteMs,
  asksHuman: { sample: 20, ratio: 0.6 },
  leavesPix: { sample: 40, ratio: 0.8 },
} as const;

/** Most attempts that are counted. Above this, the oldest go. */
const maxCounted = 10_000;

interface Counted {
  readonly addressHash: string | null;
  readonly atMs: number;
  /** The only field that changes. It changes in place, so that the attempts stay sorted by time. */
  outcome: 'open' | 'charged' | 'refused';
}

export type CardGuards = ReturnType<typeof createCardGuards>;

/** Creates the guards, which count the card attempts of this process and refuse those above the limits. */
export function createCardGuards(settings: Settings) {
  const { now, log, startTimer } = settings;
  const counted = createRecent<Counted>(maxCounted, ({ atMs }) => isNear(atMs, hourMs, now()));
  let hashKey: Promise<SigningKey> | undefined;
  let isSuspected = false;

  return {
    hashAddress,

    /**
     * Lets an attempt pass, or throws. An attempt too soon after the order's last card first waits until `paceMs` is over.
     * Counts the attempt as open, which counts against its address like a refusal until `note` ends it.
     * @param order with this attempt in it
     * @throws ProxyError `too_many_requests`
     */
    async admit(
      attempt: Attempt,
      order: Order,
      {
        addressHash,
        ...question
      }: LazyQuestion<HumanQuestion> & { readonly addressHash: string | null },
    ): Promise<void> {
      checkCardsOfOrder(order);
      checkRefusalsOfAddress(addressHash);
      const level = findGuardLevel();
      // The attempt is counted before the human check, so that parallel attempts do not all pass.
      countOutcome(attempt, 'open', addressHash);
      if (level === 'leaves_pix') throw toTooManyError(breaker.windowMs);
      if (level === 'asks_human' && !(await isHuman(settings, question)))
        throw toTooManyError(breaker.windowMs);
      await waitForPace(order);
    },

    /**
     * Records how an attempt ended. `none`: nothing was decided about the card, so an attempt that is still open no longer
     * counts.
     */
    note(attempt: Attempt, outcome: 'charged' | 'refused' | 'none'): void {
      if (outcome !== 'none') countOutcome(attempt, outcome);
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

  /** Throws `too_many_requests` if too many cards were tried for the order. */
  function checkCardsOfOrder(order: Order): void {
    if (findRecentCards(order, now()).length > attemptsPerOrder) throw toTooManyError();
  }

  /** Waits until the order's last card was sent `paceMs` ago. The claim of this attempt keeps other cards out meanwhile. */
  async function waitForPace({ sends }: Order): Promise<void> {
    const lastMs = sends.findLast(({ method }) => method === 'credit_card')?.atMs ?? -Infinity;
    if (!isWithin(lastMs, paceMs, now())) return;
    await startPause(startTimer, lastMs + paceMs - now()).over;
  }

  /**
   * Throws `too_many_requests` if too many cards from this address were refused. Attempts in flight count as refused, because
   * otherwise many at once would all pass before the first refusal.
   */
  function checkRefusalsOfAddress(addressHash: string | null): void {
    if (addressHash === null) return;
    const blocking = counted
      .values()
      .filter((one) => one.addressHash === addressHash && one.outcome !== 'charged')
      .at(-refusalsPerHour);
    if (blocking) throw toTooManyError(blocking.atMs + hourMs - now());
  }

  /**
   * Finds out, by the share of refused cards in the whole shop, whether cards pass, need the human check, or are refused so
   * that Pix alone is left. Logs `card_testing_suspected` when that begins.
   */
  function findGuardLevel(): 'passes' | 'asks_human' | 'leaves_pix' {
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

  /** Counts an attempt, or changes the outcome of a counted one. The hash of its address and its time stay. */
  function countOutcome(
    attempt: Attempt,
    outcome: Counted['outcome'],
    addressHash: string | null = null,
  ): void {
    const name = toCountedName(attempt);
    const known = counted.get(name);
    if (known) known.outcome = outcome;
    else counted.set(name, { addressHash, atMs: now(), outcome });
  }
}

/** Names a counted attempt. A repeated request has another holder, so it changes nothing that was counted for the first. */
function toCountedName({ key, scope, holder }: Attempt): string {
  return `${scope} ${key} ${holder}`;
}

/** Makes the error of every limit. @param waitMs how soon the limit lets a card pass; absent gives the page no time */
function toTooManyError(waitMs?: number): ProxyError {
  if (waitMs === undefined) return new ProxyError('too_many_requests');
  return new ProxyError('too_many_requests', { retryAfterSeconds: Math.ceil(waitMs / 1_000) });
}
