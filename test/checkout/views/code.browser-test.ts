/**
 * The screen of a Pix code: room, QR, copying, exits, and that nothing jumps when the code arrives. What each screen says, and in
 * which order, is kept in test/gallery/screenshots.
 */

import { expect } from '@open-wc/testing';
import type { CodeScreen } from '../../../src/checkout/views/model.js';
import { codeText, modelOf, scenes } from '../../../demo/gallery/models.js';
import { fold, show } from './show.js';

const awaiting = scenes['awaiting']!();
const state = awaiting.state as CodeScreen;
const [invoice] = state.watch.invoices;

/** The screen of another code, before those that were shown. */
const withCode = (text: string, receiverName: string) => {
  const next = { ...invoice, code: { text, receiverName, test: false } };
  return modelOf({ ...state, watch: { ...state.watch, invoices: [next, invoice] } });
};
const boxOf = (element: Element) => element.getBoundingClientRect();
const middleOf = ({ top, bottom }: DOMRect) => (top + bottom) / 2;

describe('the screen of a code', () => {
  it('has amount, button and status on a screen of 320 by 450', async () => {
    for (const name of ['awaiting', 'awaiting-offline', 'awaiting-copied']) {
      const { element, part } = await show(scenes[name]!());
      const { top } = element.getBoundingClientRect();
      expect(part('status').getBoundingClientRect().bottom - top, name).to.be.at.most(450);
    }
  });

  it('offers to fold the code once it is whole', async () => {
    const { root } = await show(awaiting);
    const shown = () => {
      const labels = root.querySelectorAll<HTMLElement>('[for=whole]');
      const [label, ...more] = [...labels].filter((one) => one.offsetHeight > 0);
      expect(more).to.deep.equal([]);
      return label!;
    };
    for (const words of ['Ver completo', 'Ver menos', 'Ver completo']) {
      expect(shown().innerText).to.equal(words);
      shown().click();
    }
  });

  it('has them there with two methods, a discount, three lines and a deadline, and all of it in a window of 720', async () => {
    const free = { installment: 3, eachCents: 4_890 };
    const full = {
      ...awaiting,
      deadlineAt: new Date(2026, 0, 1, 14, 32),
      secondsLeft: 5_000,
      shareLeft: 0.5,
      offers: [
        { method: 'pix', cents: 18_990, savedCents: 680, free: null },
        { method: 'credit_card', cents: 19_670, savedCents: 0, free },
      ],
      lines: [1, 2, 3].map((cents) => ({ label: `Linha ${cents}`, cents })),
    } as const;
    for (const width of [320, 390]) {
      const { element, part, root } = await show(full, width);
      const { top } = element.getBoundingClientRect();
      expect(boxOf(part('status')).bottom - top, `${width}`).to.be.at.most(450);
      const line = root.querySelector('.line')!;
      expect(fold(line.textContent)).to.equal('Pix economize R$ 6,80Trocar');
      expect(boxOf(line).height, `${width}`).to.be.within(44, 52);
    }
    if (matchMedia('(pointer: coarse)').matches) return;
    const { element } = await show({ ...full, wide: true }, 1280);
    expect(boxOf(element).height).to.be.at.most(720);
  });

  if (matchMedia('(pointer: coarse)').matches) return;

  for (const width of [700, 768, 1100]) {
    it(`makes the QR the action with a mouse, copying a second row, and leaves no third empty, at ${width} px`, async () => {
      const { root, part } = await show({ ...awaiting, wide: true }, width);
      const box = (selector: string) => boxOf(root.querySelector(selector)!);
      const [qr, head, steps] = [box('figure'), box('.head'), box('ol')];
      const [status, code, copy] = [
        boxOf(part('status')),
        box('.code'),
        boxOf(part('copy-button')),
      ];
      expect(boxOf(part('qr')).width).to.be.within(240, 325);
      for (const beside of [head, steps]) expect(beside.left).to.be.greaterThan(qr.right);
      expect(head.top, 'beside the QR').to.be.closeTo(qr.top, 24);
      expect(status.top, 'under both').to.be.at.least(Math.max(qr.bottom, steps.bottom));
      expect([code.right < copy.left, code.bottom]).to.deep.equal([true, copy.bottom]);
      const card = box('section');
      for (const edge of [qr, status, code]) expect(edge.left - card.left).to.be.at.most(60);
      const exits = box('.exits');
      expect(card.right - exits.right).to.be.at.most(60);
      // What to wait for and that it is paid: the row under it.
      expect([exits.left, exits.right]).to.deep.equal([copy.left, copy.right]);
      expect(exits.top).to.be.at.least(copy.bottom);
      expect(middleOf(status)).to.be.closeTo(middleOf(exits), 2);
      if (width > 700) {
        const heights = [copy, exits, box('textarea')].map(({ height }) => height);
        expect(new Set(heights).size, `one row: ${heights.join()}`).to.equal(1);
      }
      // With the page's own head it fits a window of 720 pixels.
      if (width > 700) expect(card.height).to.be.at.most(690);
      const look = getComputedStyle(part('copy-button')).backgroundColor;
      expect(look, 'the QR is the brightest').to.equal('rgba(0, 0, 0, 0)');
      const shown = [...root.querySelectorAll('ol')].filter((one) => boxOf(one).height > 0);
      expect(shown.map((one) => fold(one.textContent))).to.deep.equal([
        'Abra o app do banco no celular.Escolha Pix e depois Ler QR Code.Aponte para o código, confira nome e valor e pague.',
      ]);
    });
  }

  for (const width of [720, 768, 1100]) {
    it(`says where to paste beside the QR once the code is copied, and moves nothing, at ${width} px`, async () => {
      const deadlineAt = new Date(2026, 0, 1, 14, 32);
      const dated = { wide: true, deadlineAt, secondsLeft: 5_000, shareLeft: 0.5 };
      const full = { ...awaiting, ...dated };
      const { root, part, change } = await show(full, width);
      const blocks = ['.head', 'ol', '.receiver', 'figure', '.code', '.primary', '.exits'];
      const places = () => blocks.map((one) => boxOf(root.querySelector(one)!).toJSON());
      const before = places();
      await change({ ...full, state: { ...state, copy: 'copied', justCopied: true } });
      expect(places()).to.deep.equal(before);
      const steps = [...root.querySelectorAll('ol li')].map((one) => fold(one.textContent));
      expect(steps.at(-1)).to.match(/^Escolha Pix Copia e Cola/);
      expect(boxOf(part('status')).bottom).to.be.at.most(
        boxOf(root.querySelector('.exits')!).bottom,
      );
      const bar = boxOf(root.querySelector('.bar')!);
      expect(boxOf(root.querySelector('ol')!).top - bar.bottom, 'air').to.be.at.least(8);
    });
  }

  it('keeps the width of its card from the form to the receipt', async () => {
    const names = ['form', 'creating', 'awaiting-offline', 'confirming', 'expired', 'paid'];
    for (const width of [320, 768, 1100]) {
      const shown = await show(scenes['awaiting-offline']!(), width);
      const widths: number[] = [];
      for (const name of names) {
        await shown.change(scenes[name]!());
        widths.push(boxOf(shown.root.querySelector('section')!).width);
      }
      expect(new Set(widths).size, `${width}: ${widths.join('; ')}`).to.equal(1);
    }
  });

  it('counts seconds only in the last ten minutes, in a timer that is not live', async () => {
    const shown = await show(awaiting);
    const timer = () => shown.root.querySelector('[role=timer]');
    expect(timer(), 'no room for a deadline that is none').to.equal(null);
    const deadlineAt = new Date(2026, 10, 21, 14, 32);
    for (const [secondsLeft, words] of [
      [601, ''],
      [120, ' faltam 2:00'],
      [61, ' faltam 1:01'],
      [60, ' faltam 1:00'],
      [13, ' faltam 13 s'],
      [-3, ' faltam 0 s'],
    ] as const) {
      await shown.change({ ...awaiting, deadlineAt, secondsLeft });
      expect(fold(timer()!.textContent)).to.equal(`Pague até 14:32${words}`);
      const warns =
        getComputedStyle(timer()!).color !== getComputedStyle(timer()!.parentElement!).color;
      expect(warns, words).to.equal(secondsLeft <= 60);
    }
    expect(boxOf(timer()!).bottom).to.equal(boxOf(timer()!.parentElement!).bottom);
    expect(timer()!.closest('[aria-live]')).to.equal(null);
  });

  it('answers as far below the button that asks as below the one that copies', async () => {
    const { root, part } = await show(scenes['awaiting-not-yet']!(), 390);
    const [status, answer] = [...root.querySelectorAll('.status')].map((one) => boxOf(one).top);
    const exit = boxOf(root.querySelector('.exits button')!);
    expect(answer! - exit.bottom).to.equal(status! - boxOf(part('copy-button')).bottom);
  });

  it('comes to copying first by keyboard, wherever that stands', async () => {
    for (const wide of [false, true]) {
      const { root, part } = await show({ ...awaiting, wide }, wide ? 900 : 390);
      const first = root.querySelector('.columns :is(button, input, textarea, summary)');
      expect(first).to.equal(part('copy-button'));
    }
  });

  it('leaves room between the heading, with its focus ring, and the amount', async () => {
    const { root, part } = await show(awaiting);
    const ringPx = 5;
    const below = boxOf(part('amount')).top - boxOf(root.querySelector('h2')!).bottom;
    const { fontSize, lineHeight } = getComputedStyle(part('amount'));
    const leading = (parseFloat(lineHeight) - parseFloat(fontSize)) / 2;
    expect(below + leading).to.be.greaterThan(ringPx);
  });

  it('names no receiver that neither the merchant nor the code names', async () => {
    const shown = await show(withCode(codeText, ''));
    expect(shown.text()).to.not.include('recebe');
    const name = fold(shown.part('qr').getAttribute('aria-label'));
    expect(name).to.equal('QR Code Pix de R$ 189,90');
  });
});

describe('the code as text', () => {
  it('is whole in a read-only box that is named, selectable and not translated', async () => {
    const { part, root } = await show(awaiting);
    const box = part('code') as HTMLTextAreaElement;
    expect([box.value, box.textContent]).to.deep.equal([codeText, codeText]);
    expect([box.readOnly, box.translate]).to.deep.equal([true, false]);
    expect(root.querySelector('label[for=code]')!.textContent).to.equal('Pix Copia e Cola');
    box.setSelectionRange(0, codeText.length);
    expect(box.selectionEnd).to.equal(codeText.length);
  });

  it('follows a new code, and so does the QR', async () => {
    const shown = await show(awaiting);
    const modules = () => shown.root.querySelector('[part=qr] path + path')!.getAttribute('d');
    const before = modules();
    await shown.change(withCode(`${codeText}9`, 'B'));
    expect((shown.part('code') as HTMLTextAreaElement).value).to.equal(`${codeText}9`);
    expect(modules()).to.not.equal(before);
  });

  it('stands on one line, and whole when asked for or to be copied by hand', async () => {
    const shown = await show(awaiting);
    const height = () => boxOf(shown.part('code')).height;
    const toggle = () => shown.root.querySelector<HTMLElement>('label[for=whole]')!.click();
    const line = height();
    expect(line).to.be.lessThan(60);
    toggle();
    expect(height()).to.be.greaterThan(2 * line);
    toggle();
    expect(height()).to.equal(line);
    await shown.change(modelOf({ ...state, copy: 'failed' }));
    expect(height()).to.be.greaterThan(2 * line);
    const under =
      boxOf(shown.root.querySelector('.code')!).top - boxOf(shown.part('status')).bottom;
    expect(under, 'right under the words about it').to.be.within(0, 24);
  });

  it('stays one field when the look-ups go on: what is selected stays selected', async () => {
    const shown = await show(awaiting);
    const box = shown.part('code') as HTMLTextAreaElement;
    box.setSelectionRange(3, 9);
    await shown.change(modelOf({ ...state, check: 'checking' }));
    expect([box.selectionStart, box.selectionEnd, box.isConnected]).to.deep.equal([3, 9, true]);
  });
});

describe('the QR', () => {
  it('is one image with a name, dark on white in any theme, with a margin of four modules', async () => {
    const { part, root } = await show(awaiting);
    const qr = part('qr') as unknown as SVGSVGElement;
    expect(qr.getAttribute('role')).to.equal('img');
    const name = fold(qr.getAttribute('aria-label'));
    expect(name).to.equal('QR Code Pix de R$ 189,90 para CASA DO LIVRO');
    const paths = [...root.querySelectorAll<SVGPathElement>('[part=qr] path')];
    const fills = paths.map((path) => getComputedStyle(path).fill);
    expect(fills).to.deep.equal(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    const { x, y, width, height } = paths[1]!.getBBox();
    const side = qr.viewBox.baseVal.width;
    expect([x, y, width, height]).to.deep.equal([4, 4, side - 8, side - 8]);
  });

  it('is square, 200 to 220 pixels on a phone, for another device, which reads it there', async () => {
    for (const narrow of [320 - 32, 390]) {
      const { part } = await show(awaiting, narrow);
      const { width, height } = boxOf(part('qr'));
      expect(width).to.be.closeTo(height, 0.1).and.within(200, 220);
    }
  });

  it('is in whole pixels a module where there is room', async () => {
    const { part } = await show(awaiting, 900);
    const side = (part('qr') as unknown as SVGSVGElement).viewBox.baseVal.width;
    const isWide = !matchMedia('(pointer: coarse)').matches;
    if (isWide) expect((boxOf(part('qr')).width / side) % 1).to.be.closeTo(0, 0.001);
  });

  it('is not drawn again while nothing of it changes', async () => {
    const shown = await show(awaiting);
    const qr = shown.part('qr');
    await shown.change({ ...awaiting, secondsLeft: 60, deadlineAt: new Date() });
    expect(shown.part('qr')).to.equal(qr);
  });
});

describe('what a payer can do', () => {
  for (const [scene, label, action] of [
    ['awaiting', 'Copiar código Pix', 'copy'],
    ['awaiting-copied', 'Código copiado', 'copy'],
    ['awaiting', 'Já paguei', 'checkNow'],
    ['awaiting-not-yet', 'O código não funcionou?', 'reportTrouble'],
    ['awaiting-trouble', 'Gerar novo código Pix', 'newCode'],
    ['expired', 'Gerar novo código Pix', 'newCode'],
    ['expired', 'Já paguei', 'checkNow'],
  ] as const) {
    it(`${scene}: "${label}" asks for ${action}`, async () => {
      const { element, button } = await show(scenes[scene]!());
      button(label).click();
      expect(element.asked.map(([name]) => name)).to.deep.equal([action]);
    });
  }

  it('keeps the focus on the copy button when its label changes', async () => {
    const { part, change, root } = await show(awaiting);
    const copy = part('copy-button');
    copy.focus();
    await change(scenes['awaiting-copied']!());
    expect(root.activeElement).to.equal(copy);
  });

  it('goes from the question to the offer of a new code under the same button: the focus stays, nothing scrolls', async () => {
    const mayRenew = { mayAskForNewCode: true };
    const { root, button, text, change } = await show(modelOf(state, mayRenew));
    const asked = button('O código não funcionou?');
    asked.focus();
    const scrolled = scrollY;
    const checking = { trouble: 'checking', check: 'checking' } as const;
    await change(modelOf({ ...state, ...checking }, mayRenew));
    expect(fold(asked.textContent)).to.equal('Conferindo…');
    const offered = { trouble: 'offered', check: 'not_yet' } as const;
    const error = { code: 'too_many_requests', retryable: true } as const;
    await change(modelOf({ ...state, ...offered, error }, mayRenew));
    expect(fold(asked.textContent)).to.equal('Gerar novo código Pix');
    expect([root.activeElement, scrollY]).to.deep.equal([asked, scrolled]);
    expect(text()).to.include('gere outro e pague só um deles');
    expect(text()).to.not.include('Foram muitas tentativas');
  });

  it('marks a test environment in one line on the narrowest phone', async () => {
    const { root } = await show(scenes['awaiting-offline']!(), 320 - 32);
    const mark = root.querySelector('.test')!;
    expect(boxOf(mark).height, 'two would be 39').to.be.at.most(30);
    const text = document.createRange();
    text.selectNodeContents(mark);
    expect(text.getBoundingClientRect().top - boxOf(mark).top, 'air').to.be.at.least(2);
  });
});

describe('while the code is on its way', () => {
  it('holds the places of what comes', async () => {
    for (const width of [320, 390, 900]) {
      const wide = width > 672;
      const shown = await show({ ...scenes['creating']!(), wide }, width);
      const parts = ['.primary', '.status', 'ol', 'figure', '.plate'];
      const topOf = (one: Element) => boxOf(one).top;
      // Within the element: what is scrolled may change with its height.
      const places = () =>
        parts.map((one) => topOf(shown.root.querySelector(one)!) - topOf(shown.element));
      const before = places();
      await shown.change({ ...modelOf(state), wide });
      const moved = places().map((top, index) => Math.abs(top - before[index]!));
      // The texts that come with the code may break into one line more.
      expect(Math.max(...moved), `${width}: ${moved.join(' ')}`).to.be.at.most(60);
      expect(moved.slice(0, 2), 'the button, the status').to.deep.equal([0, 0]);
    }
  });
});

for (const name of ['failed-order-paid', 'confirming-order-paid']) {
  it(`an order that is paid already is good news: no sign of an error, and nothing to do: ${name}`, async () => {
    const { root, text, change } = await show(scenes[name]!());
    expect(text()).to.include('Este pedido já está pago. Não pague de novo.');
    expect(text()).to.not.include('Estamos confirmando');
    expect(root.querySelectorAll('[part=error], button')).to.have.length(0);
    const color = () => getComputedStyle(root.querySelector('.sign')!).color;
    const told = color();
    await change(scenes['confirming']!());
    expect(told).to.equal(color());
  });
}

it('the receipt names nothing that is not known', async () => {
  const little = { ...invoice, totalCents: 18_990, orderCode: '', externalId: null };
  const model = modelOf({ phase: 'paid', invoice: little, paidAt: '' });
  const { part, change } = await show({ ...model, receiverName: null });
  const terms = () => [...part('receipt').querySelectorAll('dt')].map((one) => one.textContent);
  expect(terms()).to.deep.equal(['Pagamento']);
  await change({ ...model, receiverName: 'Casa do Livro' });
  expect(terms()).to.deep.equal(['Quem recebe', 'Pagamento']);
});

it('the receipt of a payment that went back says so, and asks for nothing', async () => {
  const paidState = {
    phase: 'paid',
    invoice: { ...invoice, totalCents: 18_990 },
    paidAt: '',
  } as const;
  const { root, text, part } = await show(modelOf({ ...paidState, returned: true }));
  expect(fold(part('receipt').querySelector('h2')!.textContent)).to.equal('Pagamento devolvido.');
  expect(text())
    .to.include('Fale com a loja para saber quando e como.')
    .and.to.include('R$ 189,90');
  expect(text()).to.not.include('confirmado').and.to.not.include('comprovante');
  expect(root.querySelectorAll('button')).to.have.length(0);
  expect([...root.querySelectorAll('slot')].map(({ name }) => name)).to.include('support');
});

it('says of a payment that may have been made what is known, what not to do, and since when the page looks', async () => {
  const { root } = await show(scenes['confirming']!());
  expect(root.querySelector('h2')!.textContent).to.equal('Estamos confirmando seu pagamento.');
  const paragraphs = [...root.querySelectorAll('.notice p')];
  expect(paragraphs.map((one) => fold(one.textContent))).to.deep.equal([
    'Não pague de novo.',
    'R$ 189,90',
    'Verificando aqui desde 14:27. Pode fechar a página: continuamos conferindo.',
  ]);
});

it('says what follows in two lines, as before, once the code is copied, which the button says', async () => {
  const { part, change } = await show(awaiting, 390);
  const steps = () => boxOf(part('status').nextElementSibling!).top - boxOf(part('status')).bottom;
  const textHeight = () => {
    const text = document.createRange();
    text.selectNodeContents(part('status'));
    return text.getBoundingClientRect().height;
  };
  const before = [steps(), textHeight()];
  await change(scenes['awaiting-copied']!());
  expect(fold(part('status').textContent)).to.equal(
    'Agora abra o app do seu banco. Esta página se atualiza sozinha.',
  );
  expect([steps(), textHeight()], 'no gap below it').to.deep.equal(before);
});
