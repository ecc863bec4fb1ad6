/** The cards to pay with: those of the sandbox, and one for each other brand. */

import { testCards } from '../../src/sandbox/test-cards.js';

/** A number, and what it is for. */
export interface ListedCard {
  readonly name: string;
  readonly number: string;
}

/** The cards of the sandbox; number and token do the same. */
export const decidingCards: readonly ListedCard[] = testCards.map(({ scenario, number }) => ({
  name: scenario,
  number,
}));

/** Other brands, unknown to the sandbox: pending until the bank panel decides. */
export const brandCards: readonly ListedCard[] = [
  { name: 'Mastercard', number: '5555555555554444' },
  { name: 'Elo', number: '6362970000457013' },
  { name: 'American Express', number: '378282246310005' },
  { name: 'Diners', number: '30569309025904' },
  { name: 'JCB', number: '3530111333300000' },
  { name: 'Hipercard', number: '6062825624254001' },
];

/** @throws Error if the sandbox has no such card */
export function numberOf(scenario: string): string {
  const card = testCards.find((known) => known.scenario === scenario);
  if (!card) throw new Error(`There is no test card for ${scenario}`);
  return card.number;
}
