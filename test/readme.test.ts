/**
 * The code for servers in the documents runs as it stands, against the built package and the sandbox.
 * Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { LogEntry } from '../src/proxy.js';
import { createSandbox, serveSandbox } from '../src/sandbox.js';
import type { SandboxServer } from '../src/sandbox.js';
import { listDocuments } from './tools/docs/doc-tables.js';
import {
  honoShopCode,
  likeExpress,
  makeShopFolder,
  payForReal,
  payInShop,
  realCode,
  runShop,
  shopCode,
  startShop,
  toRealShop,
} from './support/front-door.js';
import { root, runNode } from './tools/tools.js';
import { makeFolder } from './support/folder.js';
import { column } from './support/rows.js';

const accessToken = 'readme-token';

/** Every code block for servers; test/runtimes runs the recipes for other servers, and test/frameworks the shop in Next. */
const blocks = listDocuments()
  .filter((path) => !/\/(?:RUNTIMES|NEXT)\.md$/.test(path))
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .flatMap((text) => [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code));

const used = new Set<string>();

/** The code block that holds this text. */
function blockWith(text: string): string {
  const found = blocks.filter((code) => code.includes(text));
  assert.equal(found.length, 1, `one block with ${text}`);
  const [block = ''] = found;
  used.add(block);
  return block;
}

/** The beginning of a program with a proxy. */
const aProxy = `
      import { createProxy } from 'pix-checkout/proxy';
      const proxy = createProxy({
        serviceUrl: process.env.PIX_SERVICE_URL, accessToken: process.env.PIX_ACCESS_TOKEN,
        secrets: [process.env.PIX_SECRET], publicUrl: process.env.PIX_PUBLIC_URL,
        allowedOrigins: ['https://shop.example'], requireOrderToken: false, log() {},
        resolveOrder: () => ({ total_price_cents: 12_990 }),
      });`;

describe('code for servers', () => {
  const folder = makeFolder({ onTestFinished: afterAll });
  let sandbox: SandboxServer;
  beforeAll(async () => {
    sandbox = await serveSandbox(createSandbox({ accessToken }));
  });
  afterAll(() => sandbox.close());

  /** What a module with this code prints. It has to end by itself; whatever it throws fails the test. */
  async function run(code: string): Promise<string> {
    const { code: exitCode, output } = await runNode(['--input-type=module', '--eval', code], {
      env: {
        PIX_SERVICE_URL: sandbox.url,
        PIX_ACCESS_TOKEN: accessToken,
        PIX_SECRET: 'a secret of the README, long enough',
        PIX_SECRETS: `${'n'.repeat(32)} ${'o'.repeat(32)}`,
        PIX_PUBLIC_URL: 'https://shop.example/pix',
        PIX_LEDGER_URL: `file:${join(folder, 'pix.db')}`,
      },
      timeoutMs: 30_000,
    });
    assert.equal(exitCode, 0, output);
    return output;
  }

  it('calls the service from a server of your own', async () => {
    const output = await run(`
      import { createServiceClient as toClient } from 'pix-checkout/service';
      const { PIX_SERVICE_URL: serviceUrl, PIX_ACCESS_TOKEN: accessToken } = process.env;
      const made = await toClient({ serviceUrl, accessToken }).createInvoice({
        method: 'pix', total_price_cents: 100, external_id: 'readme',
      });
      const invoiceId = made.invoice_id;
      const reviewQueue = { add() { throw new Error('It was refused'); } };
      ${blockWith("from 'pix-checkout/service'")}
      console.log(status);
    `);
    // The sandbox knows no refund, and says so.
    assert.match(output, /^not_found 404 undefined\npending\n$/);
  });

  it('sells an order by Pix and by card in the shop of the front door', async (t) => {
    for (const code of [shopCode, realCode]) used.add(code);
    const place = makeShopFolder(t, likeExpress(t));
    await payInShop(t, place, shopCode);
    await payForReal(t, place);
  });

  it('ends the start of a shop for real money that keeps the ledger of the sandbox, with what to do', async (t) => {
    const place = makeShopFolder(t, likeExpress(t));
    const former = await startShop(t, place, shopCode);
    // From then on the ledger is its.
    assert.equal((await fetch(`${former.url}/pix/ready`)).status, 200);
    await former.end();
    const forgetful = toRealShop(['service', 'publicUrl', 'secrets']);
    const shop = await runShop(t, place, forgetful, realVariables);
    const [said] = await shop.untilWritten(/^.*LedgerError\]?: .*$/m);
    assert.equal(await shop.ended, 1);
    assert.match(said, /serviceUrl http:\/\/127\.0\.0\.1, publicUrl http:\/\/localhost\/pix/);
    assert.match(
      said,
      /serviceUrl https:\/\/service\.example, publicUrl https:\/\/shop\.example\/pix/,
    );
    const object = `movedFrom: { serviceUrl: 'http://127.0.0.1', publicUrl: 'http://localhost/pix' }`;
    assert.ok(said.includes('new file') && said.includes(object), said);
    const lines = shop.output().match(/^\{"level".*$/gm) ?? [];
    assert.deepEqual(
      column(
        lines.map((line) => JSON.parse(line) as LogEntry),
        'event',
      ),
      ['started', 'ledger_of_other_shop'],
    );
    assert.ok((JSON.parse(lines[1]!) as LogEntry).hint?.includes(object), lines[1]);
  });

  it('names the variables for real money that are not set', async (t) => {
    const shop = await runShop(t, makeShopFolder(t, likeExpress(t)), toRealShop());
    assert.equal(await shop.ended, 1);
    for (const name of ['serviceUrl', 'accessToken', 'secrets'])
      assert.match(shop.output(), new RegExp(`${name} is undefined: is the variable set\\?`));
  });

  it('sells it with Hono, too: that file is another one in its server alone', () => {
    const withoutServer = (code: string) =>
      code
        .replaceAll(/^import .*(?:express|hono|node-server|createNodeListener).*\n/gm, '')
        .replace(/^(?:const app|app\.).*?(?=^console\.log)/ms, '')
        .trim();
    assert.equal(withoutServer(honoShopCode), withoutServer(shopCode));
  });

  it('says how a card ended that stayed unknown', async () => {
    const output = await run(`
      ${aProxy}
      const externalId = 'order-1042';
      const { invoice_id: invoiceId } = await proxy.createInvoice({ externalId, method: 'pix' });
      const deliveryId = 'outcome_unknown~order-1042~none';
      ${blockWith('resolveOutcome(')}
      console.log('told');
      await proxy.close();
    `);
    assert.equal(output, 'told\n');
  });

  it('goes live: opens its ledger, is ready, and ends when it is asked to', async () => {
    const output = await run(`
      const nothing = async () => null;
      const shop = { resolveOrder: nothing, onPaid: nothing, alertOperator: nothing };
      ${withChanges(blockWith('alertOperator'), ['port: 8080', 'port: 0'])}
      for (const name of ['health', 'ready']) {
        console.log(name, (await fetch(server.url + '/pix/' + name)).status);
      }
      process.kill(process.pid, 'SIGTERM');
    `);
    assert.match(output, /^health 200\nready 200\n$/m);
  });

  it('serves numbers', async () => {
    const output = await run(`
      import { createProxy } from 'pix-checkout/proxy';
      const { PIX_SERVICE_URL: serviceUrl, PIX_ACCESS_TOKEN: accessToken, PIX_PUBLIC_URL: publicUrl } = process.env;
      const options = {
        serviceUrl, accessToken, publicUrl, secrets: [process.env.PIX_SECRET],
        allowedOrigins: ['https://shop.example'], resolveOrder() {},
      };
      ${withChanges(blockWith('serveMetrics('), ['port: 9464', 'port: 0'])}
      console.log((await (await fetch(numbers.url)).text()).includes('pix_payments_total 0'));
      await numbers.close();
    `);
    assert.equal(output, 'true\n');
  });

  it('draws a code on the server', async () => {
    const output = await run(`
      ${aProxy}
      ${blockWith("from 'pix-checkout/html'")}
      console.log(page);
      await proxy.close();
    `);
    assert.match(output, /invoice="\{&quot;invoice_id.*part="qr".*<\/pix-checkout>/s);
  });

  it('starts the sandbox', async () => {
    await run(`
      ${withChanges(blockWith('const { url } = await serveSandbox('), ['port: 8081', 'port: 0'])}
      console.log((await fetch(url + '/sandbox/invoices')).status);
      process.exit();
    `);
  });

  it('fakes a checkout', async () => {
    const output = await run(`
      const url = 'https://shop.example/pay/invoices';
      const page = {
        async route(matches, handle) {
          page.ask = (url, method, headers, body) => new Promise((resolve) => {
            const request = { method: () => method, url: () => url, headers: () => headers, postData: () => body };
            if (!matches(new URL(url))) throw new Error(url);
            handle({ request: () => request, fulfill: async ({ body }) => resolve(JSON.parse(body).data) });
          });
        },
        async goto() {},
        getByLabel: () => ({ async fill() {} }),
        getByRole: () => ({ click: () => page.pay() }),
        async pay() {
          const wish = JSON.stringify({ method: 'pix', external_id: 'order-1234' });
          const { invoice_id, lookup_token } = await page.ask(url, 'POST', { 'idempotency-key': 'a' }, wish);
          const headers = { 'lookup-token': lookup_token };
          page.ask(url + '/' + invoice_id + '?wait=25', 'GET', headers).then(({ status }) => console.log(status));
        },
      };
      ${blockWith("from 'pix-checkout/testing'")}
      console.log(checkout.invoices[0].status);
    `);
    assert.equal(output, 'paid\npaid\n');
  });

  it('makes a payment link', async () => {
    const output = await run(`
      import { createProxy } from 'pix-checkout/proxy';
      const options = {
        serviceUrl: process.env.PIX_SERVICE_URL, accessToken: process.env.PIX_ACCESS_TOKEN,
        secrets: [process.env.PIX_SECRET], publicUrl: process.env.PIX_PUBLIC_URL,
        allowedOrigins: ['https://shop.example'], log() {},
        resolveOrder: () => ({ total_price_cents: 12_990 }),
      };
      ${blockWith('createPaymentLink(')}
      console.log(url);
      await proxy.close();
    `);
    assert.match(output, /^https?:\S+\/pay#v1\.\S+$/m);
  });

  it('serves with a module', async () => {
    const path = join(folder, 'pix.config.mjs');
    const shop = 'const priceOf = async () => 500, ship = async () => undefined;';
    writeFileSync(path, `${shop}\n${blockWith('export default {')}`);
    const args = ['serve', '--check-config', '--config', path];
    const { code, output } = await runNode([join(root, 'dist/cli.js'), ...args], {
      env: {
        PIX_SERVICE_URL: sandbox.url,
        PIX_ACCESS_TOKEN: accessToken,
        PIX_SECRETS: 'a-secret-of-the-README,-long-enough',
        PIX_PUBLIC_URL: 'https://shop.example/pix',
      },
    });
    assert.equal(code, 0, output);
    assert.match(output, /^ {2}onPaid \(config module\)$/m);
  });

  it('runs every block that the documents show', () => {
    assert.deepEqual(
      blocks.filter((block) => !used.has(block)),
      [],
    );
  });
});

const realVariables = {
  PIX_SERVICE_URL: 'https://service.example',
  PIX_ACCESS_TOKEN: accessToken,
  PIX_SECRETS: 'n'.repeat(32),
};

/** The code with its parts replaced that cannot be the same in a test. */
function withChanges(code: string, ...changes: readonly [from: string, to: string][]): string {
  return changes.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, () => to);
  }, code);
}
