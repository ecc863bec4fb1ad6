/** Requests at once are at once: a lock that is missing shows, however quick the service, and none is imagined. */
import assert from 'node:assert/strict';
import { describe } from 'vitest';
import { runCheck } from '../../../src/cli/check/run-check.js';
import { itFew } from '../../support/runner/long.js';
import { idsOf, order, patient } from './checked-shop.js';
import { openRacingProxy } from './proxies/racing-proxy.js';
import type { Locking } from './proxies/racing-proxy.js';

const cases: readonly [locking: Locking, wrong: readonly string[]][] = [
  ['nowhere', ['ten-at-once', 'replaces']],
  ['everywhere', []],
  ['in each process', ['ten-at-once', 'replaces']],
  ['for replaces', ['ten-at-once']],
  ['for first codes', ['replaces']],
];

describe('a proxy with a lock', () => {
  for (const serviceMs of [5, 50, 300]) {
    const itSome = itFew(serviceMs === 5 ? 3 : 0);
    for (const [locking, wrong] of cases) {
      itSome(`${locking}, before a service of ${serviceMs} ms`, async (t) => {
        const { endpoint, close } = await openRacingProxy(locking, serviceMs);
        t.onTestFinished(close);
        // One connection is open already, as in a whole run.
        await (await fetch(endpoint)).text();
        const times = { ...patient, settleMs: 60, stallMs: 5 };
        const results = await runCheck({ endpoint, order, ...times, only: 'creation' });
        const failed = idsOf(results, 'failed');
        for (const id of ['ten-at-once', 'replaces']) {
          assert.equal(failed.includes(id), wrong.includes(id), `${id}: ${failed.join(', ')}`);
        }
      });
    }
  }
});
