/** Amounts and times as people read them, without the words around them. */

import type { Locale } from './choose-messages.js';

const reais = new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' });

/**
 * Integer cents as reais, in the Brazilian way in every language: the payer compares it with what the bank app shows.
 */
export function formatMoney(cents: number): string {
  return reais.format(cents / 100);
}

/** Whole seconds as minutes and seconds, `9:05`. */
export function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Time of day; with the date when it is more than half a day away, where the time alone could mean another day. */
export function formatDeadline(at: Date, secondsLeft: number, locale: Locale): string {
  const date = secondsLeft > 43_200 ? ({ day: '2-digit', month: '2-digit' } as const) : {};
  return at.toLocaleString(locale, { ...date, hour: '2-digit', minute: '2-digit' });
}

/** Date and time of an ISO 8601 moment; empty if it is none. */
export function formatMoment(iso: string, locale: Locale): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return at.toLocaleString(locale, { dateStyle: 'short', timeStyle: 'short' });
}
