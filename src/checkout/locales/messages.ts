/**
 * Every text a payer may read, as an interface that each language must satisfy.
 *
 * Texts with parameters are functions. Amounts and times arrive formatted (format.ts).
 */

import type { FieldFault, PayerField } from '../../domain/payer.js';
import type { CheckoutErrorCode } from '../machine/state.js';

/** Codes that the payer reads about. A leak of personal data concerns the merchant only: the payment goes on. */
type SpokenErrorCode = Exclude<CheckoutErrorCode, 'personal_data_leak' | 'card_unavailable'>;

/** All texts of one language. */
export interface Messages {
  readonly title: string;
  readonly cardTitle: string;
  readonly order: (reference: string) => string;
  /** Before the struck-through full price. */
  readonly insteadOf: string;
  readonly discount: (amount: string) => string;
  readonly summary: string;
  /** The last lines of the summary, where they add up. */
  readonly pixDiscount: string;
  readonly interest: string;
  readonly total: string;
  readonly test: string;

  readonly optional: string;
  readonly letters: string;
  readonly choose: string;
  readonly generate: string;
  readonly newCode: string;
  readonly retry: string;
  readonly reload: string;
  readonly pay: (amount: string) => string;
  /** The way out of a refused card; the amount may be empty. */
  readonly payWithPix: (amount: string) => string;
  /** The two in the choice of method. */
  readonly payByCard: string;
  readonly payByPix: string;
  /** What Pix saves, where "Pix" stands beside it: as short as can be. */
  readonly saved: (amount: string) => string;
  /** Opens what stands as one line: the choice of method, and the payer's data. */
  readonly change: string;
  readonly edit: string;
  /** The most instalments without interest. */
  readonly upTo: (count: number, each: string) => string;

  readonly creating: string;
  readonly charging: string;
  /** Under the button while a card is charged. */
  readonly keepOpen: string;
  readonly finding: string;
  readonly loading: string;
  readonly formMissing: string;
  readonly ready: (amount: string) => string;
  readonly copy: string;
  /** The copy button's label once the code is on the clipboard. */
  readonly copiedLabel: string;
  readonly copied: string;
  readonly copyFailed: string;
  /** The same for a payer with a mouse: the code is selected, the keys copy it. */
  readonly copyWithKeys: (keys: string) => string;
  readonly waiting: string;
  readonly checking: string;
  readonly notYet: string;
  readonly offline: string;
  /** While nothing has been asked for yet. */
  readonly offlineForm: string;
  readonly troubledLine: string;
  readonly payUntil: (time: string) => string;
  readonly timeLeft: (clock: string) => string;
  readonly lessThan: (minutes: number) => string;

  readonly howTo: string;
  readonly steps: readonly string[];
  /** How to pay with the QR, where it is the first thing to do. */
  readonly scanSteps: readonly string[];
  /** Before the name the merchant gave. */
  readonly receiver: string;
  /** Before the name that only the code gives. */
  readonly receiverMaybe: string;
  readonly code: string;
  readonly wholeCode: string;
  readonly qrTitle: string;
  readonly qrHint: string;
  /** Name of the QR for screen readers; the receiver may be empty. */
  readonly qrName: (amount: string, receiver: string) => string;
  readonly alreadyPaid: string;
  readonly trouble: string;
  readonly troubleOffer: string;

  /** The reference may be empty. */
  readonly confirming: (reference: string) => string;
  /** How long that may take, and that the page may be closed: say here how your shop tells the payer. */
  readonly confirmingNote: string;
  readonly expired: string;
  readonly paid: (amount: string) => string;
  /** It was paid, and the payment went back since. */
  readonly returned: string;
  /** Under the receipt of such a payment. */
  readonly returnedNote: string;
  readonly amount: string;
  /** The same beside a payment of another amount. */
  readonly orderAmount: string;
  readonly method: string;
  readonly pix: string;
  readonly card: string;
  readonly reference: string;
  readonly orderCode: string;
  readonly confirmedAt: string;
  readonly receiptNote: string;
  readonly print: string;
  /** The receipt, on a phone. */
  readonly share: string;

  /** Above the payer's fields, where a card's follow. */
  readonly yourData: string;

  readonly fields: Readonly<Record<PayerField, string>>;
  /** Beside the label of a field, so in small letters. */
  readonly hints: Readonly<Partial<Record<PayerField, string>>>;
  /** The fault of a field, given its label. */
  readonly faults: Readonly<Record<FieldFault, (label: string) => string>>;
  /** More exact than `faults.missing` and `faults.invalid`, where there is more to say. */
  readonly missing: Readonly<Partial<Record<PayerField, string>>>;
  readonly invalid: Readonly<Partial<Record<PayerField, string>>>;
  /** For a payer without a tax id, where the shop allows it. */
  readonly noTaxId: string;
  /** A tax id that was begun. */
  readonly missingDigits: (count: number) => string;
  /** A name with digits, as companies have them: asked about once. */
  readonly doubtfulName: string;
  /** Above the button, where more than one field is wrong. */
  readonly checkFields: (count: number) => string;
  /** The page shows another amount than the order costs now. */
  readonly newTotal: (amount: string) => string;
  /** Added to an error that passes: when to try again, if the proxy has said so. */
  readonly retrySoon: string;
  readonly retryAt: (time: string) => string;
  /** Said only of an attempt that cannot have moved money. */
  readonly nothingCharged: string;
  /** Added to an error of a card whose security code is gone. */
  readonly codeAgain: string;
  /** Added to an error after which only the shop can help. */
  readonly askShop: string;
  readonly errors: Readonly<Record<SpokenErrorCode, string>>;
}

/** Single texts that a page says in its own words: any entry, and of a group any of its entries. */
export type TextOverrides = {
  readonly [K in keyof Messages]?: Messages[K] extends Readonly<Record<string, unknown>>
    ? Partial<Messages[K]>
    : Messages[K];
};
