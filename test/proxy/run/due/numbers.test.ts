/** The numbers of due work that an operator's sink is told, each minute or with `runDue`. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { losesAnswer } from '../../support/card-shop.js';
import { card, dataOf, openKeptShop, toSink } from '../../support/shop.js';

it('tells how late look-ups are, which events wait, and how many cards have an unknown end', async () => {
  const shop = openKeptShop({ backgroundJobs: false });
  const made = [];
  for (const externalId of ['order-1', 'order-2', 'order-3']) {
    made.push(await dataOf(shop.create({ externalId })));
  }
  shop.upstream.pay(made[0]!);
  await dataOf(shop.lookUp(made[0]!));
  shop.upstream.behave = ({ method }) => (method === 'POST' ? losesAnswer() : undefined);
  await shop.create({ externalId: 'order-4', body: card });
  shop.clock.skip(75_000);

  const numbers: Record<string, number> = {};
  const { proxy } = openKeptShop(
    {
      backgroundJobs: false,
      // Of two look-ups that are due one is made.
      serviceCallsPerMinute: 1,
      onPaid: () => Promise.reject(new Error('down')),
      onError: () => undefined,
      metrics: toSink({ set: (name, value) => void (numbers[name] = value) }),
    },
    shop,
  );
  await proxy.runDue();
  assert.deepEqual(numbers, {
    pix_reconciliation_lag_seconds: 60,
    pix_returns_lag_seconds: 0,
    pix_outbox_events: 1,
    pix_outbox_age_seconds: 75,
    pix_dead_events: 0,
    pix_unresolved_charges: 1,
  });
});
