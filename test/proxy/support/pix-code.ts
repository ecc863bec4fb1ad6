/** Writes Pix codes for the tests of the proxy: dynamic ones, and those that must not reach a payer. */

import { object, pixTemplate, writeBrCode } from '../../domain/br-code-writer.js';

/** What a code says. With a key it is static. One with a recurrence authorises later debits, alone or beside its charge. */
export interface PixCodeFields {
  readonly totalCents: number;
  readonly key?: string;
  readonly name?: string;
  readonly recurrence?: 'alone' | 'beside';
}

export function toPixCode({ totalCents, key, name, recurrence }: PixCodeFields): string {
  const location = object('25', 'pix.example.com/qr/8b3da2f39a4140d1');
  const account = key === undefined ? location : object('01', key);
  return writeBrCode({
    '26': pixTemplate('26', recurrence === 'alone' ? '' : account),
    '54': object('54', (totalCents / 100).toFixed(2)),
    ...(name === undefined ? {} : { '59': object('59', name) }),
    ...(recurrence === undefined ? {} : { '80': pixTemplate('80', location) }),
  });
}
