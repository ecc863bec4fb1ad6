/** The OpenAPI document as a page for people: each operation, its headers, its bodies field by field, its answers. */

/** The parts of a JSON schema that ours use. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
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
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A field: its name, whether it is required, and its form. */
type Row = readonly [name: string, isRequired: boolean, form: string];

/** Bounds that say no more than that a number is one. */
const safe = Number.MAX_SAFE_INTEGER;

/** @returns Markdown, from headings of the third level */
export function toOpenApiPage(document: OpenApi): string {
  const { schemas } = document.components;
  /** The operation that shows these fields, headers or errors first. */
  const shown = new Map<string, string>();
  return Object.entries(document.paths)
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) =>
        toSection(`${method.toUpperCase()} ${path}`, operation),
      ),
    )
    .join('\n\n');

  function toSection(title: string, operation: Operation): string {
    const { summary, parameters = [], requestBody, responses } = operation;
    const isGood = ([status]: readonly [string, Content]) => status.startsWith('2');
    const answers = Object.entries(responses);
    const [good, bad] = [answers.filter(isGood), answers.filter((one) => !isGood(one))];
    return [
      `### \`${title}\``,
      `${summary}.`,
      parameters.length === 0 ? '' : onceShown(toParameters(parameters), 'The headers', title),
      ...(requestBody ? ['Body:', toFields(schemaOf(requestBody), title)] : []),
      ...good.flatMap(([status, answer]) => [
        `Answer ${status}: ${answer.description}.`,
        answer.content ? toFields(schemaOf(answer), title) : '',
      ]),
      bad.length === 0 ? '' : onceShown(toErrors(bad), 'The errors', title),
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  function toParameters(parameters: readonly Parameter[]): string {
    return parameters
      .map(({ name, in: place, required, description }) =>
        [`- ${toName([name, required === true, ''])} (${place})`, description]
          .filter(Boolean)
          .join(': '),
      )
      .join('\n');
  }

  function schemaOf({ content = {} }: Content): Schema {
    return Object.values(content)[0]?.schema ?? {};
  }

  function toFields(schema: Schema, title: string): string {
    return onceShown(toList(toRows(schema, '')), 'The fields', title);
  }

  /** The text, or where it stands already. */
  function onceShown(text: string, what: string, title: string): string {
    const before = shown.get(text);
    if (before !== undefined) return `${what} are those of \`${before}\`.`;
    shown.set(text, title);
    return text;
  }

  /** A row for each field, those inside objects and lists too: `data.items[].name`. */
  function toRows(schema: Schema, path: string): Row[] {
    const { properties = {}, required = [], items } = resolve(schema);
    if (items) return toRows(items, `${path}[]`);
    return Object.entries(properties).flatMap(([name, field]) => {
      const own = path === '' ? name : `${path}.${name}`;
      const inner = toRows(field, own);
      const row: Row = [own, required.includes(name), toForm(resolve(field))];
      // An object is told by its fields.
      return inner.length > 0 ? inner : [row];
    });
  }

  function resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name === undefined ? schema : (schemas[name] ?? {});
  }

  function toForm(schema: Schema): string {
    const { type, enum: words, format, pattern, anyOf, items } = schema;
    if (anyOf) return anyOf.map((one) => toForm(resolve(one))).join(' or ');
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

/** A line for each form: fields of one form that follow each other share it. */
function toList(rows: readonly Row[]): string {
  const lines: { names: string[]; form: string }[] = [];
  for (const row of rows) {
    const last = lines.at(-1);
    if (last?.form === row[2]) last.names.push(toName(row));
    else lines.push({ names: [toName(row)], form: row[2] });
  }
  return lines.map(({ names, form }) => `- ${names.join(', ')}: ${form}`).join('\n');
}

/** A field that is required is bold. */
function toName([name, isRequired]: Row): string {
  return isRequired ? `**\`${name}\`**` : `\`${name}\``;
}

/** The codes alone: their statuses stand in the contract's own table. */
function toErrors(answers: readonly (readonly [string, Content])[]): string {
  const codes = answers.flatMap(([, { description = '' }]) => description.match(/`\w+`/g) ?? []);
  return `Errors: ${[...new Set(codes)].join(', ')}.`;
}
