/**
 * The element's types for templates, made of the manifest: JSX (React, Preact), Solid, Vue and Svelte. Each file of
 * types stands in dist/ beside an empty module, so that `import 'pix-checkout/jsx'` means the same to every tool. A module
 * that is not installed is no error where a file of declarations adds to it.
 */
import type { ElementEntry, Entry } from './element-manifest.js';
import { settableOf, valuesOf } from './element-manifest.js';

/** How a framework writes a listener, by the name of the event. */
type ToListener = (event: string) => string;

/** Files of types by their names in dist/. */
export function toFrameworkTypes(element: ElementEntry): Readonly<Record<string, string>> {
  return {
    'jsx.d.ts': toJsx(element),
    'solid.d.ts': toSolid(element),
    'vue.d.ts': toVue(element),
    'svelte.d.ts': toSvelte(element),
  };
}

const head = (entry: string, what: string, use: string) => `/**
 * Package entry \`pix-checkout/${entry}\`: \`<pix-checkout>\` in ${what}. Types only, made of custom-elements.json.
 *
 * ${use}
 */
import type { PixCheckout } from './element.js';`;

function toJsx(element: ElementEntry): string {
  const augment = (name: string, props: string) => `
declare module '${name}' {
  namespace JSX {
    interface IntrinsicElements {
      'pix-checkout': ${props};
    }
  }
}`;
  return `${head('jsx', 'JSX of React and Preact', `Name it once: \`import 'pix-checkout/jsx'\`, or \`"types": ["pix-checkout/jsx"]\` in tsconfig.json.`)}

/** What any element takes in both. */
interface Common {
  children?: any;
  class?: string | undefined;
  className?: string | undefined;
  dir?: string | undefined;
  hidden?: boolean | undefined;
  id?: string | undefined;
  key?: string | number | bigint | null | undefined;
  lang?: string | undefined;
  ref?: any;
  slot?: string | undefined;
  style?: any;
  suppressHydrationWarning?: boolean | undefined;
  title?: string | undefined;
  [data: \`data-\${string}\`]: unknown;
  [aria: \`aria-\${string}\`]: unknown;
}

/** \`<pix-checkout>\` in JSX. React 18 sets attributes only: properties and listeners go through a \`ref\` there. */
export interface PixCheckoutProps extends Common {
${toMembers(element, (event) => `on${event}`)}
}
${augment('react', 'PixCheckoutProps')}
${augment('preact', 'PixCheckoutProps')}
`;
}

/** A name without a prefix would be that of a property in small letters, which the element does not read. */
function toSolid(element: ElementEntry): string {
  const prefixed = (entry: Entry, prefix: string) => ({
    ...entry,
    name: `${prefix}:${entry.name}`,
  });
  const ofField = ({ fieldName = '' }: Entry) =>
    element.members.find(({ name }) => name === fieldName) ?? { name: fieldName };
  return `${head('solid', 'JSX of Solid', `Name it once: \`import 'pix-checkout/solid'\`, or \`"types": ["pix-checkout/solid"]\` in tsconfig.json.`)}
import type { JSX } from 'solid-js';

/** \`<pix-checkout>\` in JSX: attributes as \`attr:\`, properties as \`prop:\`, listeners as \`on:\`. */
export interface PixCheckoutProps extends JSX.HTMLAttributes<PixCheckout> {
${[
  ...element.attributes.map((one) =>
    toMember(prefixed(one, 'attr'), toAttributeType(ofField(one))),
  ),
  ...settableOf(element).map((one) =>
    toMember(prefixed(one, 'prop'), `PixCheckout['${one.name}']`),
  ),
].join('\n')}
${toEvents(element, (event) => `on:${event}`)}
}

declare module 'solid-js' {
  namespace JSX {
    interface IntrinsicElements {
      'pix-checkout': PixCheckoutProps;
    }
  }
}
`;
}

function toVue(element: ElementEntry): string {
  // Vue's checker asks for names in camel case, however the template writes them.
  const toListener: ToListener = (event) => `on${`-${event}`.replaceAll(/-(\w)/g, upper)}`;
  return `${head('vue', 'templates of Vue', `Name it once: \`import 'pix-checkout/vue'\`, or \`"types": ["pix-checkout/vue"]\` in tsconfig.json.`)}
import type { HTMLAttributes, PublicProps } from 'vue';

/** \`<pix-checkout>\` in a template: attributes and properties, bound or not, and listeners. */
export interface PixCheckoutProps {
${toMembers(element, toListener, (attribute) => attribute.replaceAll(/-(\w)/g, upper))}
}

declare module 'vue' {
  interface GlobalComponents {
    'pix-checkout': new () => PixCheckout & { $props: PixCheckoutProps & HTMLAttributes & PublicProps };
  }
}
`;
}

function toSvelte(element: ElementEntry): string {
  return `${head('svelte', 'templates of Svelte', `Name it once: \`import 'pix-checkout/svelte'\`, or \`"types": ["pix-checkout/svelte"]\` in tsconfig.json.`)}
import type { HTMLAttributes } from 'svelte/elements';

/** \`<pix-checkout>\` in a template: attributes, properties and listeners. */
export interface PixCheckoutProps {
${toMembers(element, (event) => `on${event}`)}
${toEvents(element, (event) => `on:${event}`)}
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pix-checkout': PixCheckoutProps & HTMLAttributes<PixCheckout>;
  }
}
`;
}

/** Everything that a template may write. An attribute also takes text, a property that has no attribute does not. */
function toMembers(
  element: ElementEntry,
  toListener: ToListener,
  toName: (attribute: string) => string = (attribute) => attribute,
): string {
  const properties = settableOf(element);
  // Where both have one name, it is the property that frameworks set.
  const attributes = element.attributes
    .map((one) => ({ ...one, name: toName(one.name) }))
    .filter(({ name }) => properties.every((property) => property.name !== name));
  return [
    ...attributes.map((one) => toMember(one, `PixCheckout['${one.fieldName}'] | string`)),
    ...properties.map((one) => toMember(one, toType(one, toName))),
    toEvents(element, toListener),
  ].join('\n');
}

/** Of a property whose name is also that of an attribute text is taken, too: it is read in the same way. */
function toType(property: Entry, toName: (attribute: string) => string): string {
  const isText = property.attribute !== undefined && toName(property.attribute) === property.name;
  const isRead = isText && property.name !== 'invoice';
  return isRead ? toAttributeType(property) : `PixCheckout['${property.name}']`;
}

/** An attribute takes text, too, but for one whose type lists its words. */
function toAttributeType(property: Entry): string {
  return `PixCheckout['${property.name}']${valuesOf(property).length > 0 ? '' : ' | string'}`;
}

function toEvents({ events }: ElementEntry, toListener: ToListener): string {
  return events
    .map((one) =>
      toMember(
        { ...one, name: toListener(one.name) },
        `((event: GlobalEventHandlersEventMap['${one.name}']) => void)`,
      ),
    )
    .join('\n');
}

function toMember({ name, description = '' }: Entry, type: string): string {
  return `  /** ${description.replaceAll(/\s+/g, ' ')} */\n  '${name}'?: ${type} | undefined;`;
}

function upper(_: string, letter: string): string {
  return letter.toUpperCase();
}
