/**
 * Writes the reference tables of the documents from the source: `npm run docs`, after `npm run build`.
 *
 * A document marks the place: `<!-- generated: proxy options -->` … `<!-- end -->`. documents.test.ts fails where the
 * text between differs from what is generated here.
 */
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parseSync } from 'vite';
import type { ESTree } from 'vite';
import { toVariableName, variables } from '../../../src/cli/serve/serve-variables.js';
import { errorCodes, isRetryable } from '../../../src/contract/codes.js';
import type { ErrorCode } from '../../../src/contract/codes.js';
import { logHints } from '../../../src/proxy/set-up/log-hints.js';
import { proxyMetrics } from '../../../src/proxy.js';
import { testCards } from '../../../src/sandbox.js';
import { assumptions } from '../../../src/sandbox/assumptions.js';
import { faultKinds } from '../../../src/sandbox/faults.js';
import { readElement } from '../build/element-manifest.js';
import { toOpenApiPage, type OpenApi } from './openapi-page.js';
import { root } from '../tools.js';

/** A member of an interface with its doc comment. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly defaultValue: string;
  /** As the source spells it. */
  readonly type: string;
  readonly optional: boolean;
}

/** A line of a list: what stands in brackets behind its name, and its meaning. */
interface Point {
  readonly name: string;
  readonly detail?: string;
  readonly description?: string;
}

/** Each table by the name in its marker: Markdown, or what it lists. */
const tables: Readonly<Record<string, () => string | readonly Point[]>> = {
  'element attributes': () =>
    membersOf('field').map(({ attribute, readonly: isFixed, default: usual, ...one }) => ({
      ...one,
      name: attribute ?? one.name,
      detail: [
        ...(attribute === undefined ? ['property'] : []),
        ...(isFixed === true || usual === 'null' ? [] : [toCode(usual)]),
      ].join(', '),
    })),
  'element methods': () => membersOf('method').map((one) => ({ ...one, name: `${one.name}()` })),
  'element events': () =>
    readElement().events.map((one) => ({ ...one, detail: toDetail(one.type?.text ?? '') })),
  'element slots': () => readElement().slots,
  'element parts': () => readElement().cssParts,
  'element custom properties': () =>
    readElement().cssProperties.map((one) => ({ ...one, detail: toCode(one.default) })),
  'element states': () => readElement().cssStates,
  'contract operations': () =>
    toOpenApiPage(JSON.parse(readFileSync(join(root, 'dist/openapi.json'), 'utf8')) as OpenApi),
  'contract errors': () =>
    (Object.keys(errorCodes) as ErrorCode[]).map((name) => ({
      name,
      detail: errorCodes[name].statuses.join(', '),
      description: `${errorCodes[name].title}.${isRetryable(name) ? ' Try again later.' : ''}`,
    })),
  'proxy options': () => toOptions((one) => !isHook(one) && !labelOf(one)),
  'proxy injected options': () => toOptions((one) => labelOf(one) === 'Injected: '),
  'proxy assumptions': () => toOptions((one) => labelOf(one) === 'Assumed: '),
  'payment page options': () => readInterface('PaymentPageOptions').map(toOption),
  'proxy hooks': () =>
    readInterface('ProxyOptions')
      .filter(isHook)
      .map(({ type, ...one }) => ({
        ...one,
        detail: toShape(type.slice('Hook<'.length, -1), ['externalId', 'deliveryId']),
      })),
  'proxy log events': () =>
    Object.entries(logHints).map(([name, hint]) => ({
      name,
      description: `${readMeaning(name)} “${hint}”`,
    })),
  'proxy metrics': () =>
    Object.entries(proxyMetrics).map(([name, { kind, labels, text }]) => ({
      name,
      detail: [kind, ...Object.keys(labels).map(toCode)].join(', '),
      description: text,
    })),
  'serve variables': () =>
    Object.entries(variables).map(([setting, { form, isRequired, text }]) => ({
      name: toVariableName(setting),
      detail: isRequired ? `${form.name}, required` : form.name,
      description: text,
    })),
  'sandbox cards': () =>
    testCards.map(({ number, token, status, endsAs, fault }) => ({
      name: number,
      detail: toCode(token),
      description:
        (endsAs ? `${status}, then ${endsAs}` : status) + (fault ? `; ${toCode(fault)}` : ''),
    })),
  'sandbox faults': () => faultKinds.map(toCode).join(', '),
  'sandbox assumptions': () => assumptions.map((text) => `- ${text}`).join('\n'),
  'page in React': () => toFence('demo/examples/react/checkout.jsx'),
  'page in Vue': () => toFence('demo/examples/vue/Checkout.vue'),
  'page in Svelte': () => toFence('demo/examples/sveltekit/src/Checkout.svelte'),
  'page in SvelteKit': () => toFence('demo/examples/sveltekit/src/routes/orders/[id]/+page.svelte'),
  'page in Solid': () => toFence('test/frameworks/pages/solid/checkout.jsx'),
  'page in Angular': () => toFence('test/frameworks/pages/angular/pix-checkout-tag.ts'),
  'page in Astro': () => toFence('test/frameworks/pages/astro/src/pages/orders/[id].astro'),
};

/** Every document of the repository, as paths from its root. */
export function listDocuments(): string[] {
  const atTop = readdirSync(root).filter((name) => name.endsWith('.md'));
  const inside = ['src', 'demo', 'test'].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`),
  );
  return [...atTop, ...inside].toSorted();
}

/** The document as it should be: its tables made anew, the rest as it stands. */
export async function withTables(document: string): Promise<string> {
  const text = document.replaceAll(
    /(<!-- generated: ([\w ]+) -->\n).*?(<!-- end -->)/gs,
    (_, start: string, name: string, end: string) => {
      const make = tables[name];
      if (!make) throw new Error(`No table is called ${name}`);
      const made = make();
      const list = typeof made === 'string' ? made : made.map(toLine).join('\n');
      return `${start}\n${list}\n\n${end}`;
    },
  );
  return format(text, { ...(await resolveConfig(join(root, 'README.md'))), parser: 'markdown' });
}

/** The names of the tables that a document asks for. */
export function tablesOf(document: string): string[] {
  return [...document.matchAll(/<!-- generated: ([\w ]+) -->/g)].map(([, name = '']) => name);
}

/** All tables there are. */
export const tableNames: readonly string[] = Object.keys(tables);

function toLine({ name, detail = '', description = '' }: Point): string {
  const brackets = detail === '' ? '' : ` (${detail})`;
  return `- ${name === '' ? '(none)' : toCode(name)}${brackets}: ${description.replaceAll(/\s+/g, ' ')}`;
}

/** A page of an example, or one that only test/frameworks drives. */
function toFence(path: string): string {
  const code = readFileSync(join(root, path), 'utf8').trim();
  return `\`\`\`${path.split('.').at(-1)}\n${code}\n\`\`\``;
}

function toCode(text = ''): string {
  return text === '' ? '' : `\`${text}\``;
}

function membersOf(kind: 'field' | 'method') {
  return readElement().members.filter((one) => one.kind === kind);
}

function toOptions(isWanted: (option: Described) => boolean): Point[] {
  return readInterface('ProxyOptions')
    .filter(isWanted)
    .map((one) => ({
      ...toOption(one),
      description: toSentence(one.description.replace(labelOf(one) ?? '', '')),
    }));
}

function toOption({ name, optional, defaultValue, description }: Described): Point {
  return { name, detail: optional ? defaultValue : 'required', description };
}

function isHook({ type }: Described): boolean {
  return type.startsWith('Hook<');
}

/** The word in front of a description that sorts options into tables. */
function labelOf({ description }: Described): string | undefined {
  return /^(?:Assumed|Injected|For tests): /.exec(description)?.[0];
}

function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The detail of an event: its fields without their types, which an editor shows. */
function toDetail(type: string): string {
  const detail = type.replace(/^CustomEvent<(.*)>$/s, '$1');
  if (/^\w+$/.test(detail)) return toShape(detail);
  return toCode(`{${[...detail.matchAll(/(\w+\??):/g)].map(([, name]) => name).join(', ')}}`);
}

/** The fields of a type, as `{externalId, invoiceId?}`. */
function toShape(typeName: string, leftOut: readonly string[] = []): string {
  const fields = readInterface(typeName)
    .filter(({ name }) => !leftOut.includes(name))
    .map(({ name, optional }) => name + (optional ? '?' : ''));
  return toCode(`{${fields.join(', ')}}`);
}

/** An interface of src/ by its name, with what it inherits, in front; an alias is followed. */
function readInterface(name: string): Described[] {
  const { source, declaration, comments } = findType(name);
  if (declaration.type === 'TSTypeAliasDeclaration') {
    return readInterface(textOf(source, declaration.typeAnnotation));
  }
  const inherited = declaration.extends.flatMap(({ expression }) =>
    readInterface(textOf(source, expression)),
  );
  const own = declaration.body.body.flatMap((member) => {
    if (member.type !== 'TSPropertySignature') return [];
    return {
      name: textOf(source, member.key),
      type: member.typeAnnotation ? textOf(source, member.typeAnnotation.typeAnnotation) : '',
      optional: member.optional,
      ...readComment(source, member.start, comments),
    };
  });
  return [...inherited, ...own];
}

/** What an event of the log means. */
function readMeaning(event: string): string {
  const source = readFileSync(join(root, 'src/proxy/set-up/log-hints.ts'), 'utf8');
  const { comments } = parseSync('log-hints.ts', source);
  return readComment(source, source.search(new RegExp(`\\b${event}:`)), comments).description;
}

function findType(name: string) {
  const folder = join(root, 'src');
  for (const path of readdirSync(folder, { recursive: true }) as string[]) {
    if (!path.endsWith('.ts')) continue;
    const source = readFileSync(join(folder, path), 'utf8');
    if (!new RegExp(`^export (interface|type) ${name}\\b`, 'm').test(source)) continue;
    const { program, comments } = parseSync(path, source);
    for (const statement of program.body) {
      const declaration =
        statement.type === 'ExportNamedDeclaration' ? statement.declaration : null;
      if (
        (declaration?.type === 'TSInterfaceDeclaration' ||
          declaration?.type === 'TSTypeAliasDeclaration') &&
        declaration.id.name === name
      ) {
        return { source, declaration, comments };
      }
    }
  }
  throw new Error(`No type of src/ is called ${name}`);
}

function textOf(source: string, node: ESTree.Span): string {
  return source.slice(node.start, node.end);
}

/** The doc comment that stands right before an offset. */
function readComment(
  source: string,
  offset: number,
  comments: readonly { readonly value: string; readonly end: number }[],
) {
  const comment = comments.findLast(
    ({ end }) => end <= offset && /^\s*$/.test(source.slice(end, offset)),
  );
  const text = (comment?.value ?? '')
    .replaceAll(/^\s*\*+ ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [description = '', defaultValue = ''] = text.split(' @defaultValue ');
  return { description, defaultValue };
}

async function main(): Promise<void> {
  for (const path of listDocuments()) {
    const file = join(root, path);
    const before = readFileSync(file, 'utf8');
    const after = await withTables(before);
    if (after === before) continue;
    writeFileSync(file, after);
    console.log(path);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
