/** Which calls come from the merchant's own code, and that nothing is followed while there are none. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import {
  callMerchant,
  findCallingMerchant,
  startTimeout,
} from '../../../src/proxy/runtime/running.js';

const call = <T>(ask: () => Promise<T>) => callMerchant(startTimeout, 1_000, ask);

async function findLater() {
  await turn();
  return findCallingMerchant();
}

describe('calls of the merchant’s code', () => {
  it('are known again after a former one has ended', async () => {
    expect(await call(findLater)).not.toBeNull();
    expect(findCallingMerchant()).toBeNull();
    expect(await call(findLater)).not.toBeNull();
  });

  it('are known after a call within them, or beside them, has ended', async () => {
    const [outer] = await Promise.all([
      call(async () => {
        await call(findLater);
        return findLater();
      }),
      call(async () => undefined),
    ]);
    expect(outer).not.toBeNull();
  });

  it('are followed only while there are any, because that slows down every promise', async () => {
    const disable = vi.spyOn(AsyncLocalStorage.prototype, 'disable');
    await call(async () => {
      await call(findLater);
      expect(disable).not.toHaveBeenCalled();
    });
    expect(disable).toHaveBeenCalledOnce();
  });

  it('are made where the storage cannot be turned off', async () => {
    vi.spyOn(AsyncLocalStorage.prototype, 'disable').mockImplementation(() => {
      throw new Error('not implemented');
    });
    expect(await call(async () => 'an answer')).toBe('an answer');
  });
});
