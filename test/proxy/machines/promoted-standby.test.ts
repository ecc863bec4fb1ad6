/** A standby that becomes the primary while several machines create and are paid: nothing is lost, and creations go on soon. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { startPair, whyNoPair } from '../../tools/machine/postgres-pair.js';
import type { PostgresPair } from '../../tools/machine/postgres-pair.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { until } from '../../support/until.js';
import type { TestStore } from '../../support/proxy/stores.js';
import { openFourMachines } from './four-machines.js';

/** How soon after the promotion a page gets a code, milliseconds: a promise to merchants. */
const soonMs = 10_000;

/** Codes before the promotion, and as many after it. */
const codes = 60;

const payers = 6;

describe('a standby behind PgBouncer', leftOutIf(whyNoPair() ?? false), () => {
  it('takes over while people pay', { timeout: 240_000 }, async (t) => {
    const pair = await startPair();
    t.onTestFinished(() => pair.stop());
    const shop = await openFourMachines(toStore(pair));
    t.onTestFinished(() => shop.close());
    const its = { isOver: false };
    const made: { invoiceId: string; atMs: number }[] = [];
    const paying = Array.from({ length: payers }, async () => {
      while (!its.isOver) {
        const { invoice_id: invoiceId } = await shop.createPix();
        made.push({ invoiceId, atMs: performance.now() });
        await shop.settle(invoiceId);
        // One that the machine could not keep is found by asking.
        await shop.postback(invoiceId, made.length).catch(() => undefined);
      }
    });
    await until(() => made.length >= codes);
    await pair.promote();
    const promotedAtMs = performance.now();
    const after = () => made.filter(({ atMs }) => atMs > promotedAtMs);
    await until(() => after().length >= codes);
    its.isOver = true;
    await Promise.all(paying);
    const firstMs = (after()[0]?.atMs ?? Infinity) - promotedAtMs;
    assert.ok(firstMs <= soonMs, `the first code came after ${firstMs} ms`);
    await until(() => made.every(({ invoiceId }) => shop.toldOf(invoiceId).length > 0));
    await shop.everythingTold();
  });
});

function toStore({ url }: PostgresPair): TestStore {
  const nothing = async () => undefined;
  return {
    name: 'PostgreSQL',
    whyNot: false,
    open: nothing,
    createUrl: async () => url,
    close: nothing,
  };
}
