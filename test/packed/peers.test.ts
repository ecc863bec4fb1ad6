/**
 * The packed package beside the oldest and the newest of each package that a merchant may have: npm installs them together,
 * moves none of them, and what needs one works, or says what to install. With `CI=true` only: it installs packages.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { makeFolder } from '../support/folder.js';
import { startPostgres, whyNoPostgres } from '../tools/machine/postgres.js';
import type { PostgresServer } from '../tools/machine/postgres.js';
import { isThorough } from '../tools/runs.js';
import { runProgram, runNode } from '../tools/tools.js';
import { leftOutIf } from '../tools/runner/left-out.js';
import { words } from '../support/rows.js';

const skip = isThorough ? (whyNoPostgres() ?? false) : 'packages are installed with CI=true only';

/** Newest that this Node loads: the next undici needs another. */
const sets: Readonly<Record<string, readonly string[]>> = {
  oldest: words(`
    undici@6.0.0 pg@8.11.0 prom-client@14.0.0 libsql@0.4.1 qrcode@1.5.0 react@18.0.0
  `),
  newest: words('undici@7 pg@latest prom-client@latest libsql@latest qrcode@latest react@latest'),
};

/** Uses each of them as a merchant does. */
const use = `
  import { createServer } from 'node:http';
  import { createNodeFetch, serveMetrics } from 'pix-checkout/node';
  import { openLedger } from 'pix-checkout/ledger';
  import { createProxy } from 'pix-checkout/proxy';
  const used = {};
  const server = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const answer = await createNodeFetch()(\`http://127.0.0.1:\${server.address().port}\`, { method: 'POST', body: 'sent' });
  used.undici = await answer.text();
  server.close().closeAllConnections();
  const numbers = await serveMetrics({ port: 0 });
  numbers.metrics.count('pix_postbacks_total');
  used.promClient = /pix_postbacks_total 1/.test(await (await fetch(numbers.url)).text());
  await numbers.close();
  for (const [driver, url] of [['libsql', 'file:./pix.db'], ['pg', process.env.POSTGRES_URL]]) {
    const ledger = await openLedger({ url });
    const proxy = createProxy({
      serviceUrl: 'https://service.example', accessToken: 'token', secrets: ['x'.repeat(32)], ledger,
      publicUrl: 'https://shop.example/pix', allowedOrigins: ['https://shop.example'], resolveOrder: () => null,
    });
    used[driver] = (await proxy.fetch(new Request('https://shop.example/pix/ready'))).status;
    await proxy.close();
    await ledger.close();
  }
  used.react = typeof (await import('pix-checkout/react')).PixCheckout;
  console.log(JSON.stringify(used));
  process.exit();
`;

describe('the packages beside the packed one', leftOutIf(skip), () => {
  const place = makeFolder({ onTestFinished: afterAll });
  let tarball = '';
  let postgres: PostgresServer;
  beforeAll(async () => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
    const { output } = await runProgram('npm', args, { env: { npm_config_loglevel: 'silent' } });
    const [{ filename }] = JSON.parse(output) as [{ filename: string }];
    tarball = join(place, filename);
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.stop());

  /** Installs the package where these are, and sees that none of them is moved. @returns the folder */
  async function install(name: string, packages: readonly string[]): Promise<string> {
    const cwd = join(place, name);
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{"name":"shop","private":true,"type":"module"}');
    const flags = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--save-exact'];
    const add = async (...what: readonly string[]) => {
      const { code, output } = await runProgram('npm', [...flags, ...what], { cwd });
      assert.equal(code, 0, output);
      const lock = readFileSync(join(cwd, 'node_modules/.package-lock.json'), 'utf8');
      const installed = JSON.parse(lock) as { packages: Record<string, { version: string }> };
      const all = Object.entries(installed.packages);
      return Object.fromEntries(all.map(([path, { version }]) => [path, version]));
    };
    const before = await add(...packages);
    const after = await add(tarball);
    assert.deepEqual({ ...after, ...before }, after);
    return cwd;
  }

  for (const [name, packages] of Object.entries(sets)) {
    it(`stay where they are and serve: the ${name} of each`, { timeout: 300_000 }, async () => {
      const cwd = await install(name, packages);
      writeFileSync(join(cwd, 'use.js'), use);
      const env = { POSTGRES_URL: await postgres.createDatabase() };
      const ran = await runNode(['use.js'], { cwd, env });
      assert.equal(ran.code, 0, ran.output);
      assert.deepEqual(JSON.parse(ran.output.trim().split('\n').at(-1) ?? ''), {
        undici: 'sent',
        promClient: true,
        libsql: 200,
        pg: 200,
        react: 'object',
      });
    });
  }

  it(
    'are named with their range and command where they are missing or do not load, and an older React where it is used',
    { timeout: 300_000 },
    async () => {
      const cwd = await install('wrong', ['react@17', 'undici@8']);
      const script = `
      import { createNodeFetch, serveMetrics } from 'pix-checkout/node';
      import { openLedger } from 'pix-checkout/ledger';
      const told = [];
      const tell = ({ message }) => told.push(message);
      await createNodeFetch()('http://127.0.0.1:9').catch(tell);
      await serveMetrics({ port: 0 }).catch(tell);
      await openLedger({ url: 'postgres://localhost/x' }).catch(tell);
      await import('pix-checkout/react').catch(tell);
      console.log(told.join('\\n'));`;
      const ran = await runNode(['--no-warnings', '--input-type=module', '--eval', script], {
        cwd,
      });
      // A newer Node loads it, and then nothing listens there.
      assert.match(
        ran.output,
        /^(fetch failed|createNodeFetch needs the package undici, 6 or newer: 8\.\S+ does not load in Node v20\S*: npm install undici@7)$/m,
      );
      assert.match(
        ran.output,
        /^serveMetrics needs the package prom-client, 14 or newer: npm install prom-client$/m,
      );
      assert.match(ran.output, /needs react, 18 or newer, not 17\.\S+: npm install react@18/);
      assert.match(ran.output, /^This url needs the package pg, 8\.11 or newer: npm install pg$/m);
    },
  );
});
