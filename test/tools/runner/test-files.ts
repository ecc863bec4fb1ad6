/** Finds the files of each kind of test, and says whether one of them needs dist/ built first. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { root } from '../tools.js';

/** How the name of a file says what kind of test it is. */
export const endings = {
  unit: '.test.ts',
  component: '.browser-test.ts',
  e2e: '.e2e.ts',
} as const;

/** A kind of test. */
type Kind = keyof typeof endings;

/** The files of a kind at these files and folders, which are relative to where npm was started. */
export function findTests(kind: Kind, chosen: readonly string[]): string[] {
  const paths = chosen.map((path) => resolve(path));
  return filesIn(join(root, 'test'))
    .filter((path) => path.endsWith(endings[kind]))
    .filter((path) => paths.some((one) => isInside(path, one)))
    .map((path) => relative(root, path))
    .toSorted();
}

/** Whether a file of tests reads what the build wrote. */
export function readsBuild(path: string): boolean {
  return path.endsWith(endings.e2e) || /\bdist\b/.test(readFileSync(join(root, path), 'utf8'));
}

/** What dist/ is made of and made by, beside src/ and test/tools/build/. */
const builtBy = [
  'demo/page-styles.ts',
  'vite.config.ts',
  'tsconfig.json',
  'tsconfig.build.json',
  'package.json',
  'package-lock.json',
];

/** Whether dist/ is missing, or older than what it is made from. */
export function isBuildOutdated(top = root): boolean {
  const sources = [
    ...['src', 'test/tools/build'].flatMap((folder) => filesIn(join(top, folder))),
    ...builtBy.map((file) => join(top, file)),
  ];
  const builtAtMs = changedAtMs(join(top, 'dist/integrity.json'));
  return sources.some((path) => changedAtMs(path) > builtAtMs);
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function isInside(path: string, fileOrFolder: string): boolean {
  return path === fileOrFolder || path.startsWith(fileOrFolder.replace(/[\\/]$/, '') + sep);
}

function changedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
