/**
 * Which property names the script tag's files may shorten: those that no page, proxy, record or other file ever sees.
 *
 * A name is internal if an interface of an internal room declares it and nothing speaks against it: no public file
 * declares it, no document names it in code, and no source quotes it. New names are found by themselves; one that is
 * public by mistake of this list fails test/internal-names.test.ts, or a test on the built file.
 */
import { readFileSync, readdirSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** Where names are declared that stay inside one file of the build. */
const internalRooms = /^src\/(checkout\/(machine|page|views)|domain)\//;

/** What others see: the contract, the element and its events, the record, the texts, what the card's file is handed. */
const publicFiles =
  /^src\/(contract\/|checkout\/(card\/|locales\/|browser\/(environment|storage)\.ts$|element\/(events|pix-checkout)\.ts$))/;

/** What merchants read. */
const publicDocuments = /^src\/(contract|checkout(\/card)?)\/[A-Z]+\.md$/;

/** The names, sorted. */
export function internalNames(): string[] {
  const sources = read('.ts');
  const declared = namesIn(sources, internalRooms, /\breadonly (\w+)\??:/g);
  const open = namesIn(sources, publicFiles, /^\s+(?:readonly )?(\w+)\??[:(]/gm);
  const code = read('.md')
    .filter(([path]) => publicDocuments.test(path))
    .flatMap(([, text]) => text.match(/```[^]*?```|`[^`]+`/g) ?? [])
    .join('\n');
  const documented = new Set(code.match(/\w+/g));
  const everything = sources.map(([, text]) => text.replace(/^(import|\} from) [^;]*;/gm, ''));
  const quoted = new Set(
    everything.flatMap((text) => [...text.matchAll(/(['"`])(\w+)\1/g)].map(([, , word]) => word)),
  );
  return [...declared]
    .filter((name) => name.length > 3 && !name.includes('_'))
    .filter((name) => ![open, documented, quoted].some((others) => others.has(name)))
    .toSorted();
}

/** Files of a kind in the rooms that the browser loads, by path. */
function read(ending: string): [path: string, text: string][] {
  return ['src/checkout', 'src/contract', 'src/domain'].flatMap((folder) =>
    (readdirSync(new URL(folder, root), { recursive: true }) as string[])
      .filter((path) => path.endsWith(ending))
      .map((path): [string, string] => {
        const file = `${folder}/${path}`;
        return [file, readFileSync(new URL(file, root), 'utf8')];
      }),
  );
}

function namesIn(sources: [string, string][], files: RegExp, pattern: RegExp): Set<string> {
  return new Set(
    sources
      .filter(([path]) => files.test(path))
      .flatMap(([, text]) => [...text.matchAll(pattern)].map(([, name = '']) => name)),
  );
}
