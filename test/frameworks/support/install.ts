/**
 * Installs the frameworks by their own lock file, and beside them this package as it is packed.
 */
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledPath } from '../../support/runner/compile.js';
import { installPackages } from '../../support/machine/own-packages.js';
import { root } from '../../support/tools.js';

const source = join(root, 'test/frameworks');
const names = readdirSync(join(source, 'pages'));

/** Installs what is not there yet, and lays out the pages as they are now. @returns the folder */
export async function installFrameworks(): Promise<string> {
  const folder = await installPackages('test/frameworks');
  cpSync(join(source, 'support/build-pages.mjs'), join(folder, 'build-pages.mjs'));
  for (const name of names) layOut(name, join(folder, 'pages', name));
  return folder;
}

function layOut(name: string, page: string): void {
  // React 18, 19 and Next show the same component, and so do Svelte and SvelteKit.
  const react = join(source, 'pages/react-19');
  if (name === 'react-18') copyPages(react, page);
  if (name === 'sveltekit') copyPages(join(source, 'pages/svelte'), page);
  copyPages(join(source, 'pages', name), page);
  if (name === 'next') {
    const component = readFileSync(join(react, 'checkout.jsx'), 'utf8');
    writeFileSync(join(page, 'app/orders/[id]/checkout.jsx'), `'use client';\n\n${component}`);
  }
  cpSync(compiledPath(join(source, 'support/everything.ts')), join(page, 'everything.js'));
  const installed = join(page, 'node_modules/pix-checkout');
  rmSync(installed, { recursive: true, force: true });
  for (const path of ['package.json', 'dist']) {
    cpSync(join(root, path), join(installed, path), { recursive: true });
  }
}

function copyPages(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('package.json') });
}
