/** Every text of the card form, as an interface that each language must satisfy. Amounts arrive formatted. */

import type { CardFault, CardField } from '../card-draft.js';

/** All texts of one language. */
export interface CardMessages {
  /** Short: two of them share the width of a phone. A pattern is how the field is to be written, as far as that has to be said. */
  readonly fields: Readonly<
    Record<CardField, { readonly label: string; readonly pattern?: string }>
  >;
  /** Before the brands that the shop takes. */
  readonly accepts: string;
  /** Where the security code is: on any card but an Amex, and on that. */
  readonly codeOnBack: string;
  readonly codeInFront: string;
  /** What to do about a field that is empty, or holds what cannot be. */
  readonly missing: Readonly<Record<CardField, string>>;
  readonly invalid: Readonly<Record<CardField, string>>;
  /** What to do about what else can be wrong, with the one field that knows it. */
  readonly faults: Readonly<
    Record<Exclude<CardFault, 'missing' | 'invalid' | 'not_accepted'>, string>
  >;
  /** `accepted` names the brands to choose from. */
  readonly notAccepted: (brand: string, accepted: string) => string;
  /** A card on the receipt; `null`: its brand is not known. */
  readonly ending: (brand: string | null, digits: string) => string;
  /** How the card travels: encrypted, or not beyond this machine. */
  readonly protection: Readonly<Record<'encrypted' | 'local', string>>;
  readonly installments: string;
  /** A single instalment. */
  readonly atOnce: (total: string) => string;
  /** Fits into a closed list on a narrow phone: with interest, the total stands behind each part. */
  readonly inParts: (count: number, each: string, total: string, interestFree: boolean) => string;
  /** Under the list: what the chosen instalments cost in all. */
  readonly withInterest: (total: string) => string;
}
