/**
 * The interface between the card form and the element: types, and the name under which they meet.
 *
 * The form is a file of its own, so that a payer by Pix never fetches it. It is handed Lit: a second copy would be bytes
 * and trouble with Trusted Types.
 */

import type { html, nothing } from 'lit';
import type { Card, CardCredentials } from '../../contract/types.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { CardLocale } from './card-languages.js';

/** The key on `globalThis` under which the form's file leaves its {@link CreateCardForm}. A new interface takes a new number. */
export const cardFormKey = Symbol.for('pix-checkout/card@7');

/**
 * Classes by which session recorders leave a control out, in this order: rrweb, Sentry, FullStory, Datadog, Hotjar. Clarity
 * masks every control by itself.
 */
export const unrecorded = 'rr-block sentry-block fs-exclude dd-privacy-hidden data-hj-suppress';

/** The element's tools, lent to the form. */
export interface CardTools {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  /** Integer cents as people read them. */
  readonly formatMoney: (cents: number) => string;
  /** Called when {@link CardForm.render} or {@link CardForm.choice} would answer differently. */
  readonly requestUpdate: () => void;
  /** The present time, where the payer is. */
  readonly wallClock: () => Date;
  /** Tells the merchant's developer about a mistake of the page. */
  readonly warn: (text: string) => void;
  readonly setTimer: (run: () => void, delayMs: number) => unknown;
  readonly clearTimer: (timer: unknown) => void;
}

/** The page's values about cards. */
export interface CardFormModel {
  readonly locale: CardLocale;
  /** The merchant's table, fewest instalments first; empty: nothing to choose. */
  readonly installments: readonly InstallmentOffer[];
  /** What a single instalment costs, integer cents; `null`: not known. */
  readonly atOnceCents: number | null;
  /** Brands with spaces between, unread; `null`: every card. */
  readonly acceptedBrands: string | null;
  /** The page fills the slot `card` with a provider's own fields: ours are not rendered, instalments are. */
  readonly slotted: boolean;
  /** The proxy's URL, absolute or relative to this page. */
  readonly endpoint?: string | null;
  /** The payer's name, if it is known: it stands in the card's field until the payer types another. */
  readonly payerName?: string | undefined;
}

/** The typed card, in the service's names: bare digits, the month in two, the year in four. */
export type CardDetails = Required<
  Pick<CardCredentials, 'number' | 'first_name' | 'last_name' | 'month' | 'year' | 'security_code'>
>;

/** The second argument of `tokenizeCard`. */
export interface CardContext {
  readonly externalId: string;
  /** Integer cents, of the chosen instalments; `null`: the page did not say. */
  readonly totalCents: number | null;
  readonly installment: number;
  /** Aborted when the element no longer waits. */
  readonly signal: AbortSignal;
}

/** Makes a token of a card; the card is `null` when the provider's own fields fill the slot `card`. */
export type TokenizeCard = (
  card: CardDetails | null,
  context: CardContext,
) => Promise<CardCredentials>;

/** A request for a card's credentials. */
export interface CredentialsRequest {
  /** The page's hook; `null`: the card itself travels, which the page has typed out. */
  readonly tokenize: TokenizeCard | null;
  readonly context: Omit<CardContext, 'signal'>;
  /** The page fills the slot `card`: there is no card of ours. */
  readonly slotted: boolean;
}

/** Prepares the card for one request. */
export interface Tokenizer {
  /** Makes the credentials; false: there are none, and the merchant's developer was told why. */
  readonly prepare: (request: CredentialsRequest) => Promise<boolean>;
  /** Hands the credentials out once; then they are gone from memory. */
  readonly take: () => Card | null;
  /** Drops the credentials, or stops making them. */
  readonly discard: () => void;
}

/** The form of one element. It lives as long as the element, so that a change of screen loses no typing. */
export interface CardForm extends Tokenizer {
  /** The fields, to stand in the checkout's one native form above its submit button; the slot `card` is among them. */
  readonly render: (model: CardFormModel) => unknown;
  /** The text under the button. */
  readonly assure: (model: CardFormModel) => unknown;
  /** The typed card and its instalments as a receipt names them: brand and last four digits. `null` where it is not ours. */
  readonly describe: () => string | null;
  /** Notes every fault in the fields. @returns `id` of the first faulty control, `null` if there is none */
  readonly check: () => string | null;
  /** How many fields are said to be wrong. */
  readonly faults: number;
  /** The typed card, after {@link check} found no fault; `null` where the page fills the slot. */
  readonly read: () => CardDetails | null;
  /** Drops the credentials and the security code. @param keepsCode the proxy turned the card away unread */
  readonly discard: (keepsCode?: boolean) => void;
  /** Forgets the whole card. */
  readonly clear: () => void;
  /** The instalments chosen, with what they cost; `null` where there is no table to choose from. */
  readonly choice: InstallmentOffer | null;
}

/** The exports of the form's file. */
export interface CardFile {
  readonly createCardForm: CreateCardForm;
  readonly cardFormKey: symbol;
}

export type CreateCardForm = (tools: CardTools) => CardForm;
