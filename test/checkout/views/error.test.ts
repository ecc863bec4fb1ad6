/** What a payer is told beside "we are confirming your payment": that differs from a form where nothing was paid. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyForm } from '../../../src/checkout/machine/state.js';
import type { CheckoutErrorCode, ConfirmingState } from '../../../src/checkout/machine/state.js';
import { announcement } from '../../../src/checkout/views/announce.js';
import { errorText } from '../../../src/checkout/views/parts/error.js';
import { modelOf } from '../../support/gallery/models.js';

describe('while a payment is being confirmed', () => {
  const { errors, confirming } = modelOf(emptyForm).texts;
  it('order_paid: that alone', () => {
    const error = { code: 'order_paid', retryable: false } as const;
    const model = modelOf({ phase: 'confirming', watch: null, asking: null, error });
    assert.equal(errorText(model, error), '');
    assert.equal(announcement(model), errors.order_paid);
  });

  const cases: readonly [CheckoutErrorCode, string][] = [
    // The heading says that.
    ['outcome_unknown', ''],
    // Nothing is said of the card: it may have been charged before the shop closed the order.
    ['order_closed', errors.order_closed],
    ['amount_mismatch', errors.reference_mismatch],
    ['reference_mismatch', errors.reference_mismatch],
  ];
  for (const [code, text] of cases) {
    it(`${code}: ${text || 'nothing more'}`, () => {
      const error = { code, retryable: false };
      const state: ConfirmingState = { phase: 'confirming', watch: null, asking: null, error };
      const model = modelOf(state);
      assert.equal(errorText(model, error), text);
      assert.equal(announcement(model), `${confirming('1042')} ${text}`.trim(), 'and read out');
    });
  }
});
