/**
 * What goes wrong in one history, and how often. Drawn anew for each: a history in which everything fails at once shows
 * less than one in which one thing does.
 */

import type { Chance } from './chance.js';

/** Odds between 0 and 1, unless a unit says otherwise. */
export type Conditions = ReturnType<typeof drawConditions>;

/** Draws conditions: each thing goes wrong in some histories only, and then seldom or often. */
export function drawConditions({
  happens,
  pick,
  between,
}: Pick<Chance, 'happens' | 'pick' | 'between'>) {
  const odds = (part: number, ...values: [number, ...number[]]) =>
    happens(part) ? pick(values) : 0;
  return {
    /** Pages of one order open at the same moment. */
    rush: odds(0.4, 1),
    /** A step of the ledger takes time, or very long; it fails before, or after, what it does. */
    ledgerWaits: odds(0.6, 0.1, 0.3, 0.8),
    ledgerStalls: odds(0.2, 0.02, 0.1),
    ledgerFails: odds(0.3, 0.02, 0.1, 0.3),
    /** A request or an answer between browser and proxy is lost, late or doubled. */
    streetLoses: odds(0.5, 0.03, 0.15, 0.3),
    streetIsSlow: odds(0.4, 0.1, 0.4),
    streetDoubles: odds(0.4, 0.05, 0.3),
    /** The same between proxy and service. */
    lineLoses: odds(0.5, 0.05, 0.2, 0.4),
    lineIsSlow: odds(0.4, 0.1, 0.4),
    /** The service answers something else than it should, works late, or answers from the past. */
    serviceErs: odds(0.5, 0.05, 0.2),
    /** Look-ups of an invoice name another total or another order. */
    serviceLies: odds(0.2, 0.3),
    serviceIsLate: odds(0.3, 0.1, 0.4),
    serviceIsStale: odds(0.2, 0.3, 0.8),
    /** The merchant's hooks throw, hang, are slow, or bring the process down. */
    hooksThrow: odds(0.4, 0.2, 0.6),
    hooksHang: odds(0.2, 0.1, 0.3),
    hooksCrash: odds(0.2, 0.1, 0.4),
    /** `resolveOrder` throws, or hangs. */
    pricingFails: odds(0.2, 0.05, 0.2),
    /** A postback is sent at all; then it is lost, doubled, or late. */
    postbacks: pick([0, 0.5, 1]),
    postbackTrouble: odds(0.5, 0.2, 0.6),
    /** How often a process is killed, once in so many milliseconds on average; Infinity: never. */
    crashEveryMs: happens(0.5) ? pick([5_000, 20_000, 60_000]) : Infinity,
    /** How often a process stands still for a while, as one that is out of memory or moved; the same way. */
    freezeEveryMs: happens(0.2) ? pick([10_000, 40_000]) : Infinity,
    /** A killed process comes back after so long, milliseconds. */
    longestDownMs: happens(0.8) ? 5_000 : between(10_000, 120_000),
    /** The work for a request stands still before or after a step of the ledger, while others go on. */
    standsStill: odds(0.3, 0.02, 0.1),
  };
}

const never: Parameters<typeof drawConditions>[0] = {
  happens: () => false,
  pick: ([first]) => first,
  between: (least) => least,
};

/** Nothing goes wrong any more. */
export const calm: Readonly<Conditions> = {
  ...drawConditions(never),
  postbacks: 1,
  longestDownMs: 0,
};
