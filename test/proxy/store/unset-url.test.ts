/** A variable that is not set must not become a file of this machine, which the next deploy forgets. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { openLedger } from '../../../src/ledger.js';

for (const [url, told] of [
  [undefined, 'undefined'],
  [null, 'null'],
  ['', 'empty'],
  ['undefined', 'undefined'],
] as const) {
  it(`A url that is ${JSON.stringify(url)}, typed out, is asked for its variable`, async () => {
    const message = `url is ${told}: is the variable set?`;
    await assert.rejects(openLedger({ url } as object), { name: 'TypeError', message });
  });
}
