/** The address: CEP, the page's `lookUpAddress`, and the state. */

import { expect } from '@open-wc/testing';
import { deferred, form, pageOf, type } from '../../support/checkout/page.js';
import type { Payer } from '../../../src/contract/types.js';
import type { PayerField } from '../../../src/domain/payer.js';
import type { Sight, Step } from '../../support/checkout/page.js';

type LookUp = (cep: string) => Promise<Partial<Payer>>;

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

const open = (lookUpAddress: LookUp) =>
  form({ attributes: { 'payer-fields': 'address' }, properties: { lookUpAddress } });
const finds = (found: unknown) => open(async () => found as Partial<Payer>);
/** The form shows this, and no number. */
const shows = (found: Partial<Payer>): Sight => ({
  values: { address_line: '', address_number: '', address_city: '', address_state: '', ...found },
});
const nothing = shows({});
const typeOver =
  (name: PayerField, text: string): Step =>
  ({ field, type }) => {
    field(name).select();
    return type(name, text);
  };
const zip = type('address_zip', '01310100');
const otherZip = typeOver('address_zip', '90020005');

describe('<pix-checkout>: lookUpAddress', () => {
  const asked: string[] = [];
  const asking = open(async (cep) => {
    asked.push(cep);
    return { ...paulista, name: 'Not asked for', address_number: '1' };
  });
  const isAsked =
    (...ceps: string[]): Step =>
    () =>
      expect(asked).to.deep.equal(ceps);
  const [first, second] = [deferred(), deferred()];
  const slowly = open((cep) => (cep === '01310100' ? first : second).promise as ReturnType<LookUp>);
  const corrected = open(async (cep) => (cep === '01310100' ? paulista : andradas));
  const unusable = { address_line: 5, address_city: '', address_state: 'Lisboa' };
  const isFaulty: Step = ({ faultOf }) => expect(faultOf('address_city')).not.to.equal('');
  const sent = {
    address_zip: '01310100',
    address_line: 'Avenida Paulista',
    address_number: 'S/N',
    address_city: 'São Paulo',
    address_state: 'SP',
  };
  const typed: Step = async ({ type, choose }) => {
    const { address_state: state, ...texts } = sent;
    for (const [name, text] of Object.entries(texts)) await type(name as PayerField, text);
    await choose('address_state', state);
  };
  it('is asked once the CEP is whole, with its digits, and fills street, city and state', async () => {
    const page = await pageOf(asking);
    await page.does(type('address_zip', '0131010'));
    await page.does(isAsked());
    await page.does(type('address_zip', '0'));
    page.shows({ ...shows(paulista) });
    await page.does(isAsked('01310100'));
  });

  it('fills only what the payer left empty', async () => {
    const page = await pageOf(finds(paulista));
    await page.does(type('address_line', 'Alameda Santos'));
    await page.does(zip);
    page.shows({ ...shows({ ...paulista, address_line: 'Alameda Santos' }) });
  });

  it('an older, slower answer does not overwrite a newer one', async () => {
    const page = await pageOf(slowly);
    await page.does(zip);
    await page.does(otherZip);
    await page.does(() => first.resolve(paulista));
    page.shows({ ...nothing });
    await page.does(() => second.resolve(andradas));
    page.shows({ ...shows(andradas) });
  });

  it('a corrected CEP corrects what was filled in, and not what the payer typed', async () => {
    const page = await pageOf(corrected);
    await page.does(zip);
    await page.does(typeOver('address_city', 'Osasco'));
    await page.does(otherZip);
    page.shows({ ...shows({ ...andradas, address_city: 'Osasco' }) });
  });

  it('takes nothing that the form would not', async () => {
    const page = await pageOf(finds(unusable));
    await page.does(zip);
    page.shows({ ...nothing });
  });

  it('mends the fault of a field that it fills', async () => {
    const page = await pageOf(finds(paulista));
    await page.does('submit');
    await page.does(isFaulty);
    await page.does(zip);
    page.shows({ faults: { address_city: '' } });
  });

  it('sends the whole address', async () => {
    const page = await pageOf(finds({}));
    await page.does(typed);
    await page.does('submit');
    page.shows({ sent: { payer: sent } });
  });

  for (const [name, state] of [
    ['São Paulo', 'SP'],
    ['mato grosso do sul', 'MS'],
    ['Para\u0301', 'PA'],
  ] as const) {
    it(`knows a state by its name, too: ${name}`, async () => {
      const page = await pageOf(finds({ address_state: name }));
      await page.does(zip);
      page.shows({ ...shows({ address_state: state }) });
    });
  }

  const wants =
    'lookUpAddress has to give {address_line, address_city, address_state}; {} where nothing is known';
  const fails = () => {
    throw new Error('01310100');
  };
  const fruitless: readonly [way: string, lookUp: LookUp, warning: string][] = [
    ['answers with a service’s own words', async () => ({ uf: 'SP' }) as object, wants],
    ['answers with a service’s word for nothing', async () => ({ erro: true }) as object, wants],
    ['answers with nothing', async () => null as unknown as object, 'lookUpAddress failed'],
    ['refuses', async () => fails(), 'lookUpAddress failed'],
    ['throws', fails, 'lookUpAddress failed'],
  ];
  for (const [way, lookUp, warning] of fruitless) {
    it(`that ${way} leaves the payer to type, and warns without the CEP`, async () => {
      const page = await pageOf(open(lookUp));
      await page.does(zip);
      page.shows({ ...nothing });
      await page.does(type('address_line', 'Rua'));
      page.shows({ ...shows({ address_line: 'Rua' }), warnings: [warning] });
    });
  }
});
