/** The waiting lines of a process: who comes next, and that no one waits in them for ever. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import { LedgerError, isBusy, toBusyError } from '../../../src/proxy/store/order-store.js';
import { createWaitingLines } from '../../../src/proxy/runtime/running.js';
import { createGate, settle } from '../../support/proxy/shop.js';

/** A line of that many places, and what has begun in it. */
function openLine(places: number) {
  const inLine = createWaitingLines(places, toBusyError);
  const begun: string[] = [];
  const enter = (name: string, title: string, until?: Promise<unknown>, hasBegun = false) =>
    inLine(
      name,
      async () => {
        begun.push(title);
        await until;
        return title;
      },
      hasBegun,
    );
  return { enter, begun };
}

describe('a waiting line', () => {
  it('lets as many in as there are places, in the order in which they came', async () => {
    const { enter, begun } = openLine(2);
    const { opened, release } = createGate();
    const all = ['a', 'b', 'c', 'd'].map((title) => enter('order-1', title, opened));
    await settle();
    assert.deepEqual(begun, ['a', 'b']);
    release();
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd']);
    assert.deepEqual(begun, ['a', 'b', 'c', 'd']);
  });

  it('counts those inside, also when one has left', async () => {
    const { enter, begun } = openLine(2);
    const { opened, release } = createGate();
    const stays = enter('order-1', 'stays', opened);
    await enter('order-1', 'leaves');
    const all = [stays, enter('order-1', 'comes', opened), enter('order-1', 'waits')];
    await settle();
    assert.deepEqual(begun, ['stays', 'leaves', 'comes']);
    release();
    await Promise.all(all);
  });

  it('is one for each order', async () => {
    const { enter, begun } = openLine(1);
    const { opened, release } = createGate();
    const all = ['order-1', 'order-1', 'order-2'].map((name) => enter(name, name, opened));
    await settle();
    assert.deepEqual(begun, ['order-1', 'order-2']);
    release();
    await Promise.all(all);
  });

  it('lets what has begun pass by what has not', async () => {
    const { enter, begun } = openLine(1);
    const { opened, release } = createGate();
    const all = [enter('order-1', 'first', opened), enter('order-1', 'claim')];
    all.push(enter('order-1', 'its next step', undefined, true));
    release();
    await Promise.all(all);
    assert.deepEqual(begun, ['first', 'its next step', 'claim']);
  });

  it('lets nothing pass by what has begun before', async () => {
    const { enter, begun } = openLine(1);
    const { opened, release } = createGate();
    const all = [enter('order-1', 'first', opened)];
    for (const title of ['a', 'b', 'c']) {
      all.push(enter('order-1', `claim ${title}`), enter('order-1', title, undefined, true));
    }
    release();
    await Promise.all(all);
    assert.deepEqual(begun, ['first', 'a', 'b', 'c', 'claim a', 'claim b', 'claim c']);
  });

  it('goes on after a failure', async () => {
    const { enter } = openLine(1);
    const failed = enter('order-1', 'fails', Promise.reject(new LedgerError('57P01')));
    const next = enter('order-1', 'next');
    await assert.rejects(failed, { code: '57P01' });
    assert.equal(await next, 'next');
    assert.equal(await enter('order-1', 'later'), 'later');
  });

  it('says that it was too long, and does nothing', async () => {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 0);
    const { enter, begun } = openLine(1);
    const { opened, release } = createGate();
    const first = enter('order-1', 'first', opened);
    const late = [enter('order-1', 'late'), enter('order-1', 'late')].map((one) =>
      assert.rejects(one, isBusy),
    );
    clock.mockImplementation(() => 10_001);
    release();
    await Promise.all([first, ...late]);
    assert.deepEqual(begun, ['first']);
    assert.equal(await enter('order-1', 'next'), 'next');
  });
});
