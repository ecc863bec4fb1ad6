/** What is said: the status line of an open code, and every change that the live region tells. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CodeScreen, Model } from '../../../src/checkout/views/model.js';
import { announcement, statusText } from '../../../src/checkout/views/announce.js';
import { modelOf, scenes } from '../../support/gallery/models.js';

const awaiting = scenes['awaiting']!().state as CodeScreen;
const texts = modelOf(awaiting).texts;
const said = (state: Partial<CodeScreen>, more: Partial<Model> = {}) =>
  announcement(modelOf({ ...awaiting, ...state }, more)).replaceAll('\u00a0', ' ');

describe('statusText', () => {
  const cases: readonly (readonly [string, Partial<CodeScreen>, Partial<Model>, string])[] = [
    ['nothing has happened', {}, {}, texts.waiting],
    ['the code is on the clipboard', { copy: 'copied' }, {}, texts.copied],
    ['the code could not be copied', { copy: 'failed', check: 'checking' }, {}, texts.copyFailed],
    ['a look-up was asked for', { check: 'checking', copy: 'copied' }, {}, texts.checking],
    ['the last look-up is under way', { closing: true }, {}, texts.checking],
    ['the look-up said no', { check: 'not_yet', copy: 'copied' }, {}, texts.notYet],
    // The answer to "Já paguei" stands beside that button.
    ['it was asked for', { check: 'not_yet', checkAsked: true }, {}, texts.waiting],
    ['there is no connection', { check: 'checking' }, { offline: true }, texts.offline],
    ['the connection is bad', { copy: 'copied' }, { troubledLine: true }, texts.troubledLine],
  ];
  for (const [when, state, more, text] of cases) {
    it(when, () => {
      const whole = { ...awaiting, ...state };
      assert.equal(statusText(modelOf(whole, more), whole), text);
    });
  }
});

describe('announcement', () => {
  it('says that the code is ready, and for how much', () => {
    assert.equal(said({}), `Código Pix de R$ 189,90 pronto. ${texts.waiting}`);
  });

  it('says each change while the code is open', () => {
    assert.equal(said({ copy: 'copied' }), texts.copied);
    assert.equal(said({ copy: 'failed' }), texts.copyFailed);
    assert.equal(said({ check: 'checking' }), texts.checking);
    assert.equal(said({ check: 'not_yet' }), texts.notYet);
    assert.equal(said({ check: 'not_yet', checkAsked: true }), texts.notYet);
    assert.equal(said({ trouble: 'offered' }), texts.troubleOffer);
    assert.equal(said({}, { offline: true }), texts.offline);
    const error = { code: 'too_many_requests', retryable: true } as const;
    assert.ok(said({ error }).includes(texts.errors.too_many_requests));
  });

  it('speaks of the time at three marks only, and never of more than is left', () => {
    const marks = new Map<string, number>();
    for (let secondsLeft = 4_000; secondsLeft >= 0; secondsLeft--) {
      const words = said({ copy: 'copied' }, { secondsLeft });
      if (!marks.has(words)) marks.set(words, secondsLeft);
    }
    assert.deepEqual(
      [...marks],
      [
        [texts.copied, 4_000],
        [`${texts.copied} Menos de 10 minutos para pagar.`, 599],
        [`${texts.copied} Menos de 5 minutos para pagar.`, 299],
        [`${texts.copied} Menos de 1 minuto para pagar.`, 59],
      ],
    );
  });

  it('has something to say on every screen but an empty form', () => {
    for (const [name, scene] of Object.entries(scenes)) {
      const empty = name === 'form' || name === 'form-button';
      assert.equal(announcement(scene()) === '', empty, name);
    }
  });

  it('tells the payer nothing of what is the merchant’s affair alone', () => {
    const error = { code: 'personal_data_leak', retryable: false } as const;
    assert.equal(said({ error }), said({}));
  });
});
