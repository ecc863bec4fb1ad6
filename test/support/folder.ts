/** Files that no test leaves behind. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';

/** An empty folder, gone with all that is in it when its test is over. */
export function makeFolder(t: Pick<TestContext, 'onTestFinished'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pix-test-'));
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
