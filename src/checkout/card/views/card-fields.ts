/** The four fields of a card: label, native control, hint and fault. */

import { cardBrands } from '../../../domain/card/card-brand.js';
import type { CardBrand } from '../../../domain/card/card-brand.js';
import { cardFields } from '../../../domain/card/card-fields.js';
import { alertPath, cardPath, unrecorded } from '../card-file-contract.js';
import type { CardField } from '../../../domain/card/card-fields.js';
import type { CardDraft } from '../card-draft.js';
import type { CardFormModel, CardTools } from '../card-file-contract.js';
import { brandNames } from '../card-languages.js';
import type { CardWords } from '../../locales/outside-element/pt-br.js';

/** The values that the fields show. */
interface FieldsModel {
  readonly draft: CardDraft;
  /** The brands that the shop takes; `null` for all brands. */
  readonly accepted: readonly CardBrand[] | null;
  readonly locale: CardFormModel['locale'];
  readonly texts: CardWords;
  readonly codeAgain: CardFormModel['codeAgain'];
}

/** The payer's actions in the fields. */
interface FieldsActions {
  /** The control's text changed: by a key, a paste, autofill or undo. */
  type(field: CardField, event: Event): void;
  leave(field: CardField): void;
}

/** Hints for keypad and autofill. The tokens are those of the HTML Standard. */
interface Traits {
  readonly autocomplete: AutoFill;
  readonly inputmode: 'numeric' | 'text';
  readonly autocapitalize: 'off' | 'characters';
  readonly enterkeyhint: 'next' | 'done';
  /** Whether the field shares its row with a neighbour if there is room. */
  readonly half?: true;
}

const numeric = { inputmode: 'numeric', autocapitalize: 'off', enterkeyhint: 'next' } as const;

const traits: Readonly<Record<CardField, Traits>> = {
  card_number: { ...numeric, autocomplete: 'cc-number' },
  card_name: {
    autocomplete: 'cc-name',
    inputmode: 'text',
    autocapitalize: 'characters',
    enterkeyhint: 'next',
  },
  card_expiry: { ...numeric, autocomplete: 'cc-exp', half: true },
  card_code: { ...numeric, autocomplete: 'cc-csc', half: true, enterkeyhint: 'done' },
};

/** The form's own drawings: a card's back and its front with the code, and a lock. There are no brand marks. */
const outline = 'M3 5h18v14H3z';
const back = `${outline}M3 9.5h18M13 15h4`;
const front = `${outline}M7 15h5M14 9.5h3`;
const lock = 'M5 11h14v10H5zM8 11V7a4 4 0 0 1 8 0v4M12 15v2';

/** Renders the fields, in the order of the card. */
export function renderFields(model: FieldsModel, actions: FieldsActions, tools: CardTools) {
  return cardFields.map((field) => renderField(field, model, actions, tools));
}

function renderField(
  field: CardField,
  model: FieldsModel,
  actions: FieldsActions,
  tools: CardTools,
) {
  const { html, nothing } = tools;
  const { label, pattern } = model.texts.fields[field];
  const fault = toFaultText(field, model);
  return html`<div class="field ${traits[field].half ? 'half' : ''}">
    <label part="label" for=${field}
      >${label} ${pattern ? html`<span class="muted">${pattern}</span>` : nothing}</label
    >
    ${
      field === 'card_number'
        ? html`<div class="marked">
            ${renderInput(field, fault, model, actions, tools)} ${renderMark(model, tools)}
          </div>`
        : renderInput(field, fault, model, actions, tools)
    }
    ${field === 'card_number' && model.draft.fault(field) !== 'not_accepted' ? renderAccepted(model, tools) : nothing}
    ${
      fault
        ? html`<p class="fault" id="${field}-fault">${renderIcon(alertPath, tools)}${fault}</p>`
        : field === 'card_code'
          ? renderCodePlace(model, tools)
          : field === 'card_number' && model.accepted
            ? nothing
            : html`<p class="hint"></p>`
    }
  </div>`;
}

/**
 * Renders a control. It has no `name`, because a control without a name is never part of a submission (HTML Standard,
 * constructing the entry list): a native submit that slips through carries no card. The typed text is a property, never an
 * attribute.
 */
function renderInput(
  field: CardField,
  fault: string | null,
  model: FieldsModel,
  actions: FieldsActions,
  { html, nothing }: CardTools,
) {
  const { autocomplete, inputmode, autocapitalize, enterkeyhint } = traits[field];
  const type = (event: Event) => actions.type(field, event);
  const described = [hasHint(field, model, fault) && `${field}-hint`, fault && `${field}-fault`];
  return html`<input
    part="input"
    class=${unrecorded}
    id=${field}
    autocomplete=${autocomplete}
    inputmode=${inputmode}
    autocapitalize=${autocapitalize}
    spellcheck="false"
    enterkeyhint=${enterkeyhint}
    required
    aria-invalid=${fault ? 'true' : nothing}
    aria-describedby=${described.filter(Boolean).join(' ') || nothing}
    .value=${model.draft.value(field)}
    @input=${type}
    @change=${type}
    @compositionend=${type}
    @blur=${() => actions.leave(field)}
  />`;
}

/** Whether a hint describes the field to a screen reader: where the code is, or the likely brand. */
function hasHint(
  field: CardField,
  { draft, accepted }: FieldsModel,
  fault: string | null,
): boolean {
  if (field !== 'card_number') return field === 'card_code' && !fault;
  return draft.brand !== null && accepted?.includes(draft.brand) !== false;
}

/**
 * Renders the mark in the number's field: a card, then the name of its brand. There are no brand logos, because they are
 * trademarks.
 */
function renderMark({ draft, accepted }: FieldsModel, tools: CardTools) {
  const { html, nothing } = tools;
  return html`<span class="mark" aria-hidden="true" translate="no"
    >${
      draft.brand
        ? html`<b id=${accepted ? nothing : 'card_number-hint'}>${brandNames[draft.brand]}</b>`
        : renderIcon(cardPath, tools)
    }</span
  >`;
}

/** Renders the note under the button that the payment is protected; nothing if it is not. */
export function renderAssurance(
  line: 'encrypted' | 'local' | null,
  texts: CardWords,
  tools: CardTools,
) {
  const { html, nothing } = tools;
  return line === null
    ? nothing
    : html`<p class="muted note">${renderIcon(lock, tools)}${texts.protection[line]}</p>`;
}

/**
 * Renders the brands that the shop names as accepted, without logos. The likely brand stands out, and is announced with the
 * field.
 */
function renderAccepted({ draft, accepted, texts }: FieldsModel, { html, nothing }: CardTools) {
  if (!accepted) return nothing;
  const names = accepted.map(
    (brand, index) =>
      html`${index ? '\u00a0· ' : nothing}${
        brand === draft.brand
          ? html`<b id="card_number-hint">${brandNames[brand]}</b>`
          : brandNames[brand]
      }`,
  );
  return html`<p class="hint">
    <span>${texts.accepts} <span translate="no">${names}</span></span>
  </p>`;
}

/** Says where on the card the code is, or asks for it again. */
function renderCodePlace({ draft, texts, codeAgain }: FieldsModel, tools: CardTools) {
  const { html } = tools;
  const inFront = draft.brand === 'amex';
  if (codeAgain && !draft.value('card_code'))
    return html`<p class="hint" id="card_code-hint"><b>${texts.codeAgain}</b></p>`;
  return html`<p class="hint" id="card_code-hint">
    ${renderIcon(inFront ? front : back, tools)}
    <span>${inFront ? texts.codeInFront : texts.codeOnBack}</span>
  </p>`;
}

/** How to correct a field; `null` for a field without a fault. */
function toFaultText(field: CardField, model: FieldsModel): string | null {
  const { draft, texts, accepted, locale } = model;
  const fault = draft.fault(field);
  if (fault === 'missing' || fault === 'invalid') return texts[fault][field];
  if (fault !== 'not_accepted') return fault && texts.faults[fault];
  const names = (accepted ?? cardBrands).map((brand) => brandNames[brand]);
  const list = new Intl.ListFormat(locale, { type: 'disjunction' }).format(names);
  return texts.notAccepted(draft.brand ? brandNames[draft.brand] : '', list);
}

/** An icon in the colour of the text beside it, hidden from screen readers. */
function renderIcon(path: string, { html }: CardTools) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${path} /></svg>`;
}
