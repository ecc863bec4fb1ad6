/**
 * Reads the page's attributes and properties into one exact `Order`, once for each change. A bad value never throws: it gives
 * a defined state and a warning for the developer.
 */

import { isRecord, tryTo } from '../../contract/readers.js';
import { defaultPollIntervalMs, minPollIntervalMs } from '../../contract/schedule.js';
import type { Method } from '../../contract/types.js';
import { isTotalCents } from '../../domain/money.js';
import { checkPayerField, parseAskedFields, payerFields } from '../../domain/payer.js';
import type { AskedField, Payer } from '../../domain/payer.js';
import { scriptAddress } from '../browser/script-address.js';
import type { Terms } from '../machine/state.js';

/** One line of the order summary, from the element's `items`. */
export interface Item {
  name: string;
  description?: string;
  quantity: number;
  /** Integer cents. */
  unit_price: number;
}

/** One further line of the summary (freight, coupon, discount), from the element's `lines`. For display only. */
export interface Line {
  label: string;
  /** Integer cents; negative for a discount. */
  cents: number;
}

/** The order as the element uses it. */
export interface Order {
  /** Without a trailing slash; `null` if it is not given or not a URL. */
  readonly endpoint: string | null;
  readonly externalId: string | null;
  readonly orderToken: string | null;
  /** The methods that this element can offer, in the page's order of preference; empty if none. */
  readonly methods: readonly Method[];
  readonly method: Method | null;
  /** The full price, integer cents. */
  readonly totalCents: number | null;
  /** The price by Pix, if the page names one, integer cents. */
  readonly pixTotalCents: number | null;
  /** The price by the method that is shown, integer cents; `null` if the page did not say. */
  readonly expectedCents: number | null;
  /** The fields that the payer still has to fill in. */
  readonly asked: readonly AskedField[];
  readonly given: Partial<Payer>;
  readonly receiverName: string | null;
  readonly items: readonly Item[];
  readonly lines: readonly Line[];
  readonly terms: Terms;
  /** Public names of the values that make a checkout impossible, because a wrong total must never be charged unnoticed. */
  readonly faults: readonly string[];
}

/** The payer fields that are asked for if `payerFields` is no text. */
const defaultPayerFields = 'name cpf_cnpj email';

/**
 * Reads the page's values.
 * @param warn is called for each value that is not usable, with its public name
 * @param cardCents total of the chosen instalments, integer cents; `null` if none are offered
 */
export function readOrder(
  words: PageValues,
  base: string,
  warn: (text: string) => void,
  cardCents: number | null = null,
): Order {
  const faults: string[] = [];
  const fault = (name: string, text: string) => {
    faults.push(name);
    warn(`${name} ${text}`);
  };
  const endpoint = isAbsent(words.endpoint)
    ? toServedBy(scriptAddress)
    : readEndpoint(words.endpoint, base);
  if (endpoint === null) fault('endpoint', 'must be the URL of your proxy');
  const methods = readMethods(words, warn);
  const method = readMethod(words.method, methods, warn);
  const totalCents = readTotal('total-price-cents', words.totalPriceCents, fault);
  const pixTotalCents = readTotal('pix-total-price-cents', words.pixTotalPriceCents, fault);
  const owed = { pixCents: pixTotalCents ?? totalCents, cardCents: cardCents ?? totalCents };
  const given = readPayer(words.payer, warn);
  const externalId = toText(words.externalId);

  return {
    endpoint,
    externalId,
    orderToken: toText(words.orderToken),
    methods,
    method,
    totalCents,
    pixTotalCents,
    expectedCents: method === 'credit_card' ? owed.cardCents : owed.pixCents,
    asked: readAskedFields(words.payerFields, warn).filter(
      ({ field }) => given[field] === undefined,
    ),
    given,
    receiverName: toText(words.receiverName),
    items: readList(words.items, isItem, 'items', warn),
    lines: readList(words.lines, isLine, 'lines', warn),
    faults,
    terms: { externalId, ...owed, ...readFollowTerms(words, warn) },
  };
}

/** Reads how often an invoice is looked up, and how long its code is offered. */
function readFollowTerms(words: PageValues, warn: (text: string) => void) {
  const pollIntervalMs = readNumber('poll-interval', words.pollInterval, minPollIntervalMs, warn);
  return {
    expiresInSeconds: readNumber('expires-in', words.expiresIn, 1, warn),
    pollIntervalMs: pollIntervalMs ?? defaultPollIntervalMs,
    allowUnverifiedCode: isOn(words.allowUnverifiedCode),
  };
}

function readTotal(
  name: string,
  value: unknown,
  fault: (name: string, text: string) => void,
): number | null {
  if (isAbsent(value)) return null;
  if (isTotalCents(value)) return value;
  fault(name, 'must be a whole number of cents, 1 or more');
  return null;
}

/** Whether a boolean of the page is on. Frameworks write `false` as a text, into attributes and into properties. */
export function isOn(value: unknown): boolean {
  return typeof value === 'string' ? !/^(false)?$/i.test(value) : Boolean(value);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}

function toText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** Reads a text, without trimming it; `null` for anything else. */
function readText(value: unknown, name: string, warn: (text: string) => void): string | null {
  if (typeof value === 'string') return value;
  if (!isAbsent(value)) warn(`${name} must be a text`);
  return null;
}

function readNumber(
  name: string,
  value: unknown,
  least: number,
  warn: (text: string) => void,
): number | null {
  if (isAbsent(value)) return null;
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return value;
  warn(`${name} must be a number, ${least} or more; it is left out`);
  return null;
}

/** Reads which fields to ask for. An empty text asks for none. */
function readAskedFields(value: unknown, warn: (text: string) => void): readonly AskedField[] {
  const fields = readText(value, 'payer-fields', warn) ?? defaultPayerFields;
  const { asked, unknown } = parseAskedFields(fields);
  for (const word of unknown)
    warn(`payer-fields does not know "${word}", but ${payerFields.join(', ')}, address`);
  return asked;
}

/** Finds the proxy that served the script, by the script's own address; `null` if the script came from elsewhere. */
function toServedBy(address: string | null): string | null {
  return /^(http.+)\/assets\/pix-checkout\.min\.js\b/.exec(address ?? '')?.[1] ?? null;
}

/** Reads the proxy's URL, and makes it absolute; `null` if it is no http(s) URL, or contains a user name or password. */
function readEndpoint(value: unknown, base: string): string | null {
  const text = toText(value);
  const url = text && tryTo(() => new URL(text, base));
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password
    ? (url.origin + url.pathname).replace(/\/+$/, '')
    : null;
}

/** Reads the methods that the page names and the element can offer. */
function readMethods(words: PageValues, warn: (text: string) => void): readonly Method[] {
  const { methods, tokenizeCard, acceptRawCard } = words;
  const text = isAbsent(methods) ? '' : readText(methods, 'methods', warn);
  if (text === null) return [];
  const offered = new Set<Method>();
  for (const word of (text.trim() || 'pix').split(/\s+/)) {
    if (word === 'pix') {
      offered.add(word);
    } else if (word !== 'credit_card') {
      warn(`methods cannot offer "${word}", but pix, credit_card`);
    } else if (typeof tokenizeCard === 'function' || isOn(acceptRawCard)) {
      offered.add(word);
    } else {
      warn('credit_card is not offered without tokenizeCard or accept-raw-card');
    }
  }
  return [...offered];
}

/** Reads the method to show; without a usable one, the page's first method. */
function readMethod(
  value: unknown,
  methods: readonly Method[],
  warn: (text: string) => void,
): Method | null {
  const method = methods.find((one) => one === value);
  // If no method is offered, there was a warning already.
  const named = readText(value, 'method', warn);
  if (named && !method && methods.length > 0)
    warn(`method cannot be "${named}", but ${methods.join(', ')}`);
  return method ?? methods[0] ?? null;
}

/**
 * Reads the payer that the page knows. Blank values count as not given, so that the form asks for them. So do values that the
 * proxy would refuse, because the payer could not correct a field that is not shown.
 */
function readPayer(value: unknown, warn: (text: string) => void): Partial<Payer> {
  if (isAbsent(value)) return {};
  if (!isRecord(value)) {
    warn('payer must be an object');
    return {};
  }
  const payer: Partial<Payer> = {};
  for (const field of payerFields) {
    const text = toText(value[field]);
    if (text === null) continue;
    if (checkPayerField(field, text, true) === null) payer[field] = text;
    else warn(`payer.${field} is not valid; it is left out`);
  }
  return payer;
}

function readList<T>(
  value: unknown,
  matches: (entry: unknown) => entry is T,
  name: string,
  warn: (text: string) => void,
): readonly T[] {
  if (isAbsent(value)) return [];
  if (Array.isArray(value) && value.every(matches)) return value;
  warn(`${name} is not as the documentation says; it is left out`);
  return [];
}

function isItem(value: unknown): value is Item {
  return (
    isRecord(value) &&
    typeof value['name'] === 'string' &&
    (isAbsent(value['description']) || typeof value['description'] === 'string') &&
    Number.isSafeInteger(value['quantity']) &&
    Number.isSafeInteger(value['unit_price'])
  );
}

function isLine(value: unknown): value is Line {
  return (
    isRecord(value) && typeof value['label'] === 'string' && Number.isSafeInteger(value['cents'])
  );
}

// Compares the page's order with the former one: another order, another price, or values to take over while a checkout runs.

/** Names the order, whatever it costs. A newly signed token does not make another order. */
export function toIdentity({ endpoint, externalId }: Order): string {
  return JSON.stringify([endpoint, externalId]);
}

/** Names the order at its price. */
export function toPricedIdentity({
  endpoint,
  externalId,
  totalCents,
  pixTotalCents,
}: Order): string {
  return JSON.stringify([endpoint, externalId, totalCents, pixTotalCents]);
}

/**
 * Names everything whose change restarts a checkout without an invoice: the price, and whether the page's set-up is usable.
 */
export function toSetUpIdentity(order: Order): string {
  return JSON.stringify([toPricedIdentity(order), order.method !== null, order.faults]);
}

/**
 * Finds the order for a checkout that is being paid, or is paid. If the page's new values are not usable, the former ones
 * stay: a page that renders itself again, or has emptied its cart, must not lose a payment.
 */
export function toCurrentOrder(before: Order, after: Order): Order {
  const [was, is] = [before.terms, after.terms];
  const isUsable = after.faults.length === 0 && after.method !== null;
  const isGone = (was.externalId && !is.externalId) || (was.pixCents && !is.pixCents);
  if (isUsable && !isGone) return after;
  return { ...before, orderToken: after.orderToken ?? before.orderToken };
}

/** The values of a page that sets nothing. */
export const silentPage = {
  endpoint: null,
  externalId: null,
  orderToken: null,
  totalPriceCents: null,
  pixTotalPriceCents: null,
  methods: null,
  method: null,
  payerFields: null,
  payer: null,
  expiresIn: null,
  pollInterval: null,
  receiverName: null,
  allowUnverifiedCode: false,
  acceptRawCard: false,
  tokenizeCard: null,
  items: null,
  lines: null,
};

/** The element's public properties. A page may set them to anything, so they are not trusted. */
export type PageValues = Readonly<Record<keyof typeof silentPage, unknown>>;
