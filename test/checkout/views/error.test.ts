/** What a payer is told, in the words of where it happens: confirming differs from a form where nothing was paid. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { CheckoutErrorCode, FormState } from '../../../src/checkout/machine/state.js';
import { announcement } from '../../../src/checkout/views/announce.js';
import { errorText } from '../../../src/checkout/views/parts/error.js';
import { modelOf } from '../../support/gallery/models.js';

describe('while a payment is being confirmed', () => {
  const { errors, confirming } = modelOf(emptyForm).texts;
  const heading = confirming('1042');
  const cases: readonly [CheckoutErrorCode, text: string, readOut: string][] = [
    ['order_paid', '', errors.order_paid],
    // The heading says that.
    ['outcome_unknown', '', heading],
    // Nothing is said of the card: it may have been charged before the shop closed the order.
    ['order_closed', errors.order_closed, `${heading} ${errors.order_closed}`],
    ...(['amount_mismatch', 'reference_mismatch'] as const).map((code) => {
      const text = errors.reference_mismatch;
      return [code, text, `${heading} ${text}`] as [typeof code, string, string];
    }),
  ];
  for (const [code, text, readOut] of cases) {
    it(`${code}: ${text || 'nothing more'}`, () => {
      const error = { code, retryable: false };
      const model = modelOf({ phase: 'confirming', watch: null, attempt: null, error });
      assert.deepEqual([errorText(model, error), announcement(model)], [text, readOut]);
    });
  }
});

describe('on a form that asks for nothing', () => {
  const error = { code: 'invalid_request', retryable: false } as const;
  const state: FormState = { ...emptyForm, error };
  const { errors, nothingCharged } = modelOf(state).texts;

  it('nothing that was typed is said to be wrong', () => {
    const model = { ...modelOf(state), fields: [] };
    assert.equal(errorText(model, error), errors.configuration);
  });

  it('what was typed is, where something was, and a card', () => {
    const asked = { ...modelOf(state), fields: [aField] };
    assert.equal(errorText(asked, error), `${errors.invalid_request} ${nothingCharged}`);
    const panel = { content: null, failed: false };
    const card = { ...modelOf(state), fields: [], method: 'credit_card', card: panel } as const;
    assert.equal(errorText(card, error), errors.invalid_request);
  });
});

const aField = { field: 'name', required: true, value: '', fault: null } as const;
