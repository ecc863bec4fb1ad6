/** The address: CEP, the page's `lookUpAddress`, and the state. */

import { expect } from '@open-wc/testing';
import { deferred } from '../../support/checkout/pix-checkout-harness.js';
import type { Payer } from '../../../src/contract/types.js';
import type { PayerField } from '../../../src/domain/payer.js';
import { form, tell, type } from '../../support/checkout/stories.js';
import type { Sight, Step } from '../../support/checkout/stories.js';

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
  tell`
    is asked once the CEP is whole, with its digits, and fills street, city and state
      ${asking} > ${type('address_zip', '0131010')} > ${isAsked()} > ${type('address_zip', '0')} = ${shows(paulista)}
      > ${isAsked('01310100')}
    fills only what the payer left empty
      ${finds(paulista)} > ${type('address_line', 'Alameda Santos')} > ${zip}
      = ${shows({ ...paulista, address_line: 'Alameda Santos' })}
    an older, slower answer does not overwrite a newer one
      ${slowly} > ${zip} > ${otherZip} > ${() => first.resolve(paulista)} = ${nothing}
      > ${() => second.resolve(andradas)} = ${shows(andradas)}
    a corrected CEP corrects what was filled in, and not what the payer typed
      ${corrected} > ${zip} > ${typeOver('address_city', 'Osasco')} > ${otherZip}
      = ${shows({ ...andradas, address_city: 'Osasco' })}
    takes nothing that the form would not
      ${finds(unusable)} > ${zip} = ${nothing}
    mends the fault of a field that it fills
      ${finds(paulista)} > submit > ${isFaulty} > ${zip} = ${{ faults: { address_city: '' } }}
    sends the whole address
      ${finds({})} > ${typed} > submit = ${{ sent: { payer: sent } }}
  `;

  for (const [name, state] of [
    ['São Paulo', 'SP'],
    ['mato grosso do sul', 'MS'],
    ['Para\u0301', 'PA'],
  ] as const) {
    tell`
      knows a state by its name, too: ${name}
        ${finds({ address_state: name })} > ${zip} = ${shows({ address_state: state })}
    `;
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
    tell`
      that ${way} leaves the payer to type, and warns without the CEP
        ${open(lookUp)} > ${zip} = ${nothing} > ${type('address_line', 'Rua')} = ${shows({ address_line: 'Rua' })},
        ${{ warnings: [warning] }}
    `;
  }
});
