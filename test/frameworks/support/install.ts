/**
 * Installs the frameworks by their own lock file, and beside them this package as it is packed.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../../tools/machine/own-packages.js';
import { bundleProgram } from '../../support/program.js';
import { root } from '../../tools/tools.js';

const source = join(root, 'test/frameworks');
const examples = join(root, 'demo/examples');
const names = readdirSync(join(source, 'pages'));

/** What pages take from the examples: the component that the documents show. */
const shared: Readonly<Record<string, readonly string[]>> = {
  'react-18': ['react/checkout.jsx'],
  'react-19': ['react/checkout.jsx'],
  vue: ['vue/Checkout.vue'],
  svelte: ['sveltekit/src/Checkout.svelte'],
  next: ['next/app/layout.jsx', 'next/app/orders/[id]/checkout.jsx'],
  sveltekit: ['sveltekit/src'],
};

/** Pages whose packages an example of the same name finds; the others find those of React 19. */
const withPackages = ['next', 'vue', 'sveltekit'];

/** Installs what is not there yet, and lays out the pages as they are now. @returns the folder */
export async function installFrameworks(): Promise<string> {
  const folder = await installPackages('test/frameworks');
  cpSync(join(source, 'support/build-pages.mjs'), join(folder, 'build-pages.mjs'));
  const everything = await bundleProgram('test/frameworks/support/everything.ts');
  for (const name of names) layOut(name, join(folder, 'pages', name), everything);
  return folder;
}

/** Lays out the examples beside the pages, as `npm install` does. @returns the folder of one of them */
export function layOutExample(folder: string, name: string): string {
  const home = mkdtempSync(join(folder, 'demo-'));
  cpSync(join(root, 'demo/shops'), join(home, 'shops'), { recursive: true });
  cpSync(examples, join(home, 'examples'), {
    recursive: true,
    filter: (path) => !path.includes('node_modules'),
  });
  const programs = join(home, 'examples/node_modules/.bin');
  mkdirSync(programs, { recursive: true });
  for (const one of ['shop', name]) {
    const page = withPackages.includes(one) ? one : 'react-19';
    symlinkSync(
      join(folder, 'pages', page, 'node_modules'),
      join(home, 'examples', one, 'node_modules'),
    );
  }
  // As npm links it.
  const cli = join(folder, 'pages/react-19/node_modules/pix-checkout/dist/cli.js');
  chmodSync(cli, 0o755);
  symlinkSync(cli, join(programs, 'pix-checkout'));
  return join(home, 'examples', name);
}

function layOut(name: string, page: string, everything: string): void {
  // React 18 and 19 are driven by the same page, and so are Svelte and SvelteKit.
  if (name === 'react-18') copyPages(join(source, 'pages/react-19'), page);
  if (name === 'sveltekit') copyPages(join(source, 'pages/svelte'), page);
  for (const path of shared[name] ?? []) {
    copyPages(join(examples, path), join(page, path.replace(/^\w+\//, '')));
  }
  copyPages(join(source, 'pages', name), page);
  cpSync(everything, join(page, 'everything.js'));
  const installed = join(page, 'node_modules/pix-checkout');
  rmSync(installed, { recursive: true, force: true });
  for (const path of ['package.json', 'dist']) {
    cpSync(join(root, path), join(installed, path), { recursive: true });
  }
}

function copyPages(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('package.json') });
}
