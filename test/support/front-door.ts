/** The shop of README.md, word for word: saved into an empty folder, started, and paid by Pix and by card at the sandbox. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { root } from '../tools/tools.js';
import { startProgram } from './program.js';
import { toCreation, toLookUp } from '../world/payer.js';
import { makeFolder } from '../world/folder.js';
import { findPort } from '../proxy/support/node-servers.js';

/** The code of README.md, in its order: the shop, and what is other with real money. */
export const [shopCode = '', realCode = ''] = [
  ...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```js\n(.*?)^```$/gms),
].map(([, code = '']) => code);

/** The shop with Hono, a file of its own. */
export const honoShopCode = readFileSync(join(root, 'demo/examples/hono/shop.mjs'), 'utf8');

/** The shop for real money: its three constants are other ones, and the sandbox is gone. */
export const realShopCode = ['service', 'publicUrl', 'secrets'].reduce(
  (code, name) => {
    const line = new RegExp(`^const ${name} = [^;]*;.*\\n`, 'm');
    return replaceIn(code, line, line.exec(realCode)?.[0] ?? assert.fail(name));
  },
  replaceIn(replaceIn(shopCode, /^import .*sandbox'.*\n/m, ''), /^const bank.*\n/m, ''),
);

/** An empty folder with these packages installed, each by its folder, and this one. */
export function makeShopFolder(t: TestContext, packages: Readonly<Record<string, string>>): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'node_modules/@hono'), { recursive: true });
  for (const [name, place] of Object.entries({ ...packages, 'pix-checkout': root }))
    symlinkSync(place, join(folder, 'node_modules', name));
  return folder;
}

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
    const page = await (await fetch(shop.order)).text();
    const attribute = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(page)?.[1] ?? '';
    const origin = new URL(shop.order).origin;
    const script = await fetch(origin + (/src="([^"]*)"/.exec(page)?.[1] ?? ''));
    assert.equal(script.status, 200);
    const order = { external_id: attribute('external-id'), order_token: attribute('order-token') };
    const asked = toCreation(origin, { ...way, ...order });
    const made = await fetch(`${origin}/pix/invoices`, asked);
    const { data } = (await made.json()) as { data: Record<string, string> };
    assert.equal(made.status, 200);
    const invoice = `/invoices/${data['invoice_id']}`;
    if (way.method === 'pix') await fetch(`${shop.bank}${invoice}/settle`, { method: 'POST' });
    const found = await fetch(`${origin}/pix${invoice}`, toLookUp(origin, data['lookup_token']));
    const { status } = ((await found.json()) as { data: { status: string } }).data;
    assert.equal(status, 'paid', way.method);
    await shop.untilWritten(new RegExp(`Ship ${order.external_id}`));
    await shop.end();
  }
}

/** Saves the shop and starts it. Of its text only the port is another, for tests run side by side. */
export async function startShop(
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
  const [, order = '', bank = ''] = await shop.untilWritten(/Order: (\S+) +Bank: (\S+)\/\n/);
  return { ...shop, order, bank };
}

function replaceIn(text: string, part: RegExp, other: string): string {
  assert.match(text, part);
  return text.replace(part, () => other);
}
