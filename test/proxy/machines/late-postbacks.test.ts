/**
 * Many orders over three machines whose service takes a creation and answers otherwise, or not at all, and tells of it later:
 * no order is charged twice, and the merchant hears of each payment, although one machine dies as soon as it has answered
 * the postbacks. Set `MACHINE_ORDERS` for a long run.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createSandbox, serveSandbox } from '../../../src/sandbox.js';
import type { SandboxInvoice, SandboxServer } from '../../../src/sandbox.js';
import { rounds } from '../../support/runs.js';
import { createPostgresStore, createSqliteStore } from '../support/stores.js';
import type { TestStore } from '../support/stores.js';
import { openMachineHall } from './machines.js';
import type { Machine, MachineHall, PaymentRequest } from './machines.js';
import { accessToken } from './shop-facts.js';

const orders = rounds('MACHINE_ORDERS', { quick: 24, thorough: 300 });
const patienceMs = 240_000;

/** How a creation is answered once the service took it. */
type Fate = 'answered' | 'refused' | 'lost';

interface Order extends PaymentRequest {
  readonly fate: Fate;
}

/** By card. A machine takes ten cards an hour that are refused for one address. */
const cardFates: readonly Fate[] = [
  'answered',
  'refused',
  'lost',
  'answered',
  'lost',
  'lost',
  'answered',
  'answered',
  'lost',
  'answered',
  'lost',
  'lost',
];
const pixFates: readonly Fate[] = ['answered', 'refused', 'lost'];

function toOrder(index: number): Order {
  const method = index % 2 === 0 ? 'credit_card' : 'pix';
  const fates = method === 'pix' ? pixFates : cardFates;
  const fate = fates[Math.floor(index / 2) % fates.length] ?? 'answered';
  return { externalId: `order-${index}`, key: randomUUID(), method, fate };
}

/** Which of the machines: each gets orders of every kind. */
function toMachine(index: number): number {
  return (index + Math.floor(index / 12)) % 3;
}

function describeLatePostbacks(store: TestStore): void {
  describe(
    `three machines with ${store.name} whose service tells late`,
    { skip: store.whyNot },
    () => {
      const sandbox = createSandbox({ accessToken });
      const all = Array.from({ length: orders }, (_, index) => toOrder(index));
      const fateOf = new Map(all.map(({ externalId, fate }) => [externalId, fate]));
      let service: SandboxServer;
      let hall: MachineHall;
      before(async () => {
        await store.open();
        service = await serveSandbox({
          async fetch(input, init) {
            const request = new Request(input, init);
            const isCreation = request.method === 'POST';
            const body = isCreation ? await request.clone().json() : {};
            const response = await sandbox.fetch(request);
            const fate = fateOf.get(body.external_id);
            // Only the first creation of an order.
            fateOf.delete(body.external_id);
            if (fate === 'refused') return Response.json({}, { status: 422 });
            return fate === 'lost' ? Response.json({}, { status: 500 }) : response;
          },
        });
        hall = await openMachineHall();
      });
      after(async () => {
        await hall.close();
        await service.close();
        await store.close();
      });

      it('charge no order twice, and tell of each payment', async (t) => {
        const at = { ledgerUrl: await store.createUrl(), serviceUrl: service.url };
        const machines = await Promise.all([1, 2, 3].map(() => hall.start(at)));
        const [mortal, ...living] = machines as [Machine, Machine, Machine];
        await inTens(all, (order, index) => machines[toMachine(index)]!.create(order));
        const made = sandbox.invoices();
        assert.equal(made.length, orders);
        for (const { invoiceId } of made) await settle(invoiceId);
        // Each postback is answered, by one machine or another; then one of them dies.
        await inTens(made, (invoice, index) => report(machines[index % 3]!, invoice));
        await mortal.kill();

        const heard = () =>
          machines.flatMap(({ told }) => told.filter(({ hook }) => hook === 'onPaid'));
        const isTold = (externalId: string) =>
          heard().some(({ notice }) => notice.externalId === externalId);
        const untold = () => all.filter(({ externalId }) => !isTold(externalId));
        const giveUpAtMs = performance.now() + patienceMs;
        while (untold().length > 0) {
          if (performance.now() > giveUpAtMs)
            assert.fail(`${untold().length} are paid and not told`);
          await delay(50);
          for (const machine of living) await machine.putClockForward(5_000);
        }
        const again = await inTens(all, (order, index) =>
          living[index % 2]!.create({ ...order, method: 'credit_card', key: randomUUID() }),
        );
        assert.deepEqual([...new Set(again.map(({ outcome }) => outcome))], ['409 order_paid']);
        const twice = all.filter(({ externalId }) => sandbox.charges(externalId).count !== 1);
        assert.deepEqual(twice, []);
        const ids = new Set(heard().map(({ notice }) => notice['deliveryId']));
        assert.equal(ids.size, orders, 'one payment, one deliveryId');
        t.diagnostic(`${orders} orders, ${heard().length} calls of onPaid`);
        for (const machine of living) await machine.close();
      });

      async function settle(invoiceId: string): Promise<void> {
        const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/settle`;
        const { status } = await sandbox.fetch(url, { method: 'POST' });
        // A card is paid already.
        assert.ok(status === 200 || status === 409, `${status}`);
      }

      async function report(
        machine: Machine,
        { invoiceId, request }: SandboxInvoice,
      ): Promise<void> {
        const url = request.postback_url ?? assert.fail('no postback_url');
        const giveUpAtMs = performance.now() + patienceMs;
        // As a service does that is not answered 200: it tells again.
        while ((await machine.postback(url, { id: invoiceId })) !== 200) {
          assert.ok(performance.now() < giveUpAtMs, 'a postback is never kept');
        }
      }
    },
  );
}

/** Ten at a time. */
async function inTens<T, R>(
  all: readonly T[],
  run: (one: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += 10) {
    const some = all.slice(from, from + 10);
    results.push(...(await Promise.all(some.map((one, index) => run(one, from + index)))));
  }
  return results;
}

for (const store of [createSqliteStore(), createPostgresStore()]) describeLatePostbacks(store);
