/** The shop of README.md, word for word: saved into an empty folder, started, and paid by Pix and by card at the sandbox. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { createNodeListener } from '../../src/node.js';
import { root } from '../tools/tools.js';
import { startProgram } from './program.js';
import { toCreation, toLookUp } from './payer.js';
import { makeFolder } from './folder.js';
import { findPort, serve } from './proxy/node-servers.js';
import { createUpstream } from './proxy/upstream.js';

/** The code of README.md, in its order: the shop, and what is other with real money. */
export const [shopCode = '', realCode = ''] = [
  ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms),
].map(([, code = '']) => code);

/** The shop with Hono, a file of its own. */
export const honoShopCode = readFileSync(join(root, 'demo/examples/hono/shop.mjs'), 'utf8');

/** The constants that are other ones with real money. */
const constants = ['service', 'publicUrl', 'secrets', 'ledger'];

/** The shop for real money. @param changed its constants: those that a merchant has not forgotten */
export function toRealShop(changed = constants): string {
  const onlyForPlay = [
    /^(?:import .*sandbox'|const bank|console.*bank).*\n/gm,
    /\n *methods="pix credit_card" accept-raw-card/,
  ];
  const code = constants.reduce((text, name) => {
    const line = new RegExp(`^const ${name} = [^;]*;.*\\n`, 'm');
    const [real = assert.fail(name)] = line.exec(realCode) ?? [];
    return changed.includes(name) ? replaceIn(text, line, real) : text;
  }, shopCode);
  return onlyForPlay.reduce((text, part) => replaceIn(text, part, ''), code);
}

/** An empty folder with these packages installed, each by its folder, and this one. */
export function makeShopFolder(t: TestContext, packages: Readonly<Record<string, string>>): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'node_modules/@hono'), { recursive: true });
  for (const [name, place] of Object.entries({ ...packages, 'pix-checkout': root }))
    symlinkSync(place, join(folder, 'node_modules', name));
  return folder;
}

/** As much of Express as the front door uses. The long tier installs the real one. */
export function likeExpress(t: Parameters<typeof makeFolder>[0]): { readonly express: string } {
  const express = makeFolder(t);
  writeFileSync(join(express, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(join(express, 'index.js'), expressCode);
  return { express };
}

const expressCode = `
  import { createServer } from 'node:http';
  export default function express() {
    const routes = [];
    const find = ({ url }) => routes.find(([path]) => path.test(url))?.[1];
    return {
      all: (path, answer) => routes.push([path, answer]),
      get: (path, answer) =>
        routes.push([
          /^.orders./,
          (request, response) => {
            request.params = { id: request.url.split('/').at(-1) };
            response.send = (text) => response.end(text);
            return answer(request, response);
          },
        ]),
      listen: (port) =>
        createServer((request, response) => find(request)?.(request, response)).listen(port),
    };
  }`;

/** Starts the shop and pays its order; then again, for the shop sells one order a start. */
export async function payInShop(t: TestContext, folder: string, code: string): Promise<void> {
  const card = {
    number: '4111111111111111',
    first_name: 'MARIA',
    last_name: 'SILVA',
    month: '12',
    year: '2031',
    security_code: '123',
  };
  const ways = [{ method: 'pix' }, { method: 'credit_card', card: { ...card, installment: 1 } }];
  for (const way of ways) {
    const shop = await startShop(t, folder, code);
    await payOrder(shop, way, async (invoiceId) => {
      const settle = `${shop.bank}/invoices/${invoiceId}/settle`;
      if (way.method === 'pix') await fetch(settle, { method: 'POST' });
    });
    await shop.end();
  }
}

/** Starts the shop for real money at a service that is not the sandbox, and pays its order through the web server in front. */
export async function payForReal(t: TestContext, folder: string): Promise<void> {
  const service = createUpstream();
  const listener = createNodeListener((request) => service.fetch(request));
  const shop = await startShop(t, folder, toRealShop(), {
    PIX_SERVICE_URL: await serve(t, listener),
    PIX_ACCESS_TOKEN: 'token',
    PIX_SECRETS: 'n'.repeat(32),
  });
  assert.match(shop.order, /^https:\/\/shop\.example\/orders\/order-\d+$/);
  assert.doesNotMatch(shop.output(), /localhost|sandbox/);
  const page = await payOrder(shop, { method: 'pix' }, (invoice_id) => service.pay({ invoice_id }));
  assert.doesNotMatch(page, /card/);
  assert.equal(service.sent[0]?.body?.['ip_payer'], payerAddress);
}

const payerAddress = '203.0.113.7';

/** Pays a shop's order as its page does. @param settle pays an invoice at the service @returns the page */
async function payOrder(
  shop: Awaited<ReturnType<typeof startShop>>,
  way: object,
  settle: (invoiceId: string) => unknown,
): Promise<string> {
  const { origin, pathname } = new URL(shop.order);
  const page = await (await fetch(shop.url + pathname)).text();
  const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(page)?.[1] ?? '';
  const script = await fetch(shop.url + attribute('src'));
  assert.equal(script.status, 200);
  const order = { external_id: attribute('external-id'), order_token: attribute('order-token') };
  const asked = toCreation(origin, { ...way, ...order }, { 'x-forwarded-for': payerAddress });
  const made = await fetch(`${shop.url}/pix/invoices`, asked);
  const { data } = (await made.json()) as { data: Record<string, string> };
  assert.equal(made.status, 200, shop.output());
  const { invoice_id: invoiceId = '', lookup_token: lookUpToken } = data;
  await settle(invoiceId);
  const token = toLookUp(origin, lookUpToken);
  const found = await fetch(`${shop.url}/pix/invoices/${invoiceId}`, token);
  const { status } = ((await found.json()) as { data: { status: string } }).data;
  assert.equal(status, 'paid', JSON.stringify(way));
  await shop.untilWritten(new RegExp(`Ship ${order.external_id}`));
  return page;
}

/** Starts the shop and waits until it sells its order. */
export async function startShop(
  t: TestContext,
  folder: string,
  code: string,
  env: Readonly<Record<string, string>> = {},
) {
  const shop = await runShop(t, folder, code, env);
  const [, order = ''] = await shop.untilWritten(/Order: (\S+)\n/);
  const [, bank] = /Bank: (\S+)\/\n/.exec(shop.output()) ?? [];
  return { ...shop, order, bank };
}

/** Saves the shop and runs it. Of its text only the port is another, for tests run side by side. */
export async function runShop(
  t: TestContext,
  folder: string,
  code: string,
  env: Readonly<Record<string, string>> = {},
) {
  const port = String(await findPort());
  writeFileSync(join(folder, 'shop.mjs'), code.replaceAll('3000', port));
  const shop = startProgram(process.execPath, ['shop.mjs'], {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  t.onTestFinished(() => void shop.end());
  return { ...shop, url: `http://localhost:${port}` };
}

function replaceIn(text: string, part: RegExp, other: string): string {
  assert.match(text, part);
  return text.replace(part, () => other);
}
