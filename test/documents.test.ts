/**
 * The documents: their tables are those of the source, their links lead somewhere, and the package holds them.
 * Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, it } from 'vitest';
import { listDocuments, tableNames, tablesOf, withTables } from './tools/docs/doc-tables.js';
import { root } from './tools/tools.js';
import { column } from './support/rows.js';

const documents = new Map(
  listDocuments().map((path) => [path, readFileSync(join(root, path), 'utf8')]),
);

const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly files: readonly string[];
};

describe('documents', () => {
  for (const [path, text] of documents) {
    if (tablesOf(text).length === 0) continue;
    it(`${path} has the tables of the source (npm run docs writes them)`, async () =>
      assert.equal(text, await withTables(text)));
  }

  it('stand at the door of each room of src/', () => {
    const rooms = (readdirSync(join(root, 'src'), { recursive: true }) as string[])
      .map((path) => `src/${path.replaceAll('\\', '/')}`)
      .filter((path) => /^src(\/[^/.]+){1,2}$/.test(path) && path !== 'src/domain/card');
    assert.ok(rooms.length > 20);
    assert.deepEqual(
      rooms.filter((room) => !documents.has(`${room}/README.md`)),
      [],
    );
  });

  it('show each table once', () => {
    const shown = [...documents.values()].flatMap(tablesOf);
    assert.deepEqual(shown.toSorted(), tableNames.toSorted());
  });

  it('describe everything in their tables', () => {
    const rows = [...documents].flatMap(([path, text]) =>
      [...text.matchAll(/<!-- generated: .*? -->(.*?)<!-- end -->/gs)].flatMap(([, table = '']) =>
        [
          ...table.matchAll(/^\| (`[^|]*?) +\|(.*)$/gm),
          ...table.matchAll(/^- (`[^`]*`)(?: \(.*?\))?:(.*)$/gm),
        ].map(([, name, rest = '']) => ({
          at: `${path}: ${name}`,
          words: rest.split('|').some((cell) => cell.trim() !== ''),
        })),
      ),
    );
    assert.ok(rows.length > 100);
    assert.deepEqual(
      column(
        rows.filter(({ words }) => !words),
        'at',
      ),
      [],
    );
  });

  it('link to places that are there, and that the package holds', () => {
    const broken = [...documents].flatMap(([path, text]) =>
      linksOf(text)
        .map((link) => faultOf(path, link))
        .filter((fault) => fault !== null),
    );
    assert.deepEqual(broken, []);
  });

  it('name files and words of the source that are there', () => {
    const paths = filesOf('src', 'demo', 'test');
    const words = new Set(
      paths
        .filter((path) => /^(src|demo)\/.*\.ts$/.test(path))
        .flatMap((path) => readFileSync(join(root, path), 'utf8').match(/\w+/g) ?? []),
    );
    const isThere = (name: string) =>
      name.endsWith('.ts')
        ? paths.some((path) => `/${path}`.endsWith(`/${name.replace(/^(\.{1,2}\/)+/, '')}`))
        : words.has(name);
    const gone = [...documents]
      .filter(
        ([path]) => path === 'CONTRIBUTING.md' || /^src\/(?!.*frameworks).*README\.md$/.test(path),
      )
      .flatMap(([path, text]) =>
        namesIn(text)
          .filter((name) => !isThere(name))
          .map((name) => `${path}: ${name}`),
      );
    assert.deepEqual(gone, []);
  });

  it('say of each framework at most 40 lines, but of Next, whose page is a whole shop', () => {
    const pages = [...documents].filter(([path]) =>
      /^src\/checkout\/frameworks\/(?!NEXT)/.test(path),
    );
    const long = pages.filter(([, text]) => text.trim().split('\n').length > 40);
    assert.ok(pages.length > 4);
    assert.deepEqual(
      long.map(([path]) => path),
      [],
    );
  });

  it('are all reached from the front door, but for those of the inside', () => {
    const merchants = [
      ...'README REACT NEXT VUE NUXT SOLID SVELTE SVELTEKIT ANGULAR ASTRO'
        .split(' ')
        .map((name) => `src/checkout/frameworks/${name}.md`),
      ...['README', 'LOOKS', 'card/README'].map((name) => `src/checkout/${name}.md`),
      ...['README', 'LOG', 'RUNTIMES', 'store/README', 'store/GOING-LIVE'].map(
        (n) => `src/proxy/${n}.md`,
      ),
      ...['contract', 'service', 'sandbox'].map((room) => `src/${room}/README.md`),
      'demo/README.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ];
    const reached = new Set(['README.md']);
    for (const path of reached) {
      for (const link of linksOf(documents.get(path) ?? '')) reached.add(targetOf(path, link));
    }
    assert.deepEqual(
      merchants.filter((path) => !reached.has(path)),
      [],
    );
  });
});

/** Files of TypeScript, and words in camel case, that stand as code in a text or in its pictures of letters. */
function namesIn(text: string): string[] {
  const drawn = [...text.matchAll(/^```\n(.*?)^```$/gms)].map(([, picture = '']) => picture);
  const prose = text.replaceAll(/^ *```.*?^ *```$/gms, '');
  const code = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);
  const inCode = code.filter((name) => /^([\w./-]*\w\.ts|[a-z]+[A-Z]\w*)$/.test(name));
  const inPictures = drawn.flatMap((picture) => picture.match(/[\w./-]*\w\.ts\b/g) ?? []);
  // A new language is `xx.ts`.
  return [...inCode, ...inPictures].filter((name) => !name.endsWith('xx.ts'));
}

function filesOf(...folders: readonly string[]): string[] {
  return folders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((path) => !path.includes('node_modules'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  );
}

/** Links and pictures that lead to a place of this repository. Code is no link. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

function targetOf(path: string, link: string): string {
  const [file = ''] = link.split('#');
  return file === '' ? path : posix.join(posix.dirname(path), file);
}

/** Finds the fault of a link; null if it has none. */
function faultOf(path: string, link: string): string | null {
  const target = targetOf(path, link);
  const [, anchor] = link.split('#');
  const file = join(root, target);
  if (!existsSync(file)) return `${path}: ${link} is not there`;
  // A folder shows its README.
  if (statSync(file).isDirectory()) return null;
  if (isPacked(path) && !isPacked(target)) return `${path}: ${link} is not in the package`;
  if (anchor === undefined) return null;
  const isThere = headingsOf(documents.get(target) ?? '').includes(anchor);
  return isThere ? null : `${path}: ${link} is no heading`;
}

/** Whether the package holds it: `npm` adds three files to its list. */
function isPacked(path: string): boolean {
  const held = [...packageJson.files, 'README.md', 'LICENSE', 'package.json'];
  return held.some((one) => path === one || path.startsWith(`${one}/`));
}

/** Names of headings as GitHub makes them: lower case, dashes for spaces, no other punctuation. */
function headingsOf(text: string): string[] {
  return [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
