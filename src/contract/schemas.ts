/**
 * The contract in zod, for the proxy (which reads requests with it) and for the test that proves it equal to the
 * hand-written readers. Never loaded by a browser.
 */

import * as z from 'zod/mini';
import { maxInstallments } from '../domain/card/installments.js';
import { checkPayerField, maxPayerFieldLength, payerFields } from '../domain/payer.js';
import type { PayerField } from '../domain/payer.js';
import { externalIdPattern, invoiceIdPattern } from './types.js';

const text = (max: number) => z.string().check(z.maxLength(max));
const cents = z.int().check(z.minimum(1));
const count = z.int().check(z.minimum(0));
const invoiceId = z.string().check(z.regex(invoiceIdPattern));

/** Makes the schema of a payer, in which each field may be absent. @param schemaOf makes a field's schema */
const payerOf = (schemaOf: (field: PayerField) => z.ZodMiniType<string>) =>
  z.partial(
    z.strictObject(
      Object.fromEntries(payerFields.map((field) => [field, schemaOf(field)])) as Record<
        PayerField,
        z.ZodMiniType<string>
      >,
    ),
  );

/** The payer as the merchant's code knows it: any field of `payerFields`, and no other. Values are not changed. */
export const payerSchema = payerOf(() => text(maxPayerFieldLength));

/** The payer in a request: what the element's form lets through. An empty field counts as absent. */
const typedPayerSchema = payerOf((field) =>
  text(maxPayerFieldLength).check(
    z.refine((value) => checkPayerField(field, value, false) === null),
  ),
);

/** The card in a request: the service's fields, nothing else. */
export const cardSchema = z.strictObject({
  token: z.optional(text(4096)),
  installment: z.optional(z.int().check(z.minimum(1), z.maximum(maxInstallments))),
  number: z.optional(text(32)),
  first_name: z.optional(text(100)),
  last_name: z.optional(text(100)),
  month: z.optional(text(2)),
  year: z.optional(text(4)),
  security_code: z.optional(text(4)),
  cavv: z.optional(text(200)),
  xid: z.optional(text(200)),
  eci: z.optional(text(10)),
  version: z.optional(text(20)),
  referenceid: z.optional(text(200)),
});

/** The body of `POST {endpoint}/invoices`. Unknown keys are refused by name, so that a typing error is noticed. */
export const createRequestSchema = z.strictObject({
  method: z.enum(['pix', 'credit_card']),
  external_id: z.string().check(z.regex(externalIdPattern)),
  order_token: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
  payer: z.optional(typedPayerSchema),
  card: z.optional(cardSchema),
  expected_total_cents: z.optional(cents),
  replaces: z.optional(invoiceId),
});

const absentOr = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));
const status = z.string().check(z.minLength(1), z.maxLength(64));
const common = {
  invoice_id: invoiceId,
  order_code: absentOr(z.string()),
  external_id: z.nullable(z.string()),
  status,
  total_cents: cents,
  expires_in: absentOr(count),
};

/** The create answer, as tolerantly as the element reads it. */
export const createdAnswerSchema = z.object({
  data: z.object({
    ...common,
    qr_code_pix: absentOr(z.string()),
    lookup_token: absentOr(z.string().check(z.minLength(1), z.maxLength(2048))),
  }),
});

/** The look-up answer, as tolerantly as the element reads it. */
export const statusAnswerSchema = z.object({
  data: z.object({
    ...common,
    is_pix: absentOr(z.boolean()),
    installments: absentOr(count),
    qr_code_pix: absentOr(z.string()),
    created_at: absentOr(z.string()),
    updated_at: absentOr(z.string()),
    returned: absentOr(z.boolean()),
  }),
});

/** The answer of `GET {endpoint}/order`. */
export const orderAnswerSchema = z.object({
  data: z.object({
    external_id: z.string().check(z.regex(externalIdPattern)),
    totals: z.partial(z.object({ pix: cents, credit_card: cents })),
    items: z.array(
      z.object({
        name: z.string(),
        description: z.optional(z.string()),
        quantity: z.int(),
        unit_price: z.int(),
      }),
    ),
  }),
});
