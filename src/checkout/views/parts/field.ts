/** One payer field: label, native control, hint and fault. The order says which fields to ask for, the domain checks them. */

import { html, nothing } from 'lit';
import { unrecorded } from '../../card/card-file-contract.js';
import { alertIcon } from './error.js';
import { states } from '../../../domain/payer.js';
import { countMissingDigits } from '../../../domain/tax-id.js';
import type { PayerField } from '../../../domain/payer.js';
import type { Actions, Model } from '../model.js';
import type { FieldModel } from '../../page/payer-draft.js';

/**
 * Hints for keypad and autofill. The tokens are those of the HTML Standard, which has none for a tax id or a house number.
 */
interface Traits {
  readonly autocomplete?: string;
  readonly inputmode?: string;
  /** Whether the field shares its row with a neighbour if there is room. */
  readonly short?: true;
}

const traits: Readonly<Record<PayerField, Traits>> = {
  name: { autocomplete: 'name' },
  cpf_cnpj: { inputmode: 'numeric' },
  email: { autocomplete: 'email', inputmode: 'email' },
  phone: { autocomplete: 'tel', inputmode: 'tel' },
  address_zip: { autocomplete: 'billing postal-code', inputmode: 'numeric' },
  address_line: { autocomplete: 'billing address-line1' },
  address_number: { short: true },
  address_complement: { autocomplete: 'billing address-line2', short: true },
  address_city: { autocomplete: 'billing address-level2', short: true },
  address_state: { autocomplete: 'billing address-level1', short: true },
};

/** Renders a field. The control has the field's name as `id` and `name`, so that the element can give it the focus. */
export function renderField(asked: FieldModel, model: Model, actions: Actions) {
  const { field, required, fault, waived } = asked;
  const { texts } = model;
  const look = !fault ? 'hint' : fault === 'doubtful' ? 'fault ask' : 'fault';
  const hints = waived ? [] : [required ? '' : texts.optional, texts.hints[field]];
  return html`<div class="field ${traits[field].short ? 'short' : ''} ${field}">
    <label part="label" for=${field}
      >${texts.fields[field]} <span class="muted" .textContent=${hints.join(' ').trim()}></span
    ></label>
    ${field === 'cpf_cnpj' ? renderKeypadSwitch(model, actions) : nothing}
    ${
      field === 'address_state'
        ? renderStates(asked, model, actions)
        : renderInput(asked, model, actions)
    }
    <p class=${look} id=${fault ? `${field}-fault` : nothing}>
      ${fault ? [alertIcon, faultText(asked, texts)] : nothing}
    </p>
    ${
      waived === undefined
        ? nothing
        : html`<label class="waive"
            ><input
              type="checkbox"
              .checked=${waived}
              @change=${() => actions.waive(!waived)}
            />${texts.noTaxId}</label
          >`
    }
  </div>`;
}

/** How to correct a field. */
function faultText({ field, fault, value }: FieldModel, texts: Model['texts']): string {
  if (!fault) return '';
  if (fault === 'doubtful') return texts.doubtfulName;
  const missing = field === 'cpf_cnpj' && fault === 'invalid' ? countMissingDigits(value) : 0;
  if (missing) return texts.missingDigits(missing);
  return (fault !== 'too_long' && texts[fault][field]) || texts.faults[fault](texts.fields[field]);
}

function renderInput(asked: FieldModel, model: Model, actions: Actions) {
  const { field, required, fault } = asked;
  const { autocomplete, inputmode } = traits[field];
  const letters = field === 'cpf_cnpj' && model.letterKeypad;
  const onInput = (event: Event) => actions.input(field, event);
  return html`<input
    part="input"
    class=${unrecorded}
    id=${field}
    name=${field}
    autocomplete=${autocomplete ?? 'off'}
    inputmode=${letters ? 'text' : (inputmode ?? 'text')}
    autocapitalize=${inputmode ? 'off' : 'words'}
    spellcheck="false"
    enterkeyhint=${field === model.fields.at(-1)?.field ? 'done' : 'next'}
    ?required=${required}
    ?disabled=${asked.waived}
    aria-invalid=${fault && fault !== 'doubtful' ? 'true' : nothing}
    aria-describedby=${fault ? `${field}-fault` : nothing}
    .value=${asked.value}
    @input=${onInput}
    @change=${onInput}
    @blur=${() => actions.blur(field)}
  />`;
}

/** Renders the select with the states. */
function renderStates(asked: FieldModel, model: Model, actions: Actions) {
  const { field, required, fault, value } = asked;
  const onInput = (event: Event) => actions.input(field, event);
  // The choice is set on the options, because when Lit sets the select's own value, its options are not there yet.
  return html`<div class="pick">
    <select
      part="input"
      class=${unrecorded}
      id=${field}
      name=${field}
      autocomplete=${traits[field].autocomplete}
      ?required=${required}
      aria-invalid=${fault ? 'true' : nothing}
      aria-describedby=${fault ? `${field}-fault` : nothing}
      @input=${onInput}
      @change=${onInput}
      @blur=${() => actions.blur(field)}
    >
      <option value="" .selected=${value === ''}>${model.texts.choose}</option>
      ${states.map((state) => html`<option .selected=${value === state} .textContent=${state}></option>`)}
    </select>
  </div>`;
}

/**
 * Renders the switch that changes which keypad opens. Letters are accepted either way. It shows while the payer is at the
 * field.
 */
function renderKeypadSwitch({ texts, letterKeypad }: Model, actions: Actions) {
  return html`<label class="switch"
    ><input
      type="checkbox"
      role="switch"
      .checked=${letterKeypad}
      @change=${() => actions.switchKeypad(!letterKeypad)}
    />
    ${texts.letters}</label
  >`;
}

// The buttons: the main one of a screen without a code, and the outlined ones.

export function renderPrimary(label: string, act: () => void) {
  return html`<button part="submit-button" class="primary" type="button" @click=${act}>
    ${label}
  </button>`;
}

/** Options that only a few buttons need. */
interface Look {
  /** The medium in which the button is visible. */
  readonly where?: 'share' | 'print';
  readonly disabled?: boolean;
}

export function renderSecondary(label: string, act: () => void, look: Look = {}) {
  return html`<button
    class="secondary ${look.where ?? ''}"
    part="secondary-button"
    type="button"
    ?disabled=${look.disabled}
    @click=${act}
  >
    ${label}
  </button>`;
}
