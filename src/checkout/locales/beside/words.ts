/**
 * The texts that are not the element's own: of the card form, the dialog, the payment page, and what a server draws. A browser
 * loads them in other files than the element's, or never.
 */

import type { CardFault, CardField } from '../../card/card-draft.js';

/** The card form. Amounts arrive formatted. */
export interface CardWords {
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

/** The dialog. */
export interface DialogWords {
  readonly name: string;
  readonly close: string;
  /** Asked before it closes on a payment in flight. */
  readonly stay: string;
  /** The element did not come. */
  readonly missing: string;
}

/**
 * An invoice that a server draws: the element updates itself there, and a button copies. None is longer than the element's text in its
 * place, or the page would jump when the script arrives.
 */
export interface DrawnWords {
  readonly show: string;
  readonly waiting: string;
}

/** A screen of its own: what is, and what to do. */
interface Said {
  readonly title: string;
  readonly text: string;
}

/** The payment page. */
export interface PaymentWords {
  /** All that a preview in a chat says beside the merchant's name. */
  readonly preview: string;
  readonly retry: string;
  /** The link to `supportUrl`. */
  readonly contact: string;
  /** The link to `returnUrl`. */
  readonly back: string;
  readonly opening: string;
  /** Under it, after a while: old browsers inside apps never get further. */
  readonly slow: string;
  readonly badLink: Said;
  readonly paid: Said;
  readonly closed: Said;
  /** What the shop's code answers is no order. */
  readonly failed: Said;
  readonly unreachable: Said;
  readonly noScripts: Said & {
    /** @param reference the order's; null: the payer's link holds it where no server sees it */
    readonly toContact: (shop: string, reference: string | null) => string;
  };
}

/**
 * What stands in place of a code's picture when it ends: PNGs of one bit a pixel, as base64. Each is a mark over two lines of Inter
 * Semibold, 28 px, 290 × 290, black where a pixel was darker than the middle.
 */
export interface QrEndings {
  readonly paid: string;
  /** Its code has expired, was replaced, or may not be paid beside a blocking card. */
  readonly ended: string;
}
