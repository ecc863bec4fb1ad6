/** The code on the screen: what is refused, what is marked, and what QR and text hold. */

import { expect } from '@open-wc/testing';
import { dynamicCode, staticCode } from '../../../support/pix-code.js';
import type { FakeProxy } from '../../../support/checkout/fake-proxy.js';
import { plain, proxied, submitted, pageOf } from '../../../support/checkout/page.js';
import type { Step } from '../../../support/checkout/page.js';

const damaged = (cents: number, id: string) =>
  dynamicCode(cents, id).replace(/....$/, (crc) => (crc === '0000' ? '0001' : '0000'));

describe('<pix-checkout>: code', () => {
  for (const [name, codeOf, code] of [
    ['with a wrong check sum', damaged, 'invalid_code'],
    ['that is static, for another amount', () => staticCode(1_000), 'code_amount_differs'],
  ] as const) {
    const isTold: Step = ({ proxy, details }) => {
      const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
      expect(details('pix-error')).to.deep.equal([{ code, retryable: true, invoiceId }]);
    };
    const isReplaced: Step = async ({ proxy, submit }) => {
      proxy.codeOf = dynamicCode;
      await submit();
      expect(proxy.of('create')[1]?.body?.replaces).to.equal(proxy.invoices[0]?.invoice_id);
    };
    it(`one ${name} is never shown: ${code}, and the next attempt asks for another`, async () => {
      const page = await pageOf(coded(codeOf));
      page.shows({
        phase: 'form',
        code: null,
        has: { '[part~="qr"]': false },
        shows: ['Nada foi cobrado', 'Não foi possível gerar um código Pix'],
      });
      await page.does(isTold);
      await page.does(isReplaced);
      page.shows({ phase: 'awaiting' });
    });
  }
  const warns: Step = ({ proxy, details }) => {
    const { invoice_id: invoiceId } = proxy.invoices[0] ?? {};
    const error = { code: 'code_amount_differs', retryable: false, invoiceId };
    expect(details('pix-error')).to.deep.equal([error]);
  };
  const anyway = { 'allow-unverified-code': '' };
  const isNamed: Step = ({ codeText, part }) => {
    expect(codeText()).to.equal('PIX-CODE-HERE');
    expect(plain(part('qr')?.getAttribute('aria-label'))).to.equal('QR Code Pix de R$ 129,90');
  };
  it('a dynamic one whose field 54 differs warns, and shows the total', async () => {
    const page = await pageOf(coded((_, id) => dynamicCode(55_500, id)));
    page.shows({ phase: 'awaiting', shows: ['R$ 129,90'], hides: ['555'] });
    await page.does(warns);
  });

  it('allow-unverified-code shows what cannot be read, under a visible mark', async () => {
    const page = await pageOf(coded(() => 'PIX-CODE-HERE', anyway));
    page.shows({ phase: 'awaiting', code: 0, shows: ['Ambiente de teste'] });
    await page.does(isNamed);
  });

  it('allow-unverified-code shows no empty one', async () => {
    const page = await pageOf(coded(() => '', anyway));
    page.shows({ phase: 'form' });
  });
});

/** A code of the proxy's making that was asked for. */
function coded(codeOf: FakeProxy['codeOf'], attributes: Record<string, string> = {}) {
  return submitted(proxied((proxy) => (proxy.codeOf = codeOf), { attributes }));
}
