/**
 * The cards that the sandbox knows, by number and by token, and what becomes of each.
 *
 * No secret: the list is documentation, and nobody ever owned one of them. Knows no requests and no invoices.
 */

import type { ReceivedCreation } from '../service/wire.js';
import type { Fault } from './fault-list.js';

/** The card of a creation as it arrived. */
export type ReceivedCard = NonNullable<ReceivedCreation['card']>;

/**
 * How a charge begins, and how it ends.
 *
 * Assumed: a creation can be answered `paid` or `refused` at once, both as a success of HTTP, and a pending charge can
 * end as either (service spec shows `pending` on creation and no refusal at all).
 */
export interface Fate {
  /** Status of the creation answer. */
  readonly status: 'paid' | 'pending' | 'refused';
  /** What a look-up finds in the end; absent: it stays as it is until somebody changes it. */
  readonly endsAs?: 'paid' | 'refused';
}

/** A card of the list: its number and its token do the same. */
export interface TestCard extends Fate {
  readonly scenario: string;
  /** Valid by Luhn. Any expiry, code and name go with it. */
  readonly number: string;
  readonly token: string;
  /** What happens to the connection at the creation. */
  readonly fault?: Extract<Fault['kind'], 'hang' | 'cut_before' | 'cut_after'>;
}

/** Every card that is known, for a page to choose from. Another one is `pending` until it is settled by hand. */
export const testCards: readonly TestCard[] = [
  {
    scenario: 'approve',
    number: '4111111111111111',
    token: 'tok_approve',
    status: 'paid',
  },
  {
    scenario: 'pending',
    number: '4000000000000010',
    token: 'tok_pending',
    status: 'pending',
  },
  {
    scenario: 'pending_then_paid',
    number: '4000000000000028',
    token: 'tok_pending_then_paid',
    status: 'pending',
    endsAs: 'paid',
  },
  {
    scenario: 'refuse',
    number: '4000000000000002',
    token: 'tok_refuse',
    status: 'refused',
  },
  {
    scenario: 'pending_then_refused',
    number: '4000000000000036',
    token: 'tok_pending_then_refused',
    status: 'pending',
    endsAs: 'refused',
  },
  {
    scenario: 'hang_after_effect',
    number: '4000000000000044',
    token: 'tok_hang_after_effect',
    status: 'paid',
    fault: 'hang',
  },
  {
    scenario: 'reset_before_effect',
    number: '4000000000000051',
    token: 'tok_reset_before_effect',
    status: 'paid',
    fault: 'cut_before',
  },
  {
    scenario: 'reset_after_effect',
    number: '4000000000000069',
    token: 'tok_reset_after_effect',
    status: 'paid',
    fault: 'cut_after',
  },
];

/** Assumed: a token decides alone, whatever stands beside it (service spec does not show which of both is used). */
export function findTestCard({ token, number }: ReceivedCard): TestCard | undefined {
  return testCards.find((known) => (token ? known.token === token : known.number === number));
}
