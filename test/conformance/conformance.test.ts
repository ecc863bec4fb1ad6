/** Every point of the contract, held against our proxy and those of the demo. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { whyNoProgram } from '../support/machine/programs.js';
import { countLines } from '../support/rooms.js';
import { root } from '../support/tools.js';
import { points, pointsWithoutRecovery, withoutCards } from './points.js';
import { check, type Subject } from './runner.js';
import { openDemo, openOurs } from './subjects.js';

const ours = await openOurs();
after(() => ours.close());
describe('our proxy', () => {
  for (const point of points) it(point.name, () => check(ours, point));
});

for (const name of ['python', 'php'] as const) {
  const skip = whyNoProgram(name) ?? false;
  describe(`the proxy in ${name}`, { skip }, () => {
    let subject: Promise<Subject & { close(): Promise<void> }> | undefined;
    const open = () => (subject ??= openDemo(name));
    after(async () => (await subject)?.close());
    for (const point of [...pointsWithoutRecovery, ...withoutCards]) {
      it(point.name, async () => check(await open(), point));
    }
  });
}

describe('a proxy of the demo', () => {
  for (const name of ['proxy.php', 'proxy.py']) {
    it(`${name} is read in one go: at most 170 lines`, () => {
      assert.ok(countLines(readFileSync(join(root, 'demo/proxies', name), 'utf8')) <= 170);
    });
  }

  it('is held against points that each say why', () => {
    const names = points.map((point) => point.name);
    assert.equal(new Set(names).size, names.length);
    assert.ok(points.every(({ why }) => why.length > 10));
  });
});
