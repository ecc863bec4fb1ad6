/** The test cards of the sandbox, by number and by token, and how each charge ends. The numbers are public test numbers. */

import type { ReceivedCreation } from '../service/wire.js';
import type { Fault } from './faults.js';

/** The card of a creation as it was received. */
export type ReceivedCard = NonNullable<ReceivedCreation['card']>;

/**
 * How a charge begins, and how it ends.
 *
 * Assumed: a creation can be answered `paid` or `refused` at once, both as a success of HTTP, and a pending charge can
 * end as either (service spec shows `pending` on creation and no refusal at all).
 */
export interface TestOutcome {
  /** Status of the creation answer. */
  readonly status: 'paid' | 'pending' | 'refused';
  /** The final status; absent if the status stays until someone changes it. */
  readonly endsAs?: 'paid' | 'refused';
}

/** A card that the sandbox knows. Paying with its number or with its token has the same outcome. */
export interface TestCard extends TestOutcome {
  readonly scenario: string;
  /** Valid by Luhn. It works with any expiry, code and name. */
  readonly number: string;
  readonly token: string;
  /** How the connection fails at the creation. */
  readonly fault?: Extract<Fault['kind'], 'hang' | 'cut_before' | 'cut_after'>;
}

/** All test cards. Any other card is `pending` until it is settled by hand. */
export const testCards: readonly TestCard[] = [
  testCard('approve', '4111111111111111', { status: 'paid' }),
  testCard('pending', '4000000000000010', { status: 'pending' }),
  testCard('pending_then_paid', '4000000000000028', { status: 'pending', endsAs: 'paid' }),
  testCard('refuse', '4000000000000002', { status: 'refused' }),
  testCard('pending_then_refused', '4000000000000036', { status: 'pending', endsAs: 'refused' }),
  testCard('hang_after_effect', '4000000000000044', { status: 'paid', fault: 'hang' }),
  testCard('reset_before_effect', '4000000000000051', { status: 'paid', fault: 'cut_before' }),
  testCard('reset_after_effect', '4000000000000069', { status: 'paid', fault: 'cut_after' }),
];

function testCard(
  scenario: string,
  number: string,
  outcome: TestOutcome & Pick<TestCard, 'fault'>,
): TestCard {
  return { scenario, number, token: `tok_${scenario}`, ...outcome };
}

/** Assumed: a token decides alone, even beside a number (service spec does not show which of both is used). */
export function findTestCard({ token, number }: ReceivedCard): TestCard | undefined {
  return testCards.find((known) => (token ? known.token === token : known.number === number));
}
