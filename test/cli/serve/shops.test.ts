/**
 * The shops of the demo in PHP and Python with `serve`: paid from their page to their books, and what they make of calls
 * that are not ours.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { whyNoProgram } from '../../tools/machine/programs.js';
import { faultsOfCall } from '../../support/openapi-check.js';
import { runCommand } from '../../support/cli/terminal.js';
import { startShop } from './shops.js';
import { openPayer, openWorld, publicUrl, secret, totalCents, webhookSecret } from './world.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { until } from '../../support/until.js';

const otherSecret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const reference = '1042';

const paid = (more: object = {}) => ({
  type: 'invoice.paid',
  timestamp: new Date().toISOString(),
  data: { external_id: reference, total_cents: totalCents, duplicate: false, ...more },
});

/** A shop that knows the former secret, too. */
async function open(t: Pick<TestContext, 'onTestFinished'>, name: 'php' | 'python') {
  const world = await openWorld(t);
  const shop = await startShop(name, {
    PIX_PUBLIC_URL: publicUrl,
    PIX_SECRETS: secret,
    PIX_WEBHOOK_SECRETS: `${otherSecret} ${webhookSecret}`,
    SHOP_STATE: world.folder,
  });
  t.onTestFinished(() => shop.close());
  const call = async (path: string, body: object, headers?: Record<string, string>) => {
    const answer = await fetch(`${shop.url}${path}`, {
      method: 'POST',
      headers: headers ?? signed('an-id', body).headers,
      body: JSON.stringify(body),
    });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    ...world,
    shop,
    call,
    page: async () => (await fetch(`${shop.url}/orders/${reference}`)).text(),
    books: () =>
      readFileSync(join(world.folder, 'events'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { id: string; event: { type: string } }),
  };
}

for (const name of ['php', 'python'] as const) {
  describe(`the shop of the demo in ${name}`, leftOutIf(whyNoProgram(name)), () => {
    let opened: Awaited<ReturnType<typeof open>>;
    const ends: (() => unknown)[] = [];
    beforeAll(async () => {
      opened = await open({ onTestFinished: (end) => void ends.push(end as () => unknown) }, name);
    });
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });

    it('refuses what is not signed by us, now', async () => {
      const { shop, call, page } = opened;
      const event = paid();
      const other = paid({ total_cents: totalCents + 1 });
      const { headers: ours } = signed('an-id', event);
      const { headers: old } = signed('an-id', event, new Date(Date.now() - 301_000));
      // Five minutes are the limit: after as many seconds more as a busy machine may need until it is sent, it is still early.
      const { headers: early } = signed('an-id', event, new Date(Date.now() + 360_000));
      const foreign = new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`);
      const forged = foreign.sign('an-id', new Date(), JSON.stringify(event));
      const refused: [what: string, headers: Record<string, string>, body?: object][] = [
        ['another body', ours, other],
        ['another id', { ...ours, 'webhook-id': 'another' }],
        ['an old one', old],
        ['one from tomorrow', early],
        ['an old one with a new time', { ...old, 'webhook-timestamp': ours['webhook-timestamp'] }],
        ['a foreign key', { ...ours, 'webhook-signature': forged }],
        ['an empty one', { ...ours, 'webhook-signature': '' }],
        ['no number', signed('an-id', event, new Date(), 'now').headers],
      ];
      for (const [what, headers, body = event] of refused) {
        assert.equal((await call('/events', body, headers)).status, 401, what);
      }
      assert.doesNotMatch(await page(), /Obrigado/);
      assert.doesNotMatch(shop.output(), /failed/);
    });

    it('does not take a question for an event', async () => {
      const { call } = opened;
      const question = { external_id: reference, method: 'pix', installment: 1 };
      assert.equal((await call('/events', question)).status, 400);
    });

    it('answers a question as the OpenAPI document says', async () => {
      const { call } = opened;
      const question = { external_id: reference, method: 'pix', installment: 1 };
      const answer = JSON.parse((await call('/order', question)).text) as object;
      assert.deepEqual(faultsOfCall('answer', answer), []);
      assert.notDeepEqual(faultsOfCall('answer', { ...answer, total_cents: 1 }), []);
      const unknown = await call('/order', { ...question, external_id: '1043' });
      assert.equal(unknown.status, 404);
      assert.deepEqual(faultsOfCall('unknown', JSON.parse(unknown.text)), []);
      // A wrong path is no unknown order.
      assert.deepEqual(await call('/orders', question), { status: 404, text: '' });
    });

    it('loads the script from the proxy, and hands out no file', async () => {
      const { shop, page } = opened;
      assert.ok((await page()).includes(` src="${publicUrl}/assets/pix-checkout.min.js"`));
      for (const path of ['/assets/pix-checkout.min.js', '/orders/1043', '/']) {
        assert.equal((await fetch(`${shop.url}${path}`)).status, 404, path);
      }
    });

    it('does not ship for too little, nor for a second payment', async () => {
      const { call, page } = opened;
      const wrong = [{ total_cents: totalCents - 1 }, { duplicate: true }, { external_id: '1043' }];
      for (const [at, more] of wrong.entries()) {
        const { headers, body } = signed(`id-${at}`, paid(more));
        assert.equal((await call('/events', body, headers)).status, 204);
      }
      assert.doesNotMatch(await page(), /Obrigado/);
    });

    it('is paid through serve, and has each event once in its books', async (t) => {
      const { env, sandbox, shop, page, books } = opened;
      const run = runCommand(
        ['serve'],
        {
          ...env,
          PIX_ORDER_URL: `${shop.url}/order`,
          PIX_EVENTS_URL: `${shop.url}/events`,
        },
        t,
      );
      const [, url = ''] = await run.untilWritten(/listens on (\S+) for/);
      const [, token = ''] = /order-token="([^"]+)"/.exec(await page()) ?? [];
      const payer = openPayer(url, sandbox);
      const made = await payer.create(reference, token);
      assert.equal(made.total_cents, totalCents);
      assert.equal((await payer.ask('1043')).status, 404);
      assert.doesNotMatch(run.warnings(), /order_failed/);
      assert.equal(await payer.pay(made), 'paid');
      await until(async () => (await page()).includes('Obrigado'));
      assert.equal((await payer.ask(reference, token)).status, 409);
      assert.equal(await run.end(), 0);
      // That the code waits is not told where the payment overtakes it.
      const ids = books().map(({ id }) => id);
      assert.deepEqual(new Set(ids).size, ids.length);
      assert.ok(ids.includes(`paid~${reference}~${made.invoice_id}`));
    });

    it('takes an event once, however often it is told', async () => {
      const { call, books } = opened;
      const before = books().length;
      assert.equal((await call('/events', paid())).status, 204);
      assert.equal((await call('/events', paid())).status, 204);
      assert.equal(books().length, before + 1);
      const question = { external_id: reference, method: 'pix', installment: 1 };
      assert.deepEqual(JSON.parse((await call('/order', question)).text), { status: 'paid' });
    });
  });
}

function signed(id: string, body: object, at = new Date(), timestamp?: string) {
  const seconds = timestamp ?? String(Math.floor(at.getTime() / 1_000));
  const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
  // By hand: the library signs no time that is none.
  const hmac = createHmac('sha256', key).update(`${id}.${seconds}.${JSON.stringify(body)}`);
  return {
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': seconds,
      'webhook-signature': `v1,${hmac.digest('base64')}`,
    },
  };
}
