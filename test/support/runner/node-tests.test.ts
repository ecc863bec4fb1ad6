/** The counting behind `npm test` misses no kind of failure. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { countsLine, parseCounts } from './counts.js';
import { runNode } from '../tools.js';

describe('the counting of tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'node-tests-'));
  after(() => rmSync(folder, { recursive: true }));

  const cases: [name: string, source: string, closing: string, shown: RegExp][] = [
    ['what passes', "it('a', () => {}); it('b', () => {});", '2 passed, 0 failed', /^/],
    [
      'what fails, once for a whole nest',
      "describe('s', () => describe('t', () => { it('a', () => {}); it('b', () => { throw new Error('boom'); }); }));",
      '1 passed, 1 failed',
      /✖ b[^]*boom/,
    ],
    [
      'a hook that fails beside the test it keeps from running',
      "describe('s', () => { before(() => { throw new Error('hook'); }); it('a', () => {}); });",
      '0 passed, 2 failed',
      /✖ s[^]*hook/,
    ],
    ['what is skipped', "it('a', () => {}); it.skip('b');", '1 passed, 0 failed, 1 skipped', /^/],
    [
      'what is skipped with a reason, a whole suite too',
      "it('a', () => {}); it('b', { skip: 'no b' }); describe('s', { skip: 'no s' }, () => { it('c', () => {}); });",
      '1 passed, 0 failed, 2 skipped',
      /left out: no b\nleft out: no s/,
    ],
    ['a file that cannot be loaded', "throw new Error('load');", '0 passed, 1 failed', /load/],
    ['a file without a test', 'export {};', '0 passed, 1 failed', /holds no test/],
    [
      'an error after the last test, with what the file printed',
      "it('a', () => {}); console.log('printed'); process.on('exit', () => { process.exitCode = 1; });",
      '1 passed, 1 failed',
      /printed/,
    ],
  ];
  const outputs = runEach(
    folder,
    cases.map(([, source]) => `import { before, describe, it } from 'node:test'; ${source}`),
  );
  for (const [index, [name, , closing, shown]] of cases.entries()) {
    it(`knows ${name}`, async () => {
      const output = (await outputs)[index] ?? '';
      assert.equal(output.trimEnd().split('\n').at(-1), closing, output);
      assert.match(output, shown);
    });
  }

  it('reads back the line it writes', () => {
    for (const counts of [
      { passed: 3, failed: 0, skipped: 0 },
      { passed: 0, failed: 12, skipped: 4 },
    ]) {
      assert.deepEqual(parseCounts(`before\n${countsLine(counts)}\n`), counts);
    }
    assert.equal(parseCounts('3 passed'), null);
    assert.equal(parseCounts('   3 passed, 0 failed in 1.0 s'), null);
  });
});

/** What the runner prints for each of the files, which one process runs one after the other. */
async function runEach(folder: string, sources: readonly string[]): Promise<string[]> {
  const files = sources.map((source, index) => {
    const file = join(folder, `${index}.test.mjs`);
    writeFileSync(file, source);
    return file;
  });
  const counter = join(folder, 'counter.mjs');
  writeFileSync(
    counter,
    `import { runNodeTests } from '${new URL('node-tests.ts', import.meta.url).href}';
     import { countsLine } from '${new URL('counts.ts', import.meta.url).href}';
     const onLeftOut = (reason) => console.log(\`left out: \${reason}\`);
     const options = { concurrency: 1, timeoutMs: 60_000, onLeftOut };
     // The files are JavaScript.
     process.execArgv = [];
     for (const file of process.argv.slice(2)) {
       console.log(countsLine(await runNodeTests([[file]], options)));
       console.log('=====');
     }`,
  );
  // Node runs no tests inside of tests while this variable is set.
  const env = { NODE_TEST_CONTEXT: undefined };
  const { output } = await runNode(['--import', 'tsx', counter, ...files], { env });
  return output.split('=====\n');
}
