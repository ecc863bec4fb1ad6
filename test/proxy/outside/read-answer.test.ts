/** What an answer of the service means: by its word, by what it is compared with, and by what was known before. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createReadAnswer } from '../../../src/proxy/outside/invoice-forms.js';
import type { ReadAnswer, Expected } from '../../../src/proxy/outside/invoice-forms.js';
import type { WireInvoice } from '../../../src/service.js';
import { toCharge, toInvoice } from '../order/samples.js';

const pix = toInvoice('pix-1');
const card = toCharge('card-1');

const settings = {
  statuses: {
    paid: new Set(['paid', 'pago']),
    pending: new Set(['pending', 'open']),
    refused: new Set(['refused', 'blocked']),
    returned: new Set(['refunded', 'blocked']),
  },
  allowUnverifiedCodes: false,
  cardLookUpTotal: 'sent',
  now: () => 0,
} as const;

function read(
  wire: Partial<WireInvoice>,
  expected: Partial<Expected> = {},
  options: Partial<Parameters<typeof createReadAnswer>[0]> = {},
): ReadAnswer {
  const { issued = pix } = expected;
  const sandbox = {
    withhold: <T extends { status: string }>(data: T, isSandbox: boolean): T =>
      isSandbox && data.status === 'paid' ? { ...data, status: 'pending' } : data,
  };
  const isPix = issued.method === 'pix';
  const answer = {
    invoice_id: issued.invoiceId,
    external_id: 'order-1',
    total_cents: 12_345,
    is_pix: isPix,
    status: 'pending',
    isSandbox: false,
    ...wire,
  } as WireInvoice & { isSandbox: boolean };
  const { readAnswer } = createReadAnswer({ ...settings, ...options }, sandbox);
  const asked = { isOurs: true, isNamed: false, wasPaid: false, beganMs: 0 };
  return readAnswer(answer, { issued, ...asked, ...expected });
}

const summary = ({ meaning, wordIs, field, data }: ReadAnswer) => [
  meaning,
  wordIs,
  field,
  data.status,
];

describe('an answer that agrees with what was created', () => {
  const words: [word: string, ofPix: unknown[], ofCard: unknown[]][] = [
    ['paid', ['paid', 'none', null, 'paid'], ['paid', 'none', null, 'paid']],
    [' PAGO ', ['paid', 'none', null, 'paid'], ['paid', 'none', null, 'paid']],
    ['pending', ['open', 'none', null, 'pending'], ['open', 'none', null, 'pending']],
    ['refused', ['open', 'other', null, 'refused'], ['refused', 'other', null, 'refused']],
    ['refunded', ['open', 'returned', null, 'refunded'], ['open', 'returned', null, 'refunded']],
    ['blocked', ['open', 'returned', null, 'blocked'], ['refused', 'returned', null, 'blocked']],
    ['mystery', ['open', 'other', null, 'mystery'], ['open', 'other', null, 'mystery']],
  ];
  for (const [status, ofPix, ofCard] of words) {
    it(`means by the word ${status}`, () => {
      for (const wasPaid of [false, true]) {
        assert.deepEqual(summary(read({ status }, { wasPaid })), ofPix);
        assert.deepEqual(summary(read({ status }, { wasPaid, issued: card })), ofCard);
      }
    });
  }

  it('names a word that no list has, and leaves out a text that is no word', () => {
    const unlisted = (status: string) => read({ status }).unlisted;
    assert.deepEqual(['paid', 'OPEN', 'mystery', 'Ana Souza'].map(unlisted), [
      null,
      null,
      'mystery',
      '',
    ]);
    assert.equal(read({ status: 'Ana Souza' }).word, 'unknown');
  });

  it('of the sandbox is not paid', () => {
    const answer = { status: 'paid', isSandbox: true } as Partial<WireInvoice>;
    assert.deepEqual(summary(read(answer)), ['open', 'none', null, 'pending']);
  });
});

describe('an answer that differs from what was created', () => {
  const differences = [
    [{ total_cents: 1 }, 'total_cents', 'amount_mismatch'],
    [{ external_id: 'order-2' }, 'external_id', 'reference_mismatch'],
    [{ external_id: null }, 'external_id', 'reference_mismatch'],
    [{ is_pix: false }, 'is_pix', 'reference_mismatch'],
  ] as const;
  for (const [wire, field, shown] of differences) {
    it(`in ${JSON.stringify(wire)} is never paid`, () => {
      const paid = summary(read({ ...wire, status: 'paid' }));
      assert.deepEqual(paid, ['mismatch', 'none', field, shown]);
      assert.deepEqual(summary(read({ ...wire, status: 'pending' }))[0], 'foreign');
    });
  }

  it('is ignored where it is only said to be of the order, unless it bears its reference', () => {
    const named = { isOurs: false, isNamed: true };
    const other = { status: 'paid', external_id: 'order-2' };
    assert.equal(read(other, named).meaning, 'foreign');
    assert.equal(read({ status: 'paid', total_cents: 1 }, named).meaning, 'mismatch');
  });

  it('of a card is compared in its total only where the service tells what was sent', () => {
    const paid = { status: 'paid', total_cents: 13_000 };
    const any = { cardLookUpTotal: 'any' } as const;
    assert.equal(read(paid, { issued: card }).meaning, 'mismatch');
    assert.equal(read(paid, { issued: card }, any).meaning, 'paid');
    assert.equal(read(paid, {}, any).meaning, 'mismatch');
  });
});

describe('what is left of a payment that was given back', () => {
  const less = { total_cents: 5, external_id: null };

  it('is compared with nothing: less may be left, of no order any more', () => {
    assert.deepEqual(summary(read({ ...less, status: 'refunded' })).slice(0, 3), [
      'open',
      'returned',
      null,
    ]);
    const strange = read({ ...less, status: 'mystery' }, { wasPaid: true });
    assert.deepEqual(summary(strange).slice(0, 3), ['open', 'other', null]);
  });

  it('is compared where it was not paid, is called pending, or is not of the order', () => {
    assert.equal(read({ ...less, status: 'mystery' }).meaning, 'foreign');
    assert.equal(read({ ...less, status: 'pending' }, { wasPaid: true }).meaning, 'foreign');
    const named = { isOurs: false, isNamed: true };
    assert.equal(read({ ...less, status: 'refunded' }, named).meaning, 'foreign');
  });
});

it('what an unknown invoice was sent as is the creation that it agrees with, else the likeliest', () => {
  const { findSentAs } = createReadAnswer(settings, { withhold: (data) => data });
  const wire = { invoice_id: 'x', external_id: 'order-1', is_pix: true, status: 'paid' };
  const unknown = { ...pix, invoiceId: 'x', lookUpId: 'x' };
  const all = [100, 200, 300].map((totalCents) => ({ method: 'pix', totalCents }) as const);
  const found = (total_cents: number) =>
    findSentAs({ ...wire, total_cents }, unknown, all).totalCents;
  assert.deepEqual([200, 300, 7].map(found), [200, 300, 100]);
});
