/**
 * What goes wrong in one history, and how often. Drawn anew for each: a history in which everything fails at once shows
 * less than one in which one thing does.
 */

import type { Chance } from './chance.js';

/** Odds between 0 and 1, unless a unit says otherwise. */
export interface Conditions {
  /** Pages of one order open at the same moment. */
  rush: number;
  /** A step of the ledger takes time, or very long; it fails before, or after, what it does. */
  ledgerWaits: number;
  ledgerStalls: number;
  ledgerFails: number;
  /** A request or an answer between browser and proxy is lost, late or doubled. */
  streetLoses: number;
  streetIsSlow: number;
  streetDoubles: number;
  /** The same between proxy and service. */
  lineLoses: number;
  lineIsSlow: number;
  /** The service answers something else than it should, works late, or answers from the past. */
  serviceErs: number;
  /** Look-ups of an invoice name another total or another order. */
  serviceLies: number;
  serviceIsLate: number;
  serviceIsStale: number;
  /** The merchant's hooks throw, hang, are slow, or bring the process down. */
  hooksThrow: number;
  hooksHang: number;
  hooksCrash: number;
  /** `resolveOrder` throws, or hangs. */
  pricingFails: number;
  /** A postback is sent at all; then it is lost, doubled, or late. */
  postbacks: number;
  postbackTrouble: number;
  /** How often a process is killed, once in so many milliseconds on average; Infinity: never. */
  crashEveryMs: number;
  /** How often a process stands still for a while, as one that is out of memory or moved; the same way. */
  freezeEveryMs: number;
  /** The work for a request stands still before or after a step of the ledger, while others go on. */
  standsStill: number;
  /** A killed process comes back after so long, milliseconds. */
  longestDownMs: number;
}

/** Nothing goes wrong any more. */
export const calm: Readonly<Conditions> = {
  rush: 0,
  ledgerWaits: 0,
  ledgerStalls: 0,
  ledgerFails: 0,
  streetLoses: 0,
  streetIsSlow: 0,
  streetDoubles: 0,
  lineLoses: 0,
  lineIsSlow: 0,
  serviceErs: 0,
  serviceLies: 0,
  serviceIsLate: 0,
  serviceIsStale: 0,
  hooksThrow: 0,
  hooksHang: 0,
  hooksCrash: 0,
  pricingFails: 0,
  postbacks: 1,
  postbackTrouble: 0,
  crashEveryMs: Infinity,
  freezeEveryMs: Infinity,
  standsStill: 0,
  longestDownMs: 0,
};

/** Draws a conditions: each thing goes wrong in some histories only, and then seldom or often. */
export function drawConditions({ happens, pick, between }: Chance): Conditions {
  const odds = (part: number, ...values: [number, ...number[]]) =>
    happens(part) ? pick(values) : 0;
  return {
    rush: odds(0.4, 1),
    ledgerWaits: odds(0.6, 0.1, 0.3, 0.8),
    ledgerStalls: odds(0.2, 0.02, 0.1),
    ledgerFails: odds(0.3, 0.02, 0.1, 0.3),
    streetLoses: odds(0.5, 0.03, 0.15, 0.3),
    streetIsSlow: odds(0.4, 0.1, 0.4),
    streetDoubles: odds(0.4, 0.05, 0.3),
    lineLoses: odds(0.5, 0.05, 0.2, 0.4),
    lineIsSlow: odds(0.4, 0.1, 0.4),
    serviceErs: odds(0.5, 0.05, 0.2),
    serviceLies: odds(0.2, 0.3),
    serviceIsLate: odds(0.3, 0.1, 0.4),
    serviceIsStale: odds(0.2, 0.3, 0.8),
    hooksThrow: odds(0.4, 0.2, 0.6),
    hooksHang: odds(0.2, 0.1, 0.3),
    hooksCrash: odds(0.2, 0.1, 0.4),
    pricingFails: odds(0.2, 0.05, 0.2),
    postbacks: pick([0, 0.5, 1]),
    postbackTrouble: odds(0.5, 0.2, 0.6),
    crashEveryMs: happens(0.5) ? pick([5_000, 20_000, 60_000]) : Infinity,
    freezeEveryMs: happens(0.2) ? pick([10_000, 40_000]) : Infinity,
    longestDownMs: happens(0.8) ? 5_000 : between(10_000, 120_000),
    standsStill: odds(0.3, 0.02, 0.1),
  };
}
