/**
 * Four machines of one shop on one PostgreSQL, with the service they call. Owns what a test asks of them together, and
 * what it counts at the service and at the merchant. Knows not what is expected.
 */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSandbox, serveSandbox } from '../../../src/sandbox.js';
import type { SandboxServer } from '../../../src/sandbox.js';
import { until } from '../../support/until.js';
import type { TestStore } from '../../support/proxy/stores.js';
import { openMachineHall } from './machines.js';
import type { Answer, Machine, MachineHall, PaymentRequest } from './machines.js';
import { accessToken } from './shop-facts.js';

const machineCount = 4;

/** No time-out of ours: where the test runs on a slow machine it takes longer. */
const patienceMs = 60_000;

/** A running shop. */
export type FourMachines = Awaited<ReturnType<typeof openFourMachines>>;

export const newOrder = (): string => `order-${randomUUID().slice(0, 13)}`;

/** @param store opened already, and closed by its opener */
export async function openFourMachines(store: TestStore) {
  const sandbox = createSandbox({ accessToken });
  const lookedUp = new Map<string, number>();
  const service: SandboxServer = await serveSandbox({
    async fetch(input, init) {
      const request = new Request(input, init);
      const id = request.method === 'GET' ? (request.url.split('/').at(-1) ?? '') : null;
      const response = await sandbox.fetch(request);
      if (id !== null) lookedUp.set(id, (lookedUp.get(id) ?? 0) + 1);
      return response;
    },
  });
  const hall: MachineHall = await openMachineHall();
  const shared = { ledgerUrl: await store.createUrl(), serviceUrl: service.url };
  const starting = Array.from({ length: machineCount }, () => hall.start(shared));
  const machines = await Promise.all(starting);
  let created = 0;

  return {
    sandbox,
    /** One after the other, round and round. */
    at,
    /** The same order from everywhere at once. */
    askInCrowd: (request: Pick<PaymentRequest, 'externalId' | 'method'>, keys: readonly string[]) =>
      Promise.all(keys.map((key, index) => createInTime(at(index), { ...request, key }))),
    /** A new order's code. */
    async createPix() {
      created += 1;
      const request = { externalId: newOrder(), method: 'pix', key: randomUUID() } as const;
      const { data, outcome } = await createInTime(at(created), request);
      return data ?? assert.fail(outcome);
    },
    /** What the service has made for an order. */
    made: (externalId: string) =>
      sandbox.invoices().filter(({ request }) => request.external_id === externalId),
    async settle(invoiceId: string) {
      const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/settle`;
      assert.equal((await sandbox.fetch(url, { method: 'POST' })).status, 200);
    },
    /** The service's notice of this invoice, to one machine. */
    postback,
    /** As many, spread over the machines, at once. */
    async postbacks(invoiceId: string, count: number) {
      await Promise.all(Array.from({ length: count }, (_, index) => postback(invoiceId, index)));
    },
    /** How often the service has answered for this invoice. */
    lookUps: (invoiceId: string) => lookedUp.get(invoiceId) ?? 0,
    /** What the merchant heard of its payment, by whichever machine. */
    toldOf: (invoiceId: string) =>
      machines
        .flatMap(({ told }) => told)
        .filter(({ hook, notice }) => hook === 'onPaid' && notice['invoiceId'] === invoiceId),
    /** Until nothing is left to be told. */
    everythingTold: () => until(async () => (await at(0).countUndelivered()) === 0),
    async close() {
      await hall.close();
      await service.close();
    },
  };

  async function postback(invoiceId: string, index: number): Promise<void> {
    const invoice = sandbox.invoices().find((one) => one.invoiceId === invoiceId);
    const url = invoice?.request.postback_url ?? assert.fail('no postback_url');
    assert.equal(await at(index).postback(url), 200);
  }

  function at(index: number): Machine {
    return machines[index % machineCount] ?? assert.fail('there are machines');
  }
}

/** On a slow machine the database may be late: then the page asks again, with the same key. */
async function createInTime(machine: Machine, request: PaymentRequest): Promise<Answer> {
  const giveUpAtMs = performance.now() + patienceMs;
  for (;;) {
    const answer = await machine.create(request);
    if (answer.outcome !== '503 service_unavailable') return answer;
    if (performance.now() > giveUpAtMs) assert.fail(answer.outcome);
  }
}
