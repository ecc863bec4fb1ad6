/**
 * A payment whose page was closed, in each runtime: create, look up, and be told by `runDue`. Then the recipes for other
 * servers, in the same file because they are installed together. They need dist/.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, it, test, type TestContext } from 'vitest';
import { build } from 'esbuild';
import { signOrder } from '../../src/order-token.js';
import { createSandbox, serveSandbox } from '../../src/sandbox.js';
import { startProgram } from '../support/program.js';
import { root } from '../tools/tools.js';
import { describeRecipes, namesOfRecipes } from './recipes.js';
import { folder, installRuntimes, programOf, whyLeftOut } from './install.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { toCreation, toLookUp } from '../support/payer.js';
import { findPort, isListening } from '../support/proxy/node-servers.js';

const accessToken = 'token-of-the-runtime-tests';
const secrets = ['a secret of the runtime tests, long enough'];
const origin = 'https://shop.example';

/** How each serves one file. */
const runtimes: Readonly<Record<string, (file: string, port: number) => [string, string[]]>> = {
  deno: (file, port) => [
    programOf('deno'),
    ['serve', '--no-config', '--allow-net', '--host', '127.0.0.1', '--port', String(port), file],
  ],
  bun: (file) => [programOf('bun'), [file]],
  workerd: (file, port) => serveWorkerd('workerd', '2026-11-01', file, port),
  'workerd of a year ago': (file, port) =>
    serveWorkerd('workerd of a year ago', '2025-11-01', file, port),
};

describe('the proxy', leftOutIf(whyLeftOut), () => {
  beforeAll(installRuntimes);
  describe('runs', describeRuntimes);
  describe('is mounted by the recipe:', describeRecipes);
});

test('each recipe of the document is run', () => {
  const { written, run } = namesOfRecipes();
  assert.deepEqual(written, run);
});

function describeRuntimes(): void {
  for (const [name, toCommand] of Object.entries(runtimes)) {
    it(`in ${name}: a payment is told though its page was closed`, async (t) => {
      const { url, settle, output } = await start(t, name, toCommand);
      const externalId = `order-${randomUUID()}`;
      const publicUrl = `${url}/pix`;
      const orderToken = await signOrder({ secrets, publicUrl, externalId });
      const body = { external_id: externalId, order_token: orderToken };
      const create = async () => {
        const created = await fetch(`${publicUrl}/invoices`, toCreation(origin, body));
        const made = await created.text();
        assert.equal(created.status, 200, `${made}\n${output()}`);
        return (JSON.parse(made) as { data: Record<string, string> }).data;
      };
      // Requests at once share what they ask of the service, also where each has a context of its own.
      const [{ invoice_id = '', lookup_token }, ...others] = await Promise.all([
        create(),
        create(),
        create(),
      ]);
      assert.deepEqual(new Set(others.map((other) => other['invoice_id'])), new Set([invoice_id]));

      const lookUp = (query = '') =>
        fetch(`${publicUrl}/invoices/${invoice_id}${query}`, toLookUp(origin, lookup_token)).then(
          async (answer) => [answer.status, (await answer.json()).data?.status],
        );
      const several = [lookUp(), lookUp(), lookUp(), lookUp('?wait=1')];
      for (const found of await Promise.all(several)) assert.deepEqual(found, [200, 'pending']);

      const cron = async (aheadMs: number) =>
        (await fetch(`${url}/cron?ahead=${aheadMs}`)).json() as Promise<{
          paid: string[];
          nextAt: string | null;
        }>;
      const { paid, nextAt } = await cron(0);
      assert.deepEqual(paid, []);
      assert.ok(nextAt !== null && Date.parse(nextAt) > Date.now());
      await settle(invoice_id);
      const told = await cron(3_600_000);
      assert.deepEqual(told.paid, [externalId]);
      // The payment may be returned.
      assert.ok(Date.parse(told.nextAt ?? '') > Date.now() + 24 * 3_600_000);
      assert.deepEqual(await lookUp(), [200, 'paid']);
      assert.deepEqual(await cron(3_600_000), told);
    });
  }
}

/** Starts a runtime with a shop of its own, on loopback. It ends with the test. */
async function start(t: TestContext, name: string, toCommand: (typeof runtimes)[string]) {
  const service = await serveSandbox(createSandbox({ accessToken }));
  t.onTestFinished(() => service.close());
  const port = await findPort();
  const url = `http://127.0.0.1:${port}`;
  const publicUrl = `${url}/pix`;
  const settings = { serviceUrl: service.url, accessToken, secrets, publicUrl, origin, port };
  const file = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(root, 'test/runtimes/shop.ts')],
    outfile: file,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    define: { settings: JSON.stringify(settings) },
  });
  const [program, args] = toCommand(file, port);
  const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: folder, DO_NOT_TRACK: '1' };
  const shop = startProgram(program, args, { env, detached: true });
  t.onTestFinished(async () => void (await shop.end('SIGKILL')));
  await shop.until(() => isListening(port));
  const settle = (id: string) =>
    fetch(`${service.url}/sandbox/invoices/${id}/settle`, { method: 'POST' });
  return { url, settle, output: shop.output };
}

function serveWorkerd(
  name: Parameters<typeof programOf>[0],
  compatibilityDate: string,
  file: string,
  port: number,
): [string, string[]] {
  const config = file.replace(/mjs$/, 'capnp');
  writeFileSync(config, toWorkerdConfig(compatibilityDate, file, port));
  return [programOf(name), ['serve', config]];
}

function toWorkerdConfig(compatibilityDate: string, file: string, port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    ( name = "shop", worker = (
      modules = [ ( name = "shop", esModule = embed ${JSON.stringify(basename(file))} ) ],
      compatibilityDate = "${compatibilityDate}",
    ) ),
    ( name = "internet", network = ( allow = ["public", "private"] ) ),
  ],
  sockets = [ ( name = "http", address = "127.0.0.1:${port}", http = (), service = "shop" ) ],
);
`;
}
