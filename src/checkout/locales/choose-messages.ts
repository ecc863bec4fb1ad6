/** Chooses the language nearest to the page's, and puts the page's own words into its texts. */

import { importServed } from '../browser/script-address.js';
import type { Messages, TextOverrides } from './pt-br.js';
import { ptBr } from './pt-br.js';

/** The exports of a language's file; none if the file is empty. */
type LanguageFile = Readonly<Record<string, Messages>>;

/** Imports the file of a language. */
type FetchMessages = () => Promise<LanguageFile>;

/** One line for each language: its texts if they are part of the element, or else how to fetch its file. */
const table = {
  'pt-BR': ptBr,
  en: () => import('./en.js'),
  es: () => import('./es.js'),
} satisfies Record<string, Messages | FetchMessages>;

/** The languages of the element. */
export type Locale = keyof typeof table;

/** The language tags. */
export const locales = Object.keys(table) as readonly Locale[];

const languages: Record<Locale, Messages | FetchMessages> = table;
const fetches: { [locale in Locale]?: Promise<LanguageFile> } = {};

/**
 * Finds the language of the element that is nearest to a BCP 47 tag. The region does not count, so `pt-PT` is read in pt-BR.
 *
 * @returns null for a tag of any other language
 */
export function nearestLocale(tag: unknown): Locale | null {
  const [language] = typeof tag === 'string' ? tag.trim().toLowerCase().split(/[-_]/) : [];
  return locales.find((locale) => locale.split('-')[0] === language) ?? null;
}

/** Whether the texts of a language are loaded. If not, {@link fetchMessages} loads them. */
export function hasMessages(locale: Locale): boolean {
  return typeof languages[locale] === 'object';
}

/**
 * Fetches the file of a language, once. Rejects if the file cannot be loaded, or is empty.
 *
 * @param endpoint the proxy, which serves the file, too
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
 * Returns all texts of a language; those of pt-BR until its own are loaded.
 *
 * @param own the page's own words; groups (`fields`, `errors`, …) may contain just the entries to change. A text of the wrong
 * kind is left out, because it would break a screen of a payment
 * @param warn called for each text that is left out
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

/** The last result with the page's own texts, kept because each keystroke renders. */
let last: { usual: Messages; own: unknown; all: Messages } = { usual: ptBr, own: null, all: ptBr };

/** Puts the page's own texts in place of the usual ones, also within groups. */
function overrideTexts<T extends object>(
  usual: T,
  own: unknown,
  path: string,
  warn: (text: string) => void,
): T {
  const entries: Record<string, unknown> = { ...(usual as Record<string, unknown>) };
  // If the page gives a text where a group belongs, there are no entries to read.
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

/**
 * Splits a text after its first sentence, which ends at the first full stop before a space. The rest of a text of one
 * sentence is empty.
 */
export function splitFirstSentence(text: string): readonly [first: string, rest: string] {
  const end = text.indexOf('. ') + 1 || text.length;
  return [text.slice(0, end), text.slice(end + 1)];
}

// Amounts and times as people read them, without the words around them.
//
// Mostly without `Intl`, because on a slow phone a browser takes 0.2 seconds to make its first formatter.

/**
 * Writes integer cents as reais, in the Brazilian way in every language, because the payer compares them with the bank app. A
 * discount gets a minus sign.
 */
export function formatMoney(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const reais = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.');
  return `${cents < 0 ? '−' : ''}R$\u00a0${reais},${digits.slice(-2)}`;
}

/** Writes whole seconds as minutes and seconds, `9:05`; below a minute as `13 s`. */
export function formatClock(seconds: number): string {
  if (seconds < 60) return `${seconds}\u00a0s`;
  return `${Math.floor(seconds / 60)}:${twoDigits(seconds % 60)}`;
}

/** Up to this many seconds ahead, a time of day is clear; beyond that, it could mean another day. */
export const clockAloneSeconds = 43_200;

/** Writes a time of day; with the date if it is more than half a day away, where the time alone could mean another day. */
export function formatDeadline(at: Date, secondsLeft: number, locale: Locale): string {
  return secondsLeft > clockAloneSeconds
    ? `${formatDay(at, locale)}, ${formatTime(at, locale)}`
    : formatTime(at, locale);
}

/** The words before the year and before the time. */
const joints: Readonly<Record<Locale, readonly [string, string]>> = {
  'pt-BR': ['/', ' às '],
  en: [', ', ' at '],
  es: ['/', ' a las '],
};

/** Writes date and time of an ISO 8601 text; '' if it is no valid time. */
export function formatMoment(iso: string, locale: Locale): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  const [beforeYear, beforeTime] = joints[locale];
  const time = formatTime(at, locale);
  return `${formatDay(at, locale)}${beforeYear}${at.getFullYear()}${beforeTime}${time}`;
}

/** Writes day and month. English has the month as a word, because 02/11 is another day elsewhere. */
function formatDay(at: Date, locale: Locale): string {
  return locale === 'en'
    ? at.toDateString().slice(4, 10).replace(' 0', ' ')
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
