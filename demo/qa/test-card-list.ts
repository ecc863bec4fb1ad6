/** The cards to pay with: those of the sandbox, and one for each other brand. */

import { testCards } from '../../src/sandbox/test-cards.js';
import type { TestCard } from '../../src/sandbox/test-cards.js';

/** A number, and what it is for. */
export interface ListedCard {
  readonly name: string;
  /** How a payment by it ends. */
  readonly outcome: string;
  readonly number: string;
}

/** The cards of the sandbox; number and token do the same. */
export const decidingCards: readonly ListedCard[] = testCards.map((card) => ({
  name: card.scenario.replaceAll('_', ' '),
  outcome: toOutcome(card),
  number: card.number,
}));

/** Other brands, unknown to the sandbox: pending until the bank panel decides. */
export const brandCards: readonly ListedCard[] = [
  ['Mastercard', '5555555555554444'],
  ['Elo', '6362970000457013'],
  ['American Express', '378282246310005'],
  ['Diners', '30569309025904'],
  ['JCB', '3530111333300000'],
  ['Hipercard', '6062825624254001'],
].map(([name = '', number = '']) => ({ name, outcome: 'pending', number }));

/** @throws Error if the sandbox has no such card */
export function numberOf(scenario: string): string {
  const card = testCards.find((known) => known.scenario === scenario);
  if (!card) throw new Error(`There is no test card for ${scenario}`);
  return card.number;
}

function toOutcome({ status, endsAs, fault }: TestCard): string {
  const end = endsAs === undefined ? status : `${status}, then ${endsAs}`;
  if (fault === undefined) return end;
  const line = {
    hang: 'the answer hangs',
    cut_before: 'cut off before',
    cut_after: 'cut off after',
  };
  return `${line[fault]}: ${fault === 'cut_before' ? 'not charged' : `${end} all the same`}`;
}
