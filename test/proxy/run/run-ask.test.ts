/** What the loop of an ask holds, whatever its commands come to. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { createPersistentWrites } from '../../../src/proxy/run/persistent.js';
import { createRunAsk } from '../../../src/proxy/run/run-ask.js';
import type { Outcome } from '../../../src/proxy/run/run-ask.js';
import { ProxyError } from '../../../src/proxy/set-up/proxy-error.js';
import { createMemoryStore } from '../../../src/proxy/store/memory-store.js';
import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { createTestClock } from '../../support/proxy/clock.js';
import { startMs, toInvoice } from '../order/samples.js';
import { card, pix } from '../order/open-order.js';

const unexpected = async () => assert.fail('not commanded');

function open() {
  const memory = createMemoryStore(() => startMs);
  const relaxed: boolean[] = [];
  const store: Pick<OrderStore, 'change' | 'now'> = {
    now: memory.now,
    change: (externalId, step, terms) =>
      memory.change(
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
  const { persist } = createPersistentWrites(createTestClock().startTimer);
  const runAsk = createRunAsk({ store, now: () => startMs, log, persist });
  return {
    logged,
    relaxed,
    attempts: async () => (await memory.read('order-1'))?.attempts ?? [],
    charge: (send: () => Promise<Outcome>) =>
      runAsk(card(), {
        carryOut: {
          look_up: unexpected,
          admit: async () => ({ learned: { isAdmitted: true } }),
          charge: send,
        },
      }),
    create: (make: () => Promise<Outcome>) =>
      runAsk(pix(), {
        carryOut: { look_up: unexpected, wait: unexpected, create: make },
      }),
  };
}

describe('a card that may have left', () => {
  it('is given up by nothing that is thrown', async () => {
    const { charge, attempts, logged } = open();
    const lost = charge(() => Promise.reject(new Error('what a fault of ours looks like')));
    await assert.rejects(lost, { name: 'ProxyError', code: 'outcome_unknown' });
    const [attempt] = await attempts();
    assert.equal(attempt?.progress.state, 'sent');
    assert.equal(logged.length, 1);
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
    let creates = 0;
    const answer = await open().create(async () => {
      creates += 1;
      return { learned: { madeId: 'gone' } };
    });
    assert.deepEqual(answer, { type: 'refusal', code: 'service_unavailable', afterMs: 1_000 });
    assert.equal(creates, 1);
  });
});
