/** The items only describe an order: the proxy mends wrong ones or leaves them out, and the sale goes on. Pure. */

import type { OrderItem } from '../set-up/options/options.js';

type Field = keyof OrderItem;

/** How each field is read; undefined: it is left out. */
const readers: Readonly<Record<Field, (value: unknown) => unknown>> = {
  name: toText,
  description: toText,
  quantity: toWhole,
  unit_price: toWhole,
};

/** What became of `items`, and the paths of what was changed. */
interface MendedItems {
  readonly items: readonly Record<string, unknown>[] | undefined;
  readonly changed: readonly string[];
}

/** @param given what the merchant's code answered as `items` */
export function mendItems(given: unknown): MendedItems {
  if (given === undefined) return { items: undefined, changed: [] };
  if (!Array.isArray(given)) return { items: undefined, changed: ['items'] };
  const changed: string[] = [];
  const mended = given.map((item: unknown, at) => mendItem(item, `items.${at}`, changed));
  const items = mended.filter((item) => item !== null);
  return { items, changed };
}

/** @returns null: nothing of it describes anything */
function mendItem(given: unknown, path: string, changed: string[]): Record<string, unknown> | null {
  const entries = typeof given === 'object' && given !== null ? Object.entries(given) : [];
  const before = changed.length;
  const mended = entries.flatMap(([key, value]): [string, unknown][] => {
    if (value === undefined) return [];
    const read = Object.hasOwn(readers, key) ? readers[key as Field](value) : undefined;
    // A name that is none may be any text.
    if (read !== value) changed.push(/^[A-Za-z_]{1,40}$/.test(key) ? `${path}.${key}` : path);
    return read === undefined ? [] : [[key, read]];
  });
  if (mended.length > 0) return Object.fromEntries(mended);
  if (changed.length === before) changed.push(path);
  return null;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}

/** Databases answer whole numbers as texts. A price in reais, or half a piece, would be another number. */
function toWhole(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}
