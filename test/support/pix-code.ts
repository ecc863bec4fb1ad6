/** Writes Pix codes for tests: as a bank makes them, and those that must not reach a payer. Knows nobody who reads one. */

import { object, pixTemplate, writeBrCode } from '../domain/br-code-writer.js';

/** What a code says. With a key it is static. One with a recurrence authorises later debits, alone or beside its charge. */
export interface PixCodeFields {
  readonly totalCents: number;
  /** Where a dynamic one says that its charge stands, below the bank's host. */
  readonly path?: string;
  readonly key?: string;
  readonly name?: string;
  readonly recurrence?: 'alone' | 'beside';
}

export function toPixCode(fields: PixCodeFields): string {
  const { totalCents, path = 'qr/8b3da2f39a4140d1', key, name, recurrence } = fields;
  const location = object('25', `pix.example.com/${path}`);
  const account = key === undefined ? location : object('01', key);
  return writeBrCode({
    '26': pixTemplate('26', recurrence === 'alone' ? '' : account),
    '54': object('54', (totalCents / 100).toFixed(2)),
    ...(name === undefined ? {} : { '59': object('59', name) }),
    ...(recurrence === undefined ? {} : { '80': pixTemplate('80', location) }),
  });
}

/** One for a single invoice. */
export const dynamicCode = (totalCents = 12_990, path = 'v2/1') => toPixCode({ totalCents, path });

/** One whose own amount is what a bank would charge. */
export const staticCode = (totalCents: number) =>
  toPixCode({ totalCents, key: 'loja@example.com' });
