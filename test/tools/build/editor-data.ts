/**
 * What editors complete and explain, made of the manifest: web-types.json for JetBrains' editors, custom data for HTML
 * and CSS in VS Code.
 */
import { readFileSync } from 'node:fs';
import { valuesOf, type ElementEntry, type Entry } from './element-manifest.js';
import { root } from '../tools.js';

const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')) as {
  name: string;
  version: string;
};

const schemas = 'https://raw.githubusercontent.com';

/** Content of dist/web-types.json. */
export function toWebTypes(element: ElementEntry): object {
  const { members, attributes, events, slots, cssProperties, cssParts, cssStates } = element;
  return {
    $schema: `${schemas}/JetBrains/web-types/master/schema/web-types.json`,
    name,
    version,
    'description-markup': 'markdown',
    contributions: {
      html: {
        elements: [
          {
            name: 'pix-checkout',
            description: element.description,
            attributes: attributes.map((one) => ({
              ...described(one),
              default: one.default,
              value: { type: one.type?.text },
            })),
            slots: slots.map(described),
            js: {
              properties: members
                .filter(({ kind }) => kind === 'field')
                .map((one) => ({
                  ...described(one),
                  type: one.type?.text,
                  'read-only': one.readonly,
                })),
              events: events.map((one) => ({ ...described(one), type: one.type?.text })),
            },
            css: {
              properties: cssProperties.map((one) => ({ ...described(one), default: one.default })),
              parts: cssParts.map(described),
              'pseudo-classes': cssStates.map((one) => ({
                ...described(one),
                name: `state(${one.name})`,
              })),
            },
          },
        ],
      },
    },
  };
}

/** Content of dist/vscode.html-custom-data.json. */
export function toHtmlData({ description, attributes }: ElementEntry): object {
  return {
    version: 1.1,
    tags: [
      {
        name: 'pix-checkout',
        description: markdown(description),
        attributes: attributes.map((one) => ({
          name: one.name,
          description: markdown(one.description),
          ...(one.type?.text === 'boolean' && { valueSet: 'v' }),
          ...(valuesOf(one).length > 0 && {
            values: valuesOf(one).map((word) => ({ name: word })),
          }),
        })),
      },
    ],
  };
}

/** Content of dist/vscode.css-custom-data.json. */
export function toCssData({ cssProperties, cssParts, cssStates }: ElementEntry): object {
  const named = (list: readonly Entry[], toName: (name: string) => string) =>
    list.map((one) => ({ name: toName(one.name), description: markdown(one.description) }));
  return {
    version: 1.1,
    properties: cssProperties.map((one) => ({
      name: one.name,
      description: markdown(`${one.description}\n\nDefault: \`${one.default}\``),
      syntax: one.syntax,
    })),
    pseudoElements: named(cssParts, (part) => `::part(${part})`),
    pseudoClasses: named(cssStates, (state) => `:state(${state})`),
  };
}

function described({ name, description }: Entry) {
  return { name, description };
}

function markdown(value = '') {
  return { kind: 'markdown', value };
}
