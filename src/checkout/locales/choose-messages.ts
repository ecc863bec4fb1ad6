/** Chooses the language nearest to the page's, and puts the page's own words into its texts. */

import { importServed } from '../browser/script-address.js';
import type { Messages, TextOverrides } from './pt-br.js';
import { ptBr } from './pt-br.js';

/** The exports of a language's file; none if the file is empty. */
type LanguageFile = Readonly<Record<string, Messages>>;

/** Imports the file of a language. */
type FetchMessages = () => Promise<LanguageFile>;

/** One line per language: its texts where the element brings them, else the way to its file. */
const table = {
  'pt-BR': ptBr,
  en: () => import('./en.js'),
  es: () => import('./es.js'),
} satisfies Record<string, Messages | FetchMessages>;

/** The languages of the element. */
export type Locale = keyof typeof table;

/** Their tags. */
export const locales = Object.keys(table) as readonly Locale[];

const languages: Record<Locale, Messages | FetchMessages> = table;
const fetches: { [locale in Locale]?: Promise<LanguageFile> } = {};

/**
 * The language of the element that is nearest to a BCP 47 tag: the region does not count, so `pt-PT` is read in pt-BR.
 *
 * @returns null for a tag of any other language
 */
export function nearestLocale(tag: unknown): Locale | null {
  const [language] = typeof tag === 'string' ? tag.trim().toLowerCase().split(/[-_]/) : [];
  return locales.find((locale) => locale.split('-')[0] === language) ?? null;
}

/** Whether the texts of a language are here; where they are not, {@link fetchMessages} brings them. */
export function hasMessages(locale: Locale): boolean {
  return typeof languages[locale] === 'object';
}

/**
 * Fetches the file of a language, once. Rejected: the file did not come, or is empty.
 *
 * @param endpoint the proxy serves the file, too
 */
export async function fetchMessages(locale: Locale, endpoint: string | null = null): Promise<void> {
  const language = languages[locale];
  if (typeof language === 'object') return;
  const served = () => importServed<LanguageFile>(endpoint, `pix-checkout-${locale}.min.js`);
  const file = await (fetches[locale] ??= language().catch(served));
  const [exported] = Object.entries(file);
  if (!exported) throw new Error('the language file is empty');
  [, languages[locale]] = exported;
}

/**
 * All texts of a language; of pt-BR while those are not here.
 *
 * @param own the page's own words; groups (`fields`, `errors`, …) may hold just the entries to change. A text of the
 * wrong kind would break a screen of a payment: it is left out
 * @param warn called for each text left out
 */
export function chooseMessages(
  locale: Locale,
  own: TextOverrides | null = null,
  warn: (text: string) => void = () => undefined,
): Messages {
  const messages = languages[locale];
  const usual = typeof messages === 'object' ? messages : ptBr;
  if (!own) return usual;
  if (last.usual !== usual || last.own !== own) {
    last = { usual, own, all: overrideTexts(usual, own, 'texts', warn) };
  }
  return last.all;
}

/** The last texts with the page's own, kept because each keystroke renders. */
let last: { usual: Messages; own: unknown; all: Messages } = { usual: ptBr, own: null, all: ptBr };

function overrideTexts<T extends object>(
  usual: T,
  own: unknown,
  path: string,
  warn: (text: string) => void,
): T {
  const entries: Record<string, unknown> = { ...(usual as Record<string, unknown>) };
  // A text has no entries of its own.
  for (const [name, text] of Object.entries(typeof own === 'object' ? (own ?? {}) : { '': own })) {
    const former = entries[name] ?? '';
    if (typeof text !== typeof former || Array.isArray(text) !== Array.isArray(former) || !name) {
      warn(`${path}.${name} is not as the documentation says; it is left out`);
    } else {
      const group = typeof former === 'object' && !Array.isArray(former);
      entries[name] = group ? overrideTexts(former, text, `${path}.${name}`, warn) : text;
    }
  }
  return entries as T;
}

// Amounts and times as people read them, without the words around them.
//
// Mostly without `Intl`: on a slow phone a browser takes 0.2 seconds to make its first formatter.

/**
 * Integer cents as reais, in the Brazilian way in every language: the payer compares it with what the bank app shows.
 */
export function formatMoney(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const reais = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${cents < 0 ? '-' : ''}R$\u00a0${reais},${digits.slice(-2)}`;
}

/** Whole seconds as minutes and seconds, `9:05`; below a minute, `13 s`. */
export function formatClock(seconds: number): string {
  if (seconds < 60) return `${seconds}\u00a0s`;
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`;
}

/** Up to this many seconds ahead a time of day says enough; beyond, it could mean another day. */
export const clockAloneSeconds = 43_200;

/** Time of day; with the date when it is more than half a day away, where the time alone could mean another day. */
export function formatDeadline(at: Date, secondsLeft: number, locale: Locale): string {
  return secondsLeft > clockAloneSeconds
    ? `${formatDay(at, locale)}, ${formatTime(at, locale)}`
    : formatTime(at, locale);
}

/** Before the year, and before the time. */
const joints: Readonly<Record<Locale, readonly [string, string]>> = {
  'pt-BR': ['/', ' às '],
  en: [', ', ' at '],
  es: ['/', ' a las '],
};

/** Date and time of an ISO 8601 text; '' if it is no valid time. */
export function formatMoment(iso: string, locale: Locale): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const [beforeYear, beforeTime] = joints[locale];
  const time = formatTime(at, locale);
  return `${formatDay(at, locale)}${beforeYear}${at.getFullYear()}${beforeTime}${time}`;
}

/** Day and month; in English in a word, for 02/11 is another day to others. Only there the formatter is worth its time. */
function formatDay(at: Date, locale: Locale): string {
  return locale === 'en'
    ? at.toLocaleString('en', { month: 'short', day: 'numeric' })
    : `${twoDigits(at.getDate())}/${twoDigits(at.getMonth() + 1)}`;
}

function formatTime(at: Date, locale: Locale): string {
  const [hours, minutes] = [at.getHours(), twoDigits(at.getMinutes())];
  return locale === 'en'
    ? `${hours % 12 || 12}:${minutes} ${hours < 12 ? 'AM' : 'PM'}`
    : `${twoDigits(hours)}:${minutes}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
