/**
 * The element as the analyzer describes it: the one source of dist/custom-elements.json, and of whatever is made of it
 * (editor-data.ts, framework-types.ts, doc-tables.ts).
 *
 * Owns how the published manifest differs from the analyzer's; knows nothing of its readers.
 */
import { readFileSync } from 'node:fs';
import { styles } from '../../../src/checkout/element/pix-checkout.styles.js';
import { root } from '../tools.js';

/** An entry of any list of the manifest. */
export interface Entry {
  readonly name: string;
  readonly description?: string;
  readonly type?: { readonly text: string };
  readonly kind?: 'field' | 'method';
  readonly readonly?: boolean;
  readonly privacy?: string;
  /** Of a member: its attribute. */
  readonly attribute?: string;
  /** Of an attribute: its property. */
  readonly fieldName?: string;
  readonly default?: string;
  /** Of a custom property: what CSS takes there. */
  readonly syntax?: string;
}

/** What the manifest says of an element, by the names of the schema. */
const nothing = {
  members: [] as readonly Entry[],
  attributes: [] as readonly Entry[],
  events: [] as readonly Entry[],
  cssParts: [] as readonly Entry[],
  slots: [] as readonly Entry[],
  cssProperties: [] as readonly Entry[],
  cssStates: [] as readonly Entry[],
};

/** A list of the manifest. */
export type List = keyof typeof nothing;

/** All lists. */
export const lists = Object.keys(nothing) as List[];

/** The description of `<pix-checkout>`. */
export type ElementEntry = typeof nothing & { readonly name: string; readonly description: string };

/** A manifest, as far as it is read here. */
export interface Manifest {
  readonly schemaVersion: string;
  readonly modules: readonly {
    readonly kind: string;
    readonly path: string;
    readonly declarations: readonly object[];
    readonly exports: readonly object[];
  }[];
}

/** The published manifest. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(`${root}/dist/custom-elements.json`, 'utf8')) as Manifest;
}

/** Its entry of the element. */
export function readElement({ modules }: Manifest = readManifest()): ElementEntry {
  const declarations = modules.flatMap(({ declarations }) => declarations as ElementEntry[]);
  const found = declarations.find(({ name }) => name === 'PixCheckout');
  if (!found) throw new Error('The manifest does not describe PixCheckout');
  return { ...nothing, ...found };
}

/** Properties that a page may set. */
export function settableOf({ members }: ElementEntry): readonly Entry[] {
  return members.filter(({ kind, readonly }) => kind === 'field' && readonly !== true);
}

/** The words that an attribute takes, where its type lists them. */
export function valuesOf({ type }: Entry): readonly string[] {
  return [...(type?.text ?? '').matchAll(/'([^']+)'/g)].map(([, word = '']) => word);
}

/**
 * The analyzer's manifest as the package publishes it: files that the package holds, nothing that only the class itself
 * may use, and of each custom property what it is without a word from the page.
 */
export function toPublished(analyzed: Manifest): Manifest {
  const text = JSON.stringify(analyzed)
    .replaceAll(/"\/?src\/checkout\/element\/register\.(?:ts|js)"/g, '"dist/index.js"')
    .replaceAll(/"\/?src\/checkout\/element\/[\w-]+\.(?:ts|js)"/g, '"dist/element.js"');
  const { schemaVersion, modules } = JSON.parse(text, (key, value: Entry[]) => {
    if (key === 'members') return value.filter(({ privacy }) => privacy !== 'private');
    if (key === 'cssProperties') return value.map(withDefault);
    return value;
  }) as Manifest;
  const paths = [...new Set(modules.map(({ path }) => path))];
  return {
    schemaVersion,
    modules: paths.map((path) => {
      const parts = modules.filter((module) => module.path === path);
      return {
        kind: 'javascript-module',
        path,
        declarations: parts.flatMap(({ declarations }) => declarations),
        exports: parts.flatMap((part) => part.exports),
      };
    }),
  };
}

function withDefault(property: Entry): Entry {
  const { name } = property;
  const { cssText } = styles;
  const patterns = [`${name}:\\s*(light-dark\\(#.*?\\));`, `${name}:\\s*([^;}]+)`];
  const found = [...patterns, `var\\(${name},\\s*([^;}]+?)\\)`]
    .map((pattern) => new RegExp(pattern).exec(cssText)?.[1])
    .find((value) => value !== undefined);
  const syntax = name.includes('-color-') ? { syntax: '<color>' } : {};
  return { ...property, ...(found && { default: found.trim() }), ...syntax };
}
