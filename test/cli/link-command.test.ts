/** `pix-checkout link`: what it prints opens the page of that order, and nothing else is said. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { createNodeListener } from '../../src/node.js';
import { verifyOrder } from '../../src/order-token.js';
import { openPort } from '../support/proxy/node-servers.js';
import { openShop } from '../support/proxy/shop.js';
import { assertRefused, runCommand } from '../support/cli/terminal.js';
import { makeFolder } from '../support/folder.js';

const publicUrl = 'https://shop.example/pix';
const secret = 'canary secret of the tests, 32 bytes long';
// A list is separated by white space, so a secret holds none.
const current = secret.replaceAll(' ', '-');
const env = { PIX_PUBLIC_URL: `${publicUrl}/`, PIX_SECRETS: `${current} ${'old-'.repeat(8)}` };

describe('pix-checkout link', () => {
  it('prints a link with a token of the order, signed with the first secret', async () => {
    const run = runCommand(['link', 'order-1', '--expires-in', '60'], env);
    assert.equal(await run.code, 0, run.warnings());
    assert.equal(run.warnings(), '');
    const [page, orderToken = ''] = run.output().split('#');
    assert.equal(page, `${publicUrl}/pay`);
    const token = { secrets: [current], publicUrl, orderToken };
    assert.equal(await verifyOrder({ ...token, externalId: 'order-1' }), true);
    assert.equal(await verifyOrder({ ...token, externalId: 'order-2' }), false);
    const later = () => Date.now() + 61_000;
    assert.equal(await verifyOrder({ ...token, externalId: 'order-1', now: later }), false);
  });

  it('takes the secrets from a file', async (t) => {
    const folder = makeFolder(t);
    const path = join(folder, 'secrets');
    writeFileSync(path, `${current}\n`);
    const run = runCommand(['link', 'a'], { PIX_PUBLIC_URL: publicUrl, PIX_SECRETS_FILE: path });
    assert.equal(await run.code, 0);
    const orderToken = run.output().split('#')[1] ?? '';
    const secrets = [current];
    assert.equal(await verifyOrder({ secrets, publicUrl, externalId: 'a', orderToken }), true);
  });

  it('prints a link without a token where orders are public, and needs no secret', async () => {
    const run = runCommand(['link', 'order-1'], {
      PIX_PUBLIC_URL: publicUrl,
      PIX_REQUIRE_ORDER_TOKEN: 'false',
    });
    assert.equal(await run.code, 0);
    assert.equal(run.output(), `${publicUrl}/pay/order-1`);
  });

  it('says so, and prints no link, where the proxy has no payment page', async (t) => {
    for (const page of [{}, { paymentPage: { name: 'Padaria' } }]) {
      const server = createServer();
      t.onTestFinished(() => void server.close());
      const ownUrl = `http://127.0.0.1:${await openPort(server)}/pix`;
      const shop = openShop({ publicUrl: ownUrl, secrets: [current], ...page });
      server.on('request', createNodeListener(shop.proxy.fetch));
      const run = runCommand(['link', 'order-1'], { ...env, PIX_PUBLIC_URL: ownUrl });
      const hasPage = 'paymentPage' in page;
      assert.equal(await run.code, hasPage ? 0 : 1);
      assert.equal(run.output().startsWith(`${ownUrl}/pay#`), hasPage);
      assert.match(run.warnings(), hasPage ? /^$/ : /has no payment page: set paymentPage/);
    }
  });

  const isPublic = { ...env, PIX_REQUIRE_ORDER_TOKEN: 'false' };
  const wrong: readonly [args: string[], env: Record<string, string>, said: RegExp][] = [
    [[], env, /^<reference> is missing/],
    [['pão'], env, /^<reference> must be 1 to 64 letters/],
    [['..'], isPublic, /^<reference> must hold more than dots/],
    [['a'], { PIX_SECRETS: env.PIX_SECRETS }, /^Set PIX_PUBLIC_URL/],
    [['a'], { PIX_PUBLIC_URL: publicUrl }, /^Set PIX_SECRETS/],
    [
      ['a'],
      { ...env, PIX_SECRETS: 'short' },
      /^PIX_SECRETS must be a list of strings of at least 32/,
    ],
    [
      ['a'],
      { ...env, PIX_SECRETS: `${'canary'.repeat(6)},${'old-'.repeat(8)}` },
      /^PIX_SECRETS must have spaces between, not commas/,
    ],
    [['a'], { ...env, PIX_PUBLIC_URL: 'http://shop.example' }, /^PIX_PUBLIC_URL must be https/],
    [['a', '--expires-in', '0'], env, /^--expires-in must be a whole number/],
    [['a', '--expires-in', 'soon'], env, /^--expires-in must be a whole number/],
    [['a', '--expires-in', '9e15'], env, /^--expires-in must be a whole number/],
    [['a', '--expires-in', '9'], isPublic, /^--expires-in needs PIX_REQUIRE_ORDER_TOKEN/],
    [
      ['a'],
      { ...env, PIX_REQUIRE_ORDER_TOKEN: 'no' },
      /^PIX_REQUIRE_ORDER_TOKEN must be true or false/,
    ],
  ];
  for (const [args, variables, said] of wrong) {
    it(`says what is wrong, and no secret: ${args.join(' ')} ${said.source}`, async () => {
      assert.doesNotMatch(await assertRefused(['link', ...args], variables, said), /canary|short/);
    });
  }
});
