/** Which language is spoken, and with which of the page's own words. Knows the languages; knows no view. */

import { en } from './en.js';
import type { Locale, Messages, TextOverrides } from './messages.js';
import { ptBr } from './pt-br.js';

/** What can be spoken now. */
const languages: { [locale in Locale]?: Messages } & { 'pt-BR': Messages } = { 'pt-BR': ptBr, en };

let spanish: Promise<void> | undefined;

/**
 * The language we speak that is nearest to a BCP 47 tag: `pt` and `pt-PT` are read in pt-BR.
 *
 * @returns null for a tag of a language we do not speak
 */
export function nearestLocale(tag: unknown): Locale | null {
  const language = typeof tag === 'string' ? tag.trim().toLowerCase().split(/[-_]/)[0] : '';
  if (language === 'pt') return 'pt-BR';
  return language === 'en' || language === 'es' ? language : null;
}

/** Whether a language can be spoken now; Spanish only when {@link fetchSpanish} has brought it. */
export function isSpoken(locale: Locale): boolean {
  return locale in languages;
}

/** Spanish is a file of its own, fetched once when the first payer reads it. Rejected: it did not come, or is empty. */
export function fetchSpanish(): Promise<void> {
  return (spanish ??= import('./es.js').then(({ es }: { es?: Messages }) => {
    if (!es) throw new Error('the language file is empty');
    languages.es = es;
  }));
}

/**
 * All texts of a language, of pt-BR if it cannot be spoken (yet).
 *
 * @param own the page's own words; groups (`fields`, `errors`, …) may hold just the entries to change. A text of the
 * wrong kind would break a screen of a payment: it is left out
 * @param warn is told of each that is
 */
export function chooseMessages(
  locale: Locale,
  own: TextOverrides = {},
  warn: (text: string) => void = () => undefined,
): Messages {
  return override(languages[locale] ?? ptBr, own, 'texts', warn);
}

function override<T extends object>(
  usual: T,
  own: unknown,
  path: string,
  warn: (text: string) => void,
): T {
  const entries: Record<string, unknown> = Object.fromEntries(Object.entries(usual));
  // A text has no entries of its own.
  for (const [name, text] of Object.entries(typeof own === 'object' ? (own ?? {}) : { '': own })) {
    const former = entries[name] ?? '';
    if (typeof text !== typeof former || Array.isArray(text) !== Array.isArray(former) || !name) {
      warn(`${path}.${name} is not of the right kind; it is left out`);
    } else {
      const group = typeof former === 'object' && !Array.isArray(former);
      entries[name] = group ? override(former, text, `${path}.${name}`, warn) : text;
    }
  }
  return Object.assign({}, usual, entries);
}
