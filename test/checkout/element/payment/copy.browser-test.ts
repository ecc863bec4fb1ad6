/** Copying: it says "copied" only if it was, tries the old way inside the shadow root, and says how by hand if all fails. */

import { aTimeout, expect } from '@open-wc/testing';
import {
  selectedText,
  stub,
  stubClipboard,
  stubExecCommand,
} from '../../../support/checkout/browser-stubs.js';
import { awaiting, pageOf } from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

const next = 'Agora abra o app do seu banco.';
/** The button and the first step show the first sentence. */
const copied = `Código copiado. ${next}`;
const byHand = 'Não deu para copiar. Toque e segure o código e escolha Copiar.';
/** A code, before a browser that was made so; it keeps what is copied. */
const open = (prepare: () => unknown) => awaiting(() => void prepare());
/** The texts that the page copied, by whatever way. */
let taken: readonly string[] = [];
const isTaken: Step = ({ codeText }) => expect(taken).to.deep.equal([codeText()]);
const took = (...all: boolean[]): Step => {
  return ({ details }) =>
    expect(details('pix-copy')).to.deep.equal(all.map((copied) => ({ copied })));
};
const offersCopied: Step = ({ buttons }) => expect(buttons()).to.include('Código copiado');
const takes = open(() => (taken = stubClipboard('takes')));
/** A clipboard that does not take it, and the old way, which answers so. */
const oldWay = (conduct: Parameters<typeof stubClipboard>[0], command: () => boolean) =>
  open(() => {
    stubClipboard(conduct);
    taken = stubExecCommand(command);
  });
const never = oldWay('refuses', () => false);
const focuses: Step = ({ part }) => part('copy-button')?.focus();

describe('<pix-checkout>: copy', () => {
  const pressed: Step = ({ part, visibleText, details }) => {
    part('copy-button')?.click();
    expect(visibleText()).not.to.include('copiado');
    expect(details('pix-copy')).to.deep.equal([]);
  };
  const other = open(() => {
    stubClipboard('takes', 'what the page put there');
    taken = stubExecCommand(() => true);
  });
  const isBeside: Step = ({ part }) => {
    const [status, code] = [part('status')!, part('code')!].map((one) =>
      one.getBoundingClientRect(),
    );
    const [under, above] = [code!.top - status!.bottom, status!.top - code!.bottom];
    expect(Math.max(under, above)).to.be.within(0, 100);
    expect([code!.top >= 0, code!.bottom <= innerHeight]).to.deep.equal([true, true]);
  };
  const isWhole: Step = ({ part }) => {
    const box = part('code') as HTMLTextAreaElement;
    expect(box.scrollHeight).to.be.at.most(box.clientHeight + 1);
    expect(box.scrollWidth).to.be.at.most(box.clientWidth + 1);
  };
  const takesNow: Step = () => void stubClipboard('takes');
  it('puts exactly the code on the clipboard, and says so', async () => {
    const page = await pageOf(takes);
    page.shows({ hides: ['copiado'] });
    await page.does('copy');
    page.shows({ shows: ['Código copiado', next], announces: [copied] });
    await page.does(isTaken);
    await page.does(took(true));
    await page.does(offersCopied);
  });

  it('says nothing before the clipboard has it', async () => {
    const page = await pageOf(takes);
    await page.does(pressed);
  });

  it('a clipboard that refuses: the old way, and the focus stays', async () => {
    const page = await pageOf(oldWay('refuses', () => true));
    await page.does(focuses);
    await page.does('copy');
    page.shows({ announces: [copied], focus: 'copy-button' });
    await page.does(isTaken);
    await page.does(took(true));
  });

  it('a clipboard that is missing: the old way, and the focus stays', async () => {
    const page = await pageOf(oldWay('missing', () => true));
    await page.does(focuses);
    await page.does('copy');
    page.shows({ announces: [copied], focus: 'copy-button' });
    await page.does(isTaken);
    await page.does(took(true));
  });

  it('a clipboard that holds something else: not by the old way either, and the payer is told', async () => {
    const page = await pageOf(other);
    await page.does('copy');
    await page.does(isTaken);
    await page.does(took(false));
  });

  it('the code to be copied by hand is in view, whole, beside the words that say so', async () => {
    const page = await pageOf(never);
    await page.does('copy');
    await page.does(isBeside);
    await page.does(isWhole);
  });

  it('may be tried again, and tells the truth of the last try', async () => {
    const page = await pageOf(never);
    await page.does('copy');
    page.shows({ shows: ['Não deu para copiar.'] });
    await page.does(takesNow);
    await page.does('copy');
    page.shows({ announced: copied, hides: ['Não deu'] });
    await page.does(took(false, true));
  });
  for (const name of ['writeText', 'query', 'readText'] as const) {
    it(`${name} that never settles: after one second the other way`, async () => {
      const taken = stubClipboard('takes', name === 'readText' ? 'not read' : null);
      const asked = name === 'query' ? navigator.permissions : navigator.clipboard;
      stub(asked, name, { value: () => new Promise(() => {}) });
      const selections = stubExecCommand(() => true);
      const endSecond = holdSeconds();
      const { copyCode, codeText, details, announcedText } = await awaiting()();
      await copyCode();
      expect(details('pix-copy')).to.deep.equal([]);
      await endSecond();
      expect(name === 'writeText' ? selections : taken).to.deep.equal([codeText()]);
      expect(details('pix-copy')).to.deep.equal([{ copied: true }]);
      expect(announcedText()).to.include(copied);
    });
  }
  const fails = () => {
    throw new Error('not here');
  };
  const isSelected: Step = ({ codeText, buttons }) => {
    expect(selectedText()).to.equal(codeText());
    expect(buttons()).to.include('Copiar código Pix');
  };
  for (const [way, start] of [
    ['answers false', never],
    ['throws', oldWay('refuses', fails)],
  ] as const) {
    it(`an old way that ${way}: the code is selected, and the words say how by hand`, async () => {
      const page = await pageOf(start);
      await page.does(() => stubPointer('coarse'));
      await page.does(focuses);
      await page.does('copy');
      page.shows({ focus: 'code', shows: [byHand], hides: ['copiado'], announces: [byHand] });
      await page.does(isSelected);
      await page.does(took(false));
    });
  }
  for (const [platform, keys] of [
    ['MacIntel', '⌘C'],
    ['Win32', 'Ctrl+C'],
  ] as const) {
    const withMouse: Step = () => {
      stub(navigator, 'platform', { value: platform });
      stubPointer('fine');
    };
    it(`with a mouse the words speak of ${keys}`, async () => {
      const page = await pageOf(never);
      await page.does(withMouse);
      await page.does('copy');
      page.shows({ shows: [`pressione ${keys}.`], hides: ['Toque'] });
    });
  }
  it('is confirmed at each tap, and the button is one again after three seconds', async () => {
    stubClipboard('takes');
    const { copyCode, get, advance, visibleText } = await awaiting()();
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
      expect(visibleText(), 'still says what comes next').to.include(next);
    }
    expect(said[0] !== said[1] && said[1] !== said[2], 'a change is read out').to.equal(true);
  });

  it('the live region is the same one from the start', async () => {
    stubClipboard('takes');
    const { get, copyCode, proxy, pressAlreadyPaid, announcedText } = await awaiting()();
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
