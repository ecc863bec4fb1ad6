/** A page that is out of date: the payer begins anew, with a new total that they have seen, or with the page as it is now. */
import { changed, problem } from '../../../support/checkout/fake-proxy.js';
import { proxied, ready, replied, submitted, tell } from '../../../support/checkout/stories.js';

describe('<pix-checkout>: beginning anew', () => {
  const again = 'Recarregar a página';
  const refused = (code: 'amount_mismatch' | 'unauthorized') =>
    submitted(replied('create', problem(code)));
  const promised = ready(() => ({
    attributes: { 'auto-start': '' },
    properties: { invoice: Promise.reject(new Error('no answer')) },
  }));
  const costs = (total_cents: number, properties = {}) =>
    submitted(proxied((proxy) => proxy.reply('create', changed({ total_cents })), { properties }));
  const paid = submitted(replied('create', changed({ total_cents: 15_000, status: 'paid' })));
  tell`
    amount_mismatch offers to load the page again, and forgets the order before
      ${refused('amount_mismatch')} > ${again} = form, 1 reload, 0 records
    unauthorized does, too
      ${refused('unauthorized')} > ${again} = form, 1 reload, 0 records
    nothing is begun by itself while the page goes
      ${promised} = failed > ${again} = 1 reload, 0 requests
    a new total is no discount where a framework says undefined of the total by Pix
      ${costs(9_000, { pixTotalPriceCents: undefined })} > Pagar R$ 90,00
      = ${{ element: { totalPriceCents: 9_000 }, has: { '.discount': false } }}
    a new total is not offered where the answer speaks of a payment
      ${paid} = failed, button ${again}
  `;
  const said = 'O valor do pedido mudou. Agora é R$ 150,00.';
  for (const name of ['totalPriceCents', 'pixTotalPriceCents'] as const) {
    tell`
      a new total is shown, and taken by the payer in place of ${name}
        ${costs(15_000, name === 'totalPriceCents' ? {} : { [name]: 11_990 })} = failed, "${said}", says "${said}"
        > Pagar R$ 150,00 = form, "R$ 150,00", ${{ element: { [name]: 15_000 } }}
        > submit = 2 creations, ${{ sent: { expected_total_cents: 15_000 } }}
    `;
  }
});
