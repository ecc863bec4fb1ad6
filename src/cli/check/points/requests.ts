/** The requests and answers that points have in common, and how a list of points gets its group. */

import type { Expectation, Group, Point, PointRequest, Severity } from '../point.js';

export const create: PointRequest = { method: 'POST', path: '/invoices' };
export const recover: PointRequest = { method: 'GET', path: '/invoices?external_id={order}' };
export const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}' };

export const refused = { status: 400, code: 'invalid_request' } as const;
export const barred = { status: 422, code: 'key_reused' } as const;
export const unauthorized = { status: 401, code: 'unauthorized' } as const;

const created = ['invoice_id', 'order_code', 'external_id', 'qr_code_pix', 'status', 'total_cents'];
export const fieldsOfCreation = [...created, 'lookup_token', 'expires_in'];
const moreOfLookUp = ['is_pix', 'installments', 'created_at', 'updated_at', 'expires_in'];
export const fieldsOfLookUp = [...created, ...moreOfLookUp];

/** The code that the order has. */
export const openInvoice = {
  invoice_id: '{invoice_id}',
  total_cents: '{total_cents}',
  external_id: '{order}',
};

/** An id that no service has given. */
export const unknownId = '11111111-1111-4111-8111-111111111111';

/** What may be said of an attempt that never came: that it never will, or that this cannot be promised. */
export const unknownAttempt: Expectation = {
  status: [404, 405, 502, 504],
  code: ['not_found', 'invalid_request', 'outcome_unknown'],
};

export function withKey(request: PointRequest, key: string): PointRequest {
  return { ...request, headers: { ...request.headers, 'idempotency-key': `{${key}}` } };
}

/** @param severity of those that name no other */
export function inGroup(
  group: Group,
  severity: Severity,
  points: readonly (Omit<Point, 'group' | 'severity'> & { readonly severity?: Severity })[],
): Point[] {
  return points.map((point) => ({ severity, ...point, group }));
}
