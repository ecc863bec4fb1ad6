/** The requests and answers that points have in common, and how a list of points gets its group. */

import type { Ask, Expectation, Group, Point, PointRequest, Severity } from '../point.js';

export const create: PointRequest = { method: 'POST', path: '/invoices' };
export const recover: PointRequest = { method: 'GET', path: '/invoices?external_id={order}' };
export const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}?n=1' };

/** The code that the order has. */
export const openInvoice = {
  invoice_id: '{invoice_id}',
  total_cents: '{total_cents}',
  external_id: '{order}',
};

/** An id that no service has given. */
export const unknownId = '11111111-1111-4111-8111-111111111111';

export const noAccess: Expectation = { codes: ['unauthorized'] };

/** Another creation of the order, and by which answer nothing is lost. */
export function creating(body: Ask['body'], expect: Expectation, more: Partial<Ask> = {}): Ask {
  return { ...create, ...(body !== undefined && { body }), expect, ...more };
}

export function withKey(request: PointRequest, key: string): PointRequest {
  return { ...request, headers: { ...request.headers, 'idempotency-key': `{${key}}` } };
}

/** A look-up with another token than its own; null: without one. */
export function lookingUp(token: string | null, more: Partial<Ask> = {}): Ask {
  return { ...lookUp, headers: { 'lookup-token': token }, expect: noAccess, ...more };
}

/** @param severity of those that name no other */
export function inGroup(
  group: Group,
  severity: Severity,
  points: readonly (Omit<Point, 'group' | 'severity'> & { readonly severity?: Severity })[],
): Point[] {
  return points.map((point) => ({ severity, ...point, group }));
}
