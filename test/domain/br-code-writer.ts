/**
 * Writes BR Codes for the tests of the reader: objects, a template, a right CRC. Independent of the reader but for the
 * check sum, which has vectors of its own.
 */

import { crc16 } from '../../src/domain/br-code.js';

/** One object. */
export function object(id: string, value: string): string {
  return id + String(Array.from(value).length).padStart(2, '0') + value;
}

/** A template that is Pix. */
export function pixTemplate(id: string, ...objects: string[]): string {
  return object(id, object('00', 'br.gov.bcb.pix') + objects.join(''));
}

/** Appends the CRC object to all that goes before it. */
export const withCrc = (body: string): string => body + '6304' + crc16(`${body}6304`);

const sample = {
  '00': object('00', '01'),
  '26': pixTemplate('26', object('01', 'loja@example.com')),
  '52': object('52', '0000'),
  '53': object('53', '986'),
  '54': object('54', '10.00'),
  '58': object('58', 'BR'),
  '59': object('59', 'Loja Exemplo'),
  '60': object('60', 'BRASILIA'),
  '62': object('62', object('05', '***')),
};

/** A valid static code of R$ 10,00 in which single objects are replaced, left out (empty) or added. */
export function writeBrCode(changes: Readonly<Record<string, string>> = {}): string {
  const objects = Object.entries({ ...sample, ...changes });
  // Integer-like keys come in ascending order only without a leading zero, so the ids are sorted here.
  objects.sort(([one], [other]) => Number(one) - Number(other));
  return withCrc(objects.map(([, text]) => text).join(''));
}
