/** Which language is spoken, and with which of the page's own words. Knows the languages; knows no view. */

import { en } from './en.js';
import { es } from './es.js';
import type { Locale, Messages, TextOverrides } from './messages.js';
import { ptBr } from './pt-br.js';

const languages: Readonly<Record<Locale, Messages>> = { 'pt-BR': ptBr, en, es };

/**
 * The language we speak that is nearest to a BCP 47 tag: `pt` and `pt-PT` are read in pt-BR.
 *
 * @returns null for a tag of a language we do not speak
 */
export function nearestLocale(tag: unknown): Locale | null {
  const language = String(tag ?? '').trim().toLowerCase().split(/[-_]/)[0];
  if (language === 'pt') return 'pt-BR';
  return language === 'en' || language === 'es' ? language : null;
}

/**
 * All texts of a language.
 *
 * @param overrides the page's own words; groups (`fields`, `errors`, …) may hold just the entries to change
 */
export function chooseMessages(locale: Locale, overrides: TextOverrides = {}): Messages {
  const base = languages[locale];
  const { fields, hints, faults, invalid, errors, ...single } = overrides;
  return {
    ...base,
    ...single,
    fields: { ...base.fields, ...fields },
    hints: { ...base.hints, ...hints },
    faults: { ...base.faults, ...faults },
    invalid: { ...base.invalid, ...invalid },
    errors: { ...base.errors, ...errors },
  };
}
