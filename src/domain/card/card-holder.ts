/**
 * The name printed on a card: asked for in one field (`cc-name`), carried in two. It need not be the payer's.
 */

import { toLine } from '../characters.js';

/** The name as the contract carries it, in the service's names. */
interface CardHolder {
  readonly first_name: string;
  readonly last_name: string;
}

/**
 * A fault of a name: empty, a first name only, no letters, or a part longer than {@link maxHolderLength}.
 *
 * Assumed: the service needs both names (service spec does not show one left out), and cards carry both; so a single
 * name is asked to be completed, neither sent twice nor with an empty half.
 */
export type HolderFault = 'missing' | 'incomplete' | 'invalid' | 'too_long';

/**
 * Most characters in either name.
 *
 * Assumed: the service takes names as long as this (service spec does not show its limits).
 */
export const maxHolderLength = 100;

/** Cuts at the first space: `Maria da Silva` is `Maria` and `da Silva`. A single name leaves `last_name` empty. */
export function splitHolder(text: string): CardHolder {
  const [first_name = '', ...others] = toLine(text).split(' ');
  return { first_name, last_name: others.join(' ') };
}

/**
 * @param text as typed; it is normalised first
 * @returns the fault, or null
 */
export function checkHolder(text: string): HolderFault | null {
  const { first_name, last_name } = splitHolder(text);
  if (!first_name) return 'missing';
  // A number filled into the wrong field is the slip that matters here; names of companies may well hold digits.
  if (!/\p{L}/u.test(first_name + last_name)) return 'invalid';
  if (!last_name) return 'incomplete';
  return Math.max(first_name.length, last_name.length) > maxHolderLength ? 'too_long' : null;
}
