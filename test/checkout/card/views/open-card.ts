/** The card form as a payer uses it: verbs, and questions about what can be seen. Puts everything away after each test. */

import { cardFields } from '../../../../src/domain/card/card-fields.js';
import type { CardField } from '../../../../src/domain/card/card-fields.js';
import { CardGallery } from '../../../../demo/gallery/card-gallery.js';
import type { CardGalleryModel } from '../../../../demo/gallery/card-gallery.js';

const opened: HTMLElement[] = [];

/** A card that is not refused, as a payer types it. */
export const goodCard: Readonly<Record<CardField, string>> = {
  card_number: '4111111111111111',
  card_name: 'Maria da Silva',
  card_expiry: '0530',
  card_code: '123',
};

/** Puts a form into the page, by default one of pt-BR with a table of five rows, on a narrow phone. */
export async function openCard(model: Partial<CardGalleryModel> = {}, widthPx = 320) {
  const frame = document.body.appendChild(document.createElement('div'));
  opened.push(frame);
  frame.style.inlineSize = `${widthPx}px`;
  const element = new CardGallery();
  element.model = { ...element.model, ...model };
  frame.append(element);
  await element.updateComplete;
  return { element, ...questions(element), ...verbs(element) };
}

function questions(element: CardGallery) {
  const root = element.renderRoot as ShadowRoot;
  const find = (selector: string) => root.querySelector<HTMLElement>(selector);
  const get = (selector: string): HTMLElement => {
    const found = find(selector);
    if (!found) throw new Error(`Nothing matches ${selector}`);
    return found;
  };
  const field = (name: CardField) => get(`#${name}`) as HTMLInputElement;
  return {
    root,
    find,
    get,
    field,
    /** What the four fields show. */
    values: () => cardFields.map((name) => field(name).value),
    select: () => get('#card_installments') as HTMLSelectElement,
    /** The text with the caret in it, as `41|11`. */
    shown: (name: CardField) => {
      const { value, selectionStart } = field(name);
      return `${value.slice(0, selectionStart ?? 0)}|${value.slice(selectionStart ?? 0)}`;
    },
    faultOf: (name: CardField) => plain(find(`#${name}-fault`)?.innerText),
    hintOf: (name: CardField) => plain(find(`#${name}-hint`)?.innerText),
    focused: () => root.activeElement?.id ?? null,
    submitLabel: () => plain(get('[part="submit-button"]').innerText),
  };
}

function verbs(element: CardGallery) {
  const { field, select, get } = questions(element);
  const after = async (act: () => unknown) => {
    act();
    await element.updateComplete;
    await element.updateComplete;
  };
  const edit = (name: CardField, data: string, inputType: string) => {
    const input = field(name);
    input.setRangeText(data, input.selectionStart ?? 0, input.selectionEnd ?? 0, 'end');
    input.dispatchEvent(new InputEvent('input', { data, inputType, bubbles: true }));
  };
  /** Without a selection a deletion takes one character. */
  const remove = (name: CardField, inputType: string, back: number, ahead: number) =>
    after(() => {
      const input = field(name);
      const { selectionStart: from, selectionEnd: to } = input;
      if (from !== null && from === to) {
        input.setSelectionRange(Math.max(0, from - back), from + ahead);
      }
      edit(name, '', inputType);
    });
  return {
    /** Types at the caret, key by key. */
    type: (name: CardField, text: string) =>
      after(() => {
        for (const key of text) edit(name, key, 'insertText');
      }),
    /** Types the good card, or another text into a field of it. */
    fill: (changes: Partial<Record<CardField, string>> = {}) =>
      after(() => {
        for (const name of cardFields) {
          for (const key of changes[name] ?? goodCard[name]) edit(name, key, 'insertText');
        }
      }),
    paste: (name: CardField, text: string) => after(() => edit(name, text, 'insertFromPaste')),
    backspace: (name: CardField) => remove(name, 'deleteContentBackward', 1, 0),
    deleteForward: (name: CardField) => remove(name, 'deleteContentForward', 0, 1),
    /** Puts the caret where the `|` stands in a text. */
    caret: (name: CardField, text: string) => {
      field(name).focus();
      field(name).setSelectionRange(text.indexOf('|'), text.indexOf('|'));
    },
    /** As a browser fills a form in: a value and two events, no keys, no focus. */
    autofill: (name: CardField, value: string) =>
      after(() => {
        field(name).value = value;
        field(name).dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        field(name).dispatchEvent(new Event('change', { bubbles: true }));
      }),
    leave: (name: CardField) => after(() => field(name).dispatchEvent(new FocusEvent('blur'))),
    choose: (index: number) =>
      after(() => {
        select().selectedIndex = index;
        select().dispatchEvent(new Event('change', { bubbles: true }));
      }),
    submit: () => after(() => get('[part="submit-button"]').click()),
    set: (model: Partial<CardGalleryModel>) =>
      after(() => {
        element.model = { ...element.model, ...model };
      }),
  };
}

/** Amounts hold no-break spaces, and lines break where there is room. */
export function plain(text: string | null | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

afterEach(() => {
  for (const frame of opened.splice(0)) frame.remove();
});
