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
import { root } from '../../tools/tools.js';
import { assertRefused, runCommand } from '../../support/cli/terminal.js';
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
    assert.equal(toVariableName('serviceCallsPerMinute'), 'PIX_SERVICE_CALLS_PER_MINUTE');
    const run = runCommand(['help', 'serve']);
    assert.equal(await run.code, 0);
    for (const one of settings)
      assert.match(run.output(), new RegExp(`^ {2}${toVariableName(one)} `, 'm'));
  });
});

describe('pix-checkout serve --check-config', () => {
  it('says ok and what is set, and shows no secret', async (t) => {
    const { env } = await openWorld(t);
    const ledgerUrl = env.PIX_LEDGER_URL;
    const order = 'https://shop.example/order?key=hidden-key';
    const given = { ...env, PIX_ORDER_URL: order, PIX_SECRETS: `${secret} ${secret}-former` };
    const { code, output, warnings } = await check(given);
    assert.equal(code, 0, warnings.join());
    assert.match(output, /^ok$/m);
    assert.match(output, /^ {2}PIX_PUBLIC_URL=https:\/\/shop\.example\/pix$/m);
    assert.match(output, /^ {2}PIX_ORDER_URL=https:\/\/shop\.example\/order\?…$/m);
    assert.match(output, /^ {2}PIX_SECRETS=\(2 set\)$/m);
    for (const hidden of [env.PIX_ACCESS_TOKEN, secret, webhookSecret, 'hidden-key', ledgerUrl]) {
      assert.ok(!output.includes(hidden));
    }
  });

  it('says all that is missing at once', async () => {
    const { code, warnings } = await check({});
    assert.equal(code, 1);
    for (const one of settings.filter((name) => variables[name].isRequired)) {
      assert.ok(warnings.includes(`${toVariableName(one)} is missing`), one);
    }
    assert.ok(warnings.some((line) => line.startsWith('PIX_ORDER_URL is missing')));
    assert.ok(warnings.some((line) => line.startsWith('Warning: PIX_LEDGER_URL is missing')));
    assert.ok(warnings.some((line) => line.startsWith('Warning: PIX_EVENTS_URL is missing')));
  });

  it('ends with 2 where it was to serve and variables are missing', async () => {
    assert.equal(await runCommand(['serve']).code, 2);
  });

  it('refuses lists with commas: two secrets would be one', async () => {
    const wrong = {
      PIX_SECRETS: `${'a'.repeat(32)},${'b'.repeat(32)}`,
      PIX_ALLOWED_ORIGINS: 'https://a.example, https://b.example',
    };
    const { warnings } = await check(wrong);
    for (const name of Object.keys(wrong)) {
      assert.ok(warnings.includes(`${name} must have spaces between, not commas`), name);
    }
  });

  it('names the nearest where a variable is misspelt, and leaves those of others alone', async (t) => {
    const { env } = await openWorld(t);
    const misspelt: Record<string, string> = {
      SERVICE_CALLS_PER_MINUTES: 'PIX_SERVICE_CALLS_PER_MINUTE',
      SERVICE_CALL_PER_MINUTE: 'PIX_SERVICE_CALLS_PER_MINUTE',
      REQUIRE_ORDER_TOKENS: 'PIX_REQUIRE_ORDER_TOKEN',
      TRUSTED_HOPS_COUNT: 'PIX_TRUSTED_HOPS',
      TRUSTEDHOPS: 'PIX_TRUSTED_HOPS',
      trusted_hops: 'PIX_TRUSTED_HOPS',
      EVENTS_URL_FILES: 'PIX_EVENTS_URL_FILE',
      LEDGER_URI: 'PIX_LEDGER_URL',
      METRIC_PORT: 'PIX_METRICS_PORT',
      PIX_TRUSTED_HOP: 'PIX_TRUSTED_HOPS',
      PIX_LEDGER_URLS: 'PIX_LEDGER_URL',
      PIX_PORTS: 'PIX_PORT',
      PIX_ROLES_FILE: 'PIX_ROLE_FILE',
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

  it('names the prefix that a variable lacks', async (t) => {
    const { env } = await openWorld(t);
    const { PIX_SERVICE_URL: SERVICE_URL, PIX_LEDGER_URL: _none, ...others } = env;
    const former = { SERVICE_URL, LEDGER_URL: 'memory:', TRUSTED_HOPS_FILE: '/hops' };
    const { code, warnings } = await check({ ...others, ...former, PORT: '1', HOST: 'shop' });
    assert.equal(code, 1);
    for (const name of Object.keys(former)) {
      assert.ok(warnings.includes(`${name} is not read: set PIX_${name}`), warnings.join('\n'));
    }
    const twins = { SERVICE_URL, LEDGER_URL: 'memory:', PORT: '1', PIX_PORT: '8080' };
    const both = await check({ ...env, ...twins });
    assert.equal(both.code, 0, both.warnings.join('\n'));
    const told = both.warnings.filter((line) => line.includes('is not read'));
    assert.deepEqual(told, [
      'Warning: SERVICE_URL is not read: PIX_SERVICE_URL is set',
      'Warning: LEDGER_URL is not read: PIX_LEDGER_URL is set',
    ]);
  });

  it('takes a secret that holds a comma', async () => {
    const { warnings } = await check({ PIX_SECRETS: 'one-secret-of-the-tests,-with-a-comma' });
    assert.deepEqual(
      warnings.filter((line) => line.startsWith('PIX_SECRETS')),
      [],
    );
  });

  it('says all that is wrong at once, once each, and quotes none of it', async () => {
    const wrong: Record<string, string> = {
      PIX_SERVICE_URL: 'http://wrong.example',
      PIX_ACCESS_TOKEN: 'wrong token',
      PIX_SECRETS: 'wrong',
      PIX_PUBLIC_URL: 'http://wrong.example',
      PIX_ALLOWED_ORIGINS: 'https://*.wrong.example',
      PIX_TRUSTED_HOPS: '-1',
      PIX_REQUIRE_ORDER_TOKEN: 'wrong',
      PIX_HOLD_SECONDS: '26',
      PIX_SERVICE_CALLS_PER_MINUTE: '0',
      PIX_SERVICE_TIMEOUT_MS: '1.5',
      PIX_LOOK_UP_BY: 'wrong',
      PIX_METHOD_NAMES: 'wrong=1',
      PIX_FORMATS: 'wrong',
      PIX_STATUSES: 'paid',
      PIX_ORDER_URL: 'http://wrong:8000/order',
      PIX_EVENTS_URL: 'wrong',
      PIX_WEBHOOK_SECRETS: 'wrong',
      PIX_LEDGER_URL: 'wrong://wrong',
      PIX_ROLE: 'wrong',
      PIX_PORT: '65536',
    };
    const { code, warnings } = await check(wrong);
    assert.equal(code, 1);
    const problems = warnings.filter((line) => !line.startsWith('Warning: '));
    const named = problems.map((line) => /^\w+/.exec(line)?.[0] ?? '');
    assert.deepEqual(named.toSorted(), Object.keys(wrong).toSorted());
    // A key of an option is named; that is how its author finds it.
    const quoting = problems.filter((line) =>
      line.replace('PIX_METHOD_NAMES.wrong', '').includes('wrong'),
    );
    assert.deepEqual(quoting, []);
  });

  const contradictions: [what: string, more: Record<string, string>, said: RegExp][] = [
    ['a sandbox in production', { NODE_ENV: 'production' }, /^PIX_ALLOW_SANDBOX must not be on/],
    [
      'two machines without a ledger',
      { PIX_ROLE: 'web', PIX_LEDGER_URL: '' },
      /^PIX_ROLE needs PIX_LEDGER_URL/,
    ],
    ['calls without a secret', { PIX_WEBHOOK_SECRETS: '' }, /^PIX_WEBHOOK_SECRETS is missing/],
    [
      'http to another host',
      { PIX_PLAIN_HTTP_HOSTS: 'shop', PIX_EVENTS_URL: 'http://other/' },
      /^PIX_EVENTS_URL must be https/,
    ],
    [
      'a variable and its file',
      { PIX_ACCESS_TOKEN_FILE: '/dev/null' },
      /^Set PIX_ACCESS_TOKEN or PIX_ACCESS_TOKEN_FILE/,
    ],
    [
      'a ledger that is not there',
      { PIX_LEDGER_URL: 'postgres://a:hidden@127.0.0.1:1/a' },
      /^PIX_LEDGER_URL cannot be opened: .*ECONNREFUSED/,
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
      PIX_ALLOW_SANDBOX: 'false',
      PIX_ALLOW_UNVERIFIED_CODES: 'true',
      PIX_REQUIRE_ORDER_TOKEN: 'false',
      PIX_PUBLIC_URL: 'http://localhost/pix',
    });
    assert.equal(code, 0);
    const named = warnings.map((line) => /^Warning: (\w+)/.exec(line)?.[1]);
    assert.deepEqual(named, [
      'PIX_REQUIRE_ORDER_TOKEN',
      'PIX_ALLOW_UNVERIFIED_CODES',
      'PIX_PUBLIC_URL',
    ]);
  });
});

describe('the config module of serve', () => {
  it('gives functions and data', async (t) => {
    const { env, write } = await openWorld(t);
    const { PIX_ORDER_URL: _, PIX_ALLOWED_ORIGINS: __, ...rest } = env;
    const path = write(
      'pix.config.mjs',
      `export default { allowedOrigins: ['https://shop.example'], resolveOrder: () => null, accessToken: undefined };`,
    );
    const { code, output, warnings } = await check(rest, '--config', path);
    assert.equal(code, 0, warnings.join());
    assert.match(output, /^ {2}resolveOrder \(config module\)$/m);
    assert.match(output, /^ {2}PIX_ALLOWED_ORIGINS=https:\/\/shop\.example$/m);
  });

  it('says once more all that is wrong at once', async (t) => {
    const { env, write } = await openWorld(t);
    const path = write(
      'pix.config.mjs',
      `export default { publicUrl: 'https://other.example', onPaid() {}, resolveOrder() {}, ledger: {}, resolveOrdr() {},
        verifyHuman: true, holdSeconds: 'long', port: '80', plainHttpHosts: [1] };`,
    );
    const { code, warnings } = await check({ ...env, PIX_PORT: '' }, '--config', path);
    assert.equal(code, 1);
    assert.deepEqual(warnings.map((line) => line.split(':', 1)[0] ?? '').toSorted(), [
      'Set PIX_EVENTS_URL or onPaid of the config module, not both',
      'Set PIX_ORDER_URL or resolveOrder of the config module, not both',
      'Set PIX_PUBLIC_URL or publicUrl of the config module, not both',
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
    const given = { ...env, PIX_PORT: '' };
    const right = await check(given, ...args, '8080');
    assert.equal(right.code, 0, right.warnings.join());
    assert.match(right.output, /^ {2}PIX_PORT=8080$/m);
    assert.match(right.output, /^ {2}PIX_HOST=127\.0\.0\.1$/m);
    for (const wrong of ['high', '65536']) {
      const { warnings } = await check(given, ...args, wrong);
      assert.deepEqual(warnings, ['--port must be a port: 0 (any free one) to 65535']);
    }
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
      const told = await assertRefused(['serve', '--config', path], env, said);
      assert.ok(!told.includes('hidden'));
    });
  }

  it('is loaded by a path of this machine', async (t) => {
    const { env, write } = await openWorld(t);
    const path = write('with space.mjs', 'export default {}');
    assert.match(pathToFileURL(path).href, /%20/);
    assert.equal((await check(env, '--config', path)).code, 0);
  });
});
