/** A test never runs on a build of older sources, or of older plugins. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, it } from 'vitest';
import { makeFolder } from '../../support/folder.js';
import { isBuildOutdated } from './test-files.js';

let folder = '';
beforeEach((t) => void (folder = makeFolder(t)));

/** @param changedAt seconds */
function write(path: string, changedAt: number): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), '');
  utimesSync(join(folder, path), changedAt, changedAt);
}

describe('a build', () => {
  const inputs = [
    'src/index.ts',
    'demo/page-styles.ts',
    'test/tools/build/build.ts',
    'vite.config.ts',
    'tsconfig.json',
    'tsconfig.build.json',
    'package.json',
    'package-lock.json',
  ];
  beforeEach(() => {
    for (const path of inputs) write(path, 1_000);
    write('dist/integrity.json', 2_000);
  });

  it('is fresh where nothing changed since', () => assert.ok(!isBuildOutdated(folder)));

  for (const path of [...inputs, 'test/tools/build/new-plugin.ts']) {
    it(`is outdated by a change of ${path}`, () => {
      write(path, 3_000);
      assert.ok(isBuildOutdated(folder));
    });
  }

  it('is outdated where there is none', () => {
    rmSync(join(folder, 'dist'), { recursive: true });
    assert.ok(isBuildOutdated(folder));
  });
});
