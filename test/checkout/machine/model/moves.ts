/** Random moves for the machine's model: what the payer, the page, the clock and a proxy of any kind may do. */

import fc from 'fast-check';
import { errorCodes, isErrorCode } from '../../../../src/contract/codes.js';
import type { CreatedInvoice, InvoiceStatus } from '../../../../src/contract/types.js';
import type {
  CheckoutEvent,
  Failure,
  ShownErrorCode,
  Terms,
} from '../../../../src/checkout/machine/state.js';
import { created, failure, key, otherKey, status, terms } from '../samples.js';
import { dynamicCode, staticCode } from '../../../support/pix-code.js';
import { words } from '../../../support/rows.js';

/** Stands for personal data: a proxy that forwards too much sends it, and it must stop at the machine's edge. */
export const canary = 'CANARY-390.533.447-05';

export type Move =
  | { readonly kind: 'event'; readonly event: CheckoutEvent }
  | { readonly kind: 'creation_answered'; readonly answer: CreatedInvoice | Failure }
  | {
      readonly kind: 'look_up_answered';
      /** The answer names the invoice that was asked for, unless it is `foreign`. */
      readonly answer: InvoiceStatus | Failure;
      readonly foreign: boolean;
    }
  /** The payer presses the card form's button; the key is the controller's to choose. */
  | { readonly kind: 'card_submitted' }
  | { readonly kind: 'card_prepared'; readonly ready: boolean }
  /** The element leaves the page and is put back. */
  | { readonly kind: 'moved' }
  /** The page is loaded again, or comes back to the order: what is stored is resumed. */
  | { readonly kind: 'reloaded' }
  /** The page begins with an order, and names an invoice or an attempt. */
  | { readonly kind: 'begun'; readonly event: CheckoutEvent }
  | { readonly kind: 'due' }
  | { readonly kind: 'passed'; readonly ms: number };

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...others));

const ids = fc.constantFrom('invoice-0001', 'invoice-0002', 'invoice-0003');
const keys = fc.constantFrom(key, otherKey);
const absent = {} as const;

/** What both answers share. */
const common = {
  external_id: often<string | null>('order-1042', 'order-1043', null),
  total_cents: often(12_990, 100, Number.MAX_SAFE_INTEGER),
  qr_code_pix: often(
    dynamicCode(),
    dynamicCode(12_990, 'v2/other'),
    dynamicCode(100),
    staticCode(100),
    'not a code',
    '',
  ),
  status: often('pending', 'amount_mismatch', 'paid', 'paid', 'PAID', 'cancelled'),
  order_code: fc.constantFrom('ABC123', ''),
};
const more = fc.tuple(
  often<object>(absent, { expires_in: 0 }, { expires_in: 60 }),
  often<object>(absent, { client: { cpf: canary }, payer: canary, end_to_end_id: canary }),
);

const createdInvoice = fc
  .tuple(fc.record({ invoice_id: ids, ...common }), more)
  .map(([fields, extra]) => ({ ...created(fields), ...extra[0], ...extra[1] }));
const invoiceStatus = fc
  .tuple(fc.record({ invoice_id: ids, is_pix: often(true, false), ...common }), more)
  .map(([fields, extra]) => ({ ...status(fields), ...extra[0], ...extra[1] }));

const codes = [...Object.keys(errorCodes), 'network', 'invalid_answer'] as ShownErrorCode[];
/** Codes that most depends on. */
const telling = [
  'network',
  'outcome_unknown',
  'in_progress',
  'payment_refused',
  'not_found',
  'unauthorized',
] as const;
/** Codes that the client tells from a status alone. */
const guessed: ReadonlySet<string> = new Set(
  words(`
    service_unavailable unauthorized payment_refused not_found too_many_requests
    invalid_request
  `),
);
const anyFailure = fc
  .record({
    code: fc.oneof(fc.constantFrom(...codes), fc.constantFrom(...telling)),
    told: often(true, false),
    retryable: fc.boolean(),
    retryAfterSeconds: fc.constantFrom(null, 1, 120),
    invoice: fc.option(createdInvoice, { nil: null }),
  })
  // What the client tells from a status, or from none, is not the proxy's word.
  .map(({ code, told, ...rest }) =>
    failure(code, { ...rest, told: isErrorCode(code) && (told || !guessed.has(code)) }),
  );

const event: fc.Arbitrary<CheckoutEvent> = fc.oneof(
  fc.record({
    type: fc.constant('submitted' as const),
    method: fc.constant('pix' as const),
    attemptKey: keys,
  }),
  fc.record({
    type: fc.constant('method_chosen' as const),
    method: fc.constantFrom('pix' as const, 'credit_card' as const),
  }),
  fc.record({ type: fc.constant('new_code_asked' as const), attemptKey: keys }),
  fc.constantFrom<CheckoutEvent>(
    { type: 'returned' },
    { type: 'paused' },
    { type: 'check_asked' },
    { type: 'check_asked' },
    { type: 'ticked' },
  ),
);

/** What a page begins with, beside the form. */
const beginning: fc.Arbitrary<CheckoutEvent> = fc.oneof(
  fc.record({
    type: fc.constant('resumed' as const),
    attemptKey: keys,
    method: fc.constant('pix' as const),
    totalCents: fc.constant(12_990),
    invoiceId: fc.constant(null),
    lookupToken: fc.constant(null),
    createdAtMs: fc.constant(null),
  }),
  fc.record({
    type: fc.constant('resumed' as const),
    attemptKey: fc.option(keys, { nil: null }),
    method: fc.constant('pix' as const),
    totalCents: often<number | null>(12_990, null),
    invoiceId: ids,
    lookupToken: fc.constantFrom(null, 'token-0'),
    createdAtMs: fc.constantFrom(null, -100_000, 0),
  }),
  fc.record({ type: fc.constant('given' as const), invoice: createdInvoice }),
  fc.constantFrom<CheckoutEvent>({ type: 'promised' }, { type: 'failed', code: 'configuration' }),
);

const asEvent = (event: CheckoutEvent): Move => ({ kind: 'event', event });
const beginWith = (event: CheckoutEvent): Move => ({ kind: 'begun', event });

/** One move. */
export const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: event.map(asEvent) },
  { weight: 2, arbitrary: beginning.map(beginWith) },
  // The ends of a checkout are rare, or nothing would be followed for long.
  {
    weight: 1,
    arbitrary: fc.constantFrom<Move>(
      { kind: 'event', event: { type: 'reset' } },
      { kind: 'reloaded' },
      { kind: 'moved' },
    ),
  },
  { weight: 4, arbitrary: fc.constant<Move>({ kind: 'card_submitted' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('card_prepared' as const),
      ready: often(true, false),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('creation_answered' as const),
      answer: fc.oneof({ weight: 2, arbitrary: createdInvoice }, anyFailure),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('look_up_answered' as const),
      answer: fc.oneof({ weight: 3, arbitrary: invoiceStatus }, anyFailure),
      foreign: often(false, true),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Move>({ kind: 'due' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('passed' as const),
      ms: fc.constantFrom(1, 1_000, 60_000, 86_400_000),
    }),
  },
);

/** What the page says. */
export const pages: fc.Arbitrary<Terms> = fc.record({
  externalId: often<string | null>('order-1042', null),
  pixCents: often<number | null>(12_990, null),
  cardCents: often<number | null>(12_990, null),
  expiresInSeconds: fc.constantFrom(null, 60),
  pollIntervalMs: fc.constantFrom(250, terms.pollIntervalMs),
  allowUnverifiedCode: often(false, true),
});
