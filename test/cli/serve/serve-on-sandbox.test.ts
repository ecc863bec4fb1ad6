/** `dev` as a developer has it: a shop, a payer who knows only HTTP, and the bank's page. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signOrder } from '../../../src/order-token.js';
import { freePort, openPort, serve } from '../../support/proxy/node-servers.js';
import { startCli } from '../../support/cli/cli-process.js';
import { runCommand } from '../../support/cli/terminal.js';
import { toCreation } from '../../support/payer.js';

const local = ['--shop', 'http://localhost:1', '--bank-port', '0'];
const person = { name: 'Maria da Silva', cpf_cnpj: '52998224725', email: 'maria@shop.example' };

/** A shop that listens, and `dev` beside it. Its secrets are those that `dev` prints. */
async function openDev(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const shop = createServer();
  const url = `http://127.0.0.1:${await openPort(shop)}`;
  t.onTestFinished(() => shop.close().closeAllConnections());
  const { port } = new URL(await freePort());
  const run = runCommand(
    ['serve', '--sandbox', '--shop', url, '--port', port, '--bank-port', '0'],
    env,
    t,
  );
  const [, secret = ''] = await run.untilWritten(/ PIX_SECRETS=(\S+)/);
  const [, webhookSecret = ''] = await run.untilWritten(/ PIX_WEBHOOK_SECRETS=(\S+)/);
  const heard = serveShop(shop, webhookSecret);
  const publicUrl = `http://localhost:${port}/pix`;
  const [, bankUrl = ''] = await run.untilWritten(/^Bank +(\S+)$/m);
  /** Sends a form of the bank's page. */
  const press = async (act: string, fields: Readonly<Record<string, string>> = {}) => {
    const body = new URLSearchParams({ act, ...fields });
    assert.equal((await fetch(bankUrl, { method: 'POST', body })).status, 200);
  };
  const pay = async ({ invoice_id }: Created) => {
    await press('Pay', { invoice_id });
    await press('Postback', { invoice_id });
  };
  const create = async (externalId: string, more: Partial<{ replaces: string }> = {}) => {
    const orderToken = await signOrder({ secrets: [secret], publicUrl, externalId });
    const order = { external_id: externalId, order_token: orderToken, payer: person };
    const asked = toCreation(url, { ...order, ...more });
    const answer = await fetch(`http://127.0.0.1:${port}/pix/invoices`, asked);
    const { data } = (await answer.json()) as { data: Created };
    return data;
  };
  return { run, create, press, pay, heard, publicUrl };
}

interface Created {
  readonly invoice_id: string;
  readonly qr_code_pix: string;
}

function serveShop(server: Server, webhookSecret: string) {
  const heard: string[] = [];
  server.on('request', async (request, answer) => {
    const body = await text(request);
    new Webhook(webhookSecret).verify(body, request.headers as Record<string, string>);
    if (request.url === '/order') return answer.end('{"total_price_cents":12990}');
    const { type } = JSON.parse(body) as { type: string };
    heard.push(type);
    return answer.writeHead(204).end();
  });
  return heard;
}

describe('pix-checkout serve --sandbox', () => {
  it('asks the shop for the price, and tells it of the payment that the bank makes', async (t) => {
    const { run, create, pay, heard } = await openDev(t);
    assert.match(run.output(), /^ {2}PIX_PUBLIC_URL=http:\/\/localhost:\d+\/pix$/m);
    const created = await create('order-1');
    await run.untilWritten(/→ POST \/order +200 +\d+ ms {2}order-1/);
    await run.untilWritten(/POST \/pix\/invoices +200 +\d+ ms {2}order-1 pix pending R\$\s129,90/);
    await pay(created);
    await run.untilWritten(/→ POST \/events +204 +\d+ ms {2}invoice\.paid order-1/);
    assert.ok(heard.includes('invoice.paid'));
    const said = run.output() + run.warnings();
    for (const secret of [created.qr_code_pix, ...Object.values(person), 'Bearer', 'v1.']) {
      assert.equal(said.includes(secret), false, secret);
    }
    assert.equal(await run.end(), 0);
  });

  it('pays an order twice, and the shop is told so', async (t) => {
    const { run, create, pay, heard } = await openDev(t);
    const first = await create('order-2');
    const second = await create('order-2', { replaces: first.invoice_id });
    await pay(first);
    await pay(second);
    await run.untilWritten(/invoice\.paid[^]*invoice\.paid/);
    assert.equal(heard.filter((type) => type === 'invoice.paid').length, 2);
  });

  it('loses the next answer, and says what the proxy made of it', async (t) => {
    const { run, create, press } = await openDev(t);
    await press('Set', { fault: 'create cut_after' });
    await create('order-3');
    await run.untilWritten(/warn service_failed/);
    await run.untilWritten(/POST \/pix\/invoices +503 .*service_unavailable/);
  });

  it('asks the sandbox alone, though the environment names the real service', async (t) => {
    const called: string[] = [];
    const service = await serve(t, (request, answer) => {
      called.push(request.url ?? '');
      answer.end('{}');
    });
    const { create } = await openDev(t, {
      PIX_SERVICE_URL: service,
      PIX_ACCESS_TOKEN_FILE: '/run/secrets/access_token',
      PIX_ALLOW_SANDBOX: 'false',
      PIX_LEDGER_URL: 'postgres://ledger.example/shop',
      PIX_ROLE: 'worker',
      PIX_SECRETS: '',
    });
    assert.match((await create('order-6')).qr_code_pix, /TESTE NAO PAGAR/);
    assert.deepEqual(called, []);
  });

  it('serves the page of payment links, with its files', async (t) => {
    const { publicUrl } = await openDev(t, { PIX_PAYMENT_PAGE: '{"name":"Padaria da Ana"}' });
    for (const path of ['/pay', '/assets/pix-checkout-pay.min.js']) {
      const { status } = await fetch(publicUrl.replace('localhost', '127.0.0.1') + path);
      assert.equal(status, 200, path);
    }
  });

  it('shows nothing that steers the terminal, whatever a page sends', async (t) => {
    const { run, publicUrl } = await openDev(t);
    await fetch(`${publicUrl.replace('localhost', '127.0.0.1')}/invoices`, {
      method: 'POST',
      body: JSON.stringify({ external_id: 'a\u001b[2J\n\u009b31mPaid: order-1', method: 'pix' }),
    });
    await run.untilWritten(/invoices +415/);
    assert.doesNotMatch(run.output(), /(?!\n)\p{Cc}|^\S*Paid/mu);
  });

  it('ends where its port is taken', async (t) => {
    const { port } = new URL(await serve(t, () => undefined));
    const run = startCli(['serve', '--sandbox', ...local, '--port', port], {});
    t.onTestFinished(async () => void (await run.end('SIGKILL')));
    assert.equal(await run.ended, 1);
    assert.match(run.output(), /EADDRINUSE/);
  });

  it('takes a shop by the name of its container, and other addresses of this machine', async (t) => {
    const { port } = new URL(await freePort());
    const ports = ['--port', port, '--bank-port', '0'];
    const run = runCommand(
      ['serve', '--sandbox', '--shop', 'http://shop:8000', ...ports],
      {
        PIX_PLAIN_HTTP_HOSTS: 'shop',
        PIX_ALLOWED_ORIGINS: 'http://localhost:8000',
        PIX_EVENTS_URL: 'http://127.0.0.1:8000/events',
      },
      t,
    );
    await run.untilWritten(/^Prices {2}http:\/\/shop:8000\/order$/m);
  });

  it('names a variable that is misspelt', async (t) => {
    const { run } = await openDev(t, { SERVICE_CALLS_PER_MINUTES: '60' });
    assert.match(run.warnings(), /^SERVICE_CALLS_PER_MINUTES is no variable .*_MINUTE meant\?$/m);
  });

  const eventsElsewhere = /^PIX_EVENTS_URL must not be a shop elsewhere/;
  const ordersElsewhere = /^PIX_ORDER_URL must not be a shop elsewhere/;
  const others = {
    PIX_EVENTS_URL: 'http://shop:8000/events',
    PIX_PLAIN_HTTP_HOSTS: 'shop other',
    PIX_ALLOWED_ORIGINS: 'http://localhost:8000',
  };
  const wrong: readonly [args: string[], env: Record<string, string>, said: RegExp][] = [
    [[], {}, /^--shop is missing/],
    [['--shop', 'localhost:8000'], {}, /^--shop must be an address/],
    [['--shop', 'http://localhost:1'], { NODE_ENV: 'production' }, /never runs where NODE_ENV/],
    [local, { PIX_SECRETS: 'short' }, /^PIX_SECRETS must/],
    [
      local,
      { NODE_ENV: 'test', PIX_ORDER_URL: 'http://shop.example/order' },
      /^PIX_ORDER_URL must/,
    ],
    [local, { PIX_EVENTS_URL: 'https://shop.example/events' }, eventsElsewhere],
    [local, { PIX_ORDER_URL: 'http://shop:8000', PIX_PLAIN_HTTP_HOSTS: 'shop' }, ordersElsewhere],
    [['--shop', 'http://other:8000', '--bank-port', '0'], others, eventsElsewhere],
  ];
  for (const [args, env, said] of wrong) {
    it(`says what is wrong: ${[...args, ...Object.keys(env)].join(' ') || 'nothing given'}`, async (t) => {
      // A server that starts all the same has to fail, not to hang.
      const run = runCommand(['serve', '--sandbox', ...args], env, t);
      assert.equal(await run.code, 2);
      assert.match(run.warnings(), said);
    });
  }
});
