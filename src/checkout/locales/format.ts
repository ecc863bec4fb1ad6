/**
 * Amounts and times as people read them, without the words around them.
 *
 * Hardly by `Intl`: a browser takes 0.2 seconds on a slow phone to make its first formatter.
 */

import type { Locale } from './choose-messages.js';

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

/** Date and time of an ISO 8601 moment; empty if it is none. */
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
