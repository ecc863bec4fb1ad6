/** The code on the screen: what is refused, what is marked, and what QR and text hold. */

import { expect } from '@open-wc/testing';
import { dynamicCode, staticCode } from '../../../world/pix-code.js';
import { openCheckout, plain } from '../../../support/checkout/pix-checkout-harness.js';

const damaged = (cents: number, id: string) =>
  dynamicCode(cents, id).replace(/....$/, (crc) => (crc === '0000' ? '0001' : '0000'));

describe('<pix-checkout>: code', () => {
  const refused: readonly [
    name: string,
    codeOf: (cents: number, id: string) => string,
    code: string,
  ][] = [
    ['with a wrong check sum', damaged, 'invalid_code'],
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
