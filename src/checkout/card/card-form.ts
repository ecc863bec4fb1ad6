/** The card form of one element: connects draft, controls and templates. Card data leaves it only through `read()`. */

import { cardBrands, parseAcceptedBrands } from '../../domain/card/card-brand.js';
import type { CardBrand } from '../../domain/card/card-brand.js';
import { cardFields } from '../../domain/card/card-fields.js';
import type { CardField } from '../../domain/card/card-fields.js';
import { CardDraft, formatCardField, formatTyping } from './card-draft.js';
import type { CardFormModel, CreateCardForm } from './card-file-contract.js';
import { brandNames, cardLanguages } from './card-languages.js';
import { createTokenizer } from './tokenizer.js';
import { renderAssurance, renderFields } from './views/card-fields.js';
import { describeOffer, renderInstallments } from './views/installment-choice.js';

/** See {@link CreateCardForm}. */
export const createCardForm: CreateCardForm = (tools) => {
  const { html, nothing, requestUpdate, wallClock } = tools;
  const draft = new CardDraft();
  let model: CardFormModel | null = null;
  /** `null` for all brands. */
  let accepted: readonly CardBrand[] | null = null;
  let chosen = 0;

  const today = () => {
    const date = wallClock();
    return { year: date.getFullYear(), month: date.getMonth() + 1 };
  };

  const choice = () =>
    model?.installments.find(({ installment }) => installment === chosen) ??
    model?.installments[0] ??
    null;

  /** Takes the model. The element reads `choice` before it renders, so it updates again if the choice has changed. */
  const takeModel = (next: CardFormModel) => {
    const before = choice()?.totalCents;
    if (next.acceptedBrands !== model?.acceptedBrands) {
      accepted = readBrands(next.acceptedBrands, tools.warn);
    }
    model = next;
    draft.suggestName(next.payerName ?? '');
    if (choice()?.totalCents !== before) queueMicrotask(requestUpdate);
  };

  const actions = {
    type(field: CardField, event: Event) {
      const format = (text: string) => formatCardField(field, text);
      draft.type(field, formatTyping(event, format));
      requestUpdate();
    },
    leave(field: CardField) {
      draft.leave(field, { accepted, today: today() });
      requestUpdate();
    },
    choose(installment: number) {
      chosen = installment;
      requestUpdate();
    },
  };

  const tokenizer = createTokenizer(tools, () => draft.details());

  return {
    render(next) {
      takeModel(next);
      const { locale, slotted, installments, atOnceCents, codeAgain } = next;
      const texts = cardLanguages[locale];
      const fields = { accepted, draft, locale, texts, codeAgain };
      const choices = { installments, atOnceCents, choice: choice(), texts };
      return html`<slot name="card"></slot> ${renderInstallments(choices, actions, tools)}
        ${slotted ? nothing : renderFields(fields, actions, tools)}`;
    },
    check() {
      if (model?.slotted) return null;
      requestUpdate();
      return draft.check({ accepted, today: today() });
    },
    read: () => (model?.slotted ? null : draft.details()),
    assure: ({ endpoint, locale }) =>
      renderAssurance(findProtection(endpoint ?? ''), cardLanguages[locale], tools),
    describe() {
      if (!model || model.slotted) return null;
      const texts = cardLanguages[model.locale];
      const { brand } = draft;
      const ending = texts.ending(brand && brandNames[brand], draft.details().number.slice(-4));
      const offer = choice();
      const isInParts = offer && offer.installment > 1;
      return isInParts ? `${ending}\n${describeOffer(offer, texts, tools)}` : ending;
    },
    ...tokenizer,
    take() {
      draft.maskCode();
      requestUpdate();
      return tokenizer.take();
    },
    discard(keepsCode = false) {
      draft.unmaskCode(keepsCode);
      tokenizer.discard();
    },
    clear() {
      draft.clear();
      requestUpdate();
    },
    get choice() {
      return choice();
    },
    get faults() {
      return model?.slotted ? 0 : cardFields.filter((field) => draft.fault(field)).length;
    },
  };
};

/** Finds out how the card is sent: encrypted, or on this machine only; `null` if neither, so that the form claims nothing. */
function findProtection(endpoint: string): 'encrypted' | 'local' | null {
  const { protocol } = new URL(endpoint, document.baseURI);
  if (protocol === 'https:' && location.protocol === protocol) return 'encrypted';
  return isSecureContext ? 'local' : null;
}

/** Reads the brands. @param warn is called for each word that names no brand */
function readBrands(
  text: string | null,
  warn: (text: string) => void,
): readonly CardBrand[] | null {
  if (typeof text !== 'string') return null;
  const { accepted, unknown } = parseAcceptedBrands(text);
  for (const word of unknown)
    warn(`accepted-brands does not know "${word}", but ${cardBrands.join(', ')}`);
  return accepted;
}
