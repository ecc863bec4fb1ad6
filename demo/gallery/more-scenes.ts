/** Screens that no scenario ends in, so that the gallery shows each text: errors, faults of every field, moments that pass. */

import { emptyForm } from '../../src/checkout/machine/state.js';
import type { ShownErrorCode } from '../../src/checkout/machine/state.js';
import type { FieldModel } from '../../src/checkout/page/payer-draft.js';
import type { PayerField } from '../../src/domain/payer.js';
import { asked } from './models.js';
import { scenarios } from '../qa/scenarios.js';
import type { Shown } from './frames.js';
import { cardForm, error, goods, like, offers, refused, sceneOf } from './scenes.js';
import type { CardScene, Scene } from './scenes.js';

type Faults = readonly (readonly [PayerField, FieldModel['fault'], value: string])[];

const faults: Faults = [
  ['name', 'invalid', 'R2-D2'],
  ['cpf_cnpj', 'invalid', '280.012.389-30'],
  ['email', 'invalid', 'maria@'],
  ['phone', 'invalid', '98765-4321'],
  ['address_zip', 'invalid', '0131'],
  ['address_line', 'missing', ''],
  ['address_number', 'too_long', '1000, fundos, ao lado da padaria'],
  ['address_complement', null, ''],
  ['address_city', 'invalid', '???'],
];
const faultyFields = faults.map(([field, fault, value]) =>
  asked(field, { fault, value, required: field !== 'address_complement' }),
);

/** A card form with mistakes in it, after the button was pressed. */
const mistaken = (typed: CardScene['typed'] & object) => cardForm({ typed, checked: true });

/** Both the payer and the card are asked for. */
const payerAndCard: Scene = {
  ...cardForm(),
  model: (locale) => ({
    ...cardForm().model(locale),
    fields: [
      asked('name', { value: 'Maria da Silva' }),
      asked('cpf_cnpj', { value: '529.982.247-25' }),
      asked('email', { value: 'maria@example.com' }),
    ],
  }),
};

/** A form after an attempt that may be made again, at a time that the proxy has named. */
const again = (code: ShownErrorCode, retryAtMs: number) => ({
  state: { ...emptyForm, error: { code, retryable: true, retryAtMs } },
  epochMs: new Date(2026, 10, 21, 14, 30).getTime(),
});

/** What the payer reads, and may mend. */
const form: Readonly<Record<string, Scene>> = {
  'form-mistakes': like('form', { fields: faultyFields }),
  'form-without-cpf': like('form', {
    fields: [
      asked('name', { fault: 'doubtful', value: 'Loja 21' }),
      asked('cpf_cnpj', { required: false, waived: true }),
      asked('email'),
    ],
  }),
  'form-short-cpf': like('form', {
    fields: [asked('cpf_cnpj', { fault: 'invalid', value: '280.012.38', waived: false })],
  }),
  'form-offline': like('form', { offline: true }),
  'form-not-accepted': like('form', {
    ...error('invalid_request', true),
    fields: [
      asked('name', { value: 'Maria da Silva' }),
      asked('cpf_cnpj', { value: '529.982.247-25' }),
      asked('email', { value: 'maria@example.com' }),
    ],
  }),
  ...byCode('form', ['in_progress', 'key_reused', 'invalid_code', 'code_amount_differs'], refused),
  'card-loading': cardForm({ file: 'loading' }),
  'card-mistakes': mistaken({
    card_number: '4111111111111112',
    card_name: '12 39',
    card_expiry: '13/30',
    card_code: '12',
  }),
  'card-short': mistaken({ card_number: '411111', card_name: 'MARIA', card_expiry: '01/20' }),
  'card-long': mistaken({ card_name: `MARIA ${'SILVA '.repeat(30)}` }),
  'card-payer': payerAndCard,
  'card-amex': cardForm({ typed: { card_number: '378282246310005' } }),
  'card-interest': {
    ...cardForm({ typed: { card_installments: '12x' }, acceptedBrands: 'visa mastercard elo' }),
    model: (locale) => ({ ...cardForm().model(locale), totalCents: 16_788 }),
  },
  'card-retry-at': {
    ...cardForm({ typed: { card_number: '4111111111111111' } }),
    model: (locale) => ({
      ...cardForm().model(locale),
      ...again('too_many_requests', 120_000),
    }),
  },
  'card-payer-refused': {
    ...payerAndCard,
    card: { typed: { card_number: '4000000000000002', card_code: '' } },
    model: (locale) => ({
      ...payerAndCard.model(locale),
      state: cardForm({}, 'payment_refused').model(locale).state,
    }),
  },
  'card-code-again': cardForm(
    { typed: { card_number: '4111111111111111', card_code: '' } },
    'service_unavailable',
  ),
};

const creating: Readonly<Record<string, Scene>> = {
  finding: like('creating', { state: { task: 'recovering' } }),
  'creating-offline': like('creating', { offline: true }),
};

const awaiting: Readonly<Record<string, Scene>> = {
  'awaiting-methods': like('awaiting', {
    offers,
    items: goods,
    lines: [{ label: 'Frete', cents: 1_000 }],
    totalCents: 12_990,
    fullPriceCents: null,
  }),
  'awaiting-copied': like('awaiting-copied'),
  'awaiting-offline': like('awaiting-offline'),
  'awaiting-keys': like('awaiting-copy-failed', { copyKeys: 'Ctrl+C' }),
  'awaiting-last-minute': like('awaiting', {
    secondsLeft: 42,
    shareLeft: 0.05,
    deadlineAt: new Date(2026, 10, 21, 14, 32),
  }),
  'awaiting-trouble': like('awaiting-trouble'),
};

const expired: Readonly<Record<string, Scene>> = {
  'expired-methods': like('expired', { offers }),
};

const paid: Readonly<Record<string, Scene>> = {
  'paid-returned': like('paid', { state: { returned: true } }),
};

const failed: Readonly<Record<string, Scene>> = {
  'new-total': like('failed', {
    state: { ...error('amount_mismatch').state, totalCents: 20_990 },
  }),
  ...byCode('failed', ['unknown_order', 'order_failed', 'unauthorized', 'not_found'], (code) =>
    like('failed', error(code)),
  ),
};

const byPhase = { form, creating, awaiting, paid, expired, failed };

const more: readonly (Shown & { readonly scene: Scene })[] = Object.entries(byPhase).flatMap(
  ([phase, scenes]) =>
    Object.entries(scenes).map(([id, scene]) => ({
      id,
      label: id.replaceAll('-', ' '),
      phase: phase as keyof typeof byPhase,
      scene,
    })),
);

/** Everything that hangs in the gallery: the scenarios, which can be played, and then the rest. */
export const shown: readonly Shown[] = [...scenarios, ...more];

/** @throws TypeError if nothing of this name hangs there */
export function sceneFor(id: string): Scene {
  return sceneOf[id] ?? more.find((one) => one.id === id)!.scene;
}

function byCode(
  phase: string,
  codes: readonly ShownErrorCode[],
  toScene: (code: ShownErrorCode) => Scene,
): Readonly<Record<string, Scene>> {
  return Object.fromEntries(
    codes.map((code) => [`${phase}-${code.replaceAll('_', '-')}`, toScene(code)]),
  );
}
