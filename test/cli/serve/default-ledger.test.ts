/** That what is not configured is durable: the built command and `openLedger` in a folder of their own. Reads dist/. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'vitest';
import { root, runNode } from '../../tools/tools.js';
import { startCli } from '../../support/cli/cli-process.js';
import { openPayer, openWorld } from './world.js';

describe('serve without PIX_LEDGER_URL', () => {
  it('keeps orders in ./pix-checkout.db, says so in one line, and knows them after a kill', async (t) => {
    const { env, sandbox, folder } = await openWorld(t);
    const { PIX_LEDGER_URL: _, ...rest } = env;
    const start = async () => {
      const run = startCli(['serve'], rest, folder);
      t.onTestFinished(() => void run.end('SIGKILL'));
      const [, url = ''] = await run.untilWritten(/listens on (\S+) for/);
      return { run, payer: openPayer(url, sandbox) };
    };
    const first = await start();
    const lines = first.run.output().split('\n');
    const told = lines.filter((line) => line.includes('pix-checkout.db'));
    assert.equal(told.length, 1);
    assert.ok(told[0]?.includes(join(realpathSync(folder), 'pix-checkout.db')), told[0]);
    const made = await first.payer.create('order-1');
    await first.run.end('SIGKILL');
    assert.equal((await (await start()).payer.create('order-1')).invoice_id, made.invoice_id);
  });

  it('makes no file where nothing is served', async (t) => {
    const { env, folder } = await openWorld(t);
    const { PIX_LEDGER_URL: _, ...rest } = env;
    const run = startCli(['serve', '--check-config'], rest, folder);
    assert.equal(await run.ended, 0, run.output());
    assert.match(run.output(), /PIX_LEDGER_URL is missing: orders are kept in .*pix-checkout\.db/);
    assert.equal(existsSync(join(folder, 'pix-checkout.db')), false);
  });
});

describe('openLedger', () => {
  const open = async (folder: string, argument: string) => {
    const { href } = pathToFileURL(join(root, 'dist/ledger.js'));
    const code = `const { openLedger } = await import('${href}');
      const ledger = await openLedger(${argument});
      console.log(await ledger.describeOrder('a'));
      await ledger.close();`;
    const ran = await runNode(['--input-type=module', '--eval', code], { cwd: folder });
    assert.equal(ran.code, 0, ran.output);
    return ran.output.trim().split('\n');
  };

  it('without a url keeps SQLite in ./pix-checkout.db, and says so in one line', async (t) => {
    const { folder } = await openWorld(t);
    const lines = await open(folder, '');
    assert.equal(lines.length, 2);
    assert.match(
      lines.join(),
      /keeps its orders in \S+pix-checkout\.db \(openLedger without a url\)/,
    );
    assert.ok(existsSync(join(folder, 'pix-checkout.db')));
  });

  it('keeps nothing where memory is typed out', async (t) => {
    const { folder } = await openWorld(t);
    assert.equal((await open(folder, "{ url: 'memory:' }")).length, 1);
    assert.deepEqual(readdirSync(folder), []);
  });
});
