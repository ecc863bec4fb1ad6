/**
 * The points of the contract that can be held against any proxy, in the order in which they run: the code, what is asked of
 * it, a code in its place, cards, and what only a sandbox can do.
 */
import type { Point } from '../point.js';
import { cards } from './cards.js';
import { creations, limits } from './creations.js';
import { lookUps, lookUpsOfOthers } from './look-ups.js';
import { orderTokens } from './order-tokens.js';
import { pages } from './pages.js';
import { barredLater, recoveries } from './recoveries.js';
import { refusals } from './refusals.js';
import { replacements, secondOrder } from './replacements.js';
import { sandboxed } from './sandboxed.js';

export const contractPoints: readonly Point[] = [
  ...creations,
  ...lookUps,
  ...refusals,
  ...orderTokens,
  ...recoveries,
  ...pages,
  ...secondOrder,
  ...replacements,
  ...lookUpsOfOthers,
  ...barredLater,
  ...cards,
  ...sandboxed,
  ...limits,
];
