/** `pix-checkout order`: which alerts wait for a person, and what follows from the word that answers one. */

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'vitest';
import { openLedger } from '../../src/ledger.js';
import { signOrder } from '../../src/order-token.js';
import { createProxy } from '../../src/proxy.js';
import { accessToken, openWorld, publicUrl, secret } from './serve/world.js';
import { assertRefused, runCommand } from '../support/cli/terminal.js';
import { columns } from '../support/rows.js';

const externalId = 'order-1';

/** A card whose answer was lost, in a ledger that the command reads. */
async function openUnknown(t: TestContext) {
  const { env, sandbox } = await openWorld(t);
  const ledger = await openLedger({ url: env.PIX_LEDGER_URL });
  t.onTestFinished(() => ledger.close());
  const proxy = createProxy({
    serviceUrl: env.PIX_SERVICE_URL,
    accessToken,
    secrets: [secret],
    publicUrl,
    allowedOrigins: [env.PIX_ALLOWED_ORIGINS],
    allowSandbox: true,
    ledger,
    backgroundJobs: false,
    resolveOrder: () => ({ total_price_cents: 12_990 }),
    async fetch(input, init) {
      const answer = await fetch(input, init);
      if (init?.method === 'POST') throw new TypeError('fetch failed');
      return answer;
    },
    log: () => undefined,
  });
  t.onTestFinished(() => proxy.close());
  const pay = async () => {
    const orderToken = await signOrder({ secrets: [secret], publicUrl, externalId });
    const card = { token: 'tok_approve' };
    const input = { externalId, orderToken, method: 'credit_card', card } as const;
    return proxy.createInvoice(input).catch(({ code }: { code: string }) => code);
  };
  assert.equal(await pay(), 'outcome_unknown');
  const ask = async (...args: string[]) => {
    const run = runCommand(['order', externalId, ...args], env);
    return { code: await run.code, text: run.output(), warnings: run.warnings() };
  };
  const [alert] = (await proxy.describeOrder(externalId))?.alerts ?? [];
  assert.ok(alert);
  return { proxy, sandbox, env, ask, pay, deliveryId: alert.deliveryId };
}

describe('pix-checkout order', () => {
  it('shows the alerts that wait for a person, with what answers them', async (t) => {
    const { ask, deliveryId } = await openUnknown(t);
    const { code, text } = await ask();
    assert.equal(code, 0);
    assert.ok(text.includes(`onOutcomeUnknown  deliveryId=${deliveryId}`), text);
    assert.match(text, /--not-charged DELIVERY.*--paid-by INVOICE/);
    assert.match(text, /^Waits for: a person: .*$/m);
    const { alerts } = JSON.parse((await ask('--json')).text) as {
      alerts: Record<string, unknown>[];
    };
    assert.deepEqual(columns(alerts, 'hook', 'totalCents'), [['onOutcomeUnknown', 12_990]]);
  });

  it('asks before it acts, and says what it would do', async (t) => {
    const { ask, deliveryId, pay } = await openUnknown(t);
    const { code, warnings } = await ask('--not-charged', deliveryId);
    assert.equal(code, 2);
    assert.match(warnings, /R\$ 129,90 was not charged.*--yes/s);
    assert.equal(await pay(), 'in_progress');
  });

  it('frees the order where the card was not charged, and says what followed', async (t) => {
    const { ask, deliveryId, proxy } = await openUnknown(t);
    const freed = await ask('--not-charged', deliveryId, '--yes');
    assert.deepEqual([freed.code, freed.warnings], [0, '']);
    assert.match(freed.text, /^The word counts: .*\nWaits for: nothing/);
    assert.deepEqual((await proxy.describeOrder(externalId))?.alerts, []);
    const again = await ask('--not-charged', deliveryId, '--yes');
    assert.equal(again.code, 1);
    assert.match(again.warnings, /^Nothing was changed: no alert .* is open/);
  });

  it('takes the invoice that the service charged, after a look-up', async (t) => {
    const { ask, sandbox, deliveryId, pay } = await openUnknown(t);
    const { invoiceId } = sandbox.invoices().at(-1) ?? assert.fail();
    const wrong = await ask('--paid-by', '00000000-0000-4000-8000-000000000000', '--yes');
    assert.equal(wrong.code, 1);
    assert.match(wrong.warnings, /^Nothing was changed: the service does not say/);
    const url = `http://127.0.0.1/sandbox/invoices/${invoiceId}/settle`;
    await sandbox.fetch(url, { method: 'POST' });
    const taken = await ask('--paid-by', invoiceId, '--alert', deliveryId, '--yes');
    assert.deepEqual([taken.code, taken.warnings], [0, '']);
    assert.match(taken.text, /Waits for: your server: paid at/);
    assert.equal(await pay(), 'order_paid');
  });

  it('says which variable is missing, and that no service answers', async (t) => {
    const { env, deliveryId } = await openUnknown(t);
    const { PIX_ACCESS_TOKEN: _none, ...less } = env;
    const word = ['order', externalId, '--not-charged', deliveryId, '--yes'];
    await assertRefused(word, less, /^PIX_ACCESS_TOKEN is missing/);
    await assertRefused([...word, '--paid-by', 'a'], env, /not both/);
    const other = { ...env, PIX_PUBLIC_URL: 'https://other.example/pix' };
    await assertRefused(word, other, /orders of another shop/);
  });
});
