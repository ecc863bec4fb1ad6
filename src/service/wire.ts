/**
 * Every field of the invoice service's specification, spelled exactly as there (`product_fisical`, `InvoiceID`), and how
 * untrusted JSON is read.
 */

import * as z from 'zod/mini';

/** The form of an id. It has no character that could change the path of a URL. */
export const wireIdPattern = /^[A-Za-z0-9_-]{8,64}$/;

/** The deepest level at which the specification has a field: body, `data`, `items`, element, field. */
const deepestLevel = 5;

const text = z.exactOptional(z.string());
const integer = z.exactOptional(z.int());
const cents = z.int().check(z.minimum(1));

const payer = z.object({
  name: text,
  cpf_cnpj: text,
  email: text,
  phone: text,
  address_zip: text,
  address_line: text,
  address_number: text,
  address_complement: text,
  address_city: text,
  address_state: text,
});

const card = z.object({
  token: text,
  installment: integer,
  number: text,
  first_name: text,
  last_name: text,
  month: text,
  year: text,
  security_code: text,
  cavv: text,
  xid: text,
  eci: text,
  version: text,
  referenceid: text,
});

const item = z.object({
  name: text,
  description: text,
  quantity: integer,
  unit_price: integer,
});

// Assumed: only the method and the total are needed to create an invoice (service spec does not show which fields are).
const creationRequest = z.object({
  method: z.string(),
  product_fisical: text,
  ip_payer: text,
  total_price_cents: cents,
  postback_url: text,
  external_id: z.exactOptional(z.nullable(z.string())),
  payer: z.exactOptional(payer),
  card: z.exactOptional(card),
  items: z.exactOptional(z.array(item)),
});

/** The fields that every answer needs. A reference of null means that the creation gave none. */
const needed = {
  external_id: z.nullable(z.string()),
  invoice_id: z.string().check(z.regex(wireIdPattern)),
  status: z.string().check(z.minLength(1), z.maxLength(64)),
  total_cents: cents,
};

const createdInvoice = z.object({
  ...needed,
  order_code: text,
  qr_code_pix: text,
});

const client = z.object({
  cpf_cnpj: text,
  email: text,
  id: integer,
  name: text,
  phone: text,
});

const actualPayer = z.object({ cpf: text, end_to_end_id: text, name: text });

const invoiceItem = z.object({
  ID: integer,
  InvoiceID: integer,
  Title: text,
  Description: text,
  Quantity: integer,
  UnitPrice: integer,
  Tangible: z.exactOptional(z.boolean()),
  ExternalRef: text,
});

const invoice = z.object({
  ...needed,
  client: z.exactOptional(client),
  created_at: text,
  updated_at: text,
  end_to_end_id: text,
  installments: integer,
  is_pix: z.exactOptional(z.boolean()),
  items: z.exactOptional(z.array(invoiceItem)),
  order_code: text,
  payer: z.exactOptional(actualPayer),
  qr_code_pix: text,
});

const creationAnswer = z.object({ data: createdInvoice });
const lookUpAnswer = z.object({ data: invoice });

/** A creation request as it was received. Absent fields are absent, never undefined. */
export type ReceivedCreation = z.infer<typeof creationRequest>;

/**
 * A creation request as the proxy sends it: always with its own reference. Amounts are integer cents. `payer`, `card` and
 * `ip_payer` are personal data.
 */
export type CreationRequest = ReceivedCreation & { readonly external_id: string };

/** The buyer who has to pay. Every field is personal data. */
export type CreationPayer = z.infer<typeof payer>;

/**
 * A card: its token with its fields, or the number itself, which puts a server in scope of PCI DSS. It is never stored or
 * logged.
 */
export type CreationCard = z.infer<typeof card>;

/** One line of what is bought. */
export type CreationItem = z.infer<typeof item>;

/** `data` of the creation answer. */
export type CreatedWireInvoice = z.infer<typeof createdInvoice>;

/**
 * `data` of the look-up answer. `client`, `payer` and `end_to_end_id` are personal data of two people who may not know
 * each other: who ordered, and who paid.
 */
export type WireInvoice = z.infer<typeof invoice>;

/** The person for whom the invoice was made. Personal data; the service's `id` identifies a person as well. */
export type WireClient = z.infer<typeof client>;

/** The person who actually paid, as their bank names them. Every field is personal data, which the client must not see. */
export type WirePayer = z.infer<typeof actualPayer>;

/** One line of what was bought, spelled with the service's capitals. */
export type WireInvoiceItem = z.infer<typeof invoiceItem>;

/** JSON that differs from the specification. The error has the field's path (`data.total_cents`), never a value. */
export class WireError extends Error {
  override readonly name = 'WireError';
  constructor(readonly field: string) {
    super(`The field "${field}" is missing or not of its type`);
  }
}

/**
 * Reads the answer to a creation.
 * @throws WireError naming the first field that is wrong
 */
export function parseCreation(value: unknown): CreatedWireInvoice {
  return read(creationAnswer, value).data;
}

/**
 * Reads the answer to a look-up.
 * @throws WireError naming the first field that is wrong
 */
export function parseLookUp(value: unknown): WireInvoice {
  return read(lookUpAnswer, value).data;
}

/**
 * Reads a creation request, for the sandbox.
 * @throws WireError naming the first field that is wrong
 */
export function parseCreationRequest(value: unknown): ReceivedCreation {
  return read(creationRequest, value);
}

/**
 * Reads a value by a schema. Drops unknown fields. Null counts as absent, except for the reference, which the service may
 * answer as null.
 */
function read<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  const result = z.safeParse(schema, ownCopy(value, deepestLevel));
  if (result.success) return result.data;
  throw new WireError(result.error.issues[0]?.path.join('.') || 'body');
}

/** Copies own properties to objects without a prototype, so that an inherited property cannot pose as a status. */
function ownCopy(value: unknown, levels: number): unknown {
  if (typeof value !== 'object' || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((element) => ownCopy(element, levels - 1));
  const copy: Record<string, unknown> = Object.create(null);
  for (const [key, field] of Object.entries(value)) {
    if (field !== null || key === 'external_id') copy[key] = ownCopy(field, levels - 1);
  }
  return copy;
}
