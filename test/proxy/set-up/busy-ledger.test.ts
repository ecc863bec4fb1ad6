/** What a payer hears of a database that is well and has no time, and of one that fails. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { LedgerError } from '../../../src/proxy/store/ledger-error.js';
import { assertRefused, createWorld, eventsOf, openKeptShop } from '../support/shop.js';

const answers: [
  answer: string,
  retryAfter: string,
  logged: string[],
  codes: (string | undefined)[],
][] = [
  ['409 in_progress', '1', [], ['BUSY', '55P03', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT']],
  // A statement that ran too long, a server that ends, a full disk, a line that broke.
  ['503 service_unavailable', '5', ['ledger_failed'], ['57014', '57P01', 'SQLITE_FULL', undefined]],
];

for (const [answer, retryAfter, logged, codes] of answers) {
  for (const code of codes) {
    it(`a ledger that rejects with ${code ?? 'no code'} is answered ${answer}`, async () => {
      const change = () => Promise.reject(new LedgerError(code));
      const shop = openKeptShop({ onPaid: () => undefined }, createWorld({ change }));
      await assertRefused(shop.create(), answer, retryAfter);
      assert.deepEqual(eventsOf(shop), logged);
      assert.equal(shop.upstream.creates(), 0);
    });
  }
}
