/** A typed card, without a browser: the draft takes it, checks it, hands it on and forgets it. */

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'vitest';
import { CardDraft } from '../../../src/checkout/card/card-draft.js';
import { cardFields } from '../../../src/domain/card/card-fields.js';
import type { CardField } from '../../../src/domain/card/card-fields.js';
import { maps } from '../../support/tables.js';

const terms = { accepted: null, today: { year: 2026, month: 11 } };

const good: Readonly<Record<CardField, string>> = {
  card_number: '5555 5555 5555 4444',
  card_name: 'MARIA DA SILVA',
  card_expiry: '05/30',
  card_code: '123',
};

function draftOf(changes: Partial<Record<CardField, string>> = {}): CardDraft {
  const draft = new CardDraft();
  for (const field of cardFields) draft.type(field, changes[field] ?? good[field]);
  return draft;
}

describe('card draft', () => {
  it('finds nothing wrong with a good card, else names the first faulty field, and notes all', () => {
    assert.equal(draftOf().check(terms), null);
    const draft = draftOf({ card_name: 'MARIA', card_code: '' });
    assert.equal(draft.check(terms), 'card_name');
    const faults = cardFields.map((field) => draft.fault(field));
    assert.deepEqual(faults, [null, 'incomplete', null, 'missing']);
  });

  it('holds a card to the brands that the shop takes', () => {
    const draft = draftOf();
    assert.equal(draft.check({ ...terms, accepted: ['visa'] }), 'card_number');
    assert.equal(draft.fault('card_number'), 'not_accepted');
    assert.equal(draft.check({ ...terms, accepted: ['mastercard'] }), null);
  });

  it('asks for as many digits of the code as the brand of the number has', () => {
    for (const [card_code, fault] of [
      ['123', 'invalid'],
      ['1234', null],
    ] as const) {
      const draft = draftOf({ card_number: '3782 822463 10005', card_code });
      draft.check(terms);
      assert.equal(draft.fault('card_code'), fault);
    }
  });

  it('says nothing of a field while it is mended, nor of an empty one that is left', () => {
    const draft = draftOf({ card_code: '1' });
    draft.check(terms);
    for (const [text, fault] of [
      ['12', 'invalid'],
      ['', null],
    ] as const) {
      draft.type('card_code', text);
      assert.equal(draft.fault('card_code'), null);
      draft.leave('card_code', terms);
      assert.equal(draft.fault('card_code'), fault);
    }
  });

  it('gives a field its separators when it is left', () => {
    const draft = draftOf({ card_number: '5555555555554444', card_expiry: '0530' });
    for (const field of cardFields) draft.leave(field, terms);
    for (const field of cardFields) assert.equal(draft.value(field), good[field]);
  });

  const expiryOf = (card_expiry: string) => {
    const { month, year } = draftOf({ card_expiry }).details();
    return `${month} of ${year}`;
  };
  maps(expiryOf, [
    ['5/30', '05 of 2030'],
    ['12/2031', '12 of 2031'],
    ['2030-05', '05 of 2030'],
    ['rubbish', ' of '],
  ]);

  it('takes the name of the payer for the name on the card, until another is typed', () => {
    const draft = new CardDraft();
    draft.suggestName('Ana');
    draft.suggestName('Ana Souza');
    assert.equal(draft.value('card_name'), 'Ana Souza');
    draft.type('card_name', '');
    draft.suggestName('Ana Souza');
    assert.equal(draft.value('card_name'), '', 'what was deleted stays away');
    draft.type('card_name', 'RUI SOUZA');
    draft.suggestName('Eva Souza');
    assert.equal(draft.value('card_name'), 'RUI SOUZA');
  });

  it('forgets everything, faults too', () => {
    const draft = draftOf({ card_code: '1' });
    draft.check(terms);
    draft.clear();
    assert.deepEqual(new Set(Object.values(draft.details())), new Set(['']));
    assert.deepEqual(new Set(cardFields.map((field) => draft.fault(field))), new Set([null]));
    assert.equal(draft.brand, null);
  });

  it('shows nothing of a card where it is printed', () => {
    const draft = draftOf();
    draft.check(terms);
    const printed = JSON.stringify(draft) + inspect(draft, { showHidden: true });
    assert.doesNotMatch(printed, /5555|MARIA|05\/30|123/);
  });
});
