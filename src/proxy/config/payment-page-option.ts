/** Reads `paymentPage` once, at start. Addresses become what stands in the page: a path on the proxy's own origin, or absolute. */

import type { Method } from '../../contract/types.js';
import { parseAskedFields } from '../../domain/payer.js';
import { parseSecureUrl } from '../../service/secure-url.js';
import { refuseUnknown, toText, toWord } from './option-readers.js';
import type { PaymentPageOptions, ProxyOptions } from './options.js';

/** `paymentPage` with every default filled in. */
export interface PaymentPageSettings {
  readonly name: string;
  readonly methods: readonly Method[];
  /** As the element's attribute. */
  readonly payerFields: string;
  readonly locale: 'pt-BR' | 'en' | 'es';
  readonly receiverName: string | null;
  readonly accent: string | null;
  readonly logoUrl: string | null;
  readonly stylesheetUrl: string | null;
  /** Without a trailing slash. */
  readonly assetsUrl: string;
}

const names: Readonly<Record<keyof PaymentPageOptions, true>> = {
  name: true,
  logoUrl: true,
  methods: true,
  payerFields: true,
  locale: true,
  receiverName: true,
  accent: true,
  stylesheetUrl: true,
  assetsUrl: true,
};

const methodWords: readonly Method[] = ['pix', 'credit_card'];

/**
 * @param publicUrl read already
 * @throws TypeError naming the option
 */
export function toPaymentPage(
  { paymentPage: given, rawCard }: Pick<ProxyOptions, 'paymentPage' | 'rawCard'>,
  publicUrl: string,
): PaymentPageSettings | null {
  if (given === undefined) return null;
  refuseUnknown('paymentPage', given, names);
  const optional = (name: 'receiverName' | 'logoUrl' | 'stylesheetUrl') =>
    given[name] === undefined ? null : toText(`paymentPage.${name}`, given[name]);
  const toAddress = (name: 'logoUrl' | 'stylesheetUrl') => toPageUrl(name, optional(name));
  const ownAssets = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/assets`;
  return {
    name: toText('paymentPage.name', given.name),
    methods: toMethods(given.methods, rawCard === true),
    payerFields: toPayerFields(given.payerFields),
    locale: toWord('paymentPage.locale', given.locale, ['pt-BR', 'en', 'es']),
    receiverName: optional('receiverName'),
    accent: toAccent(given.accent),
    logoUrl: toAddress('logoUrl'),
    stylesheetUrl: toAddress('stylesheetUrl'),
    assetsUrl: toFolder(toPageUrl('assetsUrl', given.assetsUrl ?? ownAssets)!),
  };
}

function toMethods(given: unknown = ['pix'], rawCard: boolean): readonly Method[] {
  const name = 'paymentPage.methods';
  if (!Array.isArray(given) || given.length === 0 || new Set(given).size < given.length) {
    throw new TypeError(`${name} must be a list of methods, each once`);
  }
  const methods = given.map((method) => toWord(name, method ?? null, methodWords));
  if (!rawCard && methods.includes('credit_card')) {
    throw new TypeError(`${name} may hold credit_card only with rawCard`);
  }
  return methods;
}

function toPayerFields(given: unknown = 'name cpf_cnpj email'): string {
  const name = 'paymentPage.payerFields';
  if (typeof given !== 'string') throw new TypeError(`${name} must be a text`);
  const { unknown } = parseAskedFields(given);
  if (unknown.length > 0) throw new TypeError(`${name} holds a word that is no field of a payer`);
  return given;
}

/** It becomes part of a style sheet. */
function toAccent(given: unknown): string | null {
  if (given === undefined) return null;
  if (typeof given === 'string' && /^#(?:[\da-f]{3}){1,2}$/i.test(given)) return given;
  throw new TypeError('paymentPage.accent must be a colour such as #0b6b5b');
}

/** Names of files are put behind it. */
function toFolder(url: string): string {
  if (!/[?#]/.test(url)) return url.replace(/\/+$/, '');
  throw new TypeError('paymentPage.assetsUrl must not hold a query or a fragment');
}

/**
 * `//host/…` is a path to no one but a reader in a hurry. What would end a directive of the page's policy is refused, and a
 * star, which the parser takes for a host's name and the policy for every host.
 */
function toPageUrl(option: string, given: unknown): string | null {
  if (given === null) return null;
  const name = `paymentPage.${option}`;
  if (typeof given === 'string' && /^\/(?!\/)[\w./~%?=&-]*$/.test(given)) return given;
  const { href, hostname } = parseSecureUrl(name, given);
  if (/^[\w.-]+$|^\[/.test(hostname)) return href;
  throw new TypeError(`${name} must name a host: letters, digits, dots and hyphens`);
}
