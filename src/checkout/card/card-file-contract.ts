/**
 * What the card form and the rest of the checkout know of each other: types, and the name under which they meet.
 *
 * The form is a file of its own, so that whoever pays by Pix never fetches it. Nothing in this folder imports Lit, whose
 * second copy would be bytes and trouble with Trusted Types: what the form needs is handed in.
 */

import type { html, nothing } from 'lit';
import type { CardCredentials } from '../../contract/types.js';
import type { YearMonth } from '../../domain/card/card-expiry.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import type { CardLocale } from './locales/card-languages.js';

/** Where the form's file leaves its {@link CreateCardForm} on `globalThis`. Another interface takes another number. */
export const cardFormKey = Symbol.for('pix-checkout/card@1');

/** What the element lends to the form. */
export interface CardTools {
  readonly html: typeof html;
  readonly nothing: typeof nothing;
  /** Integer cents as people read them. */
  readonly formatMoney: (cents: number) => string;
  /** Something that {@link CardForm.render} shows, or {@link CardForm.choice}, has changed. */
  readonly requestUpdate: () => void;
  /** The present month, where the payer is. */
  readonly today: () => YearMonth;
  /** Tells the merchant's developer of what the page said wrong. */
  readonly warn: (text: string) => void;
}

/** What the page says about paying by card, as it said it: it is read here, so that the main file need not know how. */
export interface CardFormModel {
  readonly locale: CardLocale;
  /** The merchant's table, rows of `{installment, total_cents, interest_free?}`; absent: there is nothing to choose. */
  readonly installments: unknown;
  /** Brands with spaces between; `null`: every card. */
  readonly acceptedBrands: string | null;
  /** The page fills the slot `card` with a provider's own fields: ours are not rendered, instalments are. */
  readonly slotted: boolean;
}

/** What was typed, in the service's names: bare digits, the month in two, the year in four. */
export type CardDetails = Required<
  Pick<CardCredentials, 'number' | 'first_name' | 'last_name' | 'month' | 'year' | 'security_code'>
>;

/** The form of one element. Lives as long as the element, so that nothing typed is lost on another screen. */
export interface CardForm {
  /** The fields, to stand in the checkout's one native form above its submit button; the slot `card` is among them. */
  readonly render: (model: CardFormModel) => unknown;
  /** Notes every fault of what was rendered last. @returns `id` of the first faulty control, `null` if all is well */
  readonly check: () => string | null;
  /** What was typed, to be read after {@link check} said that all is well; `null` where the page fills the slot. */
  readonly read: () => CardDetails | null;
  /** Forgets what was typed: the security code alone (after a refusal), or all of it (after a submit that went through). */
  readonly clear: (what: 'code' | 'all') => void;
  /** The instalments chosen, with what they cost; `null` where there is no table to choose from. */
  readonly choice: InstallmentOffer | null;
}

/** Makes the form of one element. */
export type CreateCardForm = (tools: CardTools) => CardForm;
