/** `kill -9` while the merchant's server is being told of a payment: the next process tells it again, under the same id. Reads dist/. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { startCli, whyNoProcesses } from '../../support/cli/cli-process.js';
import { openPayer, openWorld } from './world.js';
import { leftOutIf } from '../../tools/runner/left-out.js';

describe('pix-checkout serve, killed', leftOutIf(whyNoProcesses), () => {
  it('over an event: it is told again with its webhook-id, and then no more', async (t) => {
    const { env, sandbox, merchant, write } = await openWorld(t);
    const clock = write(
      'pix.config.mjs',
      'export default { now: () => Date.now() + Number(process.env.AHEAD_MS) };',
    );
    const start = async (AHEAD_MS: string) => {
      const process = startCli(['serve', '--config', clock], { ...env, AHEAD_MS });
      t.onTestFinished(async () => void (await process.end('SIGKILL')));
      const [, url = ''] = await process.untilWritten(/listens on (\S+) for/);
      return { ...process, payer: openPayer(url, sandbox) };
    };

    const first = await start('0');
    const made = await first.payer.create('order-1');
    await merchant.untilHeard('invoice.waiting');
    merchant.setAnswering(false);
    assert.equal(await first.payer.pay(made), 'paid');
    const { id } = await merchant.untilHeard('invoice.paid');
    assert.equal(await first.end('SIGKILL'), 'SIGKILL');

    merchant.heard.length = 0;
    merchant.setAnswering(true);
    // The claim of the dead process has run out by then.
    const second = await start('61000');
    assert.equal((await merchant.untilHeard('invoice.paid')).id, id);
    assert.equal((await second.payer.ask('order-1')).status, 409);
    assert.equal(await second.end('SIGTERM'), 0);
    assert.equal(merchant.heard.filter((one) => one.id === id).length, 1);
  });
});
