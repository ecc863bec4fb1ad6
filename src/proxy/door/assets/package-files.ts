/**
 * Reads the browser's files out of this package's own dist/, where there is a file system. Node's modules are asked for
 * when they are needed, and never imported: a worker's bundle of the proxy holds none of this.
 */

/** A coding that the build has prepared. */
export type Coding = 'br' | 'gzip';

const endings = { br: '.br', gzip: '.gz' } as const;

interface Found {
  readonly folder: URL;
  readonly hashes: ReadonlyMap<string, string>;
}

/** The files of one package, each read once. */
export function createPackageFiles() {
  let found: Promise<Found | null> | null = null;
  const contents = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

  async function find(): Promise<Found | null> {
    const result = await (found ??= findFiles());
    if (!result) found = null;
    return result;
  }

  return {
    /** Name and hash of each file; null: there is no dist/ to read, and a later call looks again. */
    list: async () => (await find())?.hashes ?? null,

    /** @param name in the list. Rejected: it could not be read, such as with too many open files; a later call reads it again. */
    async read(name: string, coding: Coding | null) {
      const { folder } = (await find())!;
      const path = coding ? name + endings[coding] : name;
      const content = contents.get(path) ?? readBytes(new URL(path, folder));
      contents.set(path, content);
      content.catch(() => contents.delete(path));
      return content;
    },
  };
}

async function findFiles(): Promise<Found | null> {
  for (const toFolder of folders) {
    try {
      const folder = toFolder();
      const text = new TextDecoder().decode(await readBytes(new URL('integrity.json', folder)));
      return { folder, hashes: new Map(Object.entries(JSON.parse(text) as object)) };
    } catch {
      // Not there: the next one may be.
    }
  }
  return null;
}

/**
 * Where dist/ may be: as a program finds an installed package, around this very module, in dist/ or in a folder of it,
 * and where a bundled program is started, such as Next's.
 */
const folders: readonly (() => URL)[] = [
  () => new URL('dist/', import.meta.resolve('pix-checkout/package.json')),
  ...['./', '../'].map((path) => () => new URL(path, import.meta.url)),
  () => new URL('dist/', findFrom(process.cwd())),
];

/** @returns the package's manifest, as a program in this folder finds it */
function findFrom(folder: string): URL {
  const { createRequire } = process.getBuiltinModule('node:module');
  const path = createRequire(`${folder}/`).resolve('pix-checkout/package.json');
  return process.getBuiltinModule('node:url').pathToFileURL(path);
}

async function readBytes(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const { readFile } = process.getBuiltinModule('node:fs').promises;
  return new Uint8Array(await readFile(url));
}
