/** `pix-checkout serve` in this process: a payment from the price to the event, its roles, its start and its end. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import { runCommand } from '../../support/cli/terminal.js';
import { openPayer, openWorld, publicUrl, totalCents } from './world.js';

const serve = (t: TestContext, env: Readonly<Record<string, string>>, ...args: string[]) =>
  runCommand(['serve', ...args], env, t);

const started = /^pix-checkout serve \((\w+)\) listens on (\S+) for (\S+)$/m;

describe('pix-checkout serve', () => {
  it('asks the merchant for the price, and tells of the payment once', async (t) => {
    const { env, sandbox, merchant } = await openWorld(t);
    const run = serve(t, env);
    const [, role, url = '', seenAt] = await run.untilWritten(started);
    assert.deepEqual([role, seenAt], ['all', publicUrl]);
    const payer = openPayer(url, sandbox);

    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    await payer.ask('order-1.a', undefined, { traceparent });
    const made = await payer.create('order-1.a');
    assert.equal(made.total_cents, totalCents);
    const question = { external_id: 'order-1.a', method: 'pix', installment: 1 };
    assert.deepEqual(merchant.asked[0], { ...question, traceparent });

    assert.equal(await payer.pay(made), 'paid');
    const { id, data } = await merchant.untilHeard('invoice.paid');
    assert.equal(id, `paid~order-1%2Ea~${made.invoice_id}`);
    assert.equal(data['total_cents'], totalCents);
    assert.equal(data['duplicate'], false);
    assert.equal(await run.end(), 0);
    assert.equal(merchant.heard.filter((one) => one.type === 'invoice.paid').length, 1);
    assert.equal(run.output().split('\n').length, 1);
  });

  it('takes words of the service for paid and pending from PIX_STATUSES', async (t) => {
    const { env, sandbox, merchant } = await openWorld(t);
    const run = serve(t, { ...env, PIX_STATUSES: 'denied pending=queued paid=approved' });
    const [, , url = ''] = await run.untilWritten(started);
    const payer = openPayer(url, sandbox);
    for (const [order, status, seen] of [
      ['order-1', 'queued', 'queued'],
      ['order-2', 'approved', 'paid'],
    ] as const) {
      const made = await payer.create(order);
      const fault = { on: 'look_up', kind: 'unknown_status', status } as const;
      const faults = JSON.stringify([fault]);
      const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: faults };
      const set = await sandbox.fetch('http://127.0.0.1/sandbox/faults', init);
      assert.ok(set.ok, String(set.status));
      assert.equal(await payer.pay(made), seen);
    }
    const { data } = await merchant.untilHeard('invoice.paid');
    assert.equal(data['external_id'], 'order-2');
    assert.doesNotMatch(run.warnings() + run.output(), /unknown_status/);
  });

  it('web takes requests and calls no one, worker calls and takes none', async (t) => {
    const { env, sandbox, merchant } = await openWorld(t);
    const web = serve(t, { ...env, PIX_ROLE: 'web' });
    const [, , webUrl = ''] = await web.untilWritten(started);
    const payer = openPayer(webUrl, sandbox);
    const made = await payer.create('order-1');
    assert.equal(await payer.pay(made), 'paid');
    for (const path of ['health', 'ready']) {
      assert.equal((await fetch(`${webUrl}/pix/${path}`)).status, 200, path);
    }
    // What it had begun to tell would be told by now.
    assert.equal(await web.end(), 0);
    assert.deepEqual(merchant.heard, []);

    const worker = serve(t, { ...env, PIX_ROLE: 'worker' });
    const [, , workerUrl = ''] = await worker.untilWritten(started);
    assert.equal((await merchant.untilHeard('invoice.paid')).data['external_id'], 'order-1');
    for (const path of ['health', 'ready']) {
      assert.equal((await fetch(`${workerUrl}/pix/${path}`)).status, 200, path);
    }
    assert.equal((await openPayer(workerUrl, sandbox).ask('order-2')).status, 404);
    assert.equal(await worker.end(), 0);
  });

  it('serves with functions of a module, and says as a line of the log what is missing', async (t) => {
    const { env, sandbox, write } = await openWorld(t);
    const { PIX_ORDER_URL: _, PIX_EVENTS_URL: __, PIX_WEBHOOK_SECRETS: ___, ...rest } = env;
    rest.PIX_LEDGER_URL = 'memory:';
    const path = write(
      'pix.config.mjs',
      `export default { resolveOrder: ({ externalId }) => externalId === 'known' ? { total_price_cents: 500 } : null,
        log: () => undefined };`,
    );
    const run = serve(t, rest, '--config', path, '--port', '0', '--host', '127.0.0.1');
    const [, , url = ''] = await run.untilWritten(started);
    const payer = openPayer(url, sandbox);
    assert.equal((await payer.create('known')).total_cents, 500);
    assert.equal((await payer.ask('unknown')).status, 404);
    const lines = run
      .warnings()
      .split('\n')
      .map((line) => JSON.parse(line) as { hint: string });
    assert.match(lines[0]?.hint ?? '', /^PIX_EVENTS_URL is missing/);
    assert.equal(await run.end(), 0);
  });

  it('serves nothing with a setting that is wrong', async (t) => {
    const { env } = await openWorld(t);
    const run = serve(t, { ...env, PIX_HOLD_SECONDS: '99' });
    assert.equal(await run.code, 1);
    assert.match(run.warnings(), /^PIX_HOLD_SECONDS must be/);
    assert.equal(run.output(), '');
  });

  it('says that its port is taken', async (t) => {
    const { env } = await openWorld(t);
    const one = serve(t, env);
    const [, , url = ''] = await one.untilWritten(started);
    const other = serve(t, env, '--port', new URL(url).port);
    assert.equal(await other.code, 1);
    assert.match(other.warnings(), /EADDRINUSE/);
    assert.equal(await one.end(), 0);
  });
});
