/**
 * Writes the Pix codes of the sandbox: dynamic and well-formed, but no bank can pay them.
 *
 * Their host is reserved for examples (RFC 2606). Source: Banco Central, Manual de Padrões para Iniciação do Pix, section 2.7.
 */

import { crc16 } from '../domain/br-code.js';

/** Largest amount that field 54 can carry, integer cents: thirteen characters with two decimals. */
export const maxCodeCents = 999_999_999_999;

/**
 * The receiver that a bank app would show. The element (`checkout/machine/tracked-invoice.ts`) and the proxy
 * (`proxy/outside/service-calls.ts`) recognise test codes by this name.
 */
const merchantName = 'TESTE NAO PAGAR';

/** Location of the charges, without a scheme as the manual demands. Nothing fetches it. */
const chargeLocation = 'pix.example.com/qr/v2/';

/**
 * Writes a code.
 * @param totalCents 1 to {@link maxCodeCents}
 * @param chargeId end of the location: letters and digits, at most 55
 */
export function writeBrCode(totalCents: number, chargeId: string): string {
  const body =
    writeField('00', '01') +
    // The point of initiation: this code is for one payment.
    writeField('01', '12') +
    writeField(
      '26',
      writeField('00', 'br.gov.bcb.pix') + writeField('25', chargeLocation + chargeId),
    ) +
    writeField('52', '0000') +
    writeField('53', '986') +
    writeField('54', formatReais(totalCents)) +
    writeField('58', 'BR') +
    writeField('59', merchantName) +
    writeField('60', 'SAO PAULO') +
    writeField('62', writeField('05', '***')) +
    '6304';
  return body + crc16(body);
}

function writeField(id: string, value: string): string {
  return id + String(value.length).padStart(2, '0') + value;
}

function formatReais(totalCents: number): string {
  const digits = String(totalCents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
