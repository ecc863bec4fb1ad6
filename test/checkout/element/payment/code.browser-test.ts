/** The code on the screen: what is refused, what is marked, and what QR and text hold. */

import { expect } from '@open-wc/testing';
import { object, writeBrCode } from '../../../domain/br-code-writer.js';
import { dynamicCode, staticCode } from '../../../support/checkout/fake-proxy.js';
import {
  openAwaiting,
  openCheckout,
  plain,
} from '../../../support/checkout/pix-checkout-harness.js';

const damaged = (cents: number, id: string) =>
  dynamicCode(cents, id).replace(/....$/, (crc) => (crc === '0000' ? '0001' : '0000'));

describe('<pix-checkout>: code', () => {
  const refused: readonly [
    name: string,
    codeOf: (cents: number, id: string) => string,
    code: string,
  ][] = [
    ['with a wrong check sum', damaged, 'invalid_code'],
    ['that is none', () => 'PIX-CODE-HERE', 'invalid_code'],
    ['that is empty', () => '', 'invalid_code'],
    ['that is static, for another amount', () => staticCode(1_000), 'code_amount_differs'],
  ];
  for (const [name, codeOf, code] of refused) {
    it(`one ${name} is never shown: ${code}, and the next attempt asks for another`, async () => {
      const { element, proxy, submit, codeText, has, details, visibleText } =
        await openWith(codeOf);
      await submit();
      expect(element.phase).to.equal('form');
      expect(codeText()).to.equal(null);
      expect(has('[part~="qr"]')).to.equal(false);
      const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
      expect(details('pix-error')).to.deep.equal([{ code, retryable: true, invoiceId }]);
      expect(visibleText())
        .to.include('Não foi possível gerar um código Pix')
        .and.to.include('Nada foi cobrado');
      proxy.codeOf = dynamicCode;
      await submit();
      expect(proxy.of('create')[1]?.body?.replaces).to.equal(invoiceId);
      expect(element.phase).to.equal('awaiting');
    });
  }

  const shown: readonly [name: string, codeOf: (cents: number, id: string) => string][] = [
    ['static for the total', staticCode],
    ['static without an amount', () => writeBrCode({ '54': '' })],
    ['with white space around it', (cents, id) => `\n ${dynamicCode(cents, id)} \n`],
  ];
  for (const [name, codeOf] of shown) {
    it(`one ${name} is shown`, async () => {
      const { element, submit, codeText, proxy, details } = await openWith(codeOf);
      await submit();
      expect(element.phase).to.equal('awaiting');
      expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix.trim());
      expect(details('pix-error')).to.deep.equal([]);
    });
  }

  it('a dynamic one whose field 54 differs warns, and shows the total', async () => {
    const { element, submit, visibleText, details, proxy } = await openWith((_, id) =>
      dynamicCode(55_500, id),
    );
    await submit();
    expect(element.phase).to.equal('awaiting');
    expect(visibleText()).to.include('R$ 129,90').and.not.to.include('555');
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    expect(details('pix-error')).to.deep.equal([
      { code: 'code_amount_differs', retryable: false, invoiceId },
    ]);
  });

  it('allow-unverified-code shows what cannot be read, under a visible mark', async () => {
    const { element, submit, codeText, visibleText, part } = await openWith(() => 'PIX-CODE-HERE', {
      'allow-unverified-code': '',
    });
    await submit();
    expect(element.phase).to.equal('awaiting');
    expect(codeText()).to.equal('PIX-CODE-HERE');
    expect(visibleText()).to.include('Ambiente de teste');
    expect(plain(part('qr')?.getAttribute('aria-label'))).to.equal('QR Code Pix de R$ 129,90');
  });

  it('allow-unverified-code shows no empty one', async () => {
    const { element, submit } = await openWith(() => '', { 'allow-unverified-code': '' });
    await submit();
    expect(element.phase).to.equal('form');
  });

  it('one of the stand-in service is marked', async () => {
    const { submit, visibleText } = await openWith(() =>
      writeBrCode({ '54': object('54', '129.90'), '59': object('59', 'TESTE NAO PAGAR') }),
    );
    await submit();
    expect(visibleText()).to.include('Ambiente de teste: não pague');
  });

  it('a real one bears no mark', async () => {
    const { visibleText } = await openAwaiting();
    expect(visibleText()).not.to.include('teste');
  });

  it('the text is in a box that can be selected and not changed', async () => {
    const { part, codeText, proxy } = await openAwaiting();
    const box = part('code') as HTMLTextAreaElement;
    expect(box.readOnly).to.equal(true);
    expect(codeText()).to.equal(proxy.invoices[0]?.qr_code_pix);
    expect(box.getAttribute('translate')).to.equal('no');
    box.select();
    expect(box.selectionEnd - box.selectionStart).to.equal(codeText()?.length);
  });

  it('the QR is there at once, named for screen readers, with four modules of white around', async () => {
    const { part, proxy } = await openAwaiting();
    const qr = part('qr');
    expect(qr?.getAttribute('role')).to.equal('img');
    expect(plain(qr?.getAttribute('aria-label'))).to.equal(
      'QR Code Pix de R$ 129,90 para Loja Exemplo',
    );
    const side = Number(qr?.getAttribute('viewBox')?.split(' ')[2]);
    const dark = qr?.querySelectorAll('path')[1]?.getAttribute('d') ?? '';
    const runs = [...dark.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((run) => run.slice(1).map(Number));
    const columns = runs.flatMap(([x = 0, , length = 0]) => [x, x + length]);
    expect([Math.min(...columns), side - Math.max(...columns)]).to.deep.equal([4, 4]);
    expect(proxy.requests.every(({ url }) => url.startsWith(`${location.origin}/pix/`))).to.equal(
      true,
    );
  });

  it('the receiver is the code’s, carefully worded, or the page’s own word', async () => {
    const { visibleText, set } = await openAwaiting();
    expect(visibleText()).to.include('quem recebe pode aparecer como Loja Exemplo');
    await set({ receiverName: 'Livraria Leitura' });
    expect(visibleText()).to.include('Quem recebe Livraria Leitura');
    expect(visibleText()).not.to.include('Loja Exemplo');
  });

  it('a receiver with markup in its name is text', async () => {
    const { submit, visibleText, has } = await openWith(() =>
      writeBrCode({ '54': object('54', '129.90'), '59': object('59', '<img src=x>') }),
    );
    await submit();
    expect(visibleText()).to.include('<img src=x>');
    expect(has('img')).to.equal(false);
  });
});

async function openWith(
  codeOf: (cents: number, id: string) => string,
  attributes: Record<string, string> = {},
) {
  return openCheckout(({ proxy }) => {
    proxy.codeOf = codeOf;
    return { attributes: { 'payer-fields': '', ...attributes } };
  });
}
