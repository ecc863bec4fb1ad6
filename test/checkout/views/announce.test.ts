/** The texts for the payer's ear and eye: the status line of an open code, errors where they happen, and every change that the live region tells. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { ShownErrorCode, FormState } from '../../../src/checkout/machine/state.js';
import { errorText } from '../../../src/checkout/views/parts/error.js';
import type { CodeScreen, ExpiredScreen, Model } from '../../../src/checkout/views/model.js';
import { toAnnouncement, isAlarm, statusText } from '../../../src/checkout/views/announce.js';
import { modelOf, scenes } from '../../../demo/gallery/models.js';

const awaiting = scenes['awaiting']!().state as CodeScreen;
const failing = { ...awaiting.watch, failures: 1 };
const texts = modelOf(awaiting).texts;
const said = (state: Partial<CodeScreen>, more: Partial<Model> = {}) =>
  newsOf(modelOf({ ...awaiting, ...state }, more))
    .slice(1)
    .join(' ');
const newsOf = (model: Model) =>
  toAnnouncement(model)
    .filter(Boolean)
    .map((one) => one.replaceAll('\u00a0', ' '));

/** Trouble with copying or with the connection. */
const alarms = [texts.copyFailed, texts.copyWithKeys('⌘C'), texts.offline, texts.troubledLine];

for (const [when, state, more, text] of [
  ['nothing has happened', {}, {}, texts.waiting],
  ['the code is on the clipboard', { copy: 'copied' }, {}, texts.copied],
  ['the code could not be copied', { copy: 'failed' }, {}, texts.copyFailed],
  ['and is looked up', { copy: 'failed', check: 'checking' }, {}, texts.checking],
  ['a look-up was asked for', { check: 'checking', copy: 'copied' }, {}, texts.checking],
  ['the last look-up is under way', { closing: true }, {}, texts.checking],
  ['the look-up said no', { check: 'not_yet', copy: 'copied' }, {}, texts.notYet],
  ['the look-up had no answer', { check: 'not_yet', watch: failing }, {}, texts.troubledLine],
  ['keys can copy', { copy: 'failed' }, { copyKeys: '⌘C' }, texts.copyWithKeys('⌘C')],
  ['there is no connection', { check: 'checking' }, { offline: true }, texts.offline],
  ['the connection is bad', { copy: 'copied' }, { troubledLine: true }, texts.troubledLine],
] as const) {
  it(`${when}: it is on the screen, with a sign if it is an alarm, and aloud`, () => {
    const whole = { ...awaiting, ...state };
    const model = modelOf(whole, more);
    assert.equal(statusText(model, whole), text);
    assert.equal(isAlarm(model, text), alarms.includes(text));
    assert.deepEqual(newsOf(model), ['Código Pix de R$ 189,90 pronto.', text]);
  });
}

describe('announcement', () => {
  it('says what went wrong while a code is open', () => {
    const error = { code: 'too_many_requests', retryable: true } as const;
    assert.ok(said({ error }).includes(texts.errors.too_many_requests));
  });

  it('says anew what is done again, and nothing of a former error beside a new code that is offered', () => {
    const [once, twice] = [1, 2].map((presses) => {
      return toAnnouncement(modelOf({ ...awaiting, copy: 'copied', presses }))[2];
    });
    assert.notEqual(once, twice);
    assert.deepEqual([once?.trim(), twice?.trim()], [texts.copied, texts.copied]);
    const error = { code: 'too_many_requests', retryable: true } as const;
    assert.equal(said({ trouble: 'offered', error }), texts.troubleOffer);
  });

  it('speaks of the time at four marks only, and never of more than is left', () => {
    const marks = new Map<string, number>();
    for (let secondsLeft = 4_000; secondsLeft >= 0; secondsLeft--) {
      const words = said({ copy: 'copied' }, { secondsLeft });
      if (!marks.has(words)) marks.set(words, secondsLeft);
    }
    const left = (text: string) => `${texts.copied} Menos de ${text} para pagar.`;
    const expected: [string, number][] = [
      [texts.copied, 4_000],
      [left('10 minutos'), 599],
      [left('5 minutos'), 299],
      [left('2 minutos'), 119],
      [left('1 minuto'), 59],
    ];
    assert.deepEqual([...marks], expected);
    // The last moment is no news, and least of all that there is a code.
    assert.equal(said({}, { secondsLeft: 0 }), said({}, { secondsLeft: 1 }));
  });

  it('has something to say on every screen but an empty form', () => {
    for (const [name, scene] of Object.entries(scenes)) {
      const empty = name === 'form' || name === 'form-button';
      assert.equal(newsOf(scene()).length === 0, empty, name);
    }
  });
});

describe('of an expired code', () => {
  const { state } = scenes['expired-not-yet']!();

  it('answers a press, and says nothing of a look-up after a return', () => {
    const pressed = newsOf(modelOf(state));
    assert.deepEqual(pressed, [texts.expired, texts.notYet]);
    const returned = newsOf(modelOf({ ...(state as ExpiredScreen), asked: false }));
    assert.deepEqual(returned, [texts.expired]);
  });
});

describe('while a payment is being confirmed', () => {
  const { errors, confirming } = modelOf(emptyForm).texts;
  const heading = confirming('1042');
  const cases: readonly [ShownErrorCode, text: string, readOut: string][] = [
    ['order_paid', '', errors.order_paid],
    // The heading says that.
    ['outcome_unknown', '', heading],
    // Nothing is said of the card: it may have been charged before the shop closed the order.
    ['order_closed', errors.order_closed, `${heading} ${errors.order_closed}`],
    // A payment that does not agree is not being confirmed.
    ['amount_mismatch', '', errors.reference_mismatch],
    ['reference_mismatch', '', errors.reference_mismatch],
  ];
  for (const [code, text, readOut] of cases) {
    it(`${code}: ${text || 'nothing more'}`, () => {
      const error = { code, retryable: false };
      const model = modelOf({ phase: 'confirming', watch: null, attempt: null, error });
      assert.deepEqual([errorText(model, error), newsOf(model).join(' ')], [text, readOut]);
    });
  }
});

describe('when to try again', () => {
  const { errors, retrySoon, nothingCharged } = modelOf(emptyForm).texts;
  const code = 'too_many_requests' as const;
  const said = (error: FormState['error'], more: Partial<Model> = {}) =>
    error && errorText({ ...modelOf({ ...emptyForm, error }), ...more }, error);

  it('is soon, where the proxy has said nothing of it, or nothing that lasts', () => {
    const text = `${errors[code]} ${retrySoon} ${nothingCharged}`;
    assert.equal(said({ code, retryable: true }), text);
  });

  it('is the minute after which it is taken again, by the clock on the wall', () => {
    const epochMs = new Date(2026, 10, 21, 14, 30).getTime();
    const again = (retryAtMs: number) => said({ code, retryable: true, retryAtMs }, { epochMs });
    assert.equal(again(90_000), `${errors[code]} Tente de novo às 14:32. ${nothingCharged}`);
    assert.equal(again(120_000), again(90_000));
    assert.ok(again(121_000)?.includes('às 14:33.'));
  });

  it('asks for no security code that is still there', () => {
    const panel = { content: null, failed: false, slotted: false };
    const card = { method: 'credit_card', card: panel } as const;
    assert.equal(said({ code, retryable: true }, card), `${errors[code]} ${retrySoon}`);
  });
});

describe('on a form that asks for nothing', () => {
  const error = { code: 'invalid_request', retryable: false } as const;
  const state: FormState = { ...emptyForm, error };
  const { errors, nothingCharged, codeAgain } = modelOf(state).texts;

  it('nothing that was typed is said to be wrong', () => {
    const model = { ...modelOf(state), fields: [] };
    assert.equal(errorText(model, error), errors.configuration);
  });

  it('what was typed is, where something was, and a card', () => {
    const asked = { ...modelOf(state), fields: [aField] };
    assert.equal(errorText(asked, error), `${errors.invalid_request} ${nothingCharged}`);
    const panel = { content: 'the fields', failed: false, slotted: false };
    const card = { ...modelOf(state), fields: [], method: 'credit_card', card: panel } as const;
    assert.equal(errorText(card, error), errors.invalid_request);
    assert.deepEqual(toAnnouncement(card), [errors.invalid_request, codeAgain]);
  });
});

const aField = { field: 'name', required: true, value: '', fault: null } as const;
