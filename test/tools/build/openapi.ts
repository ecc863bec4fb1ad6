/**
 * The contract as OpenAPI 3.1, made of what the proxy itself reads by: the zod schemas and the table of error codes. The
 * build writes it to dist/openapi.json; tests hold real answers against it.
 */
import * as z from 'zod/mini';
import {
  eventSchema,
  orderQuestionSchema,
  unknownOrderSchema,
} from '../../../src/cli/merchant-server/merchant-schemas.js';
import { errorCodes, type ErrorCode } from '../../../src/contract/codes.js';
import {
  createdAnswerSchema,
  createRequestSchema,
  orderAnswerSchema,
  statusAnswerSchema,
} from '../../../src/contract/schemas.js';
import {
  externalIdPattern,
  invoiceIdPattern,
  maxWaitSeconds,
} from '../../../src/contract/types.js';
import { payableSchema } from '../../../src/proxy/outside/merchant.js';

type Json = Readonly<Record<string, unknown>>;

/** @param version of the package */
export function toOpenApi(version: string): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'pix-checkout: the contract between browser and proxy',
      version,
      description:
        'What <pix-checkout> asks of a proxy. Answers may hold fewer fields than ours do; never `client`, `payer` or `end_to_end_id`.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The maintainers of pix-checkout' },
    },
    // An order token stands in the body of a creation, and in a header of its own where an attempt is asked for.
    security: [],
    tags: [
      { name: 'Invoices', description: 'Every proxy has them' },
      { name: 'Payment links', description: 'Of proxies with a payment page' },
    ],
    servers: [{ url: 'https://shop.example/pix', description: '`endpoint` of the element' }],
    paths: {
      '/invoices': {
        post: {
          operationId: 'createInvoice',
          tags: ['Invoices'],
          summary: 'Create the invoice of an order, or get its open one',
          description:
            'An order has one open Pix code: every creation of it is answered with that one. A key that is sent again charges nothing again.',
          parameters: [idempotencyKey],
          requestBody: { required: true, content: json(ref('CreateRequest')) },
          responses: {
            200: answer('The invoice', 'CreateAnswer'),
            ...problems(allCodes),
          },
        },
        get: {
          operationId: 'recoverInvoice',
          tags: ['Invoices'],
          summary: 'Get the answer of a former attempt again; a proxy may lack it',
          description:
            '404 `not_found` means: never. The key is barred before it is said, and no request with it creates or charges anything afterwards.',
          parameters: [idempotencyKey, orderOfAttempt, orderTokenOfAttempt],
          responses: {
            200: answer('The invoice', 'CreateAnswer'),
            ...problems(allCodes),
          },
        },
      },
      '/invoices/{invoice_id}': {
        get: {
          operationId: 'lookUpInvoice',
          tags: ['Invoices'],
          summary: 'Look an invoice up',
          description:
            'Takes the `lookup_token` that the creation of this invoice was answered with, where it was.',
          security: [{ lookupToken: [] }, {}],
          parameters: [
            {
              name: 'invoice_id',
              in: 'path',
              required: true,
              schema: { type: 'string', pattern: invoiceIdPattern.source },
            },
            {
              name: 'wait',
              in: 'query',
              description:
                'Seconds to hold the answer until the status changes; a proxy may ignore it',
              schema: { type: 'integer', minimum: 0, maximum: maxWaitSeconds },
            },
            {
              name: 'n',
              in: 'query',
              description:
                'Another number with each request, so that no cache answers; a proxy ignores it',
              schema: { type: 'string' },
            },
          ],
          responses: {
            200: answer('What the service says of it', 'LookUpAnswer'),
            ...problems(lookUpCodes),
          },
        },
      },
      '/order': {
        get: {
          operationId: 'readOrder',
          tags: ['Payment links'],
          summary: 'Say what a payment link is about; a proxy without a payment page lacks it',
          description: 'It creates nothing, and asks no service.',
          security: [{ orderToken: [] }, {}],
          parameters: [
            {
              name: 'external_id',
              in: 'query',
              description: 'Instead of the token, where orders are public',
              schema: { type: 'string', pattern: externalIdPattern.source },
            },
          ],
          responses: {
            200: answer('Totals and items of an order that can be paid', 'ReadOrderAnswer'),
            ...problems(orderCodes),
          },
        },
      },
    },
    webhooks: {
      order: {
        post: {
          operationId: 'resolveOrder',
          summary: 'What `ORDER_URL` of `pix-checkout serve` is asked: what an order costs',
          parameters: webhookHeaders,
          requestBody: { required: true, content: json(ref('OrderQuestion')) },
          responses: {
            200: answer('The order', 'OrderAnswer'),
            404: {
              description:
                '`{"order": null}`: the order is not known. Any other 404 is a fault, such as a wrong path',
              content: json(ref('UnknownOrder')),
            },
          },
        },
      },
      event: {
        post: {
          operationId: 'hearEvent',
          summary: 'What `EVENTS_URL` of `pix-checkout serve` is told, until it answers 2xx',
          parameters: webhookHeaders,
          requestBody: { required: true, content: json(ref('Event')) },
          responses: { '2XX': { description: 'Heard. It is not told again' } },
        },
      },
    },
    components: {
      schemas: {
        OrderQuestion: toJsonSchema(orderQuestionSchema),
        OrderAnswer: { anyOf: [toJsonSchema(payableSchema), orderEnd] },
        UnknownOrder: toJsonSchema(unknownOrderSchema),
        Event: toJsonSchema(eventSchema),
        CreateRequest: toJsonSchema(createRequestSchema),
        CreateAnswer: toJsonSchema(createdAnswerSchema),
        LookUpAnswer: toJsonSchema(statusAnswerSchema),
        ReadOrderAnswer: toJsonSchema(orderAnswerSchema),
        Problem: {
          type: 'object',
          description: 'RFC 9457. `data` comes with `order_paid`, `detail` with `invalid_request`.',
          required: ['type', 'title', 'status', 'code'],
          properties: {
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            code: { type: 'string', enum: allCodes },
            detail: { type: 'string', description: 'The field or header that is wrong' },
            data: { type: 'object' },
          },
        },
      },
      securitySchemes: {
        lookupToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Lookup-Token',
          description: '`lookup_token` of the create answer; also taken as a bearer',
        },
        orderToken: {
          type: 'apiKey',
          in: 'header',
          name: 'Order-Token',
          description:
            '`order_token`, as the fragment of a payment link holds it; also taken as a bearer',
        },
      },
    },
  };
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description: 'Tells a repeated request from a new attempt',
  schema: { type: 'string', format: 'uuid' },
};

const orderOfAttempt = {
  name: 'external_id',
  in: 'query',
  description: 'The order of the attempt; without it nothing is promised',
  schema: { type: 'string', pattern: externalIdPattern.source },
};

const orderTokenOfAttempt = {
  name: 'Order-Token',
  in: 'header',
  description: 'The order token, where one is required',
  schema: { type: 'string' },
};

/** An order that is over. */
const orderEnd = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', enum: ['paid', 'closed'] } },
};

/** Standard Webhooks 1.0.0. */
const webhookHeaders = [
  ['webhook-id', 'The same for every try'],
  ['webhook-timestamp', 'Seconds since 1970, of this try'],
  [
    'webhook-signature',
    '`v1,` and an HMAC-SHA256 in base64 of `id.timestamp.body`; several, with spaces between',
  ],
].map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

const allCodes = Object.keys(errorCodes) as ErrorCode[];

/** A look-up creates nothing. */
const lookUpCodes: readonly ErrorCode[] = [
  'invalid_request',
  'unauthorized',
  'not_found',
  'too_many_requests',
  'payment_refused',
  'service_unavailable',
];

/** To read an order creates nothing, and asks no service. */
const orderCodes: readonly ErrorCode[] = [
  'invalid_request',
  'unknown_order',
  'order_paid',
  'order_closed',
  'order_failed',
  'unauthorized',
  'not_found',
  'too_many_requests',
  'service_unavailable',
];

/** One entry for each HTTP status; its description lists the codes that come with it. */
function problems(codes: readonly ErrorCode[]): Json {
  const statuses = [...new Set(codes.flatMap((code) => errorCodes[code].statuses))].toSorted(
    (one, other) => one - other,
  );
  return Object.fromEntries(
    statuses.map((status) => {
      const those = codes.filter((code) => errorCodes[code].statuses.includes(status));
      const content = { 'application/problem+json': { schema: ref('Problem') } };
      return [status, { description: those.map((code) => `\`${code}\``).join(', '), content }];
    }),
  );
}

function answer(description: string, schema: string): Json {
  return { description, content: json(ref(schema)) };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** What zod cannot say in JSON Schema, such as the check digits of a CPF, the proxy still checks. */
function toJsonSchema(schema: z.ZodMiniType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
}
