/** What support is told of an order that waits for a person, and which alerts a word may answer. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { endedCard } from '../../../../src/proxy/order/charges.js';
import { heard } from '../../../../src/proxy/order/heard.js';
import { emptyOrder } from '../../../../src/proxy/order/order.js';
import { accepted } from '../../../../src/proxy/order/payments.js';
import { describeOrder } from '../../../../src/proxy/order/told/describe-order.js';
import { claimed, released } from '../../../../src/proxy/order/attempts.js';
import { follow, leaves, paid, recorded, startMs, toCard, toHeard, toInvoice } from '../samples.js';

const told = (life: Pick<ReturnType<typeof follow>, 'order'>) => {
  const { waitsFor, alerts } = describeOrder(life.order(), startMs) ?? assert.fail();
  return [waitsFor, alerts.map(({ deliveryId }) => deliveryId)] as const;
};

describe('an order in question', () => {
  const code = toInvoice('pix-1');
  const differs = toHeard(code, { meaning: 'mismatch', field: 'total_cents', word: 'paid' });

  it('is not called paid, also beside an invoice that is', () => {
    const life = follow(emptyOrder('order-1'));
    life.tell(recorded, { invoice: code });
    life.tell(heard, differs);
    const [waitsFor, alerts] = told(life);
    assert.match(waitsFor, /^a person: .*pix-1, differs in total_cents/);
    assert.deepEqual(alerts, ['mismatch~order-1~pix-1']);
    life.tell(recorded, { invoice: toInvoice('pix-2') });
    life.tell(heard, toHeard(toInvoice('pix-2'), paid));
    assert.match(told(life)[0], /^a person/);
    life.tell(accepted, code);
    assert.match(told(life)[0], /^your server: paid at/);
    assert.deepEqual(told(life)[1], []);
  });

  it('shows the alert about a card while it stands', () => {
    const life = follow(emptyOrder('order-1'));
    const card = toCard(1);
    life.tell(claimed, card);
    assert.equal(life.tell(leaves, card), true);
    assert.deepEqual(told(life)[1], [], 'it is on its way');
    life.tell(endedCard, { attempt: card, ending: { state: 'unknown', candidate: null } });
    assert.deepEqual(told(life)[1], ['outcome_unknown~order-1~holder-1']);
    life.tell(released, card);
    assert.deepEqual(told(life)[1], []);
  });
});
