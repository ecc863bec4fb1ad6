/** Creations over kept connections, to a service that closes them at the worst moment. */

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'vitest';
import { createNodeFetch } from '../../../../src/node.js';
import { ServiceError, createServiceClient } from '../../../../src/service.js';
import { creationRequest } from '../../../service/samples.js';
import { listen, serve } from '../../../support/proxy/node-servers.js';
import { accessToken, dataOf, openShop, toWireInvoice } from '../../../support/proxy/shop.js';
import { rounds } from '../../../tools/runs.js';

const { card, ...pix } = creationRequest;

const orders = rounds('KEPT_CONNECTIONS_ORDERS', { quick: 500, thorough: 1_000 });

describe('creations over kept connections', () => {
  it('answers many by Pix, each order with one code, while connections close under them', async (t) => {
    const [served, made] = [new Map<Socket, number>(), new Map<string, string>()];
    const closings = { before: 0, after: 0 };
    const serviceUrl = await serve(t, async (incoming, outgoing) => {
      const { socket } = incoming;
      const before = served.get(socket) ?? 0;
      served.set(socket, before + 1);
      const body = JSON.parse(await text(incoming)) as Record<string, unknown>;
      // Every third connection closes under its second request, half of them after that was done.
      const isClosing = before === 1 && served.size % 3 === 0;
      const isAfter = (closings.before + closings.after) % 2 === 1;
      if (isClosing) closings[isAfter ? 'after' : 'before'] += 1;
      if (isClosing && !isAfter) return socket.destroy();
      const data = toWireInvoice(body);
      made.set(data.invoice_id, String(data.external_id));
      if (isClosing) return socket.destroy();
      outgoing.setHeader('content-type', 'application/json');
      return outgoing.end(JSON.stringify({ data, message: 'created' }));
    });
    const shop = openShop({ serviceUrl, fetch: createNodeFetch() });
    for (let first = 0; first < orders; first += 20) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, nth) => {
          const externalId = `order-${first + nth}`;
          const shown = [await dataOf(shop.create({ externalId }))];
          shown.push(await dataOf(shop.create({ externalId })));
          const ids = new Set(shown.map(({ invoice_id: id }) => id));
          assert.equal(ids.size, 1);
          for (const id of ids) assert.equal(made.get(id), externalId);
        }),
      );
    }
    assert.ok(Math.min(closings.before, closings.after) > orders / 200, JSON.stringify(closings));
    assert.equal(made.size, orders + closings.after);
    assert.ok(served.size < 250 + orders / 4, `${served.size} connections`);
  });

  const requests: [name: string, request: typeof pix | typeof creationRequest, sent: number][] = [
    ['by Pix twice, and no more', pix, 2],
    ['by card once', { ...pix, card }, 1],
  ];
  for (const [name, request, sent] of requests) {
    it(`sends one ${name} where each connection closes, and does not know what became of it`, async (t) => {
      assert.equal(await countSent(t, request), sent);
    });
  }
});

/** Requests of one creation that reached a service which closes every connection. */
async function countSent(t: TestContext, request: typeof pix): Promise<number> {
  let count = 0;
  const serviceUrl = await listen(t, (data, socket) => {
    count += Number(data.startsWith('POST'));
    socket.resetAndDestroy();
  });
  const client = createServiceClient({ serviceUrl, accessToken, fetch: createNodeFetch() });
  await assert.rejects(client.createInvoice(request), (thrown) => {
    assert.ok(thrown instanceof ServiceError);
    assert.deepEqual([thrown.kind, thrown.mayHaveHappened], ['network', true]);
    return true;
  });
  return count;
}
