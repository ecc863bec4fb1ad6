/** The card form of one element: wires draft, controls and templates. Card data leaves it only through `read()`. */

import { cardBrands, parseAcceptedBrands } from '../../domain/card/card-brand.js';
import type { CardBrand } from '../../domain/card/card-brand.js';
import { parseInstallments } from '../../domain/card/installments.js';
import type { InstallmentOffer } from '../../domain/card/installments.js';
import { CardDraft, cardFields, formatCardField, formatTyping } from './card-draft.js';
import type { CardField } from './card-draft.js';
import type { CardFormModel, CreateCardForm } from './card-file-contract.js';
import { brandNames, cardLanguages } from './card-languages.js';
import { createTokenizer } from './tokenizer.js';
import { renderAssurance, renderFields } from './views/card-fields.js';
import { describeOffer, renderInstallments } from './views/installment-choice.js';

/** The page's words as the form works with them. */
interface PageWords {
  /** Fewest first; empty: there is nothing to choose. */
  readonly offers: readonly InstallmentOffer[];
  /** `null`: every card. */
  readonly accepted: readonly CardBrand[] | null;
}

/** See {@link CreateCardForm}. */
export const createCardForm: CreateCardForm = (tools) => {
  const { html, nothing, requestUpdate, wallClock } = tools;
  const draft = new CardDraft();
  let model: CardFormModel | null = null;
  let words: PageWords = { offers: [], accepted: null };
  let chosen = 0;

  const today = () => {
    const date = wallClock();
    return { year: date.getFullYear(), month: date.getMonth() + 1 };
  };

  const choice = () =>
    words.offers.find(({ installment }) => installment === chosen) ?? words.offers[0] ?? null;

  /** Reads the page's words anew where they changed. The element reads the choice before it renders: tell it of another. */
  const listen = (next: CardFormModel) => {
    const { installments, acceptedBrands } = model ?? {};
    const before = choice()?.totalCents;
    if (next.installments !== installments || next.acceptedBrands !== acceptedBrands) {
      words = readPageWords(next, tools.warn);
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
      draft.leave(field, { accepted: words.accepted, today: today() });
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
      listen(next);
      const { locale, slotted } = next;
      const texts = cardLanguages[locale];
      const fields = { ...words, draft, locale, texts };
      return html`<slot name="card"></slot>
        ${renderInstallments({ ...words, choice: choice(), texts }, actions, tools)}
        ${slotted ? nothing : renderFields(fields, actions, tools)}`;
    },
    check() {
      if (model?.slotted) return null;
      requestUpdate();
      return draft.check({ accepted: words.accepted, today: today() });
    },
    read: () => (model?.slotted ? null : draft.details()),
    assure: ({ endpoint, locale }) =>
      renderAssurance(lineTo(endpoint ?? ''), cardLanguages[locale], tools),
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

/** How a card would travel from this page: encrypted, or not beyond this machine; `null`: neither, and nothing is said of it. */
function lineTo(endpoint: string): 'encrypted' | 'local' | null {
  const { protocol } = new URL(endpoint, document.baseURI);
  if (protocol === 'https:' && location.protocol === protocol) return 'encrypted';
  return isSecureContext ? 'local' : null;
}

/** @param warn is told of every entry that is left out, by its public name */
function readPageWords(
  { installments, acceptedBrands }: Pick<CardFormModel, 'installments' | 'acceptedBrands'>,
  warn: (text: string) => void,
): PageWords {
  const { offers, faults } = parseInstallments(installments);
  for (const fault of faults) warn(`${fault} is not as the documentation says; it is left out`);
  if (typeof acceptedBrands !== 'string') return { offers, accepted: null };
  const { accepted, unknown } = parseAcceptedBrands(acceptedBrands);
  for (const word of unknown)
    warn(`accepted-brands does not know "${word}", but ${cardBrands.join(', ')}`);
  return { offers, accepted };
}
