/** A database's driver is loaded when its URL is opened, and one that is missing is named. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'vitest';
import { runNode } from '../../../tools/tools.js';

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

describe('the packages of a ledger', () => {
  const [file, server] = ['file:./never-made.db', 'postgres://user:secret@127.0.0.1:1/shop'];
  const missing = (name: string) => `This url needs the package ${name}, `;
  type Case = [missing: string[], url: string, message: string];
  const noSqlite: Case = [['libsql', 'pg'], file, missing('libsql')];
  const cases: Case[] = [
    // Newer Nodes bring an SQLite of their own.
    ...(process.getBuiltinModule('node:sqlite') === undefined ? [noSqlite] : []),
    [['libsql', 'pg'], server, missing('pg')],
    [['libsql'], server, 'the ledger failed: ECONNREFUSED'],
  ];
  for (const [names, url, message] of cases) {
    it(`are loaded when they are needed: ${message}`, async () => {
      const script = `${withoutPackages(names)}
        await openLedger({ url: '${url}' }).catch((error) => console.log(error.message));`;
      const args = ['--no-deprecation', '--import', 'tsx', '--input-type=module', '--eval', script];
      const { code, output } = await runNode(args);
      assert.ok(code === 0 && output.startsWith(message), output);
      assert.ok(!existsSync('never-made.db'), 'it left a file behind');
    });
  }
});
