/** Undo and redo of the browser, with real keys where the engine's driver has them: no digit is lost or made up. */

import { expect } from '@open-wc/testing';
import { sendKeys } from '@web/test-runner-commands';
import { openCard } from './open-card.js';

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
