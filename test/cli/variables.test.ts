/** That a variable is read from the environment or from a file, and never from both. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { readVariable } from '../../src/cli/variables.js';
import { makeFolder } from '../support/folder.js';

describe('a variable', () => {
  it('is read without white space, and empty is not set', async () => {
    assert.equal(await readVariable({ PIX_ACCESS_TOKEN: ' a\n' }, 'PIX_ACCESS_TOKEN'), 'a');
    assert.equal(await readVariable({ PIX_ACCESS_TOKEN: ' ' }, 'PIX_ACCESS_TOKEN'), undefined);
    assert.equal(await readVariable({}, 'PIX_ACCESS_TOKEN'), undefined);
  });

  it('may stand in a file', async (t) => {
    const folder = makeFolder(t);
    const path = join(folder, 'token');
    writeFileSync(path, 'from-a-file\n');
    assert.equal(
      await readVariable({ PIX_ACCESS_TOKEN_FILE: path }, 'PIX_ACCESS_TOKEN'),
      'from-a-file',
    );
    await assert.rejects(
      readVariable({ PIX_ACCESS_TOKEN_FILE: path, PIX_ACCESS_TOKEN: 'a' }, 'PIX_ACCESS_TOKEN'),
      /^UsageError: Set PIX_ACCESS_TOKEN or PIX_ACCESS_TOKEN_FILE, not both$/,
    );
    await assert.rejects(
      readVariable({ PIX_ACCESS_TOKEN_FILE: join(folder, 'none') }, 'PIX_ACCESS_TOKEN'),
      /^UsageError: PIX_ACCESS_TOKEN_FILE names a file/,
    );
  });
});
