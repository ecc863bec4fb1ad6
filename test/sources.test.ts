/** What no file of this repository may hold: postponed work, and tests that silence their neighbours. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { root } from './support/tools.js';

/** Folders and files that are not ours to write. */
const foreign = new Set([
  '.git',
  'node_modules',
  'dist',
  'coverage',
  'output',
  'package-lock.json',
  'screenshots',
]);

describe('sources', () => {
  const files = readOurFiles();

  // The brackets keep this file from being a find itself.
  const banned: [name: string, pattern: RegExp][] = [
    ['postponed work', /\b(TO[D]O|FIX[M]E|XX[X])\b/],
    ['a focused test', /\.onl[y]\(/],
  ];
  for (const [name, pattern] of banned) {
    it(`hold no ${name}`, () => {
      assert.ok(files.size > 50);
      const found = [...files].filter(([, text]) => pattern.test(text)).map(([path]) => path);
      assert.deepEqual(found, []);
    });
  }
});

function readOurFiles(): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (foreign.has(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile()) files.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  visit('');
  return files;
}
