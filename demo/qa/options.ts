/**
 * Writes the options into the page's URL and reads them there, so that a state is a link. Nothing in it is personal.
 */

import { optionGroups } from './option-groups.js';
import type { Definition } from './option-groups.js';

type Groups = typeof optionGroups;

/** Name of an option, as it stands in the query. */
export type OptionName = { [G in keyof Groups]: keyof Groups[G] }[keyof Groups];

/** A value for each option; empty where nothing is chosen. */
export type Options = Readonly<Record<OptionName, string>>;

const definitions = Object.entries(
  Object.assign({}, ...Object.values(optionGroups)) as Record<OptionName, Definition>,
) as [OptionName, Definition][];

/** Reads the query, with defaults for what it does not name. */
export function readOptions(query: URLSearchParams): Options {
  return toOptions((name, fallback) => query.get(name) ?? fallback);
}

/** The query that {@link readOptions} reads: only what differs from the defaults. */
export function toQuery(options: Partial<Options>): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, { fallback }] of definitions) {
    const value = options[name];
    if (value !== undefined && value !== fallback) query.set(name, value);
  }
  return query;
}

/** Reads a form with a control for each option. An unchecked box is absent. */
export function fromForm(data: FormData): Options {
  return toOptions((name) => {
    const value = data.get(name);
    return typeof value === 'string' ? value.trim() : '';
  });
}

/** Options of which every scenario is independent: they change how it looks, and stay when another one is chosen. */
const lookNames = new Set([
  ...Object.keys(optionGroups['Shop and page']),
  ...Object.keys(optionGroups['Looks: custom properties']),
  ...Object.keys(optionGroups['Words: texts and slots']),
]);

/** Only {@link lookNames} of the options. */
export function looksOf(options: Options): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([name]) => lookNames.has(name)));
}

/** Whether two sets of options differ in looks only. */
export function isSameButLooks(one: Options, other: Options): boolean {
  return definitions.every(([name]) => lookNames.has(name) || one[name] === other[name]);
}

/** A reference that no order has yet. */
export function newReference(): string {
  return `qa-${crypto.randomUUID().slice(0, 8)}`;
}

function toOptions(valueOf: (name: OptionName, fallback: string) => string): Options {
  const pairs = definitions.map(([name, { fallback }]) => [name, valueOf(name, fallback)]);
  return Object.fromEntries(pairs) as Options;
}
