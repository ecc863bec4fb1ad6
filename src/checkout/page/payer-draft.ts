/**
 * Keeps what the payer types, in memory, through errors, retries, a change of method and `reset()`. `domain/payer.ts` says
 * whether a value is valid.
 */

import { checkPayerField, formatPayerField, normalizePayerField } from '../../domain/payer.js';
import type { AskedField, FieldFault, Payer, PayerField } from '../../domain/payer.js';

/** A fault. A name with digits is `doubtful` only once, because names of companies have digits. */
type Fault = FieldFault | 'doubtful';

/** One payer field as the form shows it. */
export interface FieldModel {
  readonly field: PayerField;
  readonly required: boolean;
  readonly value: string;
  readonly fault: Fault | null;
  /** Whether the payer said that they have no tax id; absent for any other field. */
  readonly waived?: boolean;
}

/** Whether the payer may say that they have no tax id. */
function mayBeWaived({ field, required }: AskedField): boolean {
  return field === 'cpf_cnpj' && !required;
}

/** What the payer has typed into one element. */
export class PayerDraft {
  readonly #values = new Map<PayerField, string>();
  readonly #faults = new Map<PayerField, Fault>();
  /** Values that a look-up of the CEP filled in. The payer, or a later look-up, may replace them. */
  readonly #filled = new Map<PayerField, string>();

  /** The name that was doubted. */
  #doubted = '';
  #waived = false;

  /** Whether the payer has typed anything. `auto-start` waits for payers who have to type nothing. */
  get touched(): boolean {
    return this.#values.size > 0;
  }

  /** Makes the fields that the form asks for, each with its value and its fault. */
  fields(asked: readonly AskedField[]): readonly FieldModel[] {
    return asked.map((one) => {
      const { field } = one;
      const waived = mayBeWaived(one) ? { waived: this.#waived } : {};
      const value = this.#isWaived(one) ? '' : (this.#values.get(field) ?? '');
      const fault = this.#faults.get(field) ?? null;
      return { field, required: this.#isRequired(one), value, fault, ...waived };
    });
  }

  /** Notes that the payer has no tax id, or has one after all. */
  waive(on: boolean): void {
    this.#waived = on;
    this.#faults.delete('cpf_cnpj');
  }

  #isWaived(asked: AskedField): boolean {
    return this.#waived && mayBeWaived(asked);
  }

  #isRequired(asked: AskedField): boolean {
    return mayBeWaived(asked) ? !this.#waived : asked.required;
  }

  /**
   * Takes over the text of an input, and masks it while the caret is at its end. Elsewhere (deleting in the middle, composing
   * with an IME) the text stays as typed until the payer leaves the field.
   *
   * @returns whether the text was new, because a control reports the same text by `input` and by `change`
   */
  input(
    field: PayerField,
    input: HTMLInputElement | HTMLSelectElement,
    composing: boolean,
  ): boolean {
    let value = input.value;
    if (value === (this.#values.get(field) ?? '')) return false;
    const typing = 'selectionStart' in input && input.selectionStart === value.length;
    const grew = value.length > (this.#values.get(field) ?? '').length;
    if (!composing && typing && grew) value = formatPayerField(field, value);
    if (value !== input.value) input.value = value;
    this.#values.set(field, value);
    this.#faults.delete(field);
    return true;
  }

  /** Takes over a value that was looked up, if it is valid and the payer has not typed another. */
  fill(field: PayerField, found: string): void {
    const value = normalizePayerField(field, found);
    const typed = this.#values.get(field) ?? '';
    if (checkPayerField(field, value, true) !== null) return;
    if (typed !== '' && typed !== this.#filled.get(field)) return;
    this.#values.set(field, value);
    this.#filled.set(field, value);
    this.#faults.delete(field);
  }

  /**
   * The payer left the field: masks its text, and notes its fault. An empty field is a fault only if that was noted before.
   */
  leave({ field }: AskedField): void {
    const value = formatPayerField(field, this.#values.get(field) ?? '');
    if (this.#values.has(field)) this.#values.set(field, value);
    if (value !== '') this.#note(field, this.#check(field, false));
  }

  /** Checks all asked fields. @returns the first faulty field, `null` if there is none */
  check(asked: readonly AskedField[]): PayerField | null {
    for (const one of asked) {
      this.#note(
        one.field,
        this.#isWaived(one) ? null : this.#check(one.field, this.#isRequired(one)),
      );
    }
    this.#doubted = this.#values.get('name') ?? '';
    return asked.find(({ field }) => this.#faults.has(field))?.field ?? null;
  }

  /** Makes the payer as the contract carries it. Empty fields are left out. */
  payer(asked: readonly AskedField[]): Partial<Payer> {
    const payer: Partial<Payer> = {};
    for (const one of asked) {
      const { field } = one;
      if (this.#isWaived(one)) continue;
      const value = normalizePayerField(field, this.#values.get(field) ?? '');
      if (value !== '') payer[field] = value;
    }
    return payer;
  }

  #check(field: PayerField, required: boolean): Fault | null {
    const value = this.#values.get(field) ?? '';
    const isDoubtful = field === 'name' && /\d/.test(value) && value !== this.#doubted;
    return checkPayerField(field, value, required) ?? (isDoubtful ? 'doubtful' : null);
  }

  #note(field: PayerField, fault: Fault | null): void {
    if (fault === null) this.#faults.delete(field);
    else this.#faults.set(field, fault);
  }
}
