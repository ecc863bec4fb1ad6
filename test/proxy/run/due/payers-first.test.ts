/** Payers beside a backlog, at a service that allows so many calls a second: no creation fails because look-ups were first. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { card, dataOf, json, openKeptShop } from '../../../support/proxy/shop.js';
import type { CreateFields } from '../../../support/proxy/shop.js';
import { chosenCases } from '../../../tools/runs.js';

/** A shop with so many invoices that are due, whose pages are closed. @param allows calls a second; above, it answers 429 */
async function openBacklog(orders: number, allows: number) {
  const shop = openKeptShop({ hears: ['onPaid'] });
  for (let n = 0; n < orders; n += 1) await dataOf(shop.create({ externalId: `closed-${n}` }));
  const service = { second: 0, calls: 0, refused: 0, lookedUp: 0 };
  const startMs = shop.clock.now();
  shop.upstream.behave = ({ method }) => {
    const second = Math.floor((shop.clock.now() - startMs) / 1_000);
    if (second !== service.second) Object.assign(service, { second, calls: 0 });
    service.calls += 1;
    if (service.calls > allows) {
      service.refused += 1;
      return json({}, 429);
    }
    if (method === 'GET') service.lookedUp += 1;
    return undefined;
  };
  shop.clock.skip(60 * minuteMs);
  return { shop, service };
}

describe('beside a backlog', () => {
  const methods: readonly [name: string, fields: Partial<CreateFields>][] = [
    ['pix', {}],
    ['credit_card', { body: card }],
  ];
  for (const [name, fields] of chosenCases(methods, ([one]) => one === 'credit_card')) {
    it(`no creation by ${name} is answered 503, also in the second in which the rate is found`, async () => {
      const { shop, service } = await openBacklog(600, 20);
      const answers: Promise<Response>[] = [];
      for (let step = 0; step < 4 * 45; step += 1) {
        answers.push(shop.create({ externalId: `new-${step}`, ...fields }));
        await shop.clock.advance(250);
      }
      await shop.clock.advance(5_000);
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      const failed = statuses.filter((status) => status !== 200).length;
      assert.equal(failed, 0, `${failed} of ${statuses.length} failed`);
      assert.ok(service.refused > 0, 'the rate was found');
      assert.ok(service.lookedUp > 200, `${service.lookedUp} looked up`);
    });
  }
});
