/**
 * The interface between the card form and the element: types, and the name under which they find each other.
 *
 * The form is a file of its own, so that a payer by Pix never fetches it. The element passes Lit to it, because a second copy
 * would cost bytes and trouble with Trusted Types.
 */

import type { html, nothing } from 'lit';
import type { Card, CardCredentials } from '../../contract/types.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { CardLocale } from './card-languages.js';

/**
 * The key on `globalThis` under which the form's file leaves its {@link CreateCardForm}. A new interface gets a new number.
 */
export const cardFormKey = Symbol.for('pix-checkout/card@7');

/**
 * Classes that make session recorders leave a control out, in this order: rrweb, Sentry, FullStory, Datadog, Hotjar. Clarity
 * masks every control by itself.
 */
export const unrecorded = 'rr-block sentry-block fs-exclude dd-privacy-hidden data-hj-suppress';

/** Drawings that the form and the element share, one path each in a 24-unit square: a card, and the sign of a fault. */
export const cardPath = 'M3 5h18v14H3zM3 10h18M7 15h3';
export const alertPath = 'M12 3a9 9 0 1 0 .01 0M12 7.5v5M12 16.5v.01';

/** The element's functions that the form uses. */
export interface CardTools {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  /** Integer cents as people read them. */
  readonly formatMoney: (cents: number) => string;
  /** Called when the result of {@link CardForm.render} or {@link CardForm.choice} would change. */
  readonly requestUpdate: () => void;
  /** The present time, where the payer is. */
  readonly wallClock: () => Date;
  /** Warns the merchant's developer of a mistake in the page. */
  readonly warn: (text: string) => void;
  readonly setTimer: (run: () => void, delayMs: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
}

/** The page's values about cards. */
export interface CardFormModel {
  readonly locale: CardLocale;
  /** The merchant's table, fewest instalments first; empty if there is nothing to choose. */
  readonly installments: readonly InstallmentOffer[];
  /** The price in a single instalment, integer cents; `null` if it is not known. */
  readonly atOnceCents: number | null;
  /** Names of brands separated by spaces, not parsed yet; `null` for every card. */
  readonly acceptedBrands: string | null;
  /** Whether the page fills the slot `card` with a provider's own fields. Then ours are not rendered, but instalments are. */
  readonly slotted: boolean;
  /** The proxy's URL, absolute or relative to this page. */
  readonly endpoint?: string | null;
  /** The payer's name, if it is known. It fills the card's field until the payer types another. */
  readonly payerName?: string | undefined;
  /** Whether the form dropped the security code at the last error, so that it asks again. */
  readonly codeAgain?: boolean;
}

/** The typed card, in the service's names: bare digits, the month in two, the year in four. */
export type CardDetails = Required<
  Pick<CardCredentials, 'number' | 'first_name' | 'last_name' | 'month' | 'year' | 'security_code'>
>;

/** The second argument of `tokenizeCard`. */
export interface CardContext {
  readonly externalId: string;
  /** The price with the chosen instalments, integer cents; `null` if the page did not say. */
  readonly totalCents: number | null;
  readonly installment: number;
  /** Aborts when the element no longer waits. */
  readonly signal: AbortSignal;
}

/** Makes a token of a card. The card is `null` if the provider's own fields fill the slot `card`. */
export type TokenizeCard = (
  card: CardDetails | null,
  context: CardContext,
) => Promise<CardCredentials>;

/** A request for a card's credentials. */
export interface CredentialsRequest {
  /** The page's hook; `null` sends the card itself, which the page has to allow explicitly. */
  readonly tokenize: TokenizeCard | null;
  readonly context: Omit<CardContext, 'signal'>;
  /** Whether the page fills the slot `card`, so that the form has no card of its own. */
  readonly slotted: boolean;
}

/** Prepares the card for one request. */
export interface Tokenizer {
  /** Makes the credentials; false if there are none, and the merchant's developer was warned. */
  readonly prepare: (request: CredentialsRequest) => Promise<boolean>;
  /** Returns the credentials once, and removes them from memory. */
  readonly take: () => Card | null;
  /** Drops the credentials, or stops making them. */
  readonly discard: () => void;
}

/** The form of one element. It lives as long as the element, so that a change of screen does not lose typed text. */
export interface CardForm extends Tokenizer {
  /**
   * Renders the fields, which belong into the checkout's one native form above its submit button; the slot `card` is among
   * them.
   */
  readonly render: (model: CardFormModel) => unknown;
  /** The text under the button. */
  readonly assure: (model: CardFormModel) => unknown;
  /**
   * The typed card and its instalments as a receipt names them: brand and last four digits. `null` if the card is a
   * provider's.
   */
  readonly describe: () => string | null;
  /** Notes every fault in the fields. @returns `id` of the first faulty control, `null` if there is none */
  readonly check: () => string | null;
  /** How many fields show a fault. */
  readonly faults: number;
  /** The typed card, after {@link check} found no fault; `null` if the page fills the slot. */
  readonly read: () => CardDetails | null;
  /** Drops the credentials and the security code. @param keepsCode whether the proxy turned the card away unread */
  readonly discard: (keepsCode?: boolean) => void;
  /** Forgets the whole card. */
  readonly clear: () => void;
  /** The chosen instalments and their price; `null` if there is no table to choose from. */
  readonly choice: InstallmentOffer | null;
}

/** The exports of the form's file. */
export interface CardFile {
  readonly createCardForm: CreateCardForm;
  readonly cardFormKey: symbol;
}

export type CreateCardForm = (tools: CardTools) => CardForm;
