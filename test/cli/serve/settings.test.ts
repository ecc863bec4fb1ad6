/** That every option has its variable, and that everything that is wrong is said at once, without a secret. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'vitest';
import {
  functionOptions,
  replacedOptions,
  toVariableName,
  variables,
  type Setting,
} from '../../../src/cli/serve/serve-variables.js';
import { root } from '../../support/tools.js';
import { runCommand } from '../support/terminal.js';
import { openWorld, secret, webhookSecret } from './world.js';

const settings = Object.keys(variables) as Setting[];

/** A check that ended. */
async function check(env: Record<string, string>, ...args: string[]) {
  const run = runCommand(['serve', '--check-config', ...args], env);
  return { code: await run.code, output: run.output(), warnings: run.warnings().split('\n') };
}

describe('the variables of serve', () => {
  it('are one for each option of the proxy that is no function', () => {
    const source = readFileSync(join(root, 'src/proxy/set-up/options/options.ts'), 'utf8');
    const [, members = ''] = /export interface ProxyOptions \{(.*?)\n\}/s.exec(source) ?? [];
    const options = [...members.matchAll(/^ {2}(\w+)\??:/gm)].map(([, name = '']) => name);
    assert.ok(options.length > 30);
    const known = new Set<string>([
      ...Object.keys({ ...variables, ...replacedOptions }),
      ...functionOptions,
    ]);
    assert.deepEqual(
      options.filter((name) => !known.has(name)),
      [],
    );
  });

  it('are the names of the options in capitals, and help has them all', async () => {
    assert.equal(toVariableName('serviceCallsPerMinute'), 'SERVICE_CALLS_PER_MINUTE');
    const run = runCommand(['help', 'serve']);
    assert.equal(await run.code, 0);
    for (const one of settings)
      assert.match(run.output(), new RegExp(`^ {2}${toVariableName(one)} `, 'm'));
  });
});

describe('pix-checkout serve --check-config', () => {
  it('says ok and what is set, and shows no secret', async (t) => {
    const { env } = await openWorld(t);
    const ledgerUrl = env.LEDGER_URL;
    const order = 'https://shop.example/order?key=hidden-key';
    const given = { ...env, ORDER_URL: order, SECRETS: `${secret} ${secret}-former` };
    const { code, output, warnings } = await check(given);
    assert.equal(code, 0, warnings.join());
    assert.match(output, /^ok$/m);
    assert.match(output, /^ {2}PUBLIC_URL=https:\/\/shop\.example\/pix$/m);
    assert.match(output, /^ {2}ORDER_URL=https:\/\/shop\.example\/order\?…$/m);
    assert.match(output, /^ {2}SECRETS=\(2 set\)$/m);
    for (const hidden of [env.ACCESS_TOKEN, secret, webhookSecret, 'hidden-key', ledgerUrl]) {
      assert.ok(!output.includes(hidden));
    }
  });

  it('says all that is missing at once', async () => {
    const { code, warnings } = await check({});
    assert.equal(code, 1);
    for (const one of settings.filter((name) => variables[name].isRequired)) {
      assert.ok(warnings.includes(`${toVariableName(one)} is missing`), one);
    }
    assert.ok(warnings.some((line) => line.startsWith('ORDER_URL is missing')));
    assert.ok(warnings.some((line) => line.startsWith('Warning: LEDGER_URL is missing')));
    assert.ok(warnings.some((line) => line.startsWith('Warning: EVENTS_URL is missing')));
  });

  it('refuses lists with commas: two secrets would be one', async () => {
    const wrong = {
      SECRETS: `${'a'.repeat(32)},${'b'.repeat(32)}`,
      ALLOWED_ORIGINS: 'https://a.example, https://b.example',
    };
    const { warnings } = await check(wrong);
    for (const name of Object.keys(wrong)) {
      assert.ok(warnings.includes(`${name} must have spaces between, not commas`), name);
    }
  });

  it('names the nearest where a variable is misspelt, and leaves those of others alone', async (t) => {
    const { env } = await openWorld(t);
    const misspelt: Record<string, string> = {
      SERVICE_CALLS_PER_MINUTES: 'SERVICE_CALLS_PER_MINUTE',
      SERVICE_CALL_PER_MINUTE: 'SERVICE_CALLS_PER_MINUTE',
      REQUIRE_ORDER_TOKENS: 'REQUIRE_ORDER_TOKEN',
      TRUSTED_HOPS_COUNT: 'TRUSTED_HOPS',
      TRUSTEDHOPS: 'TRUSTED_HOPS',
      trusted_hops: 'TRUSTED_HOPS',
      EVENTS_URL_FILES: 'EVENTS_URL_FILE',
      LEDGER_URI: 'LEDGER_URL',
      METRIC_PORT: 'METRICS_PORT',
    };
    const others = ['HOSTNAME', 'PORTS', 'ROLES', 'HOST_NAME', 'PATH', 'NODE_ENV', 'SERVICE_NAME'];
    const given = Object.fromEntries(
      [...Object.keys(misspelt), ...others].map((name) => [name, '1']),
    );
    const { code, warnings } = await check({ ...env, ...given, WEBHOOK_SECRET: '' });
    assert.equal(code, 0, warnings.join('\n'));
    const expected = Object.entries(misspelt).map(
      ([name, nearest]) => `Warning: ${name} is no variable of serve: is ${nearest} meant?`,
    );
    assert.deepEqual(warnings.filter((line) => line !== '').toSorted(), expected.toSorted());
  });

  it('takes a secret that holds a comma', async () => {
    const { warnings } = await check({ SECRETS: 'one-secret-of-the-tests,-with-a-comma' });
    assert.deepEqual(
      warnings.filter((line) => line.startsWith('SECRETS')),
      [],
    );
  });

  it('says all that is wrong at once, once each, and quotes none of it', async () => {
    const wrong: Record<string, string> = {
      SERVICE_URL: 'http://wrong.example',
      ACCESS_TOKEN: 'wrong token',
      SECRETS: 'wrong',
      PUBLIC_URL: 'http://wrong.example',
      ALLOWED_ORIGINS: 'https://*.wrong.example',
      TRUSTED_HOPS: '-1',
      REQUIRE_ORDER_TOKEN: 'wrong',
      HOLD_SECONDS: '26',
      SERVICE_CALLS_PER_MINUTE: '0',
      SERVICE_TIMEOUT_MS: '1.5',
      LOOK_UP_BY: 'wrong',
      METHOD_NAMES: 'wrong=1',
      FORMATS: 'wrong',
      STATUSES: 'paid',
      ORDER_URL: 'http://wrong:8000/order',
      EVENTS_URL: 'wrong',
      WEBHOOK_SECRETS: 'wrong',
      LEDGER_URL: 'wrong://wrong',
      ROLE: 'wrong',
      PORT: '65536',
    };
    const { code, warnings } = await check(wrong);
    assert.equal(code, 1);
    const problems = warnings.filter((line) => !line.startsWith('Warning: '));
    const named = problems.map((line) => /^\w+/.exec(line)?.[0] ?? '');
    assert.deepEqual(named.toSorted(), Object.keys(wrong).toSorted());
    // A key of an option is named; that is how its author finds it.
    const quoting = problems.filter((line) =>
      line.replace('METHOD_NAMES.wrong', '').includes('wrong'),
    );
    assert.deepEqual(quoting, []);
  });

  const contradictions: [what: string, more: Record<string, string>, said: RegExp][] = [
    ['a sandbox in production', { NODE_ENV: 'production' }, /^ALLOW_SANDBOX must not be on/],
    ['two machines without a ledger', { ROLE: 'web', LEDGER_URL: '' }, /^ROLE needs LEDGER_URL/],
    ['calls without a secret', { WEBHOOK_SECRETS: '' }, /^WEBHOOK_SECRETS is missing/],
    [
      'http to another host',
      { PLAIN_HTTP_HOSTS: 'shop', EVENTS_URL: 'http://other/' },
      /^EVENTS_URL must be https/,
    ],
    [
      'a variable and its file',
      { ACCESS_TOKEN_FILE: '/dev/null' },
      /^Set ACCESS_TOKEN or ACCESS_TOKEN_FILE/,
    ],
    [
      'a ledger that is not there',
      { LEDGER_URL: 'postgres://a:hidden@127.0.0.1:1/a' },
      /^LEDGER_URL cannot be opened: .*ECONNREFUSED/,
    ],
  ];
  for (const [what, more, said] of contradictions) {
    it(`finds ${what}`, async (t) => {
      const { env } = await openWorld(t);
      const { code, output, warnings } = await check({ ...env, ...more });
      assert.equal(code, 1);
      const problems = warnings.filter((line) => !line.startsWith('Warning: '));
      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', said);
      assert.ok(!problems.join().includes('hidden'));
      assert.equal(output, '');
    });
  }

  it('warns of what is allowed, but seldom meant', async (t) => {
    const { env } = await openWorld(t);
    const { code, warnings } = await check({
      ...env,
      NODE_ENV: 'production',
      ALLOW_SANDBOX: 'false',
      ALLOW_UNVERIFIED_CODES: 'true',
      REQUIRE_ORDER_TOKEN: 'false',
      PUBLIC_URL: 'http://localhost/pix',
    });
    assert.equal(code, 0);
    const named = warnings.map((line) => /^Warning: (\w+)/.exec(line)?.[1]);
    assert.deepEqual(named, ['REQUIRE_ORDER_TOKEN', 'ALLOW_UNVERIFIED_CODES', 'PUBLIC_URL']);
  });
});

describe('the config module of serve', () => {
  it('gives functions and data', async (t) => {
    const { env, write } = await openWorld(t);
    const { ORDER_URL: _, ALLOWED_ORIGINS: __, ...rest } = env;
    const path = write(
      'pix.config.mjs',
      `export default { allowedOrigins: ['https://shop.example'], resolveOrder: () => null, accessToken: undefined };`,
    );
    const { code, output, warnings } = await check(rest, '--config', path);
    assert.equal(code, 0, warnings.join());
    assert.match(output, /^ {2}resolveOrder \(config module\)$/m);
    assert.match(output, /^ {2}ALLOWED_ORIGINS=https:\/\/shop\.example$/m);
  });

  it('says once more all that is wrong at once', async (t) => {
    const { env, write } = await openWorld(t);
    const path = write(
      'pix.config.mjs',
      `export default { publicUrl: 'https://other.example', onPaid() {}, resolveOrder() {}, ledger: {}, resolveOrdr() {},
        verifyHuman: true, holdSeconds: 'long', port: '80', plainHttpHosts: [1] };`,
    );
    const { code, warnings } = await check({ ...env, PORT: '' }, '--config', path);
    assert.equal(code, 1);
    assert.deepEqual(warnings.map((line) => line.split(':', 1)[0] ?? '').toSorted(), [
      'Set EVENTS_URL or onPaid of the config module, not both',
      'Set ORDER_URL or resolveOrder of the config module, not both',
      'Set PUBLIC_URL or publicUrl of the config module, not both',
      'holdSeconds must be a whole number from 0 to 25',
      'ledger is no option of serve',
      'plainHttpHosts must be a list of hosts',
      'port must be a port',
      'resolveOrdr is not an option',
      'verifyHuman must be a function',
    ]);
  });

  it('gives way to the options of the command, which are named as they were written', async (t) => {
    const { env, write } = await openWorld(t);
    const path = write('pix.config.mjs', 'export default { port: 80, host: "::1" }');
    const args = ['--config', path, '--host', '127.0.0.1', '--port'];
    const given = { ...env, PORT: '' };
    const right = await check(given, ...args, '8080');
    assert.equal(right.code, 0, right.warnings.join());
    assert.match(right.output, /^ {2}PORT=8080$/m);
    assert.match(right.output, /^ {2}HOST=127\.0\.0\.1$/m);
    assert.deepEqual((await check(given, ...args, 'high')).warnings, [
      '--port must be a whole number',
    ]);
    assert.match(
      (await check(given, ...args, '65536')).warnings[0] ?? '',
      /^--port must be a port/,
    );
  });

  const broken: [what: string, source: string | null, said: RegExp][] = [
    ['is not there', null, /^--config cannot be loaded: Cannot find module/],
    ['has no end', 'export default {', /^--config cannot be loaded: Unexpected end/],
    [
      'has a fault',
      'export default {\n  a = 1,\n};',
      /loaded: line 2, column 3: Invalid shorthand/,
    ],
    ['throws', `throw new TypeError('hidden')`, /^--config cannot be loaded: it throws TypeError/],
    ['exports nothing', 'export const a = 1', /^--config must name a module whose default export/],
  ];
  for (const [what, source, said] of broken) {
    it(`is named where it ${what}`, async (t) => {
      const { env, write, folder } = await openWorld(t);
      const path = source === null ? join(folder, 'none.mjs') : write('broken.mjs', source);
      const run = runCommand(['serve', '--config', path], env);
      assert.equal(await run.code, 2);
      assert.match(run.warnings(), said);
      assert.ok(!run.warnings().includes('hidden'));
    });
  }

  it('is loaded by a path of this machine', async (t) => {
    const { env, write } = await openWorld(t);
    const path = write('with space.mjs', 'export default {}');
    assert.match(pathToFileURL(path).href, /%20/);
    assert.equal((await check(env, '--config', path)).code, 0);
  });
});
