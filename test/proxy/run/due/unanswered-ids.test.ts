/** An id that a postback named, and of which the service does not answer, keeps its order closed: the shop is told in time. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { hourMs } from '../../../../src/domain/spans.js';
import { inProgress, outcomeOf } from '../../../support/proxy/card-shop.js';
import { dataOf, json, openKeptShop } from '../../../support/proxy/shop.js';
import { column } from '../../../support/rows.js';

function openClosed(status: number) {
  const thrown: string[] = [];
  const shop = openKeptShop({
    backgroundJobs: false,
    onPaid: () => undefined,
    onError: (error, { hook, externalId }) =>
      void thrown.push(`${hook} ${externalId} ${String(error)}`),
  });
  const id = randomUUID();
  const name = async (externalId = 'order-1') => {
    shop.upstream.behave = ({ url }) => (url.endsWith(id) ? json({}, status) : undefined);
    assert.equal((await shop.postback({ id, externalId })).status, 200);
  };
  const errors = () => shop.logged('postback_unanswered');
  return { shop, id, name, thrown, errors };
}

describe('an id of which the service does not answer', () => {
  it('is told of after an hour, and then once a day', async () => {
    const { shop, id, name, thrown, errors } = openClosed(500);
    await shop.create();
    await name();
    await shop.live(hourMs / 2);
    assert.deepEqual([errors(), thrown], [[], []]);
    shop.totalCents += 100;
    assert.equal(await outcomeOf(shop.create()), inProgress);
    await shop.live(2 * hourMs);
    const entry = { level: 'error', event: 'postback_unanswered', operation: 'postback' };
    assert.deepEqual(errors(), [{ ...entry, externalId: 'order-1', invoiceId: id }]);
    assert.equal(thrown.length, 1);
    assert.match(thrown[0]!, /^postback order-1 Error: .* cannot be paid until/);
    await shop.live(47 * hourMs);
    assert.equal(errors().length, 2);
  });

  it('of each order by itself', async () => {
    const { shop, name, errors } = openClosed(500);
    for (const externalId of ['order-1', 'order-2']) {
      await shop.create({ externalId });
      await name(externalId);
    }
    await shop.live(2 * hourMs);
    assert.deepEqual(column(errors(), 'externalId'), ['order-1', 'order-2']);
  });

  it('also where the service tells of it again and again', async () => {
    const { shop, name, errors } = openClosed(500);
    await shop.create();
    for (let minutes = 0; minutes < 90; minutes += 15) {
      await name();
      await shop.live(hourMs / 4);
    }
    assert.equal(errors().length, 1);
  });

  it('but not of a paid invoice, which keeps no order closed', async () => {
    const { shop, thrown, errors } = openClosed(500);
    const made = await dataOf(shop.create());
    await shop.seePaid(made);
    shop.upstream.behave = ({ method }) => (method === 'GET' ? json({}, 500) : undefined);
    assert.equal((await shop.postback({ id: made.invoice_id })).status, 200);
    await shop.live(3 * hourMs);
    assert.ok(shop.upstream.lookUps() > 3);
    assert.deepEqual([errors(), thrown], [[], []]);
  });

  it('but not of one that the service does not know: it is dropped within the hour', async () => {
    const { shop, name, errors } = openClosed(404);
    await shop.create();
    await name();
    await shop.live(2 * hourMs);
    assert.deepEqual(errors(), []);
    shop.totalCents += 100;
    assert.equal(await outcomeOf(shop.create()), '200');
  });
});
