/** The arguments of every view: the model to show, and the actions to offer. Views keep nothing. */

import type { Method } from '../../contract/types.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { PayerField } from '../../domain/payer.js';
import type { Locale } from '../locales/choose-messages.js';
import type { Messages } from '../locales/pt-br.js';
import type { AwaitingState, CheckoutError, State } from '../machine/state.js';
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

/** The card form, where a card is the method shown. */
export interface CardPanel {
  /** The rendered form; `null` while its file is on its way. */
  readonly content: unknown;
  /** How many of its fields are wrong. */
  readonly faults?: number | undefined;
  /** Its file did not come. */
  readonly failed: boolean;
  /** A provider's own fields stand in place of ours. */
  readonly slotted: boolean;
  /** The note under the button. */
  readonly assurance?: unknown;
}

/** One way to pay, and what it costs. */
export interface MethodOffer {
  readonly method: Method;
  /** Without instalments, integer cents; `null`: the page did not say. */
  readonly cents: number | null;
  /** The saving against the other method, integer cents; 0: none. */
  readonly savedCents: number;
  /** The most instalments without interest, where there are any. */
  readonly free: Pick<InstallmentOffer, 'installment' | 'eachCents'> | null;
}

/** The payer's actions beside a code, and the answers of the screen. */
export interface Attention {
  readonly copy: 'none' | 'copied' | 'failed';
  /** The copy button confirms it for a moment. */
  readonly justCopied: boolean;
  /** Counts the payer's presses, so that the live region tells each answer anew. */
  readonly presses: number;
  /** The result of a look-up that the payer asked for, or that follows their return to the page. */
  readonly check: 'none' | 'checking' | 'not_yet';
  /** The payer pressed "Já paguei": the answer stands beside that button, else under the copy button. */
  readonly asked: boolean;
  /** "O código não funcionou?": a look-up comes first, then a new code is offered. */
  readonly trouble: 'none' | 'checking' | 'failed' | 'offered';
}

/** A code on the screen. */
export type CodeScreen = AwaitingState & Attention;

/** Everything a view may show. */
export interface Model {
  readonly state: Exclude<State, AwaitingState> | CodeScreen;
  readonly texts: Messages;
  readonly locale: Locale;
  readonly method: Method;
  /** Every method that the page offers, in its order of preference. */
  readonly offers: readonly MethodOffer[];
  readonly externalId: string | null;
  /** The price by the method shown, integer cents: the invoice's total, else the page's; `null`: not known yet. */
  readonly totalCents: number | null;
  /** The full price, where paying by Pix is cheaper: shown struck through beside the discount. */
  readonly fullPriceCents: number | null;
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
  readonly fields: readonly FieldModel[];
  /** `null`: Pix is shown. */
  readonly card: CardPanel | null;
  /** The "Meu CNPJ tem letras" switch: the document field opens the letter keypad. */
  readonly letterKeypad: boolean;
  /** The receiver's name in the bank app, as the merchant gives it. */
  readonly receiverName: string | null;
  /** Whole seconds until the deadline; `null`: there is none. */
  readonly secondsLeft: number | null;
  /** The share of the time that is left, from 1 to 0; `null`: there is no deadline. */
  readonly shareLeft: number | null;
  /** Wall-clock time of the deadline, for "Pague até 14:32"; `null`: there is none. */
  readonly deadlineAt: Date | null;
  /** Wall-clock time of the monotonic clock's zero, milliseconds since 1970. */
  readonly epochMs: number;
  /** The browser says there is no connection. */
  readonly offline: boolean;
  /** The keys that copy a selection, for a payer with a mouse; `null` on a touch screen. */
  readonly copyKeys: string | null;
  /** The code has been shown long enough to ask whether it does not work. */
  readonly mayAskForNewCode: boolean;
  /** The payer has pressed the form's button: the form stays until there is an outcome, and takes nothing more. */
  readonly busy: boolean;
  /** The form's error before its button was pressed again: it stays, dimmed, until there is an outcome. */
  readonly formerError: CheckoutError | null;
  /** There is room for two columns, and a mouse: the QR comes first, and copying last. */
  readonly wide: boolean;
  /** The card that was charged here and, on a line of its own, in how many parts; `null`: not known, as after a reload. */
  readonly cardUsed: string | null;
  /** The code comes from a test environment. */
  readonly test: boolean;
  /** Two or more look-ups or requests in a row failed: say that the connection is bad. */
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

/** The payer's actions. None changes the state by itself: the machine decides. */
export interface Actions {
  readonly input: (field: PayerField, event: Event) => void;
  readonly blur: (field: PayerField) => void;
  readonly switchKeypad: (letters: boolean) => void;
  /** The payer has no tax id. */
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
  /** Begin anew: with this total, integer cents, or with whatever the page says once it is loaded again. */
  readonly startOver: (totalCents?: number) => void;
}
