/**
 * `npm run build`: bundles, types, manifest with what is made of it, licences of what is bundled, sizes and integrity hashes of the
 * script tag's files, all into dist/.
 *
 * Owns the weights of the script tag's files; knows nothing of how files are bundled (vite.config.ts).
 */
import { createHash } from 'node:crypto';
import { copyFile, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { toCssData, toHtmlData, toWebTypes } from './editor-data.js';
import { readElement, readManifest, toPublished } from './element-manifest.js';
import { toFrameworkTypes } from './framework-types.js';
import { toNotices, type Bundled } from './licenses.js';
import { toOpenApi } from './openapi.js';
import { toPageStyles } from '../../../demo/page-styles.js';
import { root, runTool, type Tool } from '../tools.js';

/**
 * Bytes, brotli at its best, that a file of the script tag weighs on the payer's line, to the next hundred. Neither more nor
 * fewer pass: what gets heavier is a decision, and what gets lighter must not be spent unseen. A change of a number says
 * why in the commit; `npm run bench -- --only size` says which part weighs what.
 */
const weights: Readonly<Record<string, number>> = {
  'pix-checkout.min.js': 45_600,
  'pix-checkout-card.min.js': 5_900,
  'pix-checkout-modal.min.js': 1_600,
  'pix-checkout-pay.min.js': 700,
  'pix-checkout-start.min.js': 1_000,
};

/** What the manifest describes: the element, its events and where it is registered. */
const elementFiles = [
  'src/checkout/element/register.ts',
  'src/checkout/element/pix-checkout.ts',
  'src/checkout/element/events.ts',
];

await bundle('library');
await bundle('card');
await nameCardFile();
await Promise.all([
  bundle('script-tag'),
  bundle('modal'),
  bundle('pay'),
  bundle('start'),
  tool('tsc', ['-p', 'tsconfig.build.json']),
  tool('cem', [
    'analyze',
    '--litelement',
    '--quiet',
    '--outdir',
    'dist',
    '--globs',
    ...elementFiles,
  ]),
]);
await dropInnerTypes();
await copyLanguages();
await writeFile(`${root}/dist/pix-checkout.css`, await toPageStyles());
await Promise.all([publishManifest(), publishLicenses(), measure()]);

async function bundle(
  mode: 'library' | 'script-tag' | 'card' | 'modal' | 'pay' | 'start',
): Promise<void> {
  await build({ root, mode, configFile: `${root}/vite.config.ts`, logLevel: 'warn' });
}

/** The element asks for the card form by the name of its content, which no cache can answer with another version's. */
async function nameCardFile(): Promise<void> {
  const bytes = await readFile(`${root}/dist/pix-checkout-card.min.js`);
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  await writeFile(`${root}/dist/pix-checkout-card.${hash}.min.js`, bytes);
}

/** Where the element's file was copied elsewhere, or joined with others, it asks the proxy for a language by this name. */
async function copyLanguages(): Promise<void> {
  for (const name of await readdir(`${root}/dist`)) {
    const [, language] = /^pix-checkout-(en|es)\.[\w-]{8}\.min\.js$/.exec(name) ?? [];
    if (language === undefined) continue;
    await copyFile(`${root}/dist/${name}`, `${root}/dist/pix-checkout-${language}.min.js`);
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(`${root}/package.json`, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function tool(name: Tool, args: readonly string[]): Promise<void> {
  const { code, output } = await runTool(name, args);
  if (code !== 0) throw new Error(`${name} failed\n${output}`);
}

/** The compiler declares every file: what no entry leads to is the inside's, and twice as much as the rest. */
async function dropInnerTypes(): Promise<void> {
  const types = (await readdir(`${root}/dist`, { recursive: true }))
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(root, 'dist', name));
  const reached = new Set(types.filter((path) => dirname(path) === join(root, 'dist')));
  for (const path of reached) {
    const text = await readFile(path, 'utf8');
    for (const [, name = ''] of text.matchAll(
      /(?:from |import |import\()['"](\.[^'"]+)\.js['"]/g,
    )) {
      reached.add(join(dirname(path), `${name}.d.ts`));
    }
  }
  for (const path of types) if (!reached.has(path)) await rm(path);
}

/** What others read of the package: the manifest, all that is made of it for editors and frameworks, and the contract. */
async function publishManifest(): Promise<void> {
  const manifest = toPublished(readManifest());
  const element = readElement(manifest);
  const data = {
    'custom-elements.json': manifest,
    'web-types.json': toWebTypes(element),
    'vscode.html-custom-data.json': toHtmlData(element),
    'vscode.css-custom-data.json': toCssData(element),
    'openapi.json': toOpenApi(await readVersion()),
  };
  for (const [name, value] of Object.entries(data)) {
    await writeFile(`${root}/dist/${name}`, `${JSON.stringify(value, null, 2)}\n`);
  }
  for (const [name, types] of Object.entries(toFrameworkTypes(element))) {
    await writeFile(`${root}/dist/${name}`, types);
    await writeFile(`${root}/dist/${name.replace('.d.ts', '.js')}`, 'export {};\n');
  }
}

/** One file of notices, from the list that each bundle leaves. */
async function publishLicenses(): Promise<void> {
  const lists = (await readdir(`${root}/dist`)).filter((name) => name.endsWith('.licenses.json'));
  const bundled: Bundled[] = [];
  for (const list of lists) {
    bundled.push(...(JSON.parse(await readFile(`${root}/dist/${list}`, 'utf8')) as Bundled[]));
    await rm(`${root}/dist/${list}`);
  }
  await writeFile(`${root}/dist/LICENSES.md`, toNotices(bundled));
}

/**
 * Of each file that browsers load: prints what it weighs, writes it compressed beside itself, and its integrity hash. Holds
 * those whose weight is noted to it.
 */
async function measure(): Promise<void> {
  const names = (await readdir(`${root}/dist`)).filter((name) => /\.(min\.js|css)$/.test(name));
  const integrity: Record<string, string> = {};
  const wrong: string[] = [];
  for (const name of names.toSorted()) {
    const bytes = await readFile(`${root}/dist/${name}`);
    const gzip = gzipSync(bytes, { level: 9 });
    const brotli = brotliCompressSync(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    });
    await writeFile(`${root}/dist/${name}.gz`, gzip);
    await writeFile(`${root}/dist/${name}.br`, brotli);
    console.log(`${name}: ${bytes.length} bytes, gzip ${gzip.length}, brotli ${brotli.length}`);
    integrity[name] = `sha384-${createHash('sha384').update(bytes).digest('base64')}`;
    const weight = weights[name];
    if (weight !== undefined && Math.ceil(brotli.length / 100) * 100 !== weight) {
      wrong.push(
        `${name}: ${brotli.length} bytes in brotli, not the ${weight} of test/tools/build/build.ts`,
      );
    }
  }
  await writeFile(`${root}/dist/integrity.json`, `${JSON.stringify(integrity, null, 2)}\n`);
  // Last, so that the build is complete for the tests that read it.
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
