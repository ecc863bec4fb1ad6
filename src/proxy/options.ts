/**
 * Reads the merchant's options once, at start, so that no request ever meets a wrong one.
 *
 * Owns defaults and checks. `serviceUrl` and `accessToken` are checked by the service's client, which alone holds them.
 */

import { maxWaitSeconds } from '../contract/types.js';
import type { Method } from '../contract/types.js';
import { createLog } from './log.js';
import type { Log } from './log.js';
import type { FieldFormat, ProxyOptions, StartTimer } from './types.js';
import { parseOrigins, parsePublicUrl } from './urls.js';

/** Fewest bytes of a secret: as many as the HMAC's hash has (RFC 2104 section 3). */
const minSecretBytes = 32;

/** The options with every default filled in. */
export interface Settings {
  readonly secrets: readonly string[];
  readonly resolveOrder: ProxyOptions['resolveOrder'];
  readonly requireOrderToken: boolean;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly trustedHops: number;
  readonly methodNames: Readonly<Record<Method, string>>;
  readonly formats: Readonly<Record<'cpf_cnpj' | 'phone' | 'address_zip', FieldFormat>>;
  readonly lookUpBy: 'invoice_id' | 'order_code';
  readonly holdSeconds: number;
  readonly serviceTimeoutMs: number;
  readonly forwardIdempotencyKey: boolean;
  readonly allowSandbox: boolean;
  readonly allowUnverifiedCodes: boolean;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly randomUuid: () => string;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

// Assumed: the service calls the methods so (service spec does not show the values).
const methodNames: Settings['methodNames'] = { pix: 'pix', credit_card: 'credit_card' };

// Assumed: the service takes digits and letters without a mask (service spec does not show the formats).
const formats: Settings['formats'] = { cpf_cnpj: 'bare', phone: 'bare', address_zip: 'bare' };

// Assumed: the look-up path takes invoice_id (service spec does not show which id).
const lookUpBy = 'invoice_id';

const optionNames: Readonly<Record<keyof ProxyOptions, true>> = {
  serviceUrl: true,
  accessToken: true,
  secrets: true,
  resolveOrder: true,
  requireOrderToken: true,
  publicUrl: true,
  allowedOrigins: true,
  trustedHops: true,
  methodNames: true,
  formats: true,
  lookUpBy: true,
  holdSeconds: true,
  serviceTimeoutMs: true,
  forwardIdempotencyKey: true,
  allowSandbox: true,
  allowUnverifiedCodes: true,
  fetch: true,
  now: true,
  randomUuid: true,
  startTimer: true,
  log: true,
};

/** @throws TypeError naming the first option that is wrong or unknown, never quoting its value */
export function readOptions(options: ProxyOptions): Settings {
  refuseUnknown('', options, optionNames);
  return {
    secrets: checkSecrets(options.secrets),
    resolveOrder: toFunction('resolveOrder', options.resolveOrder),
    requireOrderToken: toBoolean('requireOrderToken', options.requireOrderToken, true),
    publicUrl: parsePublicUrl(options.publicUrl),
    allowedOrigins: parseOrigins(options.allowedOrigins),
    trustedHops: toInteger('trustedHops', options.trustedHops, { fallback: 0, max: 10 }),
    methodNames: toRecord('methodNames', options.methodNames, methodNames, toText),
    formats: toRecord('formats', options.formats, formats, toFormat),
    lookUpBy: toWord('lookUpBy', options.lookUpBy ?? lookUpBy, ['invoice_id', 'order_code']),
    holdSeconds: toInteger('holdSeconds', options.holdSeconds, {
      fallback: maxWaitSeconds,
      max: maxWaitSeconds,
    }),
    serviceTimeoutMs: toInteger('serviceTimeoutMs', options.serviceTimeoutMs, {
      fallback: 10_000,
      min: 1,
      max: 120_000,
    }),
    forwardIdempotencyKey: toBoolean('forwardIdempotencyKey', options.forwardIdempotencyKey, false),
    allowSandbox: toBoolean('allowSandbox', options.allowSandbox, false),
    allowUnverifiedCodes: toBoolean('allowUnverifiedCodes', options.allowUnverifiedCodes, false),
    fetch: toFunction('fetch', options.fetch ?? globalThis.fetch),
    now: toFunction('now', options.now ?? Date.now),
    randomUuid: toFunction('randomUuid', options.randomUuid ?? (() => crypto.randomUUID())),
    startTimer: toFunction('startTimer', options.startTimer ?? startTimeout),
    log: createLog(options.log === undefined ? undefined : toFunction('log', options.log)),
  };
}

/** @throws TypeError naming `secrets` */
export function checkSecrets(secrets: unknown): readonly string[] {
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(`secrets must be a list of strings of at least ${minSecretBytes} bytes`);
  }
  return [...secrets];
}

function isSecret(secret: unknown): secret is string {
  return typeof secret === 'string' && new TextEncoder().encode(secret).length >= minSecretBytes;
}

function refuseUnknown(path: string, given: unknown, known: object): void {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${path || 'options'} must be an object`);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new TypeError(`${path ? `${path}.` : ''}${unknown} is not an option`);
  }
}

function toFunction<T>(name: string, value: T): T {
  if (typeof value === 'function') return value;
  throw new TypeError(`${name} must be a function`);
}

function toBoolean(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return value;
  throw new TypeError(`${name} must be true or false`);
}

function toInteger(
  name: string,
  value: unknown,
  { fallback, min = 0, max }: { fallback: number; min?: number; max: number },
): number {
  if (value === undefined) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}`);
}

function toWord<T extends string>(name: string, value: unknown, words: readonly T[]): T {
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new TypeError(`${name} must be ${words.join(' or ')}`);
}

function toFormat(name: string, value: unknown): FieldFormat {
  return toWord(name, value, ['bare', 'masked']);
}

function toText(name: string, value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} must be a text`);
}

/** An object's values, each read over its default. */
function toRecord<K extends string, T>(
  name: string,
  given: Partial<Record<K, unknown>> = {},
  defaults: Readonly<Record<K, T>>,
  read: (name: string, value: unknown) => T,
): Record<K, T> {
  refuseUnknown(name, given, defaults);
  const result: Record<K, T> = { ...defaults };
  for (const key in defaults) {
    if (given[key] !== undefined) result[key] = read(`${name}.${key}`, given[key]);
  }
  return result;
}

function startTimeout(run: () => void, delayMs: number): () => void {
  const timer = setTimeout(run, delayMs);
  return () => clearTimeout(timer);
}
