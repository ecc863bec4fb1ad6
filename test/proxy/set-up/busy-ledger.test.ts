/** What a payer hears of a database that is well and has no time, and of one that fails. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { LedgerError } from '../../../src/proxy/store/ledger-error.js';
import { createWorld, openKeptShop } from '../support/shop.js';

const answers: [code: string | undefined, answer: string, logged: string[]][] = [
  ['BUSY', '409 in_progress', []],
  ['55P03', '409 in_progress', []],
  ['SQLITE_BUSY', '409 in_progress', []],
  ['SQLITE_BUSY_SNAPSHOT', '409 in_progress', []],
  // A statement that ran too long, a server that ends, a full disk, a line that broke.
  ['57014', '503 service_unavailable', ['ledger_failed']],
  ['57P01', '503 service_unavailable', ['ledger_failed']],
  ['SQLITE_FULL', '503 service_unavailable', ['ledger_failed']],
  [undefined, '503 service_unavailable', ['ledger_failed']],
];

for (const [code, expected, logged] of answers) {
  it(`a ledger that rejects with ${code ?? 'no code'} is answered ${expected}`, async () => {
    const change = () => Promise.reject(new LedgerError(code));
    const shop = openKeptShop({}, createWorld({ change }));
    const response = await shop.create();
    const problem = (await response.json()) as { code: string };
    assert.equal(`${response.status} ${problem.code}`, expected);
    assert.ok(Number(response.headers.get('retry-after')) > 0);
    assert.deepEqual(
      shop.log.map(({ event }) => event).filter((event) => event === 'ledger_failed'),
      logged,
    );
    await shop.proxy.close();
  });
}
