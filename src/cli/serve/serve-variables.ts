/**
 * The variables of `serve`: a sentence for each option of the proxy that is no function, and for each setting of serving
 * itself. The schemas that read them say what each must be, its default and mostly its form. So a new option is one row here,
 * and help, documents, checks and the config module include it.
 */

import * as z from 'zod/mini';
import type { ProxyOptions } from '../../proxy.js';
import { oneOf, readBy, text as filled, whole } from '../../proxy/set-up/options/option-schema.js';
import { parsePublicUrl } from '../../proxy/set-up/options/public-url.js';
import { optionSchema } from '../../proxy/set-up/options/read-options.js';
import { parseBaseUrl } from '../../service/secure-url.js';
import { parseObject } from '../json-object.js';
import { parseMerchantUrl } from '../merchant-server/signed-post.js';
import { parseWebhookSecrets } from '../merchant-server/webhook-signature.js';

interface Form {
  readonly name: string;
  /** Parses the text, and leaves checks to the schema. @throws TypeError that never quotes the value */
  readonly read: (text: string) => unknown;
}

/** A variable. {@link toVariableName} makes its name from the option's. */
export interface Variable {
  readonly form: Form;
  /** The sentence about the variable in help and documents, its default included. */
  readonly text: string;
  readonly isRequired: boolean;
  /** Help and errors say only whether it is set, never its value. */
  readonly isSecret: boolean;
}

const port = whole(0, 65_535, 'must be a port: 0 (any free one) to 65535');
const isTexts = (given: unknown): given is readonly string[] =>
  Array.isArray(given) && given.every((one) => typeof one === 'string');

/**
 * The schema of the settings that `serve` adds to the proxy's options. @param hosts the value of `plainHttpHosts`, not parsed
 * yet
 */
export function toServeSchema(hosts?: unknown) {
  const plainHttpHosts = isTexts(hosts) ? hosts : [];
  const merchantUrl = readBy((option, url) => parseMerchantUrl(option, url, plainHttpHosts));
  return z.strictObject({
    orderUrl: z.optional(merchantUrl),
    eventsUrl: z.optional(merchantUrl),
    // The parsed keys are dropped, because the signer parses the texts again.
    webhookSecrets: z.optional(
      readBy((...given) => parseWebhookSecrets(...given) && (given[1] as readonly string[])),
    ),
    plainHttpHosts: z._default(z.custom<readonly string[]>(isTexts, 'must be a list of hosts'), []),
    ledgerUrl: z.optional(filled),
    movedFromServiceUrl: z.optional(readBy(parseBaseUrl)),
    movedFromPublicUrl: z.optional(readBy(parsePublicUrl)),
    role: oneOf('all', 'web', 'worker'),
    port: z._default(port, 8080),
    host: z._default(filled, '127.0.0.1'),
    metricsPort: z.optional(port),
    metricsHost: z._default(filled, '127.0.0.1'),
  });
}

/** The settings of serving itself, after they were read. */
export type ServeSettings = z.output<ReturnType<typeof toServeSchema>>;

/** Options of the proxy that `serve` sets itself, each with the setting that decides it. */
export const replacedOptions = {
  movedFrom: 'movedFromPublicUrl',
  ledger: 'ledgerUrl',
  backgroundJobs: 'role',
  metrics: 'metricsPort',
} as const;

type Asked = Required<Omit<ProxyOptions, keyof typeof replacedOptions>>;

/** Options that are not functions. */
type DataOption = keyof {
  [Name in keyof Asked as Asked[Name] extends (...given: never) => unknown ? never : Name]: true;
};

export type Setting = DataOption | keyof ServeSettings;

const text: Form = { name: 'text', read: (given) => given };
const url: Form = { ...text, name: 'URL' };
const integer: Form = {
  name: 'number',
  read: (given) => (/^\d{1,9}$/.test(given) ? Number(given) : given),
};
const onOrOff: Form = {
  name: 'true, false',
  read: (given) => given === 'true' || (given !== 'false' && failAsType('must be true or false')),
};
const list: Form = { name: 'list', read: (given) => toWords(given, /,/) };
/** A secret may contain a comma, but two secrets with a comma between them would silently become one. */
const secretList: Form = { ...list, read: (given) => toWords(given, /[^\s,]{32},\s*[^\s,]{32}/) };
const pairs: Form = { name: 'pairs', read: toPairs };
const json: Form = {
  name: 'JSON',
  read: (given) => parseObject(given) ?? failAsType('must be JSON, an object'),
};

/** A sentence for each setting, in the order of the help. The default is appended. */
const sentences: Readonly<Record<Setting, string>> = {
  serviceUrl: 'Base address of the invoice service.',
  accessToken: "The service's token.",
  secrets: 'What signs tokens, at least 32 bytes each; the current one first.',
  publicUrl: 'Where browsers and the service reach the proxy, with its path.',
  allowedOrigins: 'Exact origins of the pages that call it.',
  trustedHops: 'How many proxies stand in front.',
  requireOrderToken: 'Verify `order_token`.',
  addressRequestsPerMinute: 'Without order tokens: requests of one address.',
  rawCard: 'Let card numbers pass: PCI DSS.',
  holdSeconds: 'Longest long poll, 0 to 25 seconds.',
  serviceCallsPerMinute: 'Calls of the service that all processes share.',
  processes: 'Most processes that share these calls.',
  serviceTimeoutMs: 'Time-out of one call of the service.',
  paymentPage: 'The page of payment links, as `{"name":"Padaria da Ana"}`. Default: none.',
  allowSandbox: 'Count payments of the sandbox.',
  allowUnverifiedCodes: 'Hand out placeholder codes of a test environment.',
  lookUpBy: "The id that the service's look-ups take.",
  cardLookUpTotal: "Whether a card's total is compared.",
  postbackInvoiceField: 'Where a postback names its invoice.',
  forwardIdempotencyKey: 'Send `Idempotency-Key` on.',
  methodNames: "The service's names, as `pix=pix credit_card=card`.",
  refusalIsFinal: 'Whether a refused card is not charged later.',
  watchReturns: 'Look paid invoices up again.',
  formats: 'How fields are written, as `cpf_cnpj=masked month=M`.',
  statuses:
    "The service's words for a card that was not charged, and `paid=approved pending=active returned=undone`.",
  orderUrl: "Your server's address that says what an order costs.",
  eventsUrl: "Your server's address that hears of payments.",
  webhookSecrets: 'What signs the calls to both, `whsec_…`; the current one first.',
  plainHttpHosts: 'Hosts of a private network that both may name by http, as `shop`. Default none.',
  ledgerUrl: '`file:…`, `postgres://…` or `memory:`. Default `file:./pix-checkout.db`.',
  movedFromServiceUrl: 'After a move: the PIX_SERVICE_URL that the ledger knows.',
  movedFromPublicUrl: 'The same for PIX_PUBLIC_URL.',
  role: '`web` takes requests, `worker` finds payments and calls your server.',
  port: 'Where it listens.',
  host: 'Its address; `::` for all of them.',
  metricsPort: 'Where Prometheus finds `/metrics`. Default: nowhere.',
  metricsHost: 'Its address, never one of the internet.',
};

const secretSettings = ['accessToken', 'secrets', 'webhookSecrets', 'ledgerUrl'];

/** The forms of settings whose schema does not show it. */
const forms: readonly (readonly [form: Form, settings: string])[] = [
  [url, 'serviceUrl publicUrl movedFromServiceUrl movedFromPublicUrl orderUrl eventsUrl'],
  [list, 'allowedOrigins webhookSecrets plainHttpHosts'],
  [secretList, 'secrets'],
  [json, 'paymentPage'],
  [{ ...list, read: toStatuses }, 'statuses'],
];

const schemas: Readonly<Record<string, z.core.$ZodType>> = {
  ...optionSchema.shape,
  ...toServeSchema().shape,
};

export const variables = Object.fromEntries(
  Object.entries(sentences).map(([setting, sentence]) => [setting, toVariable(setting, sentence)]),
) as Readonly<Record<Setting, Variable>>;

/** Options that are functions: a config module gives them. */
export const functionOptions: readonly string[] = Object.keys(optionSchema.shape).filter(
  (name) => toKind(schemas[name]!).type === 'custom' && !Object.hasOwn(replacedOptions, name),
);

export function isProxyOption(setting: Setting): boolean {
  return Object.hasOwn(optionSchema.shape, setting);
}

/** Makes a variable. Its form, its default and whether it is required come from the schema of its setting. */
function toVariable(setting: string, sentence: string): Variable {
  const schema = schemas[setting]!;
  const own = forms.find(([, settings]) => settings.split(' ').includes(setting));
  const { success, data } = z.safeParse(schema, undefined);
  const isTold = typeof data === 'string' || typeof data === 'boolean' || Number.isFinite(data);
  const shown = typeof data === 'string' ? `\`${data}\`` : String(data);
  return {
    form: own?.[0] ?? toForm(schema),
    text: isTold ? `${sentence} Default ${shown}.` : sentence,
    isRequired: !success,
    isSecret: secretSettings.includes(setting),
  };
}

/** Finds the form of a variable's text by the kind of its schema. */
function toForm(schema: z.core.$ZodType): Form {
  const { type, entries } = toKind(schema);
  if (entries) return { ...text, name: Object.keys(entries).join(', ') };
  return { boolean: onOrOff, number: integer, object: pairs }[type] ?? text;
}

/** A schema without its defaults and other wrappers. */
interface Kind {
  readonly type: string;
  readonly entries?: object;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
}

/** Unwraps a schema. */
function toKind(schema: z.core.$ZodType): Kind {
  const kind: Kind = schema._zod.def;
  const inner = kind.innerType ?? kind.in;
  return inner ? toKind(inner) : kind;
}

/** Makes the variable's name of a setting: `serviceUrl` is `PIX_SERVICE_URL`. */
export function toVariableName(setting: string): string {
  return `PIX_${setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** Writes a setting as `--check-config` shows it. */
export function formatSetting(setting: Setting, value: unknown): string {
  const { form, isSecret } = variables[setting];
  if (isSecret && Array.isArray(value) && value.length > 1) return `(${value.length} set)`;
  if (isSecret || typeof value === 'function') return '(set)';
  if (form === url)
    return URL.canParse(String(value)) ? hideQuery(new URL(String(value))) : '(set)';
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function toWords(given: string, commas: RegExp): string[] {
  return commas.test(given)
    ? failAsType('must have spaces between, not commas')
    : given.split(/\s+/);
}

function toPairs(given: string): Record<string, string> {
  const pairs = given.split(/\s+/).map((one) => /^([\w-]+)=(\S+)$/.exec(one)?.slice(1));
  if (!pairs.includes(undefined)) return Object.fromEntries(pairs as string[][]);
  return failAsType('must be pairs such as name=value, with spaces between');
}

/** Hides the query, which may be a secret. */
function hideQuery({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

function failAsType(problem: string): never {
  throw new TypeError(problem);
}

/** Reads lists of statuses. A status without the name of a list belongs to `refused`. */
function toStatuses(given: string): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const one of given.split(/\s+/)) {
    const [list, word] = one.includes('=') ? one.split('=', 2) : ['refused', one];
    (lists[list!] ??= []).push(word!);
  }
  return lists;
}
