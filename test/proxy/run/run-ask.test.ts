/** What the loop of an ask holds, whatever its commands come to. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { Command } from '../../../src/proxy/order/asks/reply.js';
import { endedCard } from '../../../src/proxy/order/charges.js';
import { createPersistent } from '../../../src/proxy/run/persistent.js';
import { createRunAsk } from '../../../src/proxy/run/run-ask.js';
import type { Outcome } from '../../../src/proxy/run/run-ask.js';
import { ProxyError } from '../../../src/proxy/set-up/proxy-error.js';
import { createMemoryStore } from '../../../src/proxy/store/memory/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { createTestClock } from '../support/clock.js';
import { startMs, toCharge, toInvoice } from '../order/samples.js';
import { card, pix } from '../order/asks/story.js';

const unexpected = async () => assert.fail('not commanded');

function open(change?: (store: OrderStore) => OrderStore['change']) {
  const memory = createMemoryStore(() => startMs);
  const relaxed: boolean[] = [];
  const inner = change?.(memory) ?? memory.change;
  const store: Pick<OrderStore, 'change' | 'now'> = {
    now: memory.now,
    change: (externalId, step, terms) =>
      inner(
        externalId,
        (before, nowMs) => {
          const done = step(before, nowMs);
          if (done[0] !== before) relaxed.push(terms?.isRelaxed ?? false);
          return done;
        },
        terms,
      ),
  };
  const logged: string[] = [];
  const log = ({ event }: { readonly event: string }) => void logged.push(event);
  const { persist } = createPersistent(createTestClock().startTimer);
  const runAsk = createRunAsk({ store, now: () => startMs, log, persist });
  return {
    logged,
    relaxed,
    attempts: async () => (await memory.read('order-1'))?.attempts ?? [],
    charge: (send: () => Promise<Outcome>, ask = card()) =>
      runAsk(ask, {
        isAwaited: () => true,
        carryOut: {
          look_up: unexpected,
          admit: async () => ({ learned: { isAdmitted: true } }),
          charge: send,
        },
      }),
    create: (make: () => Promise<Outcome>, ask = pix()) =>
      runAsk(ask, {
        isAwaited: () => true,
        carryOut: { look_up: unexpected, wait: unexpected, create: make },
      }),
  };
}

const rejects = (code: string) => (thrown: unknown) =>
  thrown instanceof ProxyError && thrown.code === code;

describe('a card that may have left', () => {
  it('is given up by nothing that is thrown', async () => {
    const { charge, attempts, logged } = open();
    const lost = charge(() => Promise.reject(new Error('what a fault of ours looks like')));
    await assert.rejects(lost, rejects('outcome_unknown'));
    const [attempt] = await attempts();
    assert.equal(attempt?.progress.state, 'sent');
    assert.equal(logged.length, 1);
  });

  it('is given up by the service’s own word', async () => {
    const { charge, attempts } = open();
    const failed = new ProxyError('service_unavailable');
    await assert.rejects(
      charge(async () => ({ failed })),
      failed,
    );
    assert.deepEqual(await attempts(), []);
  });

  it('is written down at the second try', async () => {
    let fails = 0;
    const { charge, attempts } = open(({ change }) => (id, step, terms) => {
      fails -= 1;
      return fails === 0 ? Promise.reject(new Error('away')) : change(id, step, terms);
    });
    const ask = card();
    const answer = await charge(async () => {
      fails = 1;
      const ending = { state: 'created', invoice: toCharge('C') } as const;
      return {
        fact: (order, given) => endedCard(order, { attempt: ask.attempt, ending }, given),
        learned: { madeId: 'C' },
      };
    }, ask);
    assert.ok(answer.type === 'invoice' && answer.invoice.invoiceId === 'C');
    const [attempt] = await attempts();
    assert.equal(attempt?.progress.state, 'created');
  });

  it('keeps its attempt where it cannot be written down', async () => {
    let isAway = false;
    const { charge, attempts } = open(
      ({ change }) =>
        (id, step, terms) =>
          isAway ? Promise.reject(new Error('away')) : change(id, step, terms),
    );
    const lost = charge(async () => {
      isAway = true;
      return {};
    });
    await assert.rejects(lost, rejects('outcome_unknown'));
    const [attempt] = await attempts();
    assert.equal(attempt?.progress.state, 'sent');
  });

  it('leaves after a change that a power cut does not undo', async () => {
    const { charge, relaxed } = open();
    let before = 0;
    await charge(async () => {
      before = relaxed.length;
      return {};
    });
    assert.deepEqual(relaxed.slice(0, before), [true, false]);
  });
});

describe('an ask', () => {
  it('that fails before anything left leaves nothing behind', async () => {
    const { create, attempts } = open();
    const failed = new ProxyError('service_unavailable');
    await assert.rejects(
      create(() => Promise.reject(failed)),
      failed,
    );
    assert.deepEqual(await attempts(), []);
  });

  it('hears what was made in the change that writes it', async () => {
    const { create, relaxed } = open();
    const invoice = toInvoice('A');
    const answer = await create(async () => ({
      fact: (order) => ({
        ...order,
        making: null,
        offeredId: 'A',
        invoices: [
          {
            ...invoice,
            settledAtMs: null,
            lookUpAtMs: null,
            lapsedAtMs: null,
            shownAtMs: null,
          },
        ],
      }),
      learned: { madeId: 'A' },
    }));
    assert.ok(answer.type === 'invoice' && answer.invoice.invoiceId === 'A');
    assert.deepEqual(relaxed, [true, false]);
  });

  it('is asked again with all that it has learned', async () => {
    const commanded: Command['type'][] = [];
    const memory = createMemoryStore(() => startMs);
    const { persist } = createPersistent(createTestClock().startTimer);
    const log = () => undefined;
    const runAsk = createRunAsk({ store: memory, now: () => startMs, log, persist });
    await runAsk(pix(), {
      isAwaited: () => true,
      carryOut: {
        look_up: unexpected,
        wait: unexpected,
        create: async () => {
          commanded.push('create');
          return { learned: { madeId: 'gone' } };
        },
      },
    }).then((answer) =>
      assert.deepEqual(answer, { type: 'refusal', code: 'service_unavailable', afterMs: 1_000 }),
    );
    assert.deepEqual(commanded, ['create']);
  });
});
