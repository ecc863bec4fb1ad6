/** The arguments of every view: the model to show, and the actions to offer. Views have no state. */

import type { Method } from '../../contract/types.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { PayerField } from '../../domain/payer.js';
import type { Locale } from '../locales/choose-messages.js';
import type { Messages } from '../locales/pt-br.js';
import type { AwaitingState, CheckoutError, ExpiredState, State } from '../machine/state.js';
import type { Item, Line } from '../page/order.js';
import type { FieldModel } from '../page/payer-draft.js';

/** One row of the merchant's table, from the element's `installments`. */
export interface Installment {
  /** How many instalments. */
  installment: number;
  /** What all of them cost, integer cents. */
  total_cents: number;
  interest_free?: boolean;
}

/** The card form, if a card is the method shown. */
export interface CardPanel {
  /** The rendered form; `null` while its file is loading. */
  readonly content: unknown;
  /** How many of its fields are wrong. */
  readonly faults?: number | undefined;
  /** Whether its file could not be loaded. */
  readonly failed: boolean;
  /** Whether a provider's own fields replace ours. */
  readonly slotted: boolean;
  /** The note under the button. */
  readonly assurance?: unknown;
}

/** One way to pay, and what it costs. */
export interface MethodOffer {
  readonly method: Method;
  /** The price without instalments, integer cents; `null` if the page did not say. */
  readonly cents: number | null;
  /** The saving against the other method, integer cents; 0 if none. */
  readonly savedCents: number;
  /** The most instalments without interest; `null` if there are none. */
  readonly free: Pick<InstallmentOffer, 'installment' | 'eachCents'> | null;
}

/** What the payer has done beside a code, and what the screen answers. */
export interface Attention {
  readonly copy: 'none' | 'copied' | 'failed';
  /** Whether the copy button confirms the copy, which it does for a moment. */
  readonly justCopied: boolean;
  /** Counts the payer's presses, so that the live region announces each answer again. */
  readonly presses: number;
  /** The result of a look-up that the payer asked for, or that follows their return to the page. */
  readonly check: 'none' | 'checking' | 'not_yet';
  /** Whether the payer pressed "Já paguei". Then the answer stands beside that button, otherwise under the copy button. */
  readonly asked: boolean;
  /** "O código não funcionou?": a look-up comes first; after it a new code is offered. */
  readonly trouble: 'none' | 'checking' | 'failed' | 'offered';
}

/** The state of an open code's screen. */
export type CodeScreen = AwaitingState & Attention;

/** The state of an expired code's screen. */
export type ExpiredScreen = ExpiredState & Attention;

/** Everything that a view may show. */
export interface Model {
  readonly state: Exclude<State, AwaitingState | ExpiredState> | CodeScreen | ExpiredScreen;
  readonly texts: Messages;
  readonly locale: Locale;
  readonly method: Method;
  /** Every method that the page offers, in its order of preference. */
  readonly offers: readonly MethodOffer[];
  readonly externalId: string | null;
  /**
   * The price for the method that is shown, integer cents: the invoice's total, or else the page's; `null` if neither is
   * known yet.
   */
  readonly totalCents: number | null;
  /** The full price, if paying by Pix is cheaper. It is shown struck through beside the discount. */
  readonly fullPriceCents: number | null;
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
  readonly fields: readonly FieldModel[];
  /** `null` if Pix is shown. */
  readonly card: CardPanel | null;
  /** Whether the "Meu CNPJ tem letras" switch is on, so that the document field opens the letter keypad. */
  readonly letterKeypad: boolean;
  /** The receiver's name in the bank app, as the merchant gives it. */
  readonly receiverName: string | null;
  /** Whole seconds until the deadline; `null` if there is none. */
  readonly secondsLeft: number | null;
  /** The share of the time that is left, from 1 to 0; `null` if there is no deadline. */
  readonly shareLeft: number | null;
  /** Wall-clock time of the deadline, for "Pague até 14:32"; `null` if there is none. */
  readonly deadlineAt: Date | null;
  /** The wall-clock time at which the monotonic clock was 0, milliseconds since 1970. */
  readonly epochMs: number;
  /** When the phase began on this page, monotonic milliseconds. */
  readonly sinceMs: number;
  /** Whether the browser says that there is no connection. */
  readonly offline: boolean;
  /** The keys that copy a selection, for a payer with a mouse; `null` on a touch screen. */
  readonly copyKeys: string | null;
  /** Whether the code has been shown long enough to ask whether it does not work. */
  readonly mayAskForNewCode: boolean;
  /** Whether the payer has pressed the form's button. Then the form stays until there is an outcome, and takes no input. */
  readonly busy: boolean;
  /** The form's error before its button was pressed again. It stays, dimmed, until there is an outcome. */
  readonly formerError: CheckoutError | null;
  /** Whether there is room for two columns, and a mouse. Then the QR comes first, and copying last. */
  readonly wide: boolean;
  /**
   * The card that was charged here and, on a line of its own, the number of instalments; `null` if unknown, as after a
   * reload.
   */
  readonly cardUsed: string | null;
  /** Whether the code comes from a test environment. */
  readonly test: boolean;
  /** Whether two or more look-ups or requests in a row failed, so that the screen says that the connection is bad. */
  readonly troubledLine: boolean;
}

/** The part of the model that the screen of a Pix code reads. */
export type CodeModel = Pick<
  Model,
  | 'texts'
  | 'locale'
  | 'method'
  | 'offers'
  | 'externalId'
  | 'totalCents'
  | 'fullPriceCents'
  | 'items'
  | 'lines'
  | 'card'
  | 'receiverName'
  | 'wide'
  | 'secondsLeft'
  | 'shareLeft'
  | 'deadlineAt'
>;

/** The payer's actions. None changes the state itself, because the machine decides. */
export interface Actions {
  readonly input: (field: PayerField, event: Event) => void;
  readonly blur: (field: PayerField) => void;
  readonly switchKeypad: (letters: boolean) => void;
  /** The payer has no tax id, or has one after all. */
  readonly waive: (on: boolean) => void;
  readonly submit: (event: Event) => void;
  readonly copy: () => void;
  /** "Já paguei": look up now. */
  readonly checkNow: () => void;
  /** "O código não funcionou?": look up, then offer a new code. */
  readonly reportTrouble: () => void;
  readonly newCode: () => void;
  /** Pay by the other method. */
  readonly chooseMethod: (method: Method) => void;
  /** Fetch the card form again. */
  readonly reloadCard: () => void;
  /** Starts again: with this total, integer cents, or with the page's values after a reload. */
  readonly startOver: (totalCents?: number) => void;
}
