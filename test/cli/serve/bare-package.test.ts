/** The built command in a folder that has what npm installs by itself and nothing else. Reads dist/. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { whyNoProcesses } from '../../support/cli/cli-process.js';
import { root, runNode } from '../../tools/tools.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { makeFolder } from '../../support/folder.js';

describe(
  'the command without packages that a merchant may leave out',
  leftOutIf(whyNoProcesses),
  () => {
    it('shows its help, and says what a ledger needs', async (t) => {
      const folder = makeFolder(t);
      mkdirSync(join(folder, 'node_modules'));
      cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true });
      cpSync(join(root, 'package.json'), join(folder, 'package.json'));
      for (const name of ['lit', 'sql-template-tag', 'zod']) {
        symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name), 'dir');
      }
      const run = (...args: string[]) =>
        runNode([join(folder, 'dist/cli.js'), ...args], {
          env: { PIX_LEDGER_URL: `file:${join(folder, 'pix.db')}` },
        });
      const help = await run('help');
      assert.equal(help.code, 0, help.output);
      assert.match(help.output, /^ {2}serve /m);
      const { code, output } = await run('serve', '--check-config');
      assert.equal(code, 1);
      assert.match(output, /^PIX_LEDGER_URL cannot be opened: .*: npm install (libsql|pg)$/m);
      assert.match(output, /^Warning: undici cannot be loaded/m);
    });
  },
);
