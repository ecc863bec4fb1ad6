/**
 * The package as a merchant gets it: its tarball in empty projects, by three package managers, under each way of
 * resolving types, through five bundlers, in the templates of five frameworks, and as a linked folder. With `CI=true`
 * only: it installs packages of its own (package.json beside this file). Needs `npm run build` first, for dist/.
 */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { build } from 'esbuild';
import { payForReal, payInShop, shopCode } from '../support/front-door.js';
import { makeFolder } from '../support/folder.js';
import { installPackages } from '../tools/machine/own-packages.js';
import { isThorough } from '../tools/runs.js';
import { root, runNode, runProgram, toolPath } from '../tools/tools.js';
import type { Outcome } from '../tools/tools.js';
import * as pages from './pages.js';
import { leftOutIf } from '../tools/runner/left-out.js';

const skip = isThorough ? false : 'the packed package is installed with CI=true only';

describe('the packed package', { ...leftOutIf(skip), concurrent: true }, () => {
  const place = makeFolder({ onTestFinished: afterAll });
  /** Where the packages of this folder are, once they are installed. */
  let tools = '';
  let tarball = '';
  beforeAll(async () => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', place];
    const packed = runProgram('npm', args, { env: { npm_config_loglevel: 'silent' } });
    tools = await installPackages('test/packed');
    const [{ filename }] = JSON.parse(await pass(packed)) as [{ filename: string }];
    tarball = join(place, filename);
  });

  const tool = (path: string) => join(tools, 'node_modules', path);

  /** An empty project with these files. */
  function createProject(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(place, name);
    const all = { 'package.json': '{"name":"shop","private":true,"type":"module"}', ...files };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  /** A project that has the package, unpacked, and beside it whatever is installed for these tests. */
  async function createUnpacked(name: string, files: Readonly<Record<string, string>>) {
    const cwd = createProject(name, files);
    const packages = join(cwd, 'node_modules');
    mkdirSync(packages);
    for (const one of readdirSync(tool('.'))) {
      if (!one.startsWith('.')) symlinkSync(tool(one), join(packages, one), 'junction');
    }
    mkdirSync(join(packages, 'pix-checkout'));
    await pass(
      runProgram(
        'tar',
        ['-xzf', tarball, '--strip-components=1', '-C', 'node_modules/pix-checkout'],
        {
          cwd,
        },
      ),
    );
    return cwd;
  }

  /** Each with the arguments that install the tarball and types of Node. */
  const managers: Readonly<Record<string, (what: string[]) => [string, string[]]>> = {
    npm: (what) => ['npm', ['install', '--no-audit', '--no-fund', ...what]],
    pnpm: (what) => [process.execPath, [tool('pnpm/bin/pnpm.cjs'), 'add', ...what]],
    yarn: (what) => [process.execPath, [tool('yarn/bin/yarn.js'), 'add', ...what]],
  };

  for (const [name, toCommand] of Object.entries(managers)) {
    it(`is installed by ${name}, and its types are found under bundler, nodenext and node16`, async () => {
      const cwd = createProject(name, {
        'page.ts': pages.everyEntry,
        'server.ts': pages.everyServerType,
        'server.json': pages.serverConfig,
        ...pages.toConfigs('bundler', 'nodenext', 'node16'),
      });
      const [program, args] = toCommand([tarball, '@types/node@20']);
      await pass(runProgram(program, args, { cwd }));
      assert.equal(await compile(cwd, 'bundler', 'nodenext', 'node16', 'server'), '');
      assert.equal(await pass(runNode(['--eval', pages.everyServerEntry], { cwd })), '');
      await checkCommand(cwd);
    });
  }

  it('sells an order and then takes real money in the same folder, as the front door says', async (t) => {
    const cwd = createProject('front-door', {});
    const args = ['install', '--no-audit', '--no-fund', 'express', 'libsql', tarball];
    await pass(runProgram('npm', args, { cwd }));
    await payInShop(t, cwd, shopCode);
    await payForReal(t, cwd);
  });

  /** The command where nothing is set: it says what is missing, its own packages too, without a stack. */
  async function checkCommand(cwd: string): Promise<void> {
    const command = join(cwd, 'node_modules/.bin/pix-checkout');
    assert.match(await pass(runProgram(command, ['help'], { cwd })), /^Usage: pix-checkout/);
    const env = { PIX_LEDGER_URL: 'file:pix.db' };
    const { code, output } = await runProgram(command, ['serve', '--check-config'], { cwd, env });
    assert.equal(code, 1);
    assert.match(output, /^PIX_SERVICE_URL is missing$/m);
    assert.match(output, /^PIX_LEDGER_URL cannot be opened: .*: npm install (libsql|pg)$/m);
    assert.doesNotMatch(output, /^\s+at /m);
  }

  it('tells a CommonJS file under node16 that it is a module, and is required under nodenext', async () => {
    const cwd = await createUnpacked('commonjs', {
      'server.cts': pages.commonJs,
      ...pages.toConfigs('node16', 'nodenext'),
    });
    const told = await compile(cwd, 'node16');
    assert.match(told, /^server\.cts\S+ error TS1479: .*is an ECMAScript module/);
    assert.equal(told.match(/error/g)?.length, 1, told);
    assert.equal(await compile(cwd, 'nodenext'), '');
    const required = await runNode(['--input-type=commonjs', '--eval', pages.required], { cwd });
    assert.match(required.output, /^function$/m);
  });

  /** What the table of `src/checkout/README.md` says, with the TypeScript of each line. */
  const old: readonly [version: string, file: 'page' | 'server', checked: boolean, ...string[]][] =
    [
      ['4.7', 'page', true, 'nodenext', 'node'],
      ['5.0', 'server', false, 'nodenext', 'node'],
      ['5.4', 'server', true, 'nodenext'],
    ];
  for (const [version, file, checked, ...resolutions] of old) {
    it(`has types of a ${file} for TypeScript ${version}, under ${resolutions.join(' and ')}${checked ? ', with skipLibCheck: false' : ''}`, async () => {
      const configs = resolutions.map((one) => [
        `${one}.json`,
        pages.toOldConfig(file, one, checked),
      ]);
      const cwd = await createUnpacked(`${file}-${version}`, {
        'page.ts': pages.everyPageType,
        'server.ts': pages.everyServerType,
        ...Object.fromEntries(configs),
      });
      for (const name of ['zod', 'sql-template-tag']) {
        symlinkSync(join(root, 'node_modules', name), join(cwd, 'node_modules', name), 'junction');
      }
      const compiler = tool(`typescript-${version}/lib/tsc.js`);
      const paths = resolutions.map((one) => `${one}.json`);
      assert.equal(await pass(runNode([compiler, '--build', ...paths], { cwd })), '');
    });
  }

  it('is loaded by Jest as its document says, and draws its form in jsdom', async () => {
    const cwd = await createUnpacked('jest', pages.inJest);
    await pass(runNode([tool('jest/bin/jest.js'), '--ci'], { cwd }));
  });

  describe('through a bundler', { concurrent: true }, () => {
    /** How each is started, in a folder with page.js and index.html; it writes to out/. */
    const bundlers: Readonly<Record<string, (cwd: string) => Promise<unknown>>> = {
      esbuild: (cwd) => build({ ...esbuildOptions(cwd), minify: true }),
      vite: run(() => [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--outDir', 'out']),
      rollup: run(() => [
        tool('rollup/dist/bin/rollup'),
        ...'page.js --plugin node-resolve={browser:true} --dir out'.split(' '),
      ]),
      webpack: run(() => ['webpack.js']),
      parcel: run(() => [tool('parcel/lib/bin.js'), 'build', '--no-cache', '--dist-dir', 'out']),
    };
    for (const [name, bundle] of Object.entries(bundlers)) {
      it(`${name} finds it, with one Lit, made for production, and the card form apart`, async () => {
        const cwd = await createUnpacked(name, pages.bundled);
        await bundle(cwd);
        const scripts = readdirSync(join(cwd, 'out'), { recursive: true, encoding: 'utf8' })
          .filter((path) => path.endsWith('.js'))
          .map((path) => readFileSync(join(cwd, 'out', path), 'utf8'));
        assert.deepEqual(pages.factsOf(scripts), pages.wanted);
      });
    }
  });

  it('has its types in JSX of React 19, React 18, Preact and Solid, and each mistake is told', async () => {
    const cwd = await createUnpacked('jsx', pages.inJsx);
    const configs = Object.keys(pages.inJsx).filter((path) => path.endsWith('.json'));
    const compiler = tool('typescript/lib/tsc.js');
    assert.equal(await pass(runNode([compiler, '--build', ...configs], { cwd })), '');
  });

  for (const [name, { files, checker, mistakes }] of Object.entries(pages.templates)) {
    it(`has its types in a template of ${name}, and each mistake is told`, async () => {
      const cwd = await createUnpacked(name, files);
      const [program, ...args] = checker;
      const { output } = await runNode([tool(program), ...args], { cwd });
      assert.deepEqual(pages.mistakesIn(output), mistakes, output);
    });
  }

  it('compiles and runs what it tells people to copy: the shop and its e-mail', async () => {
    const cwd = await createUnpacked('copied-files', {
      'page.ts': pages.paidOrder,
      ...pages.toConfigs('bundler', 'nodenext'),
    });
    for (const file of ['shop.ts', 'email.ts']) {
      cpSync(join(cwd, 'node_modules/pix-checkout/demo', file), join(cwd, file));
    }
    // What npm installs with the package.
    symlinkSync(join(root, 'node_modules/zod'), join(cwd, 'node_modules/zod'), 'junction');
    assert.equal(await compile(cwd, 'bundler', 'nodenext'), '');
    await build({
      ...esbuildOptions(cwd),
      entryPoints: ['page.ts'],
      platform: 'node',
      packages: 'external',
      splitting: false,
    });
    assert.equal(await pass(runNode(['out/page.js'], { cwd })), 'paid 13990 R$ 139,90\n');
  });

  it('brings one Lit as a linked folder, and uses the shop’s where it is copied', async () => {
    const linked = createProject('linked', { 'page.js': "import 'pix-checkout';" });
    mkdirSync(join(linked, 'node_modules'));
    symlinkSync(root, join(linked, 'node_modules/pix-checkout'), 'junction');
    assert.equal(await countLits(linked), 1);

    const copied = await createUnpacked('copied', {
      'page.js': "import 'lit'; import 'pix-checkout';",
    });
    assert.equal(await countLits(copied), 1);

    // The folder has one of its own: what the README says helps.
    cpSync(tool('lit'), join(linked, 'node_modules/lit'), { recursive: true });
    for (const name of ['lit-html', 'lit-element', '@lit']) {
      cpSync(tool(name), join(linked, 'node_modules', name), { recursive: true });
    }
    writeFileSync(join(linked, 'page.js'), "import 'lit'; import 'pix-checkout';");
    assert.equal(await countLits(linked), 2);
    assert.equal(await countLits(linked, { lit: './node_modules/lit' }), 1);
  });
});

/** How many copies of lit-html a bundle holds. */
async function countLits(cwd: string, alias: Record<string, string> = {}): Promise<number> {
  const { metafile } = await build({ ...esbuildOptions(cwd), write: false, metafile: true, alias });
  const paths = Object.keys(metafile.inputs);
  return paths.filter((path) => /lit-html\/(development\/)?lit-html\.js$/.test(path)).length;
}

function esbuildOptions(absWorkingDir: string) {
  const entryPoints = ['page.js'];
  return {
    absWorkingDir,
    entryPoints,
    bundle: true,
    splitting: true,
    format: 'esm',
    outdir: 'out',
  } as const;
}

/** A tool of Node that is run in a folder. */
function run(toArguments: () => string[]): (cwd: string) => Promise<unknown> {
  return (cwd) => pass(runNode(toArguments(), { cwd, env: { NODE_ENV: 'production' } }));
}

/** What our compiler says of a project under some of its configurations. */
async function compile(cwd: string, ...configs: readonly string[]): Promise<string> {
  const paths = configs.map((config) => `${config}.json`);
  const args = [toolPath('tsc'), '--build', '--singleThreaded', ...paths];
  return (await runNode(args, { cwd })).output.trim();
}

/** What a process printed that has to succeed. */
async function pass(running: Promise<Outcome>): Promise<string> {
  const { code, output } = await running;
  assert.equal(code, 0, output);
  return output;
}
