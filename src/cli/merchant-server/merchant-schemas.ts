/** The bodies of the calls to the merchant's server. `dist/openapi.json` is made from these schemas. */

import * as z from 'zod/mini';
import { externalIdPattern, invoiceIdPattern } from '../../contract/types.js';

const externalId = z.string().check(z.regex(externalIdPattern));
const invoiceId = z.string().check(z.regex(invoiceIdPattern));
const cents = z.int().check(z.minimum(1));
const method = z.enum(['pix', 'credit_card']);
const time = z.iso.datetime();

/** The body of a call to `PIX_ORDER_URL`. */
export const orderQuestionSchema = z.strictObject({
  external_id: externalId,
  method,
  installment: z.int().check(z.minimum(1)),
});

/** The body of the 404 for an unknown order. */
export const unknownOrderSchema = z.looseObject({ order: z.null() });

const common = { external_id: externalId, delivery_id: z.string() };
const invoice = {
  ...common,
  invoice_id: invoiceId,
  order_code: z.string(),
  total_cents: cents,
  method,
};

/** The body of a call to `PIX_EVENTS_URL`. */
export const eventSchema = z.discriminatedUnion('type', [
  event('invoice.paid', {
    ...invoice,
    end_to_end_id: z.optional(z.string()),
    late: z.boolean(),
    duplicate: z.boolean(),
    returned: z.optional(z.literal(true)),
  }),
  event('invoice.waiting', {
    ...invoice,
    code: z.string(),
    expires_at: z.optional(time),
    qr_image_url: z.optional(z.url()),
    payment_url: z.optional(z.url()),
  }),
  event('invoice.expired', invoice),
  event('charge.outcome_unknown', {
    ...common,
    total_cents: cents,
    invoice_id: z.optional(invoiceId),
    attempted_at: time,
  }),
  event('invoice.mismatch', {
    ...common,
    invoice_id: invoiceId,
    total_cents: cents,
    field: z.enum(['external_id', 'total_cents', 'is_pix']),
  }),
  event('invoice.returned', {
    ...invoice,
    status: z.string(),
    is_listed: z.boolean(),
    is_paid_again: z.boolean(),
    duplicate: z.boolean(),
    end_to_end_id: z.optional(z.string()),
  }),
  event('event.undelivered', {
    ...common,
    kind: z.enum(['paid', 'waiting', 'lapsed', 'outcome_unknown', 'mismatch', 'returned']),
    tries: z.int().check(z.minimum(1)),
  }),
]);

export type EventType = z.infer<typeof eventSchema>['type'];

/** Makes the schema of an event. `timestamp` is the time of this try, and not part of the event. */
function event<T extends string, S extends z.core.$ZodShape>(type: T, shape: S) {
  return z.strictObject({ type: z.literal(type), timestamp: time, data: z.strictObject(shape) });
}
