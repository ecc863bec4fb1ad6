/** The invoices of the measurements: what the service says of them, and how a browser asks for one. */
import { randomUUID } from 'node:crypto';
import { signOrder } from '../../../src/order-token.js';
import { createLookUpTokens } from '../../../src/proxy/door/tokens/tokens.js';
import { toPixCode } from '../../support/pix-code.js';

const secrets = ['a secret of the benchmark, 32 bytes long'];
export const publicUrl = 'https://shop.example/pay';
export const shopOrigin = 'https://shop.example';
export const keys = { secrets, publicUrl };

export const totalCents = 12_345;

/** What payers copy: the proxy reads it at each look-up. */
const pixCode = toPixCode({ totalCents });

/** Length of an answer of the service, bytes. */
const answerBytes = 900;

export function toInvoiceId(index: number): string {
  return `7c9e6679-7425-40de-944b-${String(index).padStart(12, '0')}`;
}

export const toOrder = (index: number): string => `order-${String(index).padStart(6, '0')}`;

/** The service's answer to the creation of the invoice that its look-ups are about. */
export function toWireCreation(externalId: string): string {
  const invoiceId = toInvoiceId(Number(externalId.slice(-6)));
  const data = {
    invoice_id: invoiceId,
    order_code: `PED-${invoiceId.slice(-6)}`,
    external_id: externalId,
    qr_code_pix: pixCode,
    status: 'pending',
    total_cents: totalCents,
  };
  return JSON.stringify({ data, message: '' });
}

/** The service's answer to a look-up, with all that a look-up of the specification holds. */
export function toWireAnswer(invoiceId: string, status = 'pending'): string {
  const data = {
    invoice_id: invoiceId,
    order_code: `PED-${invoiceId.slice(-6)}`,
    external_id: `order-${invoiceId.slice(-6)}`,
    status,
    is_pix: true,
    total_cents: totalCents,
    installments: 1,
    qr_code_pix: pixCode,
    created_at: '2026-11-21T10:00:00.000000-03:00',
    updated_at: '2026-11-21T10:00:00.000000-03:00',
    client: { id: 1, name: 'Client of the benchmark', cpf_cnpj: '', email: '', phone: '' },
  };
  // Real answers hold more fields than this.
  const missing = answerBytes - JSON.stringify({ data, message: '' }).length;
  return JSON.stringify({ data, message: ' '.repeat(missing) });
}

/**
 * Whole requests as bytes on a connection, as Chromium sends them.
 * @param query with its question mark
 */
export async function toRequests(count: number, query = ''): Promise<string[]> {
  const tokens = createLookUpTokens(keys, Date.now);
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const invoiceId = toInvoiceId(index);
      const token = await tokens.issue({
        invoiceId,
        lookUpId: invoiceId,
        externalId: toOrder(index),
        totalCents,
        method: 'pix',
        deadlineMs: null,
      });
      return [
        `GET /pay/invoices/${invoiceId}${query} HTTP/1.1`,
        ...browserHead,
        `Authorization: Bearer ${token}`,
        '\r\n',
      ].join('\r\n');
    }),
  );
}

/** Whole creation requests, each of an order of its own. @param from the first order's number */
export async function toCreations(from: number, count: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const externalId = toOrder(from + index);
      const body = JSON.stringify({
        method: 'pix',
        external_id: externalId,
        order_token: await signOrder({ ...keys, externalId }),
        payer: { name: 'Payer of the benchmark', cpf_cnpj: '52998224725', email: 'p@shop.example' },
        expected_total_cents: totalCents,
      });
      return [
        'POST /pay/invoices HTTP/1.1',
        ...browserHead,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `Idempotency-Key: ${randomUUID()}`,
        `\r\n${body}`,
      ].join('\r\n');
    }),
  );
}

const browserHead: readonly string[] = [
  'Host: shop.example',
  'Connection: keep-alive',
  'User-Agent: Mozilla/5.0 (Linux; Android 10; K) Chrome/144.0.0.0 Mobile Safari/537.36',
  'Accept: application/json',
  `Origin: ${shopOrigin}`,
  'Sec-Fetch-Site: same-site',
  'Sec-Fetch-Mode: cors',
  'Sec-Fetch-Dest: empty',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Accept-Language: pt-BR,pt;q=0.9',
];
