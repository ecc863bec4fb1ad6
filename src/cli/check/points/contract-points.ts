/**
 * The points of the contract that can be held against any proxy, in the order in which they run: what creates nothing comes
 * first, then the code, what is asked of it, a code in its place, and cards at the end.
 */
import type { Point } from '../point.js';
import { cards } from './cards.js';
import { creations, replacements } from './order-codes.js';
import { crossings, secondOrder } from './crossings.js';
import { lookUps } from './look-ups.js';
import { orderTokens } from './order-tokens.js';
import { pages } from './pages.js';
import { recoveries } from './recoveries.js';
import { refusals } from './refusals.js';

/** All of them. */
export const contractPoints: readonly Point[] = [
  ...refusals,
  ...creations,
  ...orderTokens,
  ...lookUps,
  ...crossings,
  ...pages,
  ...recoveries,
  ...secondOrder,
  ...replacements,
  ...cards,
];
