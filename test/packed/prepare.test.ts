/**
 * What npm's `prepare` does where this package is installed from git, or as a folder: dist/ is in neither. The build
 * itself is a small one here: that the real one works, `npm test` shows before.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, it, type TestContext } from 'vitest';
import { root } from '../tools/tools.js';
import { makeFolder } from '../support/folder.js';
import { until } from '../support/until.js';

const script = 'test/tools/build/prepare.mjs';
const manifestScript = 'test/tools/build/packed-manifest.mjs';

const build = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  mkdirSync('dist');
  writeFileSync('dist/index.js', '');`;

/** What `prepare` needs of the repository, where git has put it. */
function checkOut(t: TestContext): string {
  const folder = makeFolder(t);
  mkdirSync(join(folder, 'test/tools/build'), { recursive: true });
  for (const file of ['package.json', script, manifestScript])
    copyFileSync(join(root, file), join(folder, file));
  writeFileSync(join(folder, 'test/tools/build/build.ts'), build);
  return folder;
}

/** As npm does before it prepares a package of git: with the dependencies for development. */
function installTools(folder: string): void {
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
}

/** @param env what npm says of its command */
function prepare(folder: string, env: Record<string, string>) {
  return spawnSync(process.execPath, [script], {
    cwd: folder,
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
}

const isBuilt = (folder: string) => existsSync(join(folder, 'dist/index.js'));

describe('prepare', () => {
  it('builds what npm packs, and stays out of it: npm would warn of it', (t) => {
    const folder = checkOut(t);
    installTools(folder);
    const before = readFileSync(join(folder, 'package.json'), 'utf8');
    const [{ filename, files }] = JSON.parse(
      execFileSync('npm', ['pack', '--json'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        shell: process.platform === 'win32',
      }).replace(/^[^[]*/, ''),
    ) as [{ filename: string; files: { path: string }[] }];
    assert.ok(files.some(({ path }) => path === 'dist/index.js'));
    const packed = execFileSync('tar', ['-xzOf', filename, 'package/package.json'], {
      cwd: folder,
      encoding: 'utf8',
    });
    const { scripts } = JSON.parse(packed) as { scripts: object };
    assert.equal('prepare' in scripts, false);
    assert.equal(readFileSync(join(folder, 'package.json'), 'utf8'), before);
  });

  it(
    'stands in package.json again where npm is killed while it packs',
    { timeout: 60_000 },
    async (t) => {
      const folder = checkOut(t);
      installTools(folder);
      const read = () => readFileSync(join(folder, 'package.json'), 'utf8');
      const before = read();
      const npm = spawn('npm', ['pack'], { cwd: folder, stdio: 'ignore' });
      const ended = once(npm, 'exit');
      while (read() === before && npm.exitCode === null) await delay(2);
      npm.kill('SIGKILL');
      const [, signal] = await ended;
      assert.equal(signal, 'SIGKILL', 'it was not killed half-way');
      await until(() => read() === before);
    },
  );

  it('builds in a folder that is linked to, whatever the command there', (t) => {
    for (const command of ['install', 'ci']) {
      const folder = checkOut(t);
      installTools(folder);
      const { status, stderr } = prepare(folder, { npm_command: command, INIT_CWD: tmpdir() });
      assert.equal(status, 0, stderr);
      assert.ok(isBuilt(folder), command);
    }
  });

  it('builds nothing for an npm ci of the repository itself', (t) => {
    const folder = checkOut(t);
    installTools(folder);
    assert.equal(prepare(folder, { npm_command: 'ci', INIT_CWD: folder }).status, 0);
    assert.ok(!isBuilt(folder));
  });

  it('leaves alone what is built', (t) => {
    const folder = checkOut(t);
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist/index.js'), '');
    assert.equal(prepare(folder, { npm_command: 'install', INIT_CWD: folder }).status, 0);
  });

  it('says what to do where it cannot build', (t) => {
    const { status, stderr } = prepare(checkOut(t), { npm_command: 'ci', INIT_CWD: tmpdir() });
    assert.notEqual(status, 0);
    assert.match(stderr, /npm ci && npm run build/);
  });
});

it('what a merchant installs beside the package may be shared with other packages: no exact version', async () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const range of Object.values(dependencies)) assert.match(range, /^\^\d/);
});
