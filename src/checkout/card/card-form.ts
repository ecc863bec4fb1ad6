/**
 * The card form of one element: what was typed and chosen, and what is shown of it.
 *
 * Owns the wiring between draft, controls and templates. No card data leaves it but through `read()`.
 */

import { CardDraft, formatCardField } from './card-draft.js';
import type { CardField } from './card-draft.js';
import type { CardFormModel, CreateCardForm } from './card-file-contract.js';
import { cardLanguages } from './locales/card-languages.js';
import { readPageWords } from './page-words.js';
import type { PageWords } from './page-words.js';
import { formatTyping } from './typing.js';
import { renderFields } from './views/card-fields.js';
import { renderInstallments } from './views/installment-choice.js';

/** See {@link CreateCardForm}. */
export const createCardForm: CreateCardForm = (tools) => {
  const { html, nothing, requestUpdate, today } = tools;
  const draft = new CardDraft();
  let model: CardFormModel | null = null;
  let words: PageWords = { offers: [], accepted: null };
  let chosen = 0;

  const choice = () =>
    words.offers.find(({ installment }) => installment === chosen) ?? words.offers[0] ?? null;

  /** Takes over what the page says. The element reads the choice before it renders: it has to hear of another. */
  const listen = (next: CardFormModel) => {
    const { installments, acceptedBrands } = model ?? {};
    const before = choice()?.totalCents;
    if (next.installments !== installments || next.acceptedBrands !== acceptedBrands) {
      words = readPageWords(next, tools.warn);
    }
    model = next;
    if (choice()?.totalCents !== before) queueMicrotask(requestUpdate);
  };

  const actions = {
    type(field: CardField, event: Event) {
      const format = (text: string) => formatCardField(field, text);
      draft.type(field, formatTyping(event, format));
      requestUpdate();
    },
    leave(field: CardField) {
      draft.leave(field, { accepted: words.accepted, today: today() });
      requestUpdate();
    },
    choose(installment: number) {
      chosen = installment;
      requestUpdate();
    },
  };

  return {
    render(next) {
      listen(next);
      const { locale, slotted } = next;
      const texts = cardLanguages[locale];
      const fields = { ...words, draft, locale, texts };
      return html`<slot name="card"></slot>
        ${slotted ? nothing : renderFields(fields, actions, tools)}
        ${renderInstallments({ ...words, choice: choice(), texts }, actions, tools)}`;
    },
    check() {
      if (model?.slotted) return null;
      requestUpdate();
      return draft.check({ accepted: words.accepted, today: today() });
    },
    read: () => (model?.slotted ? null : draft.details()),
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
