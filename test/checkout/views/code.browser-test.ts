/** The screen of a Pix code: order, names, QR, copying, exits, and that nothing jumps when the code arrives. */

import { expect } from '@open-wc/testing';
import type { CodeScreen } from '../../../src/checkout/views/model.js';
import { codeText, modelOf, scenes } from '../../support/gallery/models.js';
import { fold, show } from './show.js';

const awaiting = scenes['awaiting']!();
const state = awaiting.state as CodeScreen;

describe('the screen of a code', () => {
  it('is in the order of the phone, and so is the keyboard', async () => {
    const { text } = await show({
      ...scenes['awaiting-not-yet']!(),
      deadlineAt: new Date(2026, 0, 1, 14, 32),
      secondsLeft: 5_000,
    });
    const order = [
      'Pague com Pix',
      'R$ 189,90',
      'Pedido 1042',
      'Resumo do pedido',
      'Copiar código Pix',
      'Aguardando seu pagamento.',
      'Pague até 14:32',
      'Copie o código Pix.',
      'Abra o app do seu banco.',
      'No app do banco, escolha Pix Copia e Cola, confira nome e valor e pague. Depois volte aqui.',
      'CASA DO LIVRO',
      'Ver código inteiro',
      'Pagar com outro aparelho',
      'Já paguei',
      'Ainda não recebemos a confirmação.',
      'O código não funcionou?',
    ];
    let from = 0;
    for (const words of order) {
      const at = text().indexOf(words, from);
      expect(at, words).to.be.at.least(from);
      from = at + words.length;
    }
  });

  it('has amount, button and status on a screen of 320 by 450', async () => {
    for (const name of ['awaiting', 'awaiting-offline', 'awaiting-copied']) {
      const { element, part } = await show(scenes[name]!());
      const { top } = element.getBoundingClientRect();
      expect(part('status').getBoundingClientRect().bottom - top, name).to.be.at.most(450);
    }
  });

  it('puts the code first on a narrow element, whatever the pointer', async () => {
    const { part } = await show(awaiting, 390);
    const copy = part('copy-button').getBoundingClientRect();
    expect(part('qr').getBoundingClientRect().top).to.be.greaterThan(copy.bottom);
    expect(copy.width).to.be.greaterThan(390 * 0.75);
  });

  it('puts the QR beside it on a wide one: first for a mouse, second for a finger', async () => {
    const { part } = await show(awaiting, 720);
    const [qr, copy] = [part('qr'), part('copy-button')].map((one) => one.getBoundingClientRect());
    const coarse = matchMedia('(pointer: coarse)').matches;
    expect(qr!.right < copy!.left).to.equal(!coarse);
    expect(qr!.left > copy!.right).to.equal(coarse);
  });

  it('leaves no room for a deadline that is none', async () => {
    const { root } = await show(awaiting);
    expect(root.querySelector('[role=timer]')).to.equal(null);
  });

  it('counts seconds only in the last ten minutes, in a timer that is not live', async () => {
    const deadlineAt = new Date(2026, 10, 21, 14, 32);
    const shown = await show({ ...awaiting, deadlineAt, secondsLeft: 601 });
    const timer = shown.root.querySelector('[role=timer]')!;
    expect(fold(timer.textContent)).to.equal('Pague até 14:32');
    expect(timer.closest('[aria-live]')).to.equal(null);
    await shown.change({ ...awaiting, deadlineAt, secondsLeft: 599 });
    expect(fold(timer.textContent)).to.equal('Pague até 14:32 restam 9:59');
    await shown.change({ ...awaiting, deadlineAt, secondsLeft: -3 });
    expect(fold(timer.textContent)).to.equal('Pague até 14:32 restam 0:00');
  });

  it('names the receiver as the merchant does, else as the code may', async () => {
    const shown = await show(awaiting);
    expect(shown.text()).to.include('quem recebe pode aparecer como CASA DO LIVRO');
    await shown.change({ ...awaiting, receiverName: 'Livraria' });
    expect(shown.text()).to.include('Quem recebe Livraria');
    expect(shown.text()).to.not.include('CASA DO LIVRO');
  });

  it('says nothing of a receiver nobody names', async () => {
    const [invoice] = state.watch.invoices;
    const nameless = { ...invoice, code: { text: codeText, receiverName: '', test: false } };
    const { text, part } = await show(
      modelOf({ ...state, watch: { ...state.watch, invoices: [nameless] } }),
    );
    expect(text()).to.not.include('recebe');
    expect(fold(part('qr').getAttribute('aria-label'))).to.equal('QR Code Pix de R$ 189,90');
  });

  it('strikes the full price through beside what Pix saves', async () => {
    const { root, text } = await show({ ...awaiting, fullPriceCents: 19_990 });
    expect(fold(root.querySelector('s')!.textContent)).to.equal('R$ 199,90');
    expect(text()).to.include('R$ 10,00 de desconto no Pix');
  });

  it('claims no discount where there is none', async () => {
    for (const fullPriceCents of [null, 18_990, 10_000]) {
      const { root } = await show({ ...awaiting, fullPriceCents });
      expect(root.querySelector('s')).to.equal(null);
    }
  });
});

describe('the code as text', () => {
  it('is whole in a read-only box that is named, selectable and not translated', async () => {
    const { part, root } = await show(awaiting);
    const box = part('code') as HTMLTextAreaElement;
    expect(box.value).to.equal(codeText);
    expect(box.textContent).to.equal(codeText);
    expect(box.readOnly).to.equal(true);
    expect(box.translate).to.equal(false);
    expect(root.querySelector('label[for=code]')!.textContent).to.equal('Pix Copia e Cola');
    box.setSelectionRange(0, codeText.length);
    expect(box.selectionEnd).to.equal(codeText.length);
  });

  it('follows a new code', async () => {
    const shown = await show(awaiting);
    const [invoice] = state.watch.invoices;
    const next = { ...invoice, code: { text: `${codeText}9`, receiverName: 'B', test: false } };
    const before = shown.root.querySelector('[part=qr] path + path')!.getAttribute('d');
    await shown.change(modelOf({ ...state, watch: { ...state.watch, invoices: [next, invoice] } }));
    expect((shown.part('code') as HTMLTextAreaElement).value).to.equal(`${codeText}9`);
    expect(shown.root.querySelector('[part=qr] path + path')!.getAttribute('d')).to.not.equal(
      before,
    );
  });

  it('stands on one line, and whole when asked for or to be copied by hand', async () => {
    const shown = await show(awaiting);
    const height = () => shown.part('code').getBoundingClientRect().height;
    const line = height();
    expect(line).to.be.lessThan(60);
    shown.root.querySelector<HTMLElement>('label[for=whole]')!.click();
    expect(height()).to.be.greaterThan(2 * line);
    shown.root.querySelector<HTMLElement>('label[for=whole]')!.click();
    expect(height()).to.equal(line);
    await shown.change(modelOf({ ...state, copy: 'failed' }));
    expect(height()).to.be.greaterThan(2 * line);
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
  it('is one image with a name, dark on white in any theme', async () => {
    const { part, root } = await show(awaiting);
    const qr = part('qr');
    expect(qr.getAttribute('role')).to.equal('img');
    expect(fold(qr.getAttribute('aria-label'))).to.equal(
      'QR Code Pix de R$ 189,90 para CASA DO LIVRO',
    );
    const fills = [...root.querySelectorAll('[part=qr] path')].map(
      (path) => getComputedStyle(path).fill,
    );
    expect(fills).to.deep.equal(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  });

  it('is square, at least 200 pixels, in whole pixels a module where there is room', async () => {
    const { part } = await show(awaiting, 390);
    const { width, height } = part('qr').getBoundingClientRect();
    const side = (part('qr') as unknown as SVGSVGElement).viewBox.baseVal.width;
    expect(width).to.be.closeTo(height, 0.1);
    expect(width).to.be.at.least(200);
    expect((width / side) % 1).to.be.closeTo(0, 0.001);
  });

  it('keeps 200 pixels on the narrowest phone', async () => {
    const { part } = await show(awaiting, 320 - 32);
    expect(part('qr').getBoundingClientRect().width).to.be.at.least(200);
  });

  it('has a margin of four white modules inside', async () => {
    const { root, part } = await show(awaiting);
    const path = root.querySelector<SVGPathElement>('[part=qr] path + path')!;
    const { x, y, width, height } = path.getBBox();
    const side = (part('qr') as unknown as SVGSVGElement).viewBox.baseVal.width;
    expect([x, y, width, height]).to.deep.equal([4, 4, side - 8, side - 8]);
  });

  it('is not drawn again while nothing of it changes', async () => {
    const shown = await show(awaiting);
    const qr = shown.part('qr');
    await shown.change({ ...awaiting, secondsLeft: 60, deadlineAt: new Date() });
    expect(shown.part('qr')).to.equal(qr);
  });
});

describe('what a payer can do', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['awaiting', 'Copiar código Pix', 'copy'],
    ['awaiting-copied', 'Código copiado', 'copy'],
    ['awaiting', 'Já paguei', 'checkNow'],
    ['awaiting-not-yet', 'O código não funcionou?', 'reportTrouble'],
    ['awaiting-trouble', 'Gerar novo código Pix', 'newCode'],
    ['expired', 'Gerar novo código Pix', 'newCode'],
  ];
  for (const [scene, label, action] of cases) {
    it(`${scene}: "${label}" asks for ${action}`, async () => {
      const { element, button } = await show(scenes[scene]!());
      button(label).click();
      expect(element.asked.map(([name]) => name)).to.deep.equal([action]);
    });
  }

  it('keeps the focus on the copy button when its label changes', async () => {
    const shown = await show(awaiting);
    const copy = shown.part('copy-button');
    copy.focus();
    await shown.change(scenes['awaiting-copied']!());
    expect(shown.root.activeElement).to.equal(copy);
  });

  it('answers "Já paguei" beside that button, and not twice', async () => {
    const { root, part } = await show(scenes['awaiting-not-yet']!());
    const said = [...root.querySelectorAll('p:not([role])')].filter(({ textContent }) =>
      textContent?.includes('Ainda não recebemos a confirmação.'),
    );
    expect(said.map(({ parentElement }) => parentElement?.className)).to.deep.equal(['exits']);
    expect(fold(part('status').textContent)).to.include('Aguardando seu pagamento.');
  });

  it('marks a test environment in one line on the narrowest phone', async () => {
    const { root } = await show(scenes['awaiting-offline']!(), 320 - 32);
    const { height } = root.querySelector('.test')!.getBoundingClientRect();
    expect(height, 'two would be 39').to.be.at.most(30);
  });

  it('asks whether the code works only once it has been there a while', async () => {
    expect((await show(awaiting)).text()).to.not.include('não funcionou');
  });

  it('never offers to pay while a payment is being confirmed, nor once it is paid', async () => {
    for (const name of ['confirming', 'confirming-mismatch', 'paid']) {
      const { root } = await show(scenes[name]!());
      expect(root.querySelectorAll('button, input, textarea, [part=qr]'), name).to.have.length(0);
    }
  });

  it('hides the code whose time is over', async () => {
    const { root } = await show(scenes['expired']!());
    expect(root.innerHTML).to.not.include(codeText);
    expect(root.querySelector('[part=qr], [part=code]')).to.equal(null);
  });
});

describe('while the code is on its way', () => {
  it('holds the places of what comes', async () => {
    for (const width of [320, 390, 900]) {
      const shown = await show(scenes['creating']!(), width);
      const places = () =>
        ['.primary', '.status', 'ol', 'figure', '.plate'].map(
          (one) => shown.root.querySelector(one)!.getBoundingClientRect().top,
        );
      const before = places();
      await shown.change(modelOf(state));
      const moved = places().map((top, index) => Math.abs(top - before[index]!));
      // The texts that come with the code may break into one line more.
      expect(Math.max(...moved), `${width}: ${moved.join(' ')}`).to.be.at.most(60);
      expect(moved[0], 'the button').to.equal(0);
      expect(moved[1], 'the status').to.equal(0);
    }
  });

  it('says what it is doing', async () => {
    const creating = scenes['creating']!();
    const shown = await show(creating);
    expect(fold(shown.part('status').textContent)).to.equal('Gerando seu código Pix…');
    await shown.change({ ...creating, state: { phase: 'creating', task: 'promised', untilMs: 0 } });
    expect(fold(shown.part('status').textContent)).to.equal('Buscando seu pagamento…');
  });
});

describe('an order that is paid already', () => {
  it('is good news: no sign of an error, and nothing to do', async () => {
    for (const name of ['failed-order-paid', 'confirming-order-paid']) {
      const { root, text } = await show(scenes[name]!());
      expect(text(), name).to.include('Este pedido já está pago. Não pague de novo.');
      expect(text(), name).to.not.include('Estamos confirmando');
      expect(root.querySelectorAll('[part=error], button'), name).to.have.length(0);
      const { color } = getComputedStyle(root.querySelector('.sign')!);
      const calm = (await show(scenes['confirming']!())).root.querySelector('.sign')!;
      expect(color, name).to.equal(getComputedStyle(calm).color);
    }
  });
});

describe('the receipt', () => {
  it('names amount, method, order, code and time, and promises nothing', async () => {
    const { part, text } = await show(scenes['paid']!());
    expect(text()).to.include('Pagamento confirmado. Recebemos R$ 189,90.');
    expect([...part('receipt').querySelectorAll('dt')].map((one) => one.textContent)).to.deep.equal(
      ['Valor', 'Forma de pagamento', 'Pedido', 'Código do pagamento', 'Confirmado em'],
    );
    expect(text()).to.include('PIX-84F2-19');
    expect(text()).to.include('O comprovante está no app do seu banco');
  });

  it('leaves out what it does not know', async () => {
    const paid = scenes['paid']!().state;
    if (paid.phase !== 'paid') throw new Error('scene');
    const invoice = { ...paid.invoice, orderCode: '', externalId: null };
    const { part } = await show(modelOf({ ...paid, invoice, paidAt: '' }));
    expect(part('receipt').querySelectorAll('dt')).to.have.length(2);
  });
});
