/** Holds real answers against dist/openapi.json's source, by a validator that knows nothing of zod. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { toOpenApi } from '../tools/build/openapi.js';

interface Operation {
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, object>> }>
  >;
}

const document = toOpenApi('0.0.0') as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

/**
 * What of an answer the document does not say; empty: it is as described.
 * @param path below the endpoint
 */
export async function faultsOf(method: string, path: string, answer: Response): Promise<string[]> {
  const template = /^\/invoices\/[^/]+$/.test(path) ? '/invoices/{invoice_id}' : path;
  const operation = document.paths[template]?.[method.toLowerCase()];
  // Preflights, postbacks and methods that are refused are no operation of the contract.
  if (!operation || answer.status === 204) return [];
  const described = operation.responses[answer.status];
  if (!described) return [`${method} ${template}: ${answer.status} is not described`];
  const type = answer.headers.get('Content-Type')?.split(';')[0] ?? '';
  if (!described.content[type]) return [`${method} ${template}: ${answer.status} comes as ${type}`];
  const escaped = template.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const place = `#/paths/${escaped}/${method.toLowerCase()}/responses/${answer.status}/content/${type.replaceAll('/', '~1')}/schema`;
  return faultsAt(place, `${method} ${template} ${answer.status}`, await answer.clone().json());
}

/** Where the bodies of calls to the merchant's server stand in the document; `answer` and `unknown`: what it answers. */
const bodiesOfCalls = {
  order: 'order/post/requestBody',
  event: 'event/post/requestBody',
  answer: 'order/post/responses/200',
  unknown: 'order/post/responses/404',
};

/** What of such a body the document does not say. */
export function faultsOfCall(name: keyof typeof bodiesOfCalls, body: unknown): string[] {
  const place = `${bodiesOfCalls[name]}/content/application~1json/schema`;
  return faultsAt(`#/webhooks/${place}`, name, body);
}

/** What the schema at that place does not say. */
function faultsAt(place: string, what: string, value: unknown): string[] {
  const validate = ajv.getSchema(`openapi${place}`);
  if (!validate) return [`${place} is no schema`];
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message }) => `${what}: ${instancePath} ${message}`,
  );
}
