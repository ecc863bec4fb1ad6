/** What every command shares: help, wrong calls, exit codes. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { assertRefused, runCommand } from '../support/cli/terminal.js';

describe('the command pix-checkout', () => {
  for (const args of [[], ['help'], ['--help'], ['-h']]) {
    it(`lists its commands, called with ${args.join(' ') || 'nothing'}`, async () => {
      const run = runCommand(args);
      assert.equal(await run.code, 0);
      assert.match(run.output(), /^Usage: pix-checkout <command>/);
      assert.match(run.output(), /^ {2}sandbox +\S/m);
    });
  }

  for (const args of [
    ['help', 'sandbox'],
    ['sandbox', '--help'],
    ['sandbox', '-h'],
  ]) {
    it(`shows the options of one, called with ${args.join(' ')}`, async () => {
      const run = runCommand(args);
      assert.equal(await run.code, 0);
      assert.match(run.output(), /^Usage: pix-checkout sandbox \[options\]/);
      assert.match(run.output(), /--port <port> +Where/);
    });
  }

  for (const [name, required] of [
    ['check', '--order <reference>'],
    ['probe', '--yes'],
    ['serve', 'PIX_SERVICE_URL'],
  ] as const) {
    it(`marks ${required} of ${name} as required`, async () => {
      const run = runCommand(['help', name]);
      assert.equal(await run.code, 0);
      const line = run
        .output()
        .split('\n')
        .find((one) => one.trim().startsWith(`${required} `));
      assert.match(line ?? '', / Required\. /);
      assert.doesNotMatch(run.output(), /--port <port> +Required|  PIX_PORT +Required/);
    });
  }

  const wrong: readonly [args: string[], said: RegExp][] = [
    [['boleto'], /has no command "boleto"\nSee: pix-checkout help$/],
    [['toString'], /has no command "toString"/],
    [['help', 'boleto'], /has no command "boleto"/],
    [['sandbox', '--prot', '1'], /'--prot'.*\nSee: pix-checkout help sandbox$/],
    [['sandbox', '--port'], /'--port/],
    [['sandbox', '--port', 'high'], /^--port must be a port/],
    [['sandbox', '--port', '65536'], /^--port must be a port/],
    [['sandbox', 'now'], /^Too many arguments/],
  ];
  for (const [args, said] of wrong) {
    it(`names what is wrong in: ${args.join(' ')}`, () => assertRefused(args, {}, said));
  }
});

describe('pix-checkout sandbox', () => {
  it('listens until it is ended, and prints what to set', async () => {
    const run = runCommand(['sandbox', '--port', '0']);
    const [, url = ''] = await run.untilWritten(/PIX_SERVICE_URL=(\S+)/);
    const answer = await fetch(`${url}/sandbox/invoices`);
    assert.equal(answer.status, 200);
    assert.equal(await run.end(), 0);
    await assert.rejects(fetch(`${url}/sandbox/invoices`));
  });

  const never = /^The sandbox never runs where NODE_ENV is production\n/;
  for (const call of ['sandbox --port 0', 'serve --sandbox --shop http://localhost:1']) {
    it(`never runs in production: ${call}`, () =>
      assertRefused(call.split(' '), { NODE_ENV: 'production' }, never));
  }

  it('says in one line that its port is taken', async () => {
    const first = runCommand(['sandbox', '--port', '0']);
    const [, port = ''] = await first.untilWritten(/PIX_SERVICE_URL=\S+:(\d+)/);
    const second = runCommand(['sandbox', '--port', port]);
    assert.equal(await second.code, 1);
    assert.match(second.warnings(), /^pix-checkout sandbox: listen EADDRINUSE.*$/);
    await first.end();
  });
});
