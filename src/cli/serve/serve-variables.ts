/**
 * The variables of `serve`, as data: every option of the proxy that is no function, and what serving adds. A new option is
 * a row here, and help, documents, checks and the config module know it.
 */

import type { ProxyOptions } from '../../proxy.js';
import { eventTypes } from '../merchant-server/event-calls.js';
import type { EventHook } from '../merchant-server/event-calls.js';
import type { MerchantSettings } from '../merchant-server/merchant-calls.js';

/** How a variable is written. */
interface Form {
  readonly name: string;
  /** @throws TypeError that says what it must be, and never quotes it */
  readonly read: (text: string) => unknown;
  /** What of a value may be shown; default: `(set)`. */
  readonly show?: (value: unknown) => string;
}

/** A variable. Its name is the option's in capitals, behind `PIX_`: {@link toVariableName}. */
export interface Variable {
  readonly form: Form;
  readonly text: string;
  readonly isRequired?: true;
  /** Never shown: that it is set has to do. */
  readonly isSecret?: true;
}

/** What serving adds to the options of the proxy. */
export interface ServeSettings extends Required<MerchantSettings> {
  readonly movedFromServiceUrl: string;
  readonly movedFromPublicUrl: string;
  readonly ledgerUrl: string;
  readonly role: 'all' | 'web' | 'worker';
  readonly port: number;
  readonly host: string;
  readonly metricsPort: number;
  readonly metricsHost: string;
}

/** Options that are functions: a config module gives them. */
export const functionOptions = [
  'resolveOrder',
  'verifyHuman',
  ...(Object.keys(eventTypes) as EventHook[]),
  ...(['fetch', 'now', 'randomUuid', 'startTimer', 'log', 'onError'] as const),
] as const;

export type FunctionOption = (typeof functionOptions)[number];

/** Options of the proxy that serving sets by itself, and by which setting. */
export const replacedOptions = {
  movedFrom: 'movedFromPublicUrl',
  ledger: 'ledgerUrl',
  backgroundJobs: 'role',
  metrics: 'metricsPort',
} as const;

type DataOption = Exclude<keyof ProxyOptions, FunctionOption | keyof typeof replacedOptions>;

/** Any setting that is data. */
export type Setting = DataOption | keyof ServeSettings;

const text: Form = { name: 'text', read: (given) => given, show: String };
const words = (...known: readonly string[]): Form => ({
  name: known.join(', '),
  read: (given) => (known.includes(given) ? given : fail(`must be ${known.join(' or ')}`)),
  show: String,
});
const onOrOff: Form = {
  name: 'true, false',
  read: (given) => words('true', 'false').read(given) === 'true',
  show: String,
};
const integer: Form = {
  name: 'number',
  read: (given) => (/^\d{1,9}$/.test(given) ? Number(given) : fail('must be a whole number')),
  show: String,
};
const list: Form = {
  name: 'list',
  read: (given) => toWords(given, /,/),
  show: (value) => [value].flat().join(' '),
};
/** A secret may hold a comma, but two with a comma between would be one, and no one would see it. */
const secretList: Form = { ...list, read: (given) => toWords(given, /[^\s,]{32},\s*[^\s,]{32}/) };
const pairs: Form = {
  name: 'pairs',
  read: (given) => Object.fromEntries(given.split(/\s+/).map(toPair)),
  show: (value) => JSON.stringify(value),
};
const json: Form = {
  name: 'JSON',
  read(given) {
    try {
      return JSON.parse(given) as unknown;
    } catch {
      return fail('must be JSON');
    }
  },
  show: (value) => JSON.stringify(value),
};
/** Its query may be a secret. */
const url: Form = {
  ...text,
  name: 'URL',
  show: (value) => (URL.canParse(String(value)) ? toBare(new URL(String(value))) : '(set)'),
};

/** Each option of the proxy that is data. */
const proxyVariables: Readonly<Record<DataOption, Variable>> = {
  serviceUrl: { form: url, isRequired: true, text: 'Base address of the invoice service.' },
  accessToken: { form: text, isRequired: true, isSecret: true, text: "The service's token." },
  secrets: {
    form: secretList,
    isRequired: true,
    isSecret: true,
    text: 'What tokens are signed with, at least 32 bytes each; the current one first.',
  },
  publicUrl: {
    form: url,
    isRequired: true,
    text: 'Where browsers and the service reach the proxy, path and all.',
  },
  allowedOrigins: {
    form: list,
    isRequired: true,
    text: 'Exact origins of the pages that may call it.',
  },
  trustedHops: { form: integer, text: 'How many forwarding proxies stand in front. Default 0.' },
  requireOrderToken: { form: onOrOff, text: 'Verify `order_token`. Default true.' },
  addressRequestsPerMinute: {
    form: integer,
    text: 'Without order tokens: requests of one address in a minute. Default 60.',
  },
  rawCard: { form: onOrOff, text: 'Let card numbers pass: PCI DSS. Default false.' },
  holdSeconds: { form: integer, text: 'Longest long poll, 0 to 25 seconds. Default 25.' },
  serviceCallsPerMinute: {
    form: integer,
    text: 'Calls of the service, of all processes together. Creations count and never wait.',
  },
  processes: {
    form: integer,
    text: 'Processes that run, at most: each makes its part of them. Default 1.',
  },
  serviceTimeoutMs: { form: integer, text: 'Time-out of one of them. Default 10000.' },
  paymentPage: {
    form: json,
    text: 'The page of payment links, as `{"name":"Padaria da Ana"}`. Default: none.',
  },
  allowSandbox: { form: onOrOff, text: 'Count payments of the sandbox. Default false.' },
  allowUnverifiedCodes: {
    form: onOrOff,
    text: 'Hand out codes that cannot be read, of a test environment. Default false.',
  },
  lookUpBy: {
    form: words('invoice_id', 'order_code'),
    text: "The id that the service's look-ups take. Default `invoice_id`.",
  },
  cardLookUpTotal: {
    form: words('sent', 'any'),
    text: "Whether a card's total is compared. Default `sent`.",
  },
  postbackInvoiceField: { form: text, text: 'Where a postback names its invoice. Default `id`.' },
  forwardIdempotencyKey: { form: onOrOff, text: 'Send `Idempotency-Key` on. Default false.' },
  methodNames: { form: pairs, text: "The service's names, as `pix=pix credit_card=card`." },
  watchReturns: {
    form: onOrOff,
    text: 'Look paid invoices up again after 1, 7, 30 and 80 days. Default true.',
  },
  formats: { form: pairs, text: 'How fields are written, as `cpf_cnpj=masked month=M`.' },
  statuses: {
    form: { ...pairs, read: toStatuses, name: 'list' },
    text: "The service's words for a card that was not charged, and `paid=approved pending=active returned=undone`.",
  },
};

/** What serving adds. */
const serveVariables: Readonly<Record<keyof ServeSettings, Variable>> = {
  orderUrl: { form: url, text: "Your server's address that says what an order costs." },
  eventsUrl: { form: url, text: "Your server's address that hears of payments." },
  webhookSecrets: {
    form: list,
    isSecret: true,
    text: 'What the calls to both are signed with, `whsec_…`; the current one first, each signs.',
  },
  plainHttpHosts: {
    form: list,
    text: 'Names of hosts of a private network that both may call by http, as `shop`. Default none.',
  },
  ledgerUrl: {
    form: text,
    isSecret: true,
    text: '`file:…`, `postgres://…`, or `memory:`, which forgets all when the process ends. Default `file:./pix-checkout.db`.',
  },
  movedFromServiceUrl: {
    form: url,
    text: 'The shop has moved: the SERVICE_URL that its ledger knows. Needed once.',
  },
  movedFromPublicUrl: { form: url, text: 'The same for PUBLIC_URL.' },
  role: {
    form: words('all', 'web', 'worker'),
    text: '`web` takes requests, `worker` finds payments and calls your server. Default `all`.',
  },
  port: { form: integer, text: 'Where it listens. Default 8080.' },
  host: { form: text, text: 'Default `127.0.0.1`; `::` for all addresses.' },
  metricsPort: { form: integer, text: 'Where Prometheus finds `/metrics`. Default: nowhere.' },
  metricsHost: { form: text, text: 'Its address. Default `127.0.0.1`; never one of the internet.' },
};

/** All of them, in the order in which help shows them. */
export const variables: Readonly<Record<Setting, Variable>> = {
  ...proxyVariables,
  ...serveVariables,
};

/** Whether `createProxy` takes it. */
export function isProxyOption(setting: Setting): boolean {
  return Object.hasOwn(proxyVariables, setting);
}

/** `serviceUrl` is `PIX_SERVICE_URL`. */
export function toVariableName(setting: string): string {
  return `PIX_${setting.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/** A setting as `--check-config` shows it. */
export function toShown(setting: Setting, value: unknown): string {
  const { form, isSecret } = variables[setting];
  if (isSecret !== true && form.show && typeof value !== 'function') return form.show(value);
  return Array.isArray(value) && value.length > 1 ? `(${value.length} set)` : '(set)';
}

function toWords(given: string, commas: RegExp): string[] {
  return commas.test(given) ? fail('must have spaces between, not commas') : given.split(/\s+/);
}

function toPair(given: string): readonly [string, string] {
  const [, name, value] = /^([\w-]+)=(\S+)$/.exec(given) ?? [];
  return name !== undefined && value !== undefined
    ? [name, value]
    : fail('must be pairs such as name=value, with spaces between');
}

function toBare({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

function fail(problem: string): never {
  throw new TypeError(problem);
}

/** A word without a list is one of a card that was not charged. */
function toStatuses(given: string): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const one of given.split(/\s+/)) {
    const [list, word] = one.includes('=') ? one.split('=', 2) : ['refused', one];
    (lists[list!] ??= []).push(word!);
  }
  return lists;
}
