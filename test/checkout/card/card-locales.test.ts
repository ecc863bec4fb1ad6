/** The card form's words: every language has all of them, each says what to do, and none says "PIX". */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { cardLanguages } from '../../../src/checkout/card/card-languages.js';
import { card as ptBr } from '../../../src/checkout/locales/beside/pt-br.js';
import { locales } from '../../../src/checkout/locales/choose-messages.js';

/** Path and text of everything that is said; functions say it of `1`. */
function textsOf(value: unknown, path = ''): [path: string, text: string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value === 'function')
    return [[path, (value as (...args: number[]) => string)(1, 1, 1, 1)]];
  return Object.entries(value as object).flatMap(([name, one]) => textsOf(one, `${path}.${name}`));
}

it('the card form speaks every language of the element', () => {
  assert.deepEqual(Object.keys(cardLanguages), locales);
});

for (const [locale, messages] of Object.entries(cardLanguages)) {
  describe(`card form in ${locale}`, () => {
    const texts = textsOf(messages);

    it('says the same things as pt-BR', () => {
      const ours = textsOf(ptBr);
      assert.deepEqual(
        texts.map(([path]) => path),
        ours.map(([path]) => path),
      );
    });

    it('leaves nothing empty or loose, and ends what is to be done, alone, with a full stop', () => {
      for (const [path, text] of texts) {
        assert.match(text, /\S/, path);
        assert.doesNotMatch(text, /undefined|\bPIX\b| {2}|^\s|\s$/, path);
        const isFault = /^\.(missing|invalid|faults|notAccepted)/.test(path);
        assert.equal(text.endsWith('.'), isFault, path);
      }
    });
  });
}
