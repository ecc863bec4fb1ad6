/**
 * Whether postbacks arrive. While they do, look-ups that wait for a payment may be rare; where none does, the shop's firewall or
 * the address in `publicUrl` may keep them away, and payments whose page is closed are found late.
 *
 * Known to this process alone: a payment counts as told of where a postback for its order came here, up to ten seconds before or
 * after.
 */

import { isNear, secondMs } from '../../domain/spans.js';
import { createRecent } from '../runtime/recent.js';
import type { Settings } from '../set-up/options/read-options.js';

/** Between a payment and its postback, milliseconds. */
const togetherMs = 10 * secondMs;

/** So many payments in a row that postbacks told of make look-ups rare; so many others make them usual again. */
const trusted = { after: 20, until: 2 };

/** So many payments in a row that only look-ups found, and no postback meanwhile, are told to the shop. */
const missingAfter = 5;

/** Watches the postbacks of one process. */
export type PostbackWatch = ReturnType<typeof createPostbackWatch>;

export function createPostbackWatch({
  now,
  log,
  metrics,
}: Pick<Settings, 'now' | 'log' | 'metrics'>) {
  const received = createRecent<number>((atMs) => isNear(atMs, togetherMs, now()));
  /** Payments whose postback may still come, oldest first. */
  let waiting: readonly { readonly externalId: string; readonly atMs: number }[] = [];
  let told = 0;
  let asked = 0;
  let missing = 0;
  let isTrusted = false;

  return {
    /** One with a good reference came. */
    received(externalId: string): void {
      metrics?.count('pix_postbacks_total');
      missing = 0;
      received.set(externalId, now());
      const isOfIt = (one: { externalId: string }) => one.externalId === externalId;
      if (waiting.some(isOfIt)) countTold();
      waiting = waiting.filter((one) => !isOfIt(one));
    },

    /** A payment was found. */
    found(externalId: string): void {
      settle();
      if (received.get(externalId) !== undefined) countTold();
      else waiting = [...waiting, { externalId, atMs: now() }];
    },

    /** Whether look-ups may be rare. */
    arrive(): boolean {
      settle();
      return isTrusted;
    },
  };

  function settle(): void {
    const still = waiting.filter(({ atMs }) => isNear(atMs, togetherMs, now()));
    for (let n = still.length; n < waiting.length; n += 1) countAsked();
    waiting = still;
  }

  function countTold(): void {
    metrics?.count('pix_payments_found_total', { by: 'postback' });
    told += 1;
    if (told < trusted.after) return;
    isTrusted = true;
    asked = 0;
  }

  function countAsked(): void {
    metrics?.count('pix_payments_found_total', { by: 'look_up' });
    told = 0;
    asked += 1;
    if (asked >= trusted.until) isTrusted = false;
    missing += 1;
    if (missing === missingAfter) log({ level: 'warn', event: 'postbacks_missing' });
  }
}
