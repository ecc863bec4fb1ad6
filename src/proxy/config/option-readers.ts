/** Reads single values of the merchant's options. Each throws a `TypeError` that names the option and never quotes it. */

import { parseSecureUrl, refuseMissing } from '../../service/secure-url.js';

/** @param path of the object; empty: the options themselves */
export function refuseUnknown(path: string, given: unknown, known: object): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new TypeError(`${path || 'options'} must be an object`);
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined) {
    throw new TypeError(`${path ? `${path}.` : ''}${unknown} is not an option`);
  }
}

/** Reads the options that the rules name. */
export function readEach<K extends string, R, T>(
  given: NoInfer<Partial<Record<K, unknown>>>,
  rules: Readonly<Record<K, R>>,
  read: (name: string, value: unknown, rule: R) => T,
): Record<K, T> {
  const names = Object.keys(rules) as K[];
  const values = names.map((name) => [name, read(name, given[name], rules[name])]);
  return Object.fromEntries(values) as Record<K, T>;
}

/** Reads the values of an option that is an object. */
export function readOver<K extends string, R, T>(
  path: string,
  given: Partial<Record<K, unknown>> = {},
  rules: Readonly<Record<K, R>>,
  read: (name: string, value: unknown, rule: R) => T,
): Record<K, T> {
  refuseUnknown(path, given, rules);
  return readEach(given, rules, (name, value, rule) => read(`${path}.${name}`, value, rule));
}

/** A function. Without a fallback it must be given. */
export function toFunction<T>(name: string, value: T | undefined, fallback?: T): T {
  const given = value === undefined ? fallback : value;
  if (typeof given === 'function') return given;
  throw new TypeError(`${name} must be a function`);
}

export function toBoolean(name: string, value: unknown, fallback: boolean): boolean {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return value;
  throw new TypeError(`${name} must be true or false`);
}

/** A whole number between bounds, both included. */
export function toInteger(
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

/** One of the words; the first is the default. */
export function toWord<T extends string>(name: string, value: unknown, words: readonly T[]): T {
  const word = words.find((known) => value === undefined || known === value);
  if (word !== undefined) return word;
  throw new TypeError(`${name} must be ${words.join(' or ')}`);
}

/** A text that is not empty. Without a fallback it must be given. */
export function toText(name: string, value: unknown, fallback?: string): string {
  const given = value === undefined ? fallback : value;
  if (typeof given === 'string' && given !== '') return given;
  throw new TypeError(`${name} must be a text`);
}

/**
 * Exact origins of pages. They are compared as text, so each must be written as browsers write it.
 * @param ownPage address of a page that the proxy itself serves; null: none
 * @throws TypeError naming `allowedOrigins`
 */
export function toOrigins(values: unknown, ownPage: string | null): ReadonlySet<string> {
  // The URL parser takes a star for a valid host name, and its author would take it for a pattern.
  if ([values].flat().some((value) => typeof value === 'string' && value.includes('*'))) {
    throw new TypeError(
      'allowedOrigins must not hold a wildcard: list the exact origin of each page',
    );
  }
  if (!Array.isArray(values)) throw new TypeError('allowedOrigins must be a list');
  const origins = values.map((value) => parseSecureUrl('allowedOrigins', value).origin);
  if (origins.some((origin, index) => origin !== values[index])) {
    throw new TypeError(
      'allowedOrigins must be exact origins: scheme, host and port, nothing else',
    );
  }
  return new Set(ownPage === null ? origins : [...origins, new URL(ownPage).origin]);
}

/** Fewest bytes of a secret: as many as the HMAC's hash has (RFC 2104 section 3). */
const minSecretBytes = 32;

/** Keys, the current one first. Merchants sign order tokens without a proxy: it is read there, too. */
export function toSecrets(secrets: unknown): readonly string[] {
  if (Array.isArray(secrets)) secrets.forEach((one, i) => refuseMissing(`secrets[${i}]`, one));
  if (!Array.isArray(secrets) || secrets.length === 0 || !secrets.every(isSecret)) {
    throw new TypeError(`secrets must be a list of strings of at least ${minSecretBytes} bytes`);
  }
  return [...secrets];
}

function isSecret(secret: unknown): secret is string {
  return typeof secret === 'string' && new TextEncoder().encode(secret).length >= minSecretBytes;
}
