/** A database's driver is loaded when its URL is opened, and one that is missing is named. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runNode } from '../../support/tools.js';

/** Stands in for a package folder in which some packages are missing, and tells which were asked for. */
function withoutPackages(names: readonly string[]): string {
  const hooks = `
    export async function resolve(specifier, context, next) {
      if (${JSON.stringify(names)}.includes(specifier)) {
        throw Object.assign(new Error('Cannot find package at /secret'), { code: 'ERR_MODULE_NOT_FOUND' });
      }
      return next(specifier, context);
    }`;
  return `
    import { register } from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    const { openLedger } = await import('./src/ledger.ts');`;
}

async function run(script: string): Promise<string> {
  const { code, output } = await runNode([
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    script,
  ]);
  assert.equal(code, 0, output);
  return output.trim();
}

describe('the packages of a ledger', () => {
  const urls: [name: string, url: string][] = [
    ['libsql', 'file:./never-made.db'],
    ['pg', 'postgres://user:secret@127.0.0.1:1/shop'],
  ];
  for (const [name, url] of urls) {
    it(`are not loaded before they are needed, and ${name} is asked for by its name`, async () => {
      const output = await run(`
        ${withoutPackages(['libsql', 'pg'])}
        await openLedger({ url: ${JSON.stringify(url)} }).catch((error) => console.log(error.message));`);
      assert.equal(output, `This url needs the package ${name}: npm install ${name}`);
    });
  }

  it('are not both needed', async () => {
    const output = await run(`
      ${withoutPackages(['libsql'])}
      await openLedger({ url: 'postgres://user:secret@127.0.0.1:1/shop' })
        .catch((error) => console.log(error.message));`);
    assert.equal(output, 'the ledger failed: ECONNREFUSED');
  });
});
