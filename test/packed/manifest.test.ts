/**
 * `custom-elements.json`, which editors and generators of bindings read: it names what the element has, and no more. And
 * what is made of it: data for editors, types for templates.
 * Needs `npm run build` first.
 */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { styles } from '../../src/checkout/element/pix-checkout.styles.js';
import { PixCheckout } from '../../src/element.js';
import { lists, readElement, readManifest, settableOf } from '../tools/build/element-manifest.js';
import type { Entry, List } from '../tools/build/element-manifest.js';
import { compileAsShop } from '../support/shop-types.js';
import { root } from '../tools/tools.js';
import { column } from '../support/rows.js';

const element = readElement();
const sources = readSources();
// Lit knows the properties only once it was asked for the attributes.
const attributes = PixCheckout.observedAttributes;

describe('the manifest', () => {
  it('names every attribute, and no other', () => assertNames('attributes', attributes));

  it('names every property and method, and nothing of the inside', () => {
    const settable = [...PixCheckout.elementProperties.keys()].map(String);
    assertNames('members', [...settable, 'phase', 'start', 'refresh', 'reset']);
    const readonly = element.members.filter((member) => member.readonly);
    assert.deepEqual(namesOf(readonly), ['phase']);
  });

  it('gives defaults as values, not as names from the inside', () => {
    const told = [...element.members, ...element.attributes].flatMap((one) => one.default ?? []);
    assert.deepEqual(
      told.filter((text) => !/^(null|true|false|\d+|'[^']*')$/.test(text)),
      [],
    );
  });

  it('names every part that a view renders', () =>
    assertNames('cssParts', findAll(/\bpart(?:="|: ')([\w-]+)/g)));

  it('names every slot, and the children that stand in before the script', () =>
    assertNames('slots', ['', ...findAll(/\bslot(?: name="|: ')([\w-]+)/g)]));

  it('names every custom property of the styles', () =>
    assertNames('cssProperties', styles.cssText.match(/--pix-[\w-]+/g) ?? []));

  it('says what each custom property is without a word from the page', () => {
    const silent = element.cssProperties.filter((one) => (one.default ?? '') === '');
    assert.deepEqual(namesOf(silent), []);
  });

  it('speaks of files that the package holds', () => {
    const { modules } = readManifest();
    assert.deepEqual(column(modules, 'path'), ['dist/index.js', 'dist/element.js']);
    assert.doesNotMatch(JSON.stringify(modules), /"\/?src\//);
  });

  it('names every event', () => assertNames('events', findAll(/super\('(pix-\w+)'/g)));

  for (const list of lists) {
    it(`describes each of its ${list}`, () => {
      const silent = element[list].filter(({ description = '' }) => description.trim() === '');
      assert.deepEqual(namesOf(silent), []);
    });
  }

  it('gives attributes and members, events and states the types that the declarations give', async () => {
    const fields = element.members.filter(({ kind }) => kind === 'field');
    const checks = [
      ...fields.map(({ name, type }) => sameType(`PixCheckout['${name}']`, type)),
      ...element.attributes.map(({ fieldName, type }) =>
        sameType(`PixCheckout['${fieldName}']`, type),
      ),
      ...element.events.map(({ name, type }) =>
        sameType(`CustomEvent<GlobalEventHandlersEventMap['${name}']['detail']>`, type),
      ),
      sameType('Phase', { text: element.cssStates.map(({ name }) => `'${name}'`).join(' | ') }),
    ];
    const page = `
      import type { LitElement } from 'lit';
      import type { ${typeNames(checks).join(', ')} } from 'pix-checkout';
      type Same<A, B> =
        (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
      ${checks.join('\n')}
      // Nothing public is missing.
      const names: Record<Exclude<keyof PixCheckout, keyof LitElement>, 1> = {
        ${element.members.map(({ name }) => `${name}: 1,`).join(' ')}
      };
    `;
    assert.deepEqual(await compileAsShop({ page }), { page: '' });
  });
});

/** Each file that is made of the manifest, and how it writes the names of each list. */
const made: Readonly<Record<string, Partial<Record<List, (entry: Entry) => string>>>> = {
  'web-types.json': {
    attributes: toJsonName,
    events: toJsonName,
    slots: toJsonName,
    cssProperties: toJsonName,
    cssParts: toJsonName,
    cssStates: ({ name }) => `"name": "state(${name})"`,
  },
  'vscode.html-custom-data.json': { attributes: toJsonName },
  'vscode.css-custom-data.json': {
    cssProperties: toJsonName,
    cssParts: ({ name }) => `"name": "::part(${name})"`,
    cssStates: ({ name }) => `"name": ":state(${name})"`,
  },
  'jsx.d.ts': {
    attributes: ({ name }) => `'${name}'?: PixCheckout`,
    events: ({ name }) => `'on${name}'?: (`,
  },
  'solid.d.ts': {
    attributes: ({ name }) => `'attr:${name}'?: PixCheckout`,
    events: ({ name }) => `'on:${name}'?: (`,
  },
  'vue.d.ts': { events: ({ name }) => `'on${toPascal(name)}'?: (` },
  'svelte.d.ts': {
    attributes: ({ name }) => `'${name}'?: PixCheckout`,
    events: ({ name }) => `'on${name}'?: (`,
  },
};

for (const [file, lists] of Object.entries(made)) {
  it(`what is made of the manifest ${file} says all of it, and describes it`, () => {
    const text = readFileSync(join(root, 'dist', file), 'utf8');
    const wanted = Object.entries(lists).flatMap(([list, toText]) =>
      element[list as List].map(toText),
    );
    const properties = file.endsWith('.d.ts')
      ? settableOf(element).map(({ name }) => `${name}'?: PixCheckout`)
      : [];
    assert.deepEqual(
      [...wanted, ...properties].filter((name) => !text.includes(name)),
      [],
    );
    assert.doesNotMatch(text, /undefined["'`]|\*\* \*\/|"description": ""|"value": ""/);
  });
}

function toJsonName({ name }: Entry): string {
  return `"name": "${name}"`;
}

function toPascal(name: string): string {
  return name.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The types by name, all of which the package has to export; what is of the language or the DOM, it has already. */
function typeNames(checks: readonly string[]): string[] {
  const own =
    /\b(?!(?:Same|CustomEvent|GlobalEventHandlersEventMap|Partial|PromiseLike|Promise)\b)[A-Z]\w+/g;
  return [
    ...new Set(
      checks
        .join(' ')
        .replaceAll(/'[^']*'/g, '')
        .match(own),
    ),
  ];
}

function sameType(real: string, told: Entry['type']): string {
  return `{ const same: Same<${real}, ${told?.text ?? 'never'}> = true; }`;
}

function assertNames(list: List, real: Iterable<string>): void {
  assert.deepEqual(namesOf(element[list]).toSorted(), [...new Set(real)].toSorted());
}

function namesOf(entries: readonly Entry[] = []): string[] {
  return entries.map(({ name }) => name);
}

function findAll(pattern: RegExp): string[] {
  return [...sources.matchAll(pattern)].map(([, name = '']) => name);
}

/** All of the element's own code. */
function readSources(): string {
  const folder = join(root, 'src/checkout');
  return (readdirSync(folder, { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .join('\n');
}
