/**
 * The container's files, where no container runs: read by a linter, held against rules, and what they start is started as
 * plain processes with the variables that they set. Needs `npm run build`: the processes are those of dist/.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, it, type TestContext } from 'vitest';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { toVariableName, variables } from '../../../src/cli/serve/serve-variables.js';
import { whyNoProgram } from '../../tools/machine/programs.js';
import { root } from '../../tools/tools.js';
import { startCli, whyNoProcesses } from '../../support/cli/cli-process.js';
import { runCommand } from '../../support/cli/terminal.js';
import { startShop } from './shops.js';
import { accessToken, openPayer, openWorld, secret, webhookSecret, type Bank } from './world.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { findPort } from '../../support/proxy/node-servers.js';
import { until } from '../../support/until.js';

const folder = join(root, 'demo/container');
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');

type Environment = Readonly<Record<string, string>>;

type Lists = Record<'cap_drop' | 'security_opt' | 'secrets' | 'ports' | 'volumes', string[]>;

/** A service of the compose file, as far as it is read here. */
interface Service extends Partial<Lists> {
  readonly build?: string;
  readonly user?: string;
  readonly environment?: Environment;
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly healthcheck?: object;
}

const compose = parse(readFileSync(join(folder, 'compose.yaml'), 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const { services } = compose;
const { ledger: _, ...ours } = services;
const known = new Set(Object.keys(variables).map(toVariableName));

/** A manifest, or a lock file of packages. */
interface Packages {
  readonly bin: Record<string, string>;
  readonly dependencies: Record<string, string>;
  readonly packages: Record<
    string,
    { version?: string; integrity?: string; dependencies?: Record<string, string> }
  >;
}

function readJson(path: string): Packages {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Packages;
}

/** The arguments of an instruction in exec form. */
function execForm(instruction: string): string[] {
  const [, json = ''] =
    new RegExp(`^${instruction} (?:--\\S+ )*(?:CMD )?(\\[.*\\])$`, 'm').exec(dockerfile) ?? [];
  return JSON.parse(json) as string[];
}

describe('the Dockerfile', () => {
  it('has no fault that its linter finds', () => {
    assert.deepEqual(validate(dockerfile), []);
    assert.notDeepEqual(validate(dockerfile.replace('USER', 'USERS')), []);
  });

  it('runs as node, in exec form, with a health check', () => {
    assert.deepEqual(execForm('ENTRYPOINT'), ['node', 'node_modules/pix-checkout/dist/cli.js']);
    assert.deepEqual(execForm('CMD'), ['serve']);
    assert.equal(execForm('HEALTHCHECK')[0], 'node');
    const last = [...dockerfile.matchAll(/^USER (\S+)$/gm)].at(-1);
    assert.equal(last?.[1], 'node');
    assert.ok(dockerfile.lastIndexOf('USER node') > dockerfile.lastIndexOf('RUN '));
  });

  it('runs an exact version of a Node that is kept, or the image that its builder names', () => {
    const [, version = ''] =
      /^ARG NODE_IMAGE=node:(\d+\.\d+\.\d+)-bookworm-slim$/m.exec(dockerfile) ?? [];
    assert.ok([22, 24].includes(parseInt(version)), version);
    assert.deepEqual(dockerfile.match(/^FROM .*$/gm), ['FROM ${NODE_IMAGE}']);
  });

  it('installs the versions that are tested, and no other: all are locked', () => {
    const manifest = readJson('package.json');
    assert.equal(manifest.bin['pix-checkout'], './dist/cli.js');
    const beside = readJson('demo/container/package.json').dependencies;
    const peers = ['pg', 'prom-client', 'undici'];
    const own = Object.keys(manifest.dependencies);
    assert.deepEqual(
      Object.keys(beside),
      [...own, ...peers].toSorted((a, b) => (a < b ? -1 : 1)),
    );
    const tested = readJson('package-lock.json').packages;
    const { '': top, ...locked } = readJson('demo/container/package-lock.json').packages;
    assert.deepEqual(top?.dependencies, beside);
    for (const [path, { version, integrity }] of Object.entries(locked)) {
      assert.match(integrity ?? '', /^sha512-/, path);
      assert.equal(version, tested[path]?.version, path);
    }
    assert.match(dockerfile, /^RUN npm ci --omit=dev --ignore-scripts /m);
    assert.doesNotMatch(dockerfile, /npm install/);
  });

  it('sees no secret while it is built', () => {
    const expected = ['package.json', 'package-lock.json', 'pix-checkout-*.tgz'];
    const ignored = readFileSync(join(folder, '.dockerignore'), 'utf8').trim().split('\n');
    assert.deepEqual(ignored, ['*', ...expected.map((file) => `!${file}`)]);
    const copied = [...dockerfile.matchAll(/^(?:COPY|ADD) (.*)$/gm)].map(([, what]) => what);
    assert.deepEqual(copied, ['package.json package-lock.json ./', 'pix-checkout-*.tgz ./']);
    assert.match(readFileSync(join(root, '.gitignore'), 'utf8'), /^demo\/container\/secrets\/$/m);
  });
});

describe('the compose file', () => {
  for (const [name, service] of Object.entries(ours)) {
    it(`gives ${name} no more than it needs`, () => {
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true']);
      assert.equal(service.privileged, undefined);
      // The image's own user and health check, or one given here.
      assert.ok(service.build === '.' || (service.user !== undefined && service.user !== 'root'));
      assert.ok(service.build === '.' || service.healthcheck !== undefined);
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/);
      for (const volume of service.volumes ?? []) {
        const [from = '', , mode] = volume.split(':');
        assert.equal(mode, 'ro');
        assert.ok(existsSync(resolve(folder, from)), from);
      }
    });
  }

  it('sets variables that serve knows, and secrets as files alone', () => {
    for (const name of ['web', 'worker']) {
      const { environment = {}, secrets = [] } = services[name] ?? {};
      const unknown = Object.keys(environment).filter(
        (one) => one !== 'NODE_ENV' && !known.has(one.replace(/_FILE$/, '')),
      );
      assert.deepEqual(unknown, [], name);
      for (const [setting, { isSecret }] of Object.entries(variables)) {
        if (isSecret) assert.ok(!(toVariableName(setting) in environment), setting);
      }
      const files = Object.entries(environment).filter(([one]) => one.endsWith('_FILE'));
      assert.deepEqual(
        files.map(([, path]) => path).toSorted(),
        secrets.map((one) => `/run/secrets/${one}`).toSorted(),
      );
    }
    for (const { secrets = [] } of Object.values(services)) {
      for (const one of secrets) assert.equal(compose.secrets[one]?.file, `./secrets/${one}`);
    }
  });

  it('sets what serve finds right', async (t) => {
    const { toEnvironment } = await openHouse(t);
    for (const name of ['web', 'worker'] as const) {
      const run = runCommand(['serve', '--check-config'], toEnvironment(name));
      assert.equal(await run.code, 0, run.warnings());
      assert.match(run.output(), /^ {2}PIX_ROLE=(web|worker)$/m);
    }
  });

  it(
    'starts what takes a payment: the web process is killed, started again, and the shop hears once',
    leftOutIf(whyNoProcesses || whyNoProgram('php')),
    async (t) => {
      const { toEnvironment, folder: state } = await openHouse(t);
      const start = async (args: string[], env: Environment, url: RegExp) => {
        const process = startCli(args, env);
        t.onTestFinished(async () => void (await process.end('SIGKILL')));
        const [, found = ''] = await process.untilWritten(url);
        return { ...process, url: found };
      };
      const { environment: sandboxEnv = {} } = services['sandbox'] ?? {};
      const sandbox = ['sandbox', '--port', '0'];
      const { url: service } = await start(sandbox, sandboxEnv, /PIX_SERVICE_URL=(\S+)/);
      const shop = await startShop('php', { ...toEnvironment('shop'), SHOP_STATE: state });
      t.onTestFinished(() => shop.close());
      const { environment: given = {} } = services['web'] ?? {};
      const at = {
        PIX_SERVICE_URL: service,
        PIX_ORDER_URL: toHere(given['PIX_ORDER_URL'], shop.url),
        PIX_EVENTS_URL: toHere(given['PIX_EVENTS_URL'], shop.url),
      };
      const ports = { web: String(await findPort()), worker: String(await findPort()) };
      const toEnv = (name: 'web' | 'worker') => ({
        ...toEnvironment(name),
        ...at,
        PIX_HOST: '127.0.0.1',
        PIX_PORT: ports[name],
      });
      const serve = (name: 'web' | 'worker') =>
        start(execForm('CMD'), toEnv(name), /listens on (\S+) for/);

      const first = await serve('web');
      const page = async () => (await fetch(`${shop.url}/orders/1042`)).text();
      const [, token = ''] = /order-token="([^"]+)"/.exec(await page()) ?? [];
      const bank: Bank = {
        fetch: (url, init) => fetch(url.replace('http://127.0.0.1', service), init),
      };
      const payer = openPayer(first.url, bank, given['PIX_ALLOWED_ORIGINS'] ?? '');
      const made = await payer.create('1042', token);
      assert.equal(await first.end('SIGKILL'), 'SIGKILL');

      const [web, worker] = await Promise.all([serve('web'), serve('worker')]);
      assert.equal((await payer.create('1042', token)).qr_code_pix, made.qr_code_pix);
      await assertHealthy(toEnv('web'));
      await assertHealthy(toEnv('worker'));
      assert.equal(await payer.pay(made), 'paid');
      await until(async () => (await page()).includes('Obrigado'));
      assert.deepEqual([await web.end('SIGTERM'), await worker.end('SIGTERM')], [0, 0]);
      const books = readFileSync(join(state, 'events'), 'utf8');
      assert.equal(books.match(/"invoice\.paid"/g)?.length, 1);
      for (const line of `${web.output()}${worker.output()}`.trim().split('\n')) {
        if (!line.startsWith('pix-checkout serve')) JSON.parse(line);
        assert.ok(!line.includes(secret) && !line.includes(accessToken) && !line.includes(token));
      }
      await assert.rejects(assertHealthy(toEnv('web')));
    },
  );
});

/** What the containers would be given, on this machine: their secrets as files, and a ledger that needs no server. */
async function openHouse(t: TestContext) {
  const { folder: house, env } = await openWorld(t);
  const contents: Environment = {
    access_token: 'sandbox',
    secrets: secret,
    webhook_secrets: webhookSecret,
    ledger_url: env.PIX_LEDGER_URL,
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(house, name), content);
  return {
    folder: house,
    toEnvironment: (name: string): Record<string, string> =>
      Object.fromEntries(
        Object.entries(services[name]?.environment ?? {}).map(([one, value]) => [
          one,
          one.endsWith('_FILE') ? join(house, basename(value)) : value,
        ]),
      ),
  };
}

/** An address of the compose network, where its service is here. */
function toHere(address = '', base: string): string {
  return `${base}${new URL(address).pathname}`;
}

/** Runs the image's health check. @throws unless it says healthy */
async function assertHealthy(env: Environment): Promise<void> {
  const [, ...args] = execForm('HEALTHCHECK');
  await promisify(execFile)(process.execPath, args, { env });
}
