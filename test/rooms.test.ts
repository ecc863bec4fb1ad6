/** Each room of src/ has a README at its door. Arrows and sizes are limits of `npm run lint`. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { root } from './tools/tools.js';

/** A folder that shares the door of its room; so do all that lie deeper. */
const sharesDoor = 'src/domain/card';

it('rooms have a README at their door', () => {
  const doors = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => /^src(\/[^/.]+){1,2}$/.test(path) && path !== sharesDoor);
  assert.ok(doors.length > 20);
  assert.deepEqual(
    doors.filter((folder) => !existsSync(join(root, folder, 'README.md'))),
    [],
  );
});
