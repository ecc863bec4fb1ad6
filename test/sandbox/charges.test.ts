/** The count of charges: what counts, for which order, and that no sequence of events makes it lie. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { testCards } from '../../src/sandbox.js';
import { openSandbox } from './open-sandbox.js';
import { forAnyAsync } from '../support/tables.js';

const byCard = (token: string, external_id = 'order-1', total_price_cents = 500) => ({
  method: 'credit_card',
  total_price_cents,
  external_id,
  card: { token },
});
const byPix = { method: 'pix', total_price_cents: 700, external_id: 'order-1' };

describe('GET /sandbox/charges', () => {
  it('tells what sandbox.charges() tells: each charge, their count and their sum', async () => {
    const { create, control, sandbox } = openSandbox();
    await create(byCard('tok_approve'));
    await create(byCard('tok_refuse'));
    await create(byCard('tok_unknown', 'order-2', 900));
    const { status, body } = await control('GET', '/charges');
    assert.equal(status, 200);
    assert.deepEqual(body, sandbox.charges());
    assert.deepEqual(body, {
      count: 2,
      total_cents: 1_400,
      attempts: 3,
      charges: [
        {
          invoice_id: '0b1e6f0c-7f3a-4a3e-9d52-000000000001',
          external_id: 'order-1',
          method: 'credit_card',
          status: 'paid',
          total_cents: 500,
        },
        {
          invoice_id: '0b1e6f0c-7f3a-4a3e-9d52-000000000003',
          external_id: 'order-2',
          method: 'credit_card',
          status: 'pending',
          total_cents: 900,
        },
      ],
    });
  });

  it('tells of one order, if one is named', async () => {
    const { create, control, sandbox } = openSandbox();
    await create(byCard('tok_approve', 'pedido nº 1&2'));
    await create(byCard('tok_approve', 'order-2'));
    const query = `external_id=${encodeURIComponent('pedido nº 1&2')}`;
    const { body } = await control<{ count: number }>('GET', `/charges?${query}`);
    assert.equal(body.count, 1);
    assert.deepEqual(body, sandbox.charges('pedido nº 1&2'));
    assert.deepEqual(sandbox.charges('order-3'), {
      count: 0,
      total_cents: 0,
      attempts: 0,
      charges: [],
    });
  });
});

describe('a charge', () => {
  it('is a Pix invoice once it is paid', async () => {
    const { create, control, sandbox } = openSandbox();
    await create(byPix);
    assert.deepEqual([sandbox.charges().count, sandbox.charges().attempts], [0, 0]);
    await control('POST', '/invoices/SBX-000001/settle');
    assert.deepEqual([sandbox.charges().count, sandbox.charges().total_cents], [1, 700]);
  });

  it('is counted twice where an order was charged twice', async () => {
    const { create, control, sandbox } = openSandbox();
    await create(byPix);
    await create(byCard('tok_approve'));
    await control('POST', '/invoices/SBX-000001/settle');
    assert.equal(sandbox.charges('order-1').count, 2);
  });
  it('is what each card of a sequence promises, however often anybody looks', async () => {
    const answering = testCards.filter(({ fault }) => fault === undefined);
    const step = fc.record({
      card: fc.constantFrom(...answering),
      order: fc.constantFrom('order-1', 'order-2'),
      lookUps: fc.nat(3),
    });
    await forAnyAsync(50, fc.array(step, { maxLength: 12 }), async (steps) => {
      const { create, lookUp, sandbox } = openSandbox();
      let charged = 0;
      for (const { card, order, lookUps } of steps) {
        const { data } = (await create(byCard(card.token, order))).body;
        for (let asked = 0; asked < lookUps; asked += 1) await lookUp(data.invoice_id);
        const status = lookUps > 1 && card.endsAs ? card.endsAs : card.status;
        charged += status === 'refused' ? 0 : 1;
      }
      const all = sandbox.charges();
      assert.deepEqual([all.count, all.attempts], [charged, steps.length]);
      assert.equal(all.total_cents, charged * 500);
      const orders = ['order-1', 'order-2'].map((order) => sandbox.charges(order).count);
      assert.equal(orders[0]! + orders[1]!, charged);
    });
  });
});
