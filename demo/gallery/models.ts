/** Fixed models of every phase and variation: what the tests of the views render. No machine is run. */

import { chooseMessages, fetchMessages } from '../../src/checkout/locales/choose-messages.js';
import type { Locale } from '../../src/checkout/locales/choose-messages.js';
import { toAttempt, emptyForm } from '../../src/checkout/machine/state.js';
import { startWatch } from '../../src/checkout/machine/tracked-invoice.js';
import type {
  ShownErrorCode,
  ConfirmingState,
  PricedInvoice,
  Watch,
} from '../../src/checkout/machine/state.js';
import type {
  Attention,
  CodeScreen,
  ExpiredScreen,
  Model,
} from '../../src/checkout/views/model.js';
import type { FieldModel } from '../../src/checkout/page/payer-draft.js';
import { payerFields } from '../../src/domain/payer.js';
import type { PayerField } from '../../src/domain/payer.js';

// Every model has its words at once.
await Promise.all([fetchMessages('en'), fetchMessages('es')]);

/** A dynamic code of the length banks make; it pays no one. */
export const codeText =
  '00020101021226850014br.gov.bcb.pix2563pix.example.com/v2/cobv/0c4f1d2b7a6e4f6c9d3b8a1e5f7c2d4052040000530398654061' +
  '89.905802BR5913CASA DO LIVRO6009SAO PAULO62070503***6304B14F';

const invoice: PricedInvoice = {
  invoiceId: '7f9c2b1e-5d4a-4c3b-9e8f-1a2b3c4d5e6f',
  orderCode: 'PIX-84F2-19',
  externalId: '1042',
  method: 'pix',
  totalCents: 18_990,
  code: { text: codeText, receiverName: 'CASA DO LIVRO', test: false },
  lookupToken: null,
  status: 'pending',
  createdAtMs: 0,
  deadlineMs: null,
  verified: true,
};

const watch: Watch = startWatch([invoice], null, 0);

/** The payer has done nothing yet. */
const attention: Attention = {
  copy: 'none',
  justCopied: false,
  presses: 0,
  check: 'none',
  asked: false,
  trouble: 'none',
};

const awaiting: CodeScreen = {
  phase: 'awaiting',
  watch,
  closing: false,
  error: null,
  ...attention,
};
const expired: ExpiredScreen = { phase: 'expired', watch, error: null, ...attention };

/** A field that is asked for. */
export const asked = (field: PayerField, more: Partial<FieldModel> = {}): FieldModel => ({
  field,
  required: true,
  value: '',
  fault: null,
  ...more,
});

/** A model in this state, with an order that has everything, in words of a language. */
export function modelOf(
  state: Model['state'],
  more: Partial<Model> = {},
  locale: Locale = 'pt-BR',
): Model {
  return {
    state,
    texts: chooseMessages(locale),
    locale,
    method: 'pix',
    offers: [],
    externalId: '1042',
    totalCents: 18_990,
    fullPriceCents: null,
    items: [
      { name: 'Dom Casmurro', description: 'Edição de capa dura', quantity: 1, unit_price: 8_990 },
      { name: 'Caderno pautado', quantity: 2, unit_price: 4_500 },
    ],
    lines: [
      { label: 'Frete', cents: 2_000 },
      { label: 'Cupom PRIMAVERA', cents: -1_000 },
    ],
    fields: [],
    card: null,
    letterKeypad: false,
    receiverName: null,
    secondsLeft: null,
    deadlineAt: null,
    shareLeft: null,
    epochMs: new Date(2026, 10, 21, 14, 27).getTime(),
    sinceMs: 0,
    offline: false,
    copyKeys: null,
    busy: false,
    formerError: null,
    wide: false,
    cardUsed: null,
    mayAskForNewCode: false,
    test: false,
    troubledLine: false,
    ...more,
  };
}

const deadline = { secondsLeft: 581, shareLeft: 0.65, deadlineAt: new Date(2026, 10, 21, 14, 32) };
const discounted = {
  fullPriceCents: 19_990,
  lines: [
    { label: 'Frete', cents: 3_000 },
    { label: 'Cupom PRIMAVERA', cents: -1_000 },
  ],
};
const mayRenew = { mayAskForNewCode: true };
const final = (code: ShownErrorCode) => ({ error: { code, retryable: false } });
const again = (code: ShownErrorCode) => ({ error: { code, retryable: true } });
const confirming: ConfirmingState = { phase: 'confirming', watch, attempt: null, error: null };
const failed = { phase: 'failed', invoiceId: null } as const;
const faulty = (field: PayerField) =>
  asked(field, {
    required: field !== 'address_complement',
    fault: field === 'address_complement' ? null : field === 'name' ? 'missing' : 'invalid',
    value: field === 'cpf_cnpj' ? '280.012.389-30' : '',
  });

const screens: Readonly<Record<string, readonly [Model['state'], Partial<Model>?]>> = {
  form: [emptyForm, { fields: [asked('name'), asked('cpf_cnpj'), asked('email')] }],
  'form-faults': [
    { ...emptyForm, ...again('service_unavailable') },
    { fields: payerFields.map(faulty), letterKeypad: true },
  ],
  'form-button': [emptyForm, discounted],
  creating: [
    {
      phase: 'creating',
      task: 'posting',
      attempt: toAttempt('k', null),
      replaces: null,
      watch: null,
      expired: false,
    },
  ],
  awaiting: [awaiting, discounted],
  'awaiting-copied': [
    { ...awaiting, copy: 'copied', justCopied: true },
    { ...deadline, receiverName: 'Casa do Livro Ltda.' },
  ],
  'awaiting-copy-failed': [{ ...awaiting, copy: 'failed' }],
  'awaiting-checking': [{ ...awaiting, check: 'checking', trouble: 'checking' }, mayRenew],
  'awaiting-not-yet': [{ ...awaiting, check: 'not_yet', asked: true }, mayRenew],
  'awaiting-trouble': [
    { ...awaiting, trouble: 'offered', ...again('too_many_requests') },
    mayRenew,
  ],
  'awaiting-offline': [awaiting, { offline: true, test: true, items: [], lines: [] }],
  'awaiting-troubled-line': [awaiting, { troubledLine: true }],
  confirming: [confirming],
  'confirming-mismatch': [{ ...confirming, ...final('amount_mismatch') }],
  'confirming-order-paid': [{ ...confirming, ...final('order_paid') }],
  expired: [expired],
  'expired-not-yet': [{ ...expired, check: 'not_yet', asked: true }],
  paid: [{ phase: 'paid', invoice, paidAt: '2026-11-21T14:27:31.120-03:00' }],
  failed: [{ ...failed, ...final('order_closed') }],
  'failed-order-paid': [{ ...failed, ...final('order_paid') }],
};

/** Every screen by name. A function, so that each rendering gets a model of its own. */
export const scenes = Object.fromEntries(
  Object.entries(screens).map(([name, [state, more]]) => [
    name,
    (locale?: Locale) => modelOf(state, more, locale),
  ]),
);
