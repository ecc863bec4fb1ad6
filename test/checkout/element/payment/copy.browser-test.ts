/** Copying: it says "copied" only if it was, tries the old way inside the shadow root, and says how by hand if all fails. */

import { aTimeout, expect } from '@open-wc/testing';
import {
  selectedText,
  stub,
  stubClipboard,
  stubExecCommand,
} from '../../../support/checkout/browser-stubs.js';
import type { ClipboardConduct } from '../../../support/checkout/browser-stubs.js';
import { openAwaiting } from '../../../support/checkout/pix-checkout-harness.js';

const copied = 'Código copiado. Agora abra o app do seu banco.';
const byHand = 'Não deu para copiar. Toque e segure o código e escolha Copiar.';

describe('<pix-checkout>: copy', () => {
  it('puts exactly the code on the clipboard, and says so', async () => {
    const taken = stubClipboard('takes');
    const { copyCode, codeText, visibleText, announcedText, details, buttons } =
      await openAwaiting();
    expect(visibleText()).not.to.include('copiado');
    await copyCode();
    expect(taken).to.deep.equal([codeText()]);
    expect(visibleText()).to.include(copied);
    expect(announcedText()).to.include(copied);
    expect(buttons()).to.include('Código copiado');
    expect(details('pix-copy')).to.deep.equal([{ copied: true }]);
  });

  it('says nothing before the clipboard has it', async () => {
    stubClipboard('takes');
    const { part, visibleText, details } = await openAwaiting();
    part('copy-button')?.click();
    expect(visibleText()).not.to.include('copiado');
    expect(details('pix-copy')).to.deep.equal([]);
  });

  for (const conduct of ['refuses', 'missing'] satisfies ClipboardConduct[]) {
    it(`a clipboard that ${conduct === 'missing' ? 'is missing' : 'refuses'}: the old way, and the focus stays`, async () => {
      stubClipboard(conduct);
      const selections = stubExecCommand(() => true);
      const { copyCode, codeText, part, focused, announcedText, details } = await openAwaiting();
      part('copy-button')?.focus();
      await copyCode();
      expect(selections).to.deep.equal([codeText()]);
      expect(announcedText()).to.include(copied);
      expect(details('pix-copy')).to.deep.equal([{ copied: true }]);
      expect(focused()).to.equal('copy-button');
    });
  }

  for (const name of ['writeText', 'query', 'readText'] as const) {
    it(`${name} that never settles: after one second the other way`, async () => {
      const taken = stubClipboard('takes', name === 'readText' ? 'not read' : null);
      const asked = name === 'query' ? navigator.permissions : navigator.clipboard;
      stub(asked, name, { value: () => new Promise(() => {}) });
      const selections = stubExecCommand(() => true);
      const endSecond = holdSeconds();
      const { copyCode, codeText, details, announcedText } = await openAwaiting();
      await copyCode();
      expect(details('pix-copy')).to.deep.equal([]);
      await endSecond();
      expect(name === 'writeText' ? selections : taken).to.deep.equal([codeText()]);
      expect(details('pix-copy')).to.deep.equal([{ copied: true }]);
      expect(announcedText()).to.include(copied);
    });
  }

  it('a clipboard that holds something else: not by the old way either, and the payer is told', async () => {
    stubClipboard('takes', 'what the page put there');
    const selections = stubExecCommand(() => true);
    const { copyCode, codeText, details } = await openAwaiting();
    await copyCode();
    expect(selections).to.deep.equal([codeText()]);
    expect(details('pix-copy')).to.deep.equal([{ copied: false }]);
  });

  const refusals: readonly [way: string, command: () => boolean][] = [
    ['answers false', () => false],
    [
      'throws',
      () => {
        throw new Error('not here');
      },
    ],
  ];
  for (const [way, command] of refusals) {
    it(`an old way that ${way}: the code is selected, and the words say how by hand`, async () => {
      stubClipboard('refuses');
      stubExecCommand(command);
      stubPointer('coarse');
      const { copyCode, codeText, part, focused, visibleText, announcedText, details, buttons } =
        await openAwaiting();
      part('copy-button')?.focus();
      await copyCode();
      expect(selectedText()).to.equal(codeText());
      expect(focused()).to.equal('code');
      expect(visibleText()).to.include(byHand).and.not.to.include('copiado');
      expect(announcedText()).to.include(byHand);
      expect(buttons()).to.include('Copiar código Pix');
      expect(details('pix-copy')).to.deep.equal([{ copied: false }]);
    });
  }

  for (const [platform, keys] of [
    ['MacIntel', '⌘C'],
    ['Win32', 'Ctrl+C'],
  ] as const) {
    it(`with a mouse the words speak of ${keys}`, async () => {
      stubClipboard('refuses');
      stubExecCommand(() => false);
      stub(navigator, 'platform', { value: platform });
      stubPointer('fine');
      const { copyCode, visibleText } = await openAwaiting();
      await copyCode();
      expect(visibleText()).to.include(`pressione ${keys}.`).and.not.to.include('Toque');
    });
  }

  it('the code to be copied by hand is in view, beside the words that say so', async () => {
    stubClipboard('refuses');
    stubExecCommand(() => false);
    const { copyCode, part } = await openAwaiting();
    await copyCode();
    const [status, code] = [part('status')!, part('code')!].map((one) =>
      one.getBoundingClientRect(),
    );
    const [under, above] = [code!.top - status!.bottom, status!.top - code!.bottom];
    expect(Math.max(under, above)).to.be.within(0, 100);
    expect([code!.top >= 0, code!.bottom <= innerHeight]).to.deep.equal([true, true]);
  });

  it('is confirmed at each tap, and the button is one again after three seconds', async () => {
    stubClipboard('takes');
    const { copyCode, get, advance, visibleText } = await openAwaiting();
    const label = () => get('[part="copy-button"]').innerText.trim();
    const announced = () => get('[role="status"]').textContent;
    const said: (string | null)[] = [];
    for (let tap = 0; tap < 3; tap++) {
      await copyCode();
      said.push(announced());
      expect(label()).to.equal('Código copiado');
      await advance(2_999);
      expect(label()).to.equal('Código copiado');
      await advance(1);
      expect(label()).to.equal('Copiar código Pix');
      expect(visibleText(), 'still says what comes next').to.include(copied);
    }
    expect(said[0] !== said[1] && said[1] !== said[2], 'a change is read out').to.equal(true);
  });

  it('the whole code can be seen where it has to be copied by hand', async () => {
    stubClipboard('refuses');
    stubExecCommand(() => false);
    const { copyCode, part } = await openAwaiting();
    await copyCode();
    const box = part('code') as HTMLTextAreaElement;
    expect(box.scrollHeight).to.be.at.most(box.clientHeight + 1);
    expect(box.scrollWidth).to.be.at.most(box.clientWidth + 1);
  });

  it('may be tried again, and tells the truth of the last try', async () => {
    stubClipboard('refuses');
    stubExecCommand(() => false);
    const { copyCode, announcedText, details } = await openAwaiting();
    await copyCode();
    stubClipboard('takes');
    await copyCode();
    expect(announcedText()).to.include(copied).and.not.to.include(byHand);
    expect(details('pix-copy')).to.deep.equal([{ copied: false }, { copied: true }]);
  });

  it('the live region is the same one from the start', async () => {
    stubClipboard('takes');
    const { get, copyCode, proxy, pressAlreadyPaid, announcedText } = await openAwaiting();
    const region = get('[role="status"]');
    await copyCode();
    proxy.setStatus('paid');
    await pressAlreadyPaid();
    expect(get('[role="status"]') === region).to.equal(true);
    expect(region.getAttribute('aria-live')).to.equal('polite');
    expect(announcedText()).to.equal('Pagamento confirmado. Recebemos R$ 129,90.');
  });
});

/** Timers of one second wait until the test ends that second. */
function holdSeconds(): () => Promise<void> {
  const held: (() => void)[] = [];
  const { setTimeout: real } = window;
  const value = (run: () => void, ms?: number) =>
    ms === 1_000 ? held.push(run) : real.call(window, run, ms);
  stub(window, 'setTimeout', { value });
  return async () => {
    expect(held.length).to.be.greaterThan(0);
    for (const run of held.splice(0)) run();
    await aTimeout(0);
  };
}

function stubPointer(kind: 'coarse' | 'fine'): void {
  const matchMedia = (query: string) => ({ matches: query === `(pointer: ${kind})` });
  stub(window, 'matchMedia', { value: matchMedia });
}
