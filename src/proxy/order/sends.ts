/** Creations that leave for the service: the order remembers how it sent each, and limits their number. */

import { alive } from './invoices.js';
import { isHandedOut } from './questions.js';
import { dayMs, hourMs, isWithin, minuteMs } from '../../domain/spans.js';
import type { Given, Order, SentAs } from './order.js';

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

/** Most codes of one order in a day, and most that are looked up before anything leaves: what a request costs has an end. */
export const maxCodes = 20;

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: hourMs };

/**
 * Most creations sent for one order in ten minutes, successful or not. More than codes, in less time: a page sends three by
 * itself for each press of the button, and a payer must not wait an hour because the service was down for a minute. An
 * invoice that no payer saw harms no one.
 */
const sendLimit = { most: 10, withinMs: 10 * minuteMs };

/** A creation is about to leave. */
export function leaving(order: Order, { method, totalCents }: SentAs, given: Given): Order {
  const { nowMs } = given;
  const young = [...order.sends, { method, atMs: nowMs }].filter((one) => nowMs - one.atMs < dayMs);
  const excess = new Set(young.filter((one) => one.method === method).slice(0, -maxSends));
  const isKnown = order.sentAs.some(
    (one) => one.method === method && one.totalCents === totalCents,
  );
  const next = {
    ...order,
    sends: young.filter((one) => !excess.has(one)),
    sentAs: isKnown ? order.sentAs : [...order.sentAs, { method, totalCents }],
  };
  return alive(next, given);
}

/** When another code may be made, milliseconds since 1970; null: now. */
export function toFreeAtMs({ invoices, sends }: Order, nowMs: number): number | null {
  const codes = invoices.filter(isHandedOut).map(({ createdAtMs }) => createdAtMs);
  const sent = sends.filter(({ method }) => method === 'pix').map(({ atMs }) => atMs);
  for (const { most, withinMs, times } of [
    { most: maxCodes, withinMs: dayMs, times: codes },
    { ...codeLimit, times: codes },
    { ...sendLimit, times: sent },
  ]) {
    // The one that has to leave the span before another may enter it.
    const blocking = times.filter((atMs) => isWithin(atMs, withinMs, nowMs)).at(-most);
    if (blocking !== undefined) return blocking + withinMs;
  }
  return null;
}
