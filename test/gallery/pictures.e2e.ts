/**
 * The pictures of the screens, and their accessibility trees, as they were last looked at by a person.
 *
 * After a change that is meant: `UPDATE_PICTURES=1 npm test -- test/gallery`, then look at what changed before it is
 * committed. Without it what differs is left in test/output/gallery.
 */
import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, it } from 'vitest';
import { PNG } from 'pngjs';
import { startDemo } from '../../demo/server.js';
import { useContext } from '../support/browser/contexts.js';
import { root } from '../tools/tools.js';
import { chosen } from './chosen.js';
import { findDifference } from './compare.js';
import { shoot } from './shoot.js';
import type { Shot } from './shoot.js';

const kept = join(root, 'test/gallery/screenshots');
const output = join(root, 'test/output/gallery');
const isUpdate = Boolean(process.env['UPDATE_PICTURES']);

describe('pictures of the gallery', { concurrent: false }, () => {
  let shots: Map<string, Shot>;
  beforeAll(async () => {
    const demo = await startDemo({ port: 0 });
    try {
      const context = await useContext();
      shots = await shoot(() => context.newPage(), demo.url, chosen);
      await context.close();
    } finally {
      await demo.close();
    }
    await Promise.all([kept, output].map((folder) => mkdir(folder, { recursive: true })));
  });

  it('are those that are kept, and no others', async () => {
    assert.deepEqual([...shots.keys()].toSorted(), chosen.toSorted());
    const names = (await readdir(kept)).filter((file) => !chosen.includes(nameOf(file)));
    if (isUpdate) await Promise.all(names.map((file) => rm(join(kept, file))));
    else assert.deepEqual(names, []);
  });

  for (const name of chosen) {
    it(`show ${name} as it was`, async () => {
      const { picture } = shots.get(name)!;
      const former = await readFile(join(kept, `${name}.png`)).catch(() => null);
      const difference = former
        ? findDifference(PNG.sync.read(former), picture)
        : 'there is no picture yet';
      const folder = isUpdate ? kept : output;
      // A picture that looks the same keeps its bytes.
      if (difference) await writeFile(join(folder, `${name}.png`), toFile(picture));
      if (isUpdate) return;
      assert.equal(difference, null, `See test/output/gallery/${name}.png: ${difference}`);
    });
    it(`say of ${name} what it said, in its order`, async () => {
      const { tree } = shots.get(name)!;
      const former = await readFile(join(kept, `${name}.txt`), 'utf8').catch(() => '');
      if (tree !== former) await writeFile(join(isUpdate ? kept : output, `${name}.txt`), tree);
      if (!isUpdate) assert.equal(tree, former);
    });
  }
});

function nameOf(file: string): string {
  return file.replace(/\.(png|txt)$/, '');
}

function toFile(picture: PNG): Buffer {
  // Few colours and plain areas: smallest so.
  return PNG.sync.write(picture, { colorType: 2, deflateStrategy: 0, filterType: 0 });
}
