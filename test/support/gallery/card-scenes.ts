/** The gallery's page of the card form: one scene by the query (`?scene=faults&locale=en`), else all of them. */

import { cardFields } from '../../../src/checkout/card/card-draft.js';
import { nearestLocale } from '../../../src/checkout/locales/choose-messages.js';
import { CardGallery, table } from './card-gallery.js';

/** What is typed into each scene, field by field, and whether it is submitted. */
const scenes: Readonly<Record<string, { typed: readonly string[]; submitted?: true }>> = {
  empty: { typed: [] },
  filled: { typed: ['5555 5555 5555 4444', 'MARIA APARECIDA DE SOUZA', '05/30', '123'] },
  amex: { typed: ['3782 822463 10005', 'JOÃO PEREIRA', '11/28', '1234'] },
  missing: { typed: [], submitted: true },
  faults: { typed: ['4111 1111 1111 1112', 'MARIA', '10/26', '12'], submitted: true },
  brand: { typed: ['5555 5555 5555 4444', 'MARIA DE SOUZA', '05/30', '123'], submitted: true },
  'one-way': { typed: [] },
};

const query = new URLSearchParams(location.search);
const locale = nearestLocale(query.get('locale')) ?? 'pt-BR';

for (const [name, { typed, submitted }] of Object.entries(scenes)) {
  if ((query.get('scene') ?? name) !== name) continue;
  const element = new CardGallery();
  element.title = name;
  element.model = {
    locale,
    installments: name === 'one-way' ? table.slice(2, 3) : table,
    acceptedBrands: name === 'brand' ? 'visa elo amex' : null,
    slotted: false,
  };
  document.body.append(element);
  await element.updateComplete;
  for (const [index, text] of typed.entries()) {
    const input = element.renderRoot.querySelector<HTMLInputElement>(`#${cardFields[index]}`)!;
    input.value = text;
    input.dispatchEvent(new Event('input'));
  }
  if (submitted) element.renderRoot.querySelector<HTMLFormElement>('form')!.requestSubmit();
}
