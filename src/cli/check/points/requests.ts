/** The requests and answers that points share, and the function that gives a list of points its group. */

import type {
  Ask,
  Expectation,
  Group,
  Point,
  PointRequest,
  PointText,
  Severity,
} from '../point.js';

export const create: PointRequest = { method: 'POST', path: '/invoices' };
export const recover: PointRequest = { method: 'GET', path: '/invoices?external_id={order}' };
export const lookUp: PointRequest = { method: 'GET', path: '/invoices/{invoice_id}?n=1' };

/** The order's open invoice. */
export const openInvoice = {
  invoice_id: '{invoice_id}',
  total_cents: '{total_cents}',
  external_id: '{order}',
};

/** Any invoice of the order. */
export const ofOrder: Expectation = { data: { external_id: '{order}' } };

/** The fields of a creation for the second order. */
export const asSecond = { external_id: '{second_order}', order_token: '{second_token}' };

/** An id that no service uses. */
export const unknownId = '11111111-1111-4111-8111-111111111111';

const noAccess: Expectation = { codes: ['unauthorized'] };

/** A request with the answer that it demands. */
export function toAsk(request: PointRequest, expect: Expectation, more: Partial<Ask> = {}): Ask {
  return { ...request, expect, ...more };
}

/** A creation with these fields. */
export function toCreation(body: Ask['body'], expect: Expectation, more: Partial<Ask> = {}): Ask {
  return toAsk(body === undefined ? create : { ...create, body }, expect, more);
}

/** Adds an idempotency key. @param key the key's name among the values */
export function addKey(request: PointRequest, key: string): PointRequest {
  return { ...request, headers: { ...request.headers, 'idempotency-key': `{${key}}` } };
}

/** A look-up with the token of another invoice, or with none, which must be refused. */
export function toRefusedLookUp(token: string | null, more: Partial<Ask> = {}): Ask {
  return toAsk({ ...lookUp, headers: { 'lookup-token': token } }, noAccess, more);
}

type Common = Pick<PointText, 'id' | 'group' | 'severity'>;

/** A point as the files write it: `ask` for one request, `asks` for several. */
type Written<T> = Omit<T, keyof Common | 'asks'> & { readonly severity?: Severity } & Asked;
type Asked = { readonly ask?: Ask } | { readonly asks: readonly Ask[] };

/**
 * Makes the points of a group.
 * @param severity of points that name no other
 * @param points by their ids
 */
export function toPoints<T extends PointText = Point>(
  group: Group,
  severity: Severity,
  points: Readonly<Record<string, Written<T>>>,
): T[] {
  return Object.entries<object & { readonly ask?: Ask }>(points).map(
    ([id, { ask, ...point }]) =>
      ({ severity, ...(ask && { asks: [ask] }), ...point, id, group }) as unknown as T,
  );
}
