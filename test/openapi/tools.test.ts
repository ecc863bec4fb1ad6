/** The OpenAPI document under other people's tools: two linters without an exception, and a client that is generated. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, it, type TestContext } from 'vitest';
import { serveProxy } from '../../src/node.js';
import { signOrder } from '../../src/order-token.js';
import { createProxy } from '../../src/proxy.js';
import { createSandbox, serveSandbox } from '../../src/sandbox.js';
import { toOpenApi } from '../tools/build/openapi.js';
import { homeOf, installPackages } from '../tools/machine/own-packages.js';
import { root, runNode } from '../tools/tools.js';
import { leftOutIf } from '../tools/runner/left-out.js';

const skip = process.env['CI'] ? false : 'linters and generators of others are run with CI=true';
const home = homeOf('test/openapi');
const secrets = ['a secret of the client test, long enough'];
const accessToken = 'token-of-the-client-test';
const publicUrl = 'https://shop.example/pix';

/** `client/client.ts`: the compiler that reads this file does not know what it is generated from. */
interface Client {
  payOrder(
    endpoint: string,
    order: object,
    settle: (invoiceId: string) => Promise<unknown>,
  ): Promise<string | undefined>;
}

describe('the OpenAPI document', leftOutIf(skip), () => {
  beforeAll(async () => {
    await installPackages('test/openapi');
    writeFileSync(join(home, 'openapi.json'), JSON.stringify(toOpenApi('0.0.0')));
    writeFileSync(join(home, 'spectral.json'), '{"extends": ["spectral:oas"]}');
  });

  it('is taken by redocly lint with its recommended rules', async () => {
    const args = ['lint', 'openapi.json', '--extends=recommended', '--max-problems=100'];
    const { code, output } = await run('@redocly/cli/bin/cli.js', args);
    assert.equal(code, 0, output);
    assert.doesNotMatch(output, /You have \d+ warning/);
  });

  it('is taken by spectral:oas, hints too', async () => {
    const args = ['lint', 'openapi.json', '--ruleset=spectral.json', '--fail-severity=hint'];
    const { code, output } = await run('@stoplight/spectral-cli/dist/index.js', args);
    assert.equal(code, 0, output);
  });

  it('makes a client that compiles, and pays', async (t) => {
    await generate();
    const { url, settle } = await openShop(t);
    const { href } = pathToFileURL(join(home, 'client/client.js'));
    const { payOrder } = (await import(href)) as Client;
    const token = await signOrder({ secrets, publicUrl, externalId: 'a' });
    const order = { method: 'pix', external_id: 'a', order_token: token } as const;
    assert.equal(await payOrder(url, order, settle), 'paid');
    assert.equal(await payOrder(url, { ...order, order_token: 'x' }, settle), 'unauthorized');
  });
});

/** Runs a program of theirs beside the document. */
function run(program: string, args: readonly string[]) {
  const env = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return runNode([join(home, 'node_modules', program), ...args], { cwd: home, env });
}

async function generate(): Promise<void> {
  cpSync(join(root, 'test/openapi/client'), join(home, 'client'), { recursive: true });
  const types = ['openapi.json', '--output=client/contract.d.ts'];
  const made = await run('openapi-typescript/bin/cli.js', types);
  assert.equal(made.code, 0, made.output);
  const compiled = await run('typescript/bin/tsc', ['--project', 'client']);
  assert.equal(compiled.code, 0, compiled.output);
}

/** Proxy and sandbox on loopback, until the test ends. */
async function openShop(t: Pick<TestContext, 'onTestFinished'>) {
  const service = await serveSandbox(createSandbox({ accessToken }));
  t.onTestFinished(() => service.close());
  const proxy = createProxy({
    serviceUrl: service.url,
    accessToken,
    allowSandbox: true,
    secrets,
    publicUrl,
    allowedOrigins: ['https://shop.example'],
    resolveOrder: () => ({ total_price_cents: 4_990 }),
    log: () => undefined,
  });
  const server = await serveProxy({ proxy, port: 0 });
  t.onTestFinished(() => server.close());
  const settle = (id: string) =>
    fetch(`${service.url}/sandbox/invoices/${id}/settle`, { method: 'POST' });
  return { url: `${server.url}/pix`, settle };
}
