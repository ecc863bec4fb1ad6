/**
 * Keeps the typed card and its faults, in memory only, until it is cleared. `domain/card/card-fields.ts` says what is valid.
 */

import { findCardBrand } from '../../domain/card/card-brand.js';
import type { CardBrand } from '../../domain/card/card-brand.js';
import {
  cardFields,
  checkCardCode,
  normalizeCardCode,
  checkExpiry,
  formatExpiry,
  parseExpiry,
  checkHolder,
  splitHolder,
  checkCardNumber,
  formatCardNumber,
  normalizeCardNumber,
} from '../../domain/card/card-fields.js';
import type { CardFault, CardField, YearMonth } from '../../domain/card/card-fields.js';
import { formatWithCaret } from '../../domain/card/card-caret.js';
import type { TextWithCaret } from '../../domain/card/card-caret.js';

/** The rules for a card that come from the page and the calendar. */
interface CardTerms {
  /** `null` for all brands. */
  readonly accepted: readonly CardBrand[] | null;
  readonly today: YearMonth;
}

type Faults = Readonly<Record<CardField, CardFault | null>>;

const noValues = { card_number: '', card_name: '', card_expiry: '', card_code: '' };
const noFaults: Faults = { card_number: null, card_name: null, card_expiry: null, card_code: null };

/** Stands for a digit of the security code that was sent. */
const dot = '•';

/** Writes a field's text with the separators that belong into it. */
export function formatCardField(field: CardField, text: string): string {
  if (field === 'card_number') return formatCardNumber(text);
  return field === 'card_expiry' ? formatExpiry(text) : text;
}

/** What the payer has typed into one form. */
export class CardDraft {
  #values = noValues;
  #faults: Faults = noFaults;
  #suggestedName = '';
  #sentCode = '';
  #asksCode = false;

  /** The brand that the first digits suggest. */
  get brand(): CardBrand | null {
    return findCardBrand(this.#values.card_number);
  }

  value(field: CardField): string {
    return this.#values[field];
  }

  fault(field: CardField): CardFault | null {
    return this.#faults[field];
  }

  /** Takes the text of a control, unless it consists of dots. The field's fault disappears while the payer types. */
  type(field: CardField, text: string): void {
    if (text.startsWith(dot)) return;
    this.#values = { ...this.#values, [field]: text };
    this.#faults = { ...this.#faults, [field]: null };
  }

  /** Fills in the name on the card, unless the payer has typed another. */
  suggestName(name: string): void {
    if (this.#values.card_name !== this.#suggestedName || name === this.#suggestedName) return;
    this.type('card_name', (this.#suggestedName = name));
  }

  /**
   * The payer left the field: adds separators that undo or an input method left out, and notes its fault. An empty field is a
   * fault only if it is the security code that has to be typed again.
   */
  leave(field: CardField, terms: CardTerms): void {
    const text = formatCardField(field, this.#values[field]);
    this.#values = { ...this.#values, [field]: text };
    if (text !== '' || (field === 'card_code' && this.#asksCode))
      this.#faults = { ...this.#faults, [field]: this.#findFaults(terms)[field] };
  }

  /** Notes every fault. @returns the first faulty field, `null` if there is none */
  check(terms: CardTerms): CardField | null {
    this.#faults = this.#findFaults(terms);
    return cardFields.find((field) => this.#faults[field] !== null) ?? null;
  }

  /** The card as the contract carries it. A month and year that cannot be read are empty. */
  details() {
    const { card_number, card_name, card_expiry, card_code } = this.#values;
    const expiry = parseExpiry(card_expiry);
    return {
      number: normalizeCardNumber(card_number),
      ...splitHolder(card_name),
      month: expiry ? String(expiry.month).padStart(2, '0') : '',
      year: expiry ? String(expiry.year) : '',
      security_code: normalizeCardCode(card_code),
    };
  }

  /** Shows dots in place of the security code while the card is being sent. */
  maskCode(): void {
    this.#sentCode = this.#values.card_code;
    this.#values = { ...this.#values, card_code: dot.repeat(this.#sentCode.length) };
  }

  /**
   * Empties the security code, because the answer has come. @param keeps whether the proxy did not read the card, so that the
   * code is shown again
   */
  unmaskCode(keeps: boolean): void {
    if (this.#values.card_code.startsWith(dot)) {
      this.type('card_code', keeps ? this.#sentCode : '');
      this.#asksCode = !keeps;
    }
    this.#sentCode = '';
  }

  /** Forgets everything. */
  clear(): void {
    this.#values = noValues;
    this.#faults = noFaults;
    this.#sentCode = '';
  }

  #findFaults({ accepted, today }: CardTerms): Faults {
    const { card_number, card_name, card_expiry, card_code } = this.#values;
    return {
      card_number: checkCardNumber(card_number, accepted ?? undefined),
      card_name: checkHolder(card_name),
      card_expiry: checkExpiry(card_expiry, today),
      card_code: checkCardCode(card_code, this.brand),
    };
  }
}

// Adds separators while the payer types, without disturbing keys, paste, autofill, an input method or undo.

/**
 * Formats a control's text after one of its events (`input`, `change`, `compositionend`), and keeps the caret behind the same
 * digit.
 *
 * @returns the control's text after that
 */
export function formatTyping(event: Event, format: (text: string) => string): string {
  const input = event.target as HTMLInputElement;
  const { isComposing, inputType = '' } = event as Partial<InputEvent>;
  const { value, selectionStart, selectionEnd } = input;
  // The input method has not finished the text.
  if (isComposing) return value;
  if (inputType.startsWith('history')) {
    // Formatting here would make undo get stuck. Undo selects the whole text that formatting had replaced.
    input.setSelectionRange(selectionEnd, selectionEnd);
    return value;
  }
  const forward = inputType === 'deleteContentForward';
  const formatted = formatWithCaret(value, selectionStart ?? value.length, format, forward);
  if (formatted.text !== value) writeTyped(input, formatted);
  return input.value;
}

/** Writes as a keyboard would, because undo and redo break a text that a script has set. */
function writeTyped(input: HTMLInputElement, { text, caret }: TextWithCaret): void {
  // Autofill writes into fields without the focus, and WebKit focuses a field whose text is selected.
  if (!input.matches(':focus')) {
    input.value = text;
    return;
  }
  input.select();
  document.execCommand(text ? 'insertText' : 'delete', false, text);
  // `execCommand` is deprecated. If it does nothing, only undo suffers.
  if (input.value !== text) input.value = text;
  input.setSelectionRange(caret, caret);
}
