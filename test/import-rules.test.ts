/** The arrows between the rooms of src/, checked on the real sources, and the checker checked on planted violations. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { readImports, reachableFrom } from './support/import-graph.js';
import { findViolations } from './support/import-rules.js';
import { root } from './support/tools.js';

describe('import rules', () => {
  const modules = readSources();

  it('hold in src/', () => {
    assert.ok(modules.has('src/index.ts'));
    assert.deepEqual(findViolations(readImports(modules)), []);
  });

  it('let a proxy without a ledger be without a database', () => {
    const imports = readImports(modules);
    for (const entry of ['src/proxy.ts', 'src/node.ts', 'src/service.ts']) {
      const reached = [...reachableFrom(entry, imports)];
      const foreign = reached.filter((module) =>
        /sql-template-tag|libsql|^pg$|\/ledger\/sql\//.test(module),
      );
      assert.deepEqual(foreign, [], entry);
    }
    assert.ok(reachableFrom('src/ledger.ts', imports).has('sql-template-tag'));
  });

  it('find every import in a file that exists', () => {
    const missing = readImports(modules).filter(
      ({ to }) => to.startsWith('src/') && !modules.has(to),
    );
    assert.deepEqual(missing, []);
  });
});

describe('the checker of import rules', () => {
  const allowed: [path: string, source: string][] = [
    ['src/contract/a.ts', "import { b } from '../domain/b.js';"],
    ['src/checkout/browser/a.ts', "import type { ReactiveController } from 'lit';"],
    ['src/checkout/views/screens/a.ts', "import { html } from 'lit';"],
    ['src/checkout/card/card-form.ts', "import type { html } from 'lit';"],
    ['src/checkout/card/a.ts', "import type { A } from './card-file-contract.js';"],
    ['src/checkout/element/a.ts', "import { b } from '../card/card-loader.js';"],
    ['src/checkout/views/a.ts', "import type { B } from '../page/b.js';"],
    ['src/sandbox/a.ts', "import { b } from '../service/wire.js';"],
    ['src/sandbox/serve-sandbox.ts', "import { createServer } from 'node:http';"],
    ['src/proxy/gateway/a.ts', "import { b } from '../../service.js';"],
    ['src/proxy/http/a.ts', "import { b } from '../operations/b.js';"],
    ['src/proxy/cards/a.ts', "import { b } from '../ledger/b.js';"],
    ['src/proxy/proxy.ts', "import { b } from './ledger/memory/b.js';"],
    ['src/service.ts', "export * from './service/client.js';"],
    ['src/index.ts', "export * from './checkout/element/a.js';"],
    ['src/node.ts', "export * from './proxy/node/listener.js';"],
    ['src/ledger.ts', "export * from './proxy/ledger/sql/sqlite.js';"],
    ['src/proxy/ledger/sql/a.ts', "import type { B } from '../b.js';"],
    ['src/proxy/ledger/sql/a.ts', "import sql from 'sql-template-tag';"],
    ['src/proxy/ledger/sql/sqlite.ts', "await import('libsql');"],
    ['src/proxy/ledger/sql/postgres.ts', "await import('pg');"],
  ];
  for (const [path, source] of allowed) {
    it(`allows ${path}: ${source}`, () => {
      assert.deepEqual(violationsIn({ [path]: source }), []);
    });
  }

  const forbidden: [path: string, source: string, target: string][] = [
    ['src/domain/a.ts', "import { b } from '../contract/b.js';", 'src/contract/b.ts'],
    ['src/domain/a.ts', "import type { b } from '../contract/b.js';", 'src/contract/b.ts'],
    ['src/domain/a.ts', "type B = import('../contract/b.js').B;", 'src/contract/b.ts'],
    ['src/domain/a.ts', "const b = await import('../contract/b.js');", 'src/contract/b.ts'],
    ['src/domain/a.ts', "export { b } from '../contract/b.js';", 'src/contract/b.ts'],
    ['src/domain/a.ts', "export * from '../contract/b.js';", 'src/contract/b.ts'],
    ['src/domain/a.ts', "import '../contract/b.js';", 'src/contract/b.ts'],
    ['src/domain/a.ts', "import * as z from 'zod/mini';", 'zod/mini'],
    ['src/checkout/card/card-form.ts', "import { html } from 'lit';", 'lit'],
    ['src/checkout/card/views/a.ts', "import { html } from 'lit';", 'lit'],
    ['src/checkout/card/card-form.ts', "import { b } from './a.js';", 'src/checkout/card/a.ts'],
    [
      'src/checkout/element/a.ts',
      "import { b } from '../card/card-form.js';",
      'src/checkout/card/card-form.ts',
    ],
    ['src/contract/a.ts', "import { b } from '../service/wire.js';", 'src/service/wire.ts'],
    ['src/contract/a.ts', "import * as z from 'zod';", 'zod'],
    ['src/contract/readers.ts', "import * as z from 'zod/mini';", 'zod/mini'],
    [
      'src/checkout/machine/a.ts',
      "import { b } from '../element/b.js';",
      'src/checkout/element/b.ts',
    ],
    ['src/checkout/machine/a.ts', "import type { b } from 'lit';", 'lit'],
    ['src/checkout/page/a.ts', "import { html } from 'lit';", 'lit'],
    ['src/checkout/browser/a.ts', "import { type ReactiveController } from 'lit';", 'lit'],
    [
      'src/checkout/page/a.ts',
      "import type { b } from '../views/b.js';",
      'src/checkout/views/b.ts',
    ],
    [
      'src/checkout/views/a.ts',
      "import { b } from '../browser/b.js';",
      'src/checkout/browser/b.ts',
    ],
    ['src/checkout/page/a.ts', "import { b } from '../../proxy.js';", 'src/proxy.ts'],
    ['src/checkout/page/a.ts', "import { b } from '../../index.js';", 'src/index.ts'],
    ['src/service/wire.ts', "import { b } from './client.js';", 'src/service/client.ts'],
    [
      'src/proxy/gateway/a.ts',
      "import { b } from '../../service/client.js';",
      'src/service/client.ts',
    ],
    ['src/proxy/gateway/a.ts', "import { b } from '../../sandbox.js';", 'src/sandbox.ts'],
    ['src/proxy/tokens/a.ts', "import { createHmac } from 'node:crypto';", 'node:crypto'],
    ['src/proxy/pix/a.ts', "import { b } from '../ledger/sql/b.js';", 'src/proxy/ledger/sql/b.ts'],
    ['src/proxy/pix/a.ts', "import { b } from '../../ledger.js';", 'src/ledger.ts'],
    ['src/proxy.ts', "import type { B } from './ledger.js';", 'src/ledger.ts'],
    ['src/node.ts', "import { b } from './ledger.js';", 'src/ledger.ts'],
    ['src/proxy/pix/a.ts', "import sql from 'sql-template-tag';", 'sql-template-tag'],
    ['src/proxy/ledger/a.ts', "import type { Sql } from 'sql-template-tag';", 'sql-template-tag'],
    ['src/proxy/ledger/sql/a.ts', "await import('libsql');", 'libsql'],
    ['src/proxy/ledger/sql/a.ts', "await import('pg');", 'pg'],
    ['src/proxy/ledger/sql/a.ts', "import { b } from '../../pix/b.js';", 'src/proxy/pix/b.ts'],
    ['src/proxy/pix/a.ts', "import { b } from '../operations/b.js';", 'src/proxy/operations/b.ts'],
    ['src/proxy/status/a.ts', "import type { B } from '../cards/b.js';", 'src/proxy/cards/b.ts'],
    [
      'src/proxy/tokens/a.ts',
      "import { b } from '../ledger/memory/b.js';",
      'src/proxy/ledger/memory/b.ts',
    ],
    ['src/proxy/ledger/a.ts', "import { b } from '../config/b.js';", 'src/proxy/config/b.ts'],
    ['src/sandbox/a.ts', "import { b } from '../proxy/b.js';", 'src/proxy/b.ts'],
    ['src/sandbox/a.ts', "import { b } from '../contract/b.js';", 'src/contract/b.ts'],
    ['src/sandbox/a.ts', "import { b } from '../service.js';", 'src/service.ts'],
    ['src/index.ts', "import { b } from './service.js';", 'src/service.ts'],
    ['src/index.ts', "import { b } from '../demo/b.js';", 'demo/b.ts'],
    ['src/index.ts', "import { b } from 'left-pad';", 'left-pad'],
    ['src/proxy/pix/a.ts', 'const b = await import(name);', 'name'],
    ['src/elsewhere/a.ts', "import { b } from '../domain/b.js';", 'src/domain/b.ts'],
  ];
  for (const [path, source, target] of forbidden) {
    it(`forbids ${path}: ${source}`, () => {
      assert.deepEqual(violationsIn({ [path]: source }), [`${path} must not import ${target}`]);
    });
  }

  it('forbids zod in what a browser loads, through any number of modules', () => {
    const modules = {
      'src/element.ts': "export { a } from './checkout/element/a.js';",
      'src/checkout/element/a.ts': "import { b } from '../../contract/schemas.js';",
      'src/contract/schemas.ts': "import * as z from 'zod/mini';",
    };
    assert.deepEqual(violationsIn(modules), ['src/element.ts must not load zod/mini']);
  });

  it('lets a browser entry use types of a schema', () => {
    const modules = {
      'src/element.ts': "export type { A } from './contract/schemas.js';",
      'src/contract/schemas.ts': "import * as z from 'zod/mini';",
    };
    assert.deepEqual(violationsIn(modules), []);
  });

  it('forbids circles, of types too', () => {
    const modules = {
      'src/domain/a.ts': "import { b } from './b.js';",
      'src/domain/b.ts': "import type { A } from './a.js';",
      'src/domain/c.ts': "import { b } from './b.js';",
    };
    assert.deepEqual(violationsIn(modules), [
      'src/domain/a.ts imports itself in a circle',
      'src/domain/b.ts imports itself in a circle',
    ]);
  });
});

function violationsIn(modules: Readonly<Record<string, string>>): string[] {
  return findViolations(readImports(new Map(Object.entries(modules))));
}

function readSources(): Map<string, string> {
  const paths = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}
