/**
 * The card form of one element: what was typed and chosen, and what is shown of it.
 *
 * Owns the wiring between draft, controls and templates. No card data leaves it but through `read()`.
 */

import type { InstallmentOffer } from '../../domain/installments.js';
import { CardDraft, formatCardField } from './card-draft.js';
import type { CardField } from './card-draft.js';
import type { CardFormModel, CreateCardForm } from './card-room.js';
import type { CardMessages } from './locales/card-messages.js';
import { en } from './locales/en.js';
import { es } from './locales/es.js';
import { ptBr } from './locales/pt-br.js';
import { formatTyping } from './typing.js';
import { renderFields } from './views/fields.js';
import { renderInstallments } from './views/installments.js';

const languages: Readonly<Record<CardFormModel['locale'], CardMessages>> = {
  'pt-BR': ptBr,
  en,
  es,
};

/** See {@link CreateCardForm}. */
export const createCardForm: CreateCardForm = (tools) => {
  const { html, nothing, requestUpdate } = tools;
  const draft = new CardDraft();
  let chosen = 0;
  let model: CardFormModel = {
    locale: 'pt-BR',
    installments: [],
    acceptedBrands: null,
    slotted: false,
  };

  const terms = () => ({ acceptedBrands: model.acceptedBrands, today: tools.today() });
  const choice = (): InstallmentOffer | null => {
    const { installments } = model;
    return (
      installments.find(({ installment }) => installment === chosen) ?? installments[0] ?? null
    );
  };
  const actions = {
    type(field: CardField, event: Event) {
      draft.type(
        field,
        formatTyping(event, (text) => formatCardField(field, text)),
      );
      requestUpdate();
    },
    leave(field: CardField) {
      // What undo or an input method left without separators gets them now.
      draft.type(field, formatCardField(field, draft.value(field)));
      draft.leave(field, terms());
      requestUpdate();
    },
    choose(installment: number) {
      chosen = installment;
      requestUpdate();
    },
  };

  return {
    render(next) {
      model = next;
      const texts = languages[model.locale];
      return html`<slot name="card"></slot>
        ${model.slotted ? nothing : renderFields({ ...model, draft, texts }, actions, tools)}
        ${renderInstallments({ ...model, choice: choice(), texts }, actions, tools)}`;
    },
    check() {
      const faulty = model.slotted ? null : draft.check(terms());
      requestUpdate();
      return faulty;
    },
    read: () => (model.slotted ? null : draft.details()),
    clear(what) {
      if (what === 'all') draft.clear();
      else draft.type('card_code', '');
      requestUpdate();
    },
    get choice() {
      return choice();
    },
  };
};
