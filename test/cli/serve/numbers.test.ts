/** `pix-checkout serve` with a page for Prometheus, on a port of its own. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { runCommand } from '../../support/cli/terminal.js';
import { openPayer, openWorld } from './world.js';

describe('PIX_METRICS_PORT', () => {
  it('serves the numbers of the proxy, apart from what browsers reach, until the end', async (t) => {
    const { env, sandbox } = await openWorld(t);
    const run = runCommand(['serve'], { ...env, PIX_METRICS_PORT: '0' }, t);
    const [, url = ''] = await run.untilWritten(/^pix-checkout serve \(all\) listens on (\S+)/m);
    const [, page = ''] = await run.untilWritten(/^Numbers for Prometheus: (\S+)$/m);
    await openPayer(url, sandbox).create('order-1');
    const text = await (await fetch(page)).text();
    assert.match(text, /^pix_creations_total\{method="pix",outcome="ok"\} 1$/m);
    assert.match(text, /^pix_ledger_seconds_count\{operation="change",outcome="ok"\} 2$/m);
    assert.equal((await fetch(`${url}/metrics`)).status, 404);
    assert.equal((await fetch(`${url}/pix/metrics`)).status, 404);
    assert.equal(new URL(page).hostname, '127.0.0.1');
    assert.equal(await run.end(), 0);
    await assert.rejects(fetch(page));
  });

  it('that cannot be had ends the command, and one that is none is named', async (t) => {
    const { env } = await openWorld(t);
    const taken = await openWorld(t);
    const port = new URL(taken.env.PIX_SERVICE_URL).port;
    const run = runCommand(['serve'], { ...env, PIX_METRICS_PORT: port });
    assert.equal(await run.code, 1);
    assert.match(run.warnings(), /cannot show numbers on 127\.0\.0\.1, port \d+: EADDRINUSE/);
    const wrong = runCommand(['serve', '--check-config'], { ...env, PIX_METRICS_PORT: '99999' });
    assert.equal(await wrong.code, 1);
    assert.match(wrong.warnings(), /^PIX_METRICS_PORT must be a port/m);
  });
});
