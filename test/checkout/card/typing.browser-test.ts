/**
 * Typing a card: groups that help and a caret that stays, however a text gets into a field; undo and redo, with real
 * keys where the engine's driver has them: no digit is lost or made up.
 */

import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { cardFields } from '../../../src/domain/card/card-fields.js';
import type { CardField } from '../../../src/domain/card/card-fields.js';
import { goodCard, openCard } from './views/open-card.js';

// Firefox 101 and Safari 16.4, our floor, know no import of JSON.
const vectors = await fetch(new URL('../../support/vectors/cards.json', import.meta.url));
const cards = (await vectors.json()) as { numbers: Record<string, { shown: string }[]> };

/** WebKit's driver cannot hold a key down. */
const isWebKit = !/chrome|firefox/i.test(navigator.userAgent);

async function history(step: 'undo' | 'redo'): Promise<void> {
  if (isWebKit) {
    document.execCommand(step);
    return;
  }
  await sendKeys({ down: 'Control' });
  await sendKeys({ press: step === 'undo' ? 'z' : 'y' });
  await sendKeys({ up: 'Control' });
}

/** A form in whose number field a text has been typed with keys. */
async function openTyped(text: string) {
  const opened = await openCard();
  opened.field('card_number').focus();
  await typeWithKeys(text);
  const value = () => opened.field('card_number').value;
  return { ...opened, value, digits: () => value().replaceAll(' ', '') };
}

async function typeWithKeys(text: string): Promise<void> {
  for (const key of text) await sendKeys({ press: key });
}

describe('card form: typing', () => {
  const typed: readonly [field: CardField, keys: string, shown: string][] = [
    ['card_number', '41111', '4111 1'],
    ['card_number', '4111 1111-1111.1111', '4111 1111 1111 1111'],
    ['card_number', '378282246310005', '3782 822463 10005'],
    ['card_expiry', '0530', '05/30'],
    ['card_code', '123', '123'],
  ];
  const pasted: typeof typed = [
    ['card_number', ' 4111-1111-1111-1111\n', '4111 1111 1111 1111'],
    ['card_number', '４１１１１１１１１１１１１１１１', '4111 1111 1111 1111'],
    ['card_expiry', '2030-05', '05/30'],
    ['card_code', '123', '123'],
  ];
  for (const [way, cases, hasFocus] of [
    ['type', typed, true],
    ['type', typed, false],
    ['paste', pasted, true],
  ] as const) {
    for (const [name, keys, expected] of cases) {
      const how = hasFocus ? '' : ', without the focus';
      it(`${name}: ${way} ${JSON.stringify(keys)} shows ${expected}${how}`, async () => {
        const { field, shown, ...verbs } = await openCard();
        if (hasFocus) field(name).focus();
        await verbs[way](name, keys);
        expect(shown(name)).to.equal(`${expected}|`);
      });
    }
  }

  for (const [brand, numbers] of Object.entries(cards.numbers)) {
    it(`takes the test cards of ${brand} by key, paste and autofill alike`, async () => {
      const { type, paste, autofill, field, leave, faultOf } = await openCard();
      for (const { shown } of numbers) {
        const bare = shown.replaceAll(' ', '');
        const texts: string[] = [];
        for (const enter of [type, paste, autofill]) {
          await autofill('card_number', '');
          await enter('card_number', bare);
          texts.push(field('card_number').value);
        }
        expect(texts, shown).to.deep.equal(Array<string>(3).fill(texts[0]!));
        expect(texts[0]!.replaceAll(' ', '')).to.equal(bare);
        await leave('card_number');
        expect(faultOf('card_number'), shown).to.equal('');
      }
    });
  }

  const edits: readonly [from: string, edit: string, to: string][] = [
    ['4111 1|111', 'backspace', '4111 |111'],
    ['4111| 2222', 'deleteForward', '4111 |2222'],
    ['4111| 1111', '9', '4111 9|111 1'],
    ['4111| 4444', '2222 3333', '4111 2222 3333| 4444'],
  ];
  for (const [from, edit, to] of edits) {
    it(`in the middle: ${from} and ${edit} is ${to}`, async () => {
      const { caret, paste, type, autofill, shown, ...verbs } = await openCard();
      await autofill('card_number', from.replace('|', ''));
      caret('card_number', from);
      if (edit === 'backspace' || edit === 'deleteForward') await verbs[edit]('card_number');
      else await (edit.length > 1 ? paste : type)('card_number', edit);
      expect(shown('card_number')).to.equal(to);
    });
  }

  for (const [name, keys, steps] of [
    ['card_number', '411112', '4111 1 4111 411 41 4 '],
    ['card_expiry', '0530', '05/3 05/ 05 0 '],
    // A slash that was typed.
    ['card_expiry', '05/', '05 0 '],
  ] as const) {
    it(`${name}: deleting ${keys} at the end never sticks`, async () => {
      const { type, backspace, field, shown } = await openCard();
      field(name).focus();
      await type(name, keys);
      const texts: string[] = [];
      while (field(name).value !== '' && texts.length < 9) {
        await backspace(name);
        texts.push(field(name).value);
        expect(shown(name)).to.equal(`${field(name).value}|`);
      }
      expect(texts.join(' ')).to.equal(steps);
    });
  }

  it('pasting over what is selected replaces it', async () => {
    const { autofill, paste, field, shown } = await openCard();
    await autofill('card_number', '4111111111111111');
    field('card_number').select();
    await paste('card_number', '5555555555554444');
    expect(shown('card_number')).to.equal('5555 5555 5555 4444|');
  });

  it('autofill without keys is taken over, grouped and read, and moves no focus', async () => {
    const { autofill, field, submit, element } = await openCard();
    const outside = document.body.appendChild(document.createElement('input'));
    outside.focus();
    const filled = { ...goodCard, card_name: 'MARIA DA SILVA', card_expiry: '2030-05' };
    for (const name of cardFields) await autofill(name, filled[name]);
    const { activeElement } = document;
    outside.remove();
    expect(activeElement).to.equal(outside);
    expect(field('card_number').value).to.equal('4111 1111 1111 1111');
    expect(field('card_expiry').value).to.equal('05/30');
    await submit();
    const names = { first_name: 'MARIA', last_name: 'DA SILVA' };
    const rest = { month: '05', year: '2030', security_code: '123' };
    expect(element.read).to.deep.equal([{ number: '4111111111111111', ...names, ...rest }]);
  });

  it('autofill that fires change alone is taken over, too', async () => {
    const { field, element } = await openCard();
    const input = field('card_number');
    input.value = '4111111111111111';
    input.dispatchEvent(new Event('change', { bubbles: true }));
    await element.updateComplete;
    expect(input.value).to.equal('4111 1111 1111 1111');
    expect(element.form.read()?.number).to.equal('4111111111111111');
  });

  it('leaves a text alone while an input method composes it, and groups it when it is done', async () => {
    const { field, element, shown } = await openCard();
    const input = field('card_number');
    input.focus();
    input.dispatchEvent(new CompositionEvent('compositionstart', { bubbles: true }));
    for (const data of ['４', '４１', '４１１', '４１１１', '４１１１２']) {
      input.value = data;
      const init = { data, isComposing: true, inputType: 'insertCompositionText', bubbles: true };
      input.dispatchEvent(new InputEvent('input', init));
      await element.updateComplete;
      expect(input.value).to.equal(data);
    }
    input.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    await element.updateComplete;
    expect(shown('card_number')).to.equal('4111 2|');
  });

  it('with real keys: digits, arrows, Backspace in the middle, and on', async () => {
    const { shown } = await openTyped('411122223');
    for (const [keys, text] of [
      ['', '4111 2222 3|'],
      ['ArrowLeft ArrowLeft ArrowLeft ArrowLeft', '4111 22|22 3'],
      ['Backspace', '4111 2|223'],
      ['8 9', '4111 289|2 23'],
      ['Home Delete', '|1112 8922 3'],
    ] as const) {
      for (const press of keys.split(' ').filter(Boolean)) await sendKeys({ press });
      expect(shown('card_number')).to.equal(text);
    }
  });
});

describe('card form: undo', () => {
  it('goes back to nothing, through texts that were there, with the caret at the end', async () => {
    const { value, digits, shown } = await openTyped('41111112');
    expect(shown('card_number')).to.equal('4111 1112|');
    for (let step = 0; step < 12 && value() !== ''; step++) {
      await history('undo');
      expect('41111112'.startsWith(digits()), value()).to.equal(true);
      expect(shown('card_number')).to.equal(`${value()}|`);
    }
    expect(value()).to.equal('');
  });

  // Redo by script repeats in WebKit what was replaced, and real keys are not to be had there.
  if (!isWebKit)
    it('redo brings back digits in their order and no others', async () => {
      const { value, digits } = await openTyped('41112345');
      for (let step = 0; step < 12; step++) await history('undo');
      for (let step = 0; step < 12; step++) {
        await history('redo');
        expect('41112345'.startsWith(digits()), value()).to.equal(true);
      }
      expect(value()).to.match(/^4111 2/);
    });

  it('what was undone goes on as it was typed, in groups', async () => {
    const { digits, field, shown, root } = await openTyped('41112');
    await history('undo');
    await typeWithKeys('3');
    expect(digits()).to.match(/3$/);
    expect('411123'.startsWith(digits().slice(0, -1)), digits()).to.equal(true);
    expect(shown('card_number').endsWith('3|')).to.equal(true);
    expect(root.activeElement).to.equal(field('card_number'));
  });
});
