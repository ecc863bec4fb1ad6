/**
 * The screen that each scenario ends in, as a fixed model: no clock, no proxy, no chance. The same words as in the running
 * scenario, which a test compares.
 */

import type { Locale } from '../../src/checkout/locales/choose-messages.js';
import { toAttempt } from '../../src/checkout/machine/state.js';
import type { ShownErrorCode, State } from '../../src/checkout/machine/state.js';
import type { Model } from '../../src/checkout/views/model.js';
import { payerFields } from '../../src/domain/payer.js';
import { asked, modelOf, scenes } from './models.js';

/** A screen; a card's also says what its form is given, and what was done with it. */
export interface Scene {
  readonly model: (locale: Locale) => Model;
  readonly card?: CardScene;
}

export interface CardScene {
  /** A provider's own fields fill the slot. */
  readonly slotted?: boolean;
  readonly acceptedBrands?: string;
  /** What was typed, by the ids of the fields; what is not named is filled with a card that is right. */
  readonly typed?: Readonly<Record<string, string>>;
  /** The button was pressed. */
  readonly checked?: boolean;
  /** The file of the form is on its way, or did not come. */
  readonly file?: 'loading' | 'missing';
}

type Changes = Partial<Omit<Model, 'state'>> & { readonly state?: object };

/** A scene of the views' tests, changed. */
export function like(name: string, changes: Changes = {}): Scene {
  return {
    model: (locale) => {
      const model = scenes[name]!(locale);
      return {
        ...model,
        ...changes,
        state: { ...model.state, ...changes.state } as State as never,
      };
    },
  };
}

export const error = (code: ShownErrorCode, retryable = false) => ({
  state: { error: { code, retryable } },
});
export const refused = (code: ShownErrorCode) => like('form-button', error(code, true));

/** What each method costs, the card as its table of instalments says. */
export const offers: Model['offers'] = [
  {
    method: 'credit_card',
    cents: 13_990,
    savedCents: 0,
    free: { installment: 3, eachCents: 4_663 },
  },
  { method: 'pix', cents: 12_990, savedCents: 1_000, free: null },
];

/** What the full price is made of. */
export const goods: Model['items'] = [
  { name: 'Dom Casmurro', description: 'Edição de capa dura', quantity: 1, unit_price: 8_990 },
  { name: 'Caderno pautado', quantity: 1, unit_price: 4_000 },
];

const byCard: Changes = { method: 'credit_card', offers, fields: [], items: goods };

/** The card form, after an error if there is one. */
export function cardForm(card: CardScene = {}, code?: ShownErrorCode): Scene {
  // What the table of instalments says.
  return { ...like('form', { ...byCard, totalCents: 13_990, ...(code && error(code)) }), card };
}

const charging: Scene = {
  model: (locale) => {
    const attempt = toAttempt('k', null);
    const state = {
      phase: 'creating',
      task: 'sending',
      attempt,
      watch: null,
    } as const;
    const card = { ...(byCard as Partial<Model>), totalCents: 13_990, busy: true };
    return { ...modelOf(state, {}, locale), ...card };
  },
  card: { typed: { card_number: '4111111111111111', card_code: '•••' } },
};

const cardPaid = like('paid', {
  ...byCard,
  ...paidByCard(),
  cardUsed: 'Visa final 1111\n3x de R$\u00a046,63 sem juros',
});
const confirmingCard = (more: object = {}) =>
  like('confirming', {
    ...byCard,
    totalCents: 13_990,
    state: { attempt: toAttempt('k', null), ...more },
  });
const cardConfirming = confirmingCard();
const cardUnknown = confirmingCard(error('outcome_unknown').state);

/** By the id of the scenario. */
export const sceneOf: Readonly<Record<string, Scene>> = {
  form: like('form'),
  'form-address': like('form', {
    fields: payerFields.map((field) => asked(field, { required: field !== 'address_complement' })),
  }),
  'form-faults': like('form', {
    fields: (['name', 'cpf_cnpj', 'email'] as const).map((field) =>
      asked(field, { fault: 'missing' }),
    ),
  }),
  creating: like('creating'),
  awaiting: like('awaiting'),
  'copy-failed': like('awaiting-copy-failed'),
  deadline: like('awaiting', {
    secondsLeft: 95,
    shareLeft: 0.11,
    deadlineAt: new Date(2026, 10, 21, 14, 32),
  }),
  checking: like('awaiting', { state: { check: 'checking', asked: true } }),
  'not-yet': like('awaiting-not-yet', { mayAskForNewCode: false }),
  'old-code': like('awaiting', { mayAskForNewCode: true }),
  'unknown-status': like('awaiting'),
  unverified: like('awaiting', { test: true }),
  'proxy-lost': like('awaiting-troubled-line'),
  expired: like('expired'),
  late: like('paid'),
  paid: like('paid'),
  confirming: like('confirming-mismatch'),
  'amount-mismatch': like('failed', error('amount_mismatch')),
  'order-closed': like('failed', error('order_closed')),
  'invalid-code': like('failed', error('invalid_code')),
  unsupported: like('failed', error('unsupported_method')),
  'proxy-down': refused('network'),
  'answer-lost': refused('network'),
  'service-slow': like('creating'),
  'service-down': refused('service_unavailable'),
  'too-many': refused('too_many_requests'),
  'card-form': cardForm(),
  'card-faults': cardForm({ checked: true }),
  'card-slot': cardForm({ slotted: true }),
  'card-brand': cardForm({
    typed: { card_number: '4111111111111111' },
    acceptedBrands: 'mastercard elo',
    checked: true,
  }),
  'card-file-missing': cardForm({ file: 'missing' }),
  'card-tokenizing': charging,
  'card-token-fails': cardForm(
    { typed: { card_number: '4111111111111111', card_code: '123' } },
    'tokenization_failed',
  ),
  'card-charging': charging,
  'card-approve': cardPaid,
  'card-raw': cardPaid,
  'card-3ds': cardPaid,
  'card-refuse': cardForm(
    { typed: { card_number: '4000000000000002', card_code: '' } },
    'payment_refused',
  ),
  'card-pending': cardConfirming,
  'card-pending-paid': cardPaid,
  'card-pending-refused': cardForm(
    { typed: { card_number: '4000000000000036', card_code: '' } },
    'payment_refused',
  ),
  'card-hang': cardUnknown,
  'card-reset-before': cardUnknown,
  'card-reset-after': cardUnknown,
  'card-merchant': like('failed-order-paid', byCard),
};

function paidByCard(): Changes {
  const { state } = scenes['paid']!();
  return state.phase === 'paid'
    ? {
        state: {
          invoice: {
            ...state.invoice,
            method: 'credit_card',
            orderCode: 'CC-84F2-19',
            totalCents: 13_990,
          },
        },
      }
    : {};
}

/** Breaks every layout that does not expect it. */
const long = 'Panificadora'.repeat(6);

/** The same screen at a shop that has long names and high prices. */
export function withLongContent(model: Model): Model {
  const externalId = `pedido-2026-11-21:${long.toLowerCase()}`.slice(0, 64);
  const { state } = model;
  return {
    ...model,
    state:
      state.phase === 'paid'
        ? { ...state, invoice: { ...state.invoice, externalId, totalCents: 999_999_999 } }
        : state,
    externalId,
    receiverName: `${long} e Confeitaria Irmãos Unidos do Vale do Paraíba Ltda.`,
    items: [
      {
        name: `Kit ${long}`,
        description: 'Com tudo o que a descrição de um produto pode trazer. '.repeat(4).trim(),
        quantity: 1_000,
        unit_price: 999_999,
      },
      ...model.items,
    ],
    lines: [...model.lines, { label: `Frete expresso para ${long}`, cents: 123_456 }],
    totalCents: 999_999_999,
    fullPriceCents: model.fullPriceCents === null ? null : 1_099_999_999,
  };
}
