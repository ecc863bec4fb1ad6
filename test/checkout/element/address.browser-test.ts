/** The address: CEP, the page's `lookUpAddress`, and the state. */

import { expect } from '@open-wc/testing';
import { deferred, openCheckout, settle } from '../../support/checkout/pix-checkout-harness.js';
import type { Payer } from '../../../src/contract/types.js';

const paulista = {
  address_line: 'Avenida Paulista',
  address_city: 'São Paulo',
  address_state: 'SP',
};
const andradas = {
  address_line: 'Rua dos Andradas',
  address_city: 'Porto Alegre',
  address_state: 'RS',
};

describe('<pix-checkout>: lookUpAddress', () => {
  it('is asked once the CEP is whole, with its digits, and fills street, city and state', async () => {
    const asked: string[] = [];
    const { type, address } = await open(async (cep) => {
      asked.push(cep);
      return { ...paulista, name: 'Not asked for', address_number: '1' };
    });
    await type('address_zip', '0131010');
    expect(asked).to.deep.equal([]);
    await type('address_zip', '0');
    expect(asked).to.deep.equal(['01310100']);
    expect(address()).to.deep.equal(['Avenida Paulista', '', 'São Paulo', 'SP']);
  });

  it('fills only what the payer left empty', async () => {
    const { type, address } = await open(async () => paulista);
    await type('address_line', 'Alameda Santos');
    await type('address_zip', '01310100');
    expect(address()).to.deep.equal(['Alameda Santos', '', 'São Paulo', 'SP']);
  });

  it('an older, slower answer does not overwrite a newer one', async () => {
    const answers = new Map([
      ['01310100', deferred()],
      ['90020005', deferred()],
    ]);
    const { type, address, field } = await open(
      (cep) => answers.get(cep)?.promise as Promise<Partial<Payer>>,
    );
    await type('address_zip', '01310100');
    field('address_zip').select();
    await type('address_zip', '90020005');
    answers.get('01310100')?.resolve(paulista);
    await settle();
    expect(address(), 'the older one first').to.deep.equal(['', '', '', '']);
    answers.get('90020005')?.resolve(andradas);
    await settle();
    expect(address()).to.deep.equal(['Rua dos Andradas', '', 'Porto Alegre', 'RS']);
  });

  it('a corrected CEP corrects what was filled in, and not what the payer typed', async () => {
    const { type, address, field } = await open(async (cep) =>
      cep === '01310100' ? paulista : andradas,
    );
    await type('address_zip', '01310100');
    field('address_city').select();
    await type('address_city', 'Osasco');
    field('address_zip').select();
    await type('address_zip', '90020005');
    expect(address()).to.deep.equal(['Rua dos Andradas', '', 'Osasco', 'RS']);
  });

  it('takes nothing that the form would not', async () => {
    const found = { address_line: 5, address_city: '', address_state: 'Lisboa' };
    const { type, address } = await open(async () => found as unknown as Partial<Payer>);
    await type('address_zip', '01310100');
    expect(address()).to.deep.equal(['', '', '', '']);
  });

  it('knows a state by its name, too', async () => {
    for (const [name, state] of [
      ['São Paulo', 'SP'],
      ['mato grosso do sul', 'MS'],
      ['Para\u0301', 'PA'],
    ]) {
      const { type, address } = await open(async () => ({ address_state: name! }));
      await type('address_zip', '01310100');
      expect(address()[3]).to.equal(state);
    }
  });

  const foreign = {
    'a service’s own words': { logradouro: 'Avenida Paulista', localidade: 'São Paulo', uf: 'SP' },
    'a service’s word for nothing': { erro: true },
  };
  for (const [name, found] of Object.entries(foreign)) {
    it(`that answers with ${name} fills nothing, and the console says what is asked for`, async () => {
      const { type, address, warnings } = await open(async () => found as Partial<Payer>);
      await type('address_zip', '01310100');
      expect(address()).to.deep.equal(['', '', '', '']);
      expect(warnings).to.deep.equal([
        'lookUpAddress has to give {address_line, address_city, address_state}; {} where nothing is known',
      ]);
    });
  }

  it('mends the fault of a field that it fills', async () => {
    const { type, submit, faultOf } = await open(async () => paulista);
    await submit();
    expect(faultOf('address_city')).not.to.equal('');
    await type('address_zip', '01310100');
    expect(faultOf('address_city')).to.equal('');
  });

  const failures: readonly [way: string, lookUp: (cep: string) => Promise<Partial<Payer>>][] = [
    ['refuses', () => Promise.reject(new Error('01310100'))],
    [
      'throws',
      () => {
        throw new Error('01310100');
      },
    ],
    ['answers with nothing', async () => null as unknown as Partial<Payer>],
  ];
  for (const [way, lookUp] of failures) {
    it(`that ${way} leaves the payer to type, and warns without the CEP`, async () => {
      const { type, address, warnings } = await open(lookUp);
      await type('address_zip', '01310100');
      await type('address_line', 'Rua');
      expect(address()).to.deep.equal(['Rua', '', '', '']);
      expect(warnings).to.deep.equal(['lookUpAddress failed']);
    });
  }

  it('sends the whole address', async () => {
    const { type, choose, submit, proxy } = await open(async () => ({}));
    await type('address_zip', '01310100');
    await type('address_line', 'Avenida Paulista');
    await type('address_number', 'S/N');
    await type('address_city', 'São Paulo');
    await choose('address_state', 'SP');
    await submit();
    expect(proxy.of('create')[0]?.body?.payer).to.deep.equal({
      address_zip: '01310100',
      address_line: 'Avenida Paulista',
      address_number: 'S/N',
      address_city: 'São Paulo',
      address_state: 'SP',
    });
  });
});

async function open(lookUpAddress: (cep: string) => Promise<Partial<Payer>>) {
  const checkout = await openCheckout({
    attributes: { 'payer-fields': 'address' },
    properties: { lookUpAddress },
  });
  const shown = ['address_line', 'address_number', 'address_city', 'address_state'] as const;
  return { ...checkout, address: () => shown.map((field) => checkout.field(field).value) };
}
