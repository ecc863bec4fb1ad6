/** The OpenAPI document as a page for people: each operation, its headers, its bodies field by field, its answers. */

/** The parts of a JSON schema that ours use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
}

interface Content {
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What of the document is shown. */
export interface OpenApi {
  readonly paths: Paths;
  readonly webhooks: Paths;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** How a row of a table is written. */
type ToTable = (head: readonly string[], rows: readonly (readonly string[])[]) => string;

/** Bounds that say no more than that a number is one. */
const safe = Number.MAX_SAFE_INTEGER;

/** @returns Markdown, from headings of the third level */
export function toOpenApiPage(document: OpenApi, toTable: ToTable): string {
  const { schemas } = document.components;
  return [...toSections(document.paths, ''), ...toSections(document.webhooks, 'webhook ')].join(
    '\n\n',
  );

  function toSections(paths: Paths, prefix: string): string[] {
    return Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        toSection(`${prefix}${method.toUpperCase()} ${path}`, operation),
      ),
    );
  }

  function toSection(title: string, operation: Operation): string {
    const { summary, parameters = [], requestBody, responses } = operation;
    const isGood = ([status]: readonly [string, Content]) => status.startsWith('2');
    const answers = Object.entries(responses);
    const [good, bad] = [answers.filter(isGood), answers.filter((one) => !isGood(one))];
    return [
      `### \`${title}\``,
      `${summary}.`,
      parameters.length === 0 ? '' : toParameters(parameters),
      ...(requestBody ? ['Body:', toFields(schemaOf(requestBody))] : []),
      ...good.flatMap(([status, answer]) => [
        `Answer ${status}: ${answer.description}.`,
        answer.content ? toFields(schemaOf(answer)) : '',
      ]),
      bad.length === 0
        ? ''
        : `Errors: ${bad.map(([status, { description }]) => `${status} ${description}`).join(' · ')}.`,
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  function toParameters(parameters: readonly Parameter[]): string {
    return toTable(
      ['parameter', 'in', 'required', 'meaning'],
      parameters.map(({ name, in: place, required, description = '' }) => [
        `\`${name}\``,
        place,
        required === true ? 'yes' : '',
        description,
      ]),
    );
  }

  function schemaOf({ content = {} }: Content): Schema {
    return Object.values(content)[0]?.schema ?? {};
  }

  function toFields(schema: Schema): string {
    const { anyOf, oneOf } = resolve(schema);
    const forms = anyOf ?? oneOf ?? [schema];
    const tables = forms.map((form) => toTable(['field', 'required', 'form'], toRows(form, '')));
    return tables.join('\n\nor\n\n');
  }

  /** A row for each field, those inside objects and lists too: `data.items[].name`. */
  function toRows(schema: Schema, path: string): string[][] {
    const { properties = {}, required = [], items } = resolve(schema);
    if (items) return toRows(items, `${path}[]`);
    return Object.entries(properties).flatMap(([name, field]) => {
      const own = path === '' ? name : `${path}.${name}`;
      const inner = toRows(field, own);
      const isRequired = required.includes(name) ? 'yes' : '';
      return [[`\`${own}\``, isRequired, toForm(resolve(field))], ...inner];
    });
  }

  function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (schemas[name] ?? {});
  }

  function toForm(schema: Schema): string {
    const { type, enum: words, const: only, format, pattern, anyOf, items } = schema;
    if (anyOf) return anyOf.map((one) => toForm(resolve(one))).join(' or ');
    if (only !== undefined) return `\`${only}\``;
    if (words) return words.map((word) => `\`${word}\``).join(', ');
    const name = items ? 'list' : [type ?? 'any'].flat().join(' or ');
    if (format !== undefined) return `${name}, ${format}`;
    return [name, ...(pattern === undefined ? toBounds(schema) : [`\`${pattern}\``])].join(', ');
  }
}

function toBounds({ minimum, maximum, minLength, maxLength }: Schema): string[] {
  if (maxLength !== undefined) return [`${minLength ?? 0} to ${maxLength} characters`];
  if (minimum === undefined || minimum === -safe) return [];
  return [
    maximum === undefined || maximum === safe ? `${minimum} or more` : `${minimum} to ${maximum}`,
  ];
}
