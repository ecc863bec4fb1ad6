/** Makes wrong proxies of ours: small wrappers that read requests in another way, change answers, or remember by too little. */
import type { CheckedProxy } from '../../../../src/cli/check/values.js';
import { openCheckedShop, textOf } from '../checked-shop.js';
import type { Answering, CheckedShop } from '../checked-shop.js';

/** A wrong proxy. */
export interface PlantedFault {
  readonly name: string;
  readonly breaks: readonly string[];
  readonly plant: (shop: CheckedShop) => Answering;
  /** What the check is given beside the usual. */
  readonly given?: Partial<CheckedProxy>;
}

export type Fields = Record<string, unknown>;

export const isCreation = ({ method }: Request) => method === 'POST';
export const isLookUp = ({ method, url }: Request) =>
  method === 'GET' && /invoices\/[\w-]+(\?|$)/.test(url);
export const isError = (_: Request, { status }: Response) => status >= 400;

/** A proxy whose answers are changed, some of them or all. */
export function changing(
  isWanted: (request: Request, answer: Response) => boolean,
  change: (answer: Response, request: Request) => Response | Promise<Response>,
): PlantedFault['plant'] {
  return ({ answer }) =>
    async (request) => {
      const response = await answer(request.clone());
      return isWanted(request, response) ? change(response, request) : response;
    };
}

export function withHeaders(own: Record<string, string | null>) {
  return (answer: Response): Response => {
    const headers = new Headers(answer.headers);
    for (const [name, value] of Object.entries(own)) {
      if (value === null) headers.delete(name);
      else headers.set(name, value);
    }
    return new Response(answer.body, { status: answer.status, headers });
  };
}

export function withBody(change: (body: Fields) => Fields, status?: number) {
  return async (answer: Response): Promise<Response> => {
    const body = JSON.stringify(change((await answer.json()) as Fields));
    return new Response(body, { status: status ?? answer.status, headers: answer.headers });
  };
}

/** An error of the contract in the place of an answer. */
export function withProblem(code: string, status: number, detail?: string) {
  return async (answer: Response): Promise<Response> =>
    withHeaders({ 'content-type': 'application/problem+json' })(
      await withBody(
        () => ({ type: 'about:blank', title: code, status, code, detail }),
        status,
      )(answer),
    );
}

export const withData = (change: Fields) =>
  withBody((body) => ({ ...body, data: { ...(body['data'] as Fields), ...change } }));

/** A proxy that reads requests in another way. Null: as they are. */
export function reading(
  read: (
    request: Request,
    shop: CheckedShop,
  ) => RequestInit | null | Promise<RequestInit | null> | Request,
): PlantedFault['plant'] {
  return (shop) => async (request) => {
    const init = await read(request, shop);
    if (init instanceof Request) return shop.answer(init);
    return shop.answer(init ? new Request(request.clone(), init) : request);
  };
}

/** A proxy that reads another body of a creation. */
export function readingBody(
  change: (body: Fields, shop: CheckedShop) => Fields,
): PlantedFault['plant'] {
  return reading(async (request, shop) => {
    if (!isCreation(request) || request.headers.get('user-agent') === null) return null;
    const text = await textOf(request);
    if (text === null || !text.startsWith('{"method":"')) return null;
    return { body: JSON.stringify(change(JSON.parse(text) as Fields, shop)) };
  });
}

export function without(name: string): (body: Fields) => Fields {
  return (body) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name));
}

/** What came of an attempt is asked by its key. */
export const isQuestion = (method: string, url: string) =>
  method === 'GET' && url.includes('/invoices?external_id=');

/** A proxy that remembers by something else than the order: each name has a shop of its own. */
export function splitBy(nameOf: (request: Request, body: Fields) => string): PlantedFault['plant'] {
  return (first) => {
    const shops = new Map<string, Promise<CheckedShop>>([['', Promise.resolve(first)]]);
    const byInvoice = new Map<string, CheckedShop>();
    const asked = new Set<string | null>();
    const byKey = new Map<string | null, string>();
    return async (request) => {
      const key = request.headers.get('idempotency-key');
      const isAsked = isQuestion(request.method, request.url);
      if (isAsked && !byKey.has(key)) asked.add(key);
      const text = isCreation(request) ? await textOf(request) : '{}';
      const body = (text?.startsWith('{"method":"') === true ? JSON.parse(text) : {}) as Fields;
      // What it said of a key it keeps to.
      const name = asked.has(key) ? '' : (isAsked && byKey.get(key)) || nameOf(request, body);
      if (isCreation(request)) byKey.set(key, name);
      const opened = shops.get(name) ?? openCheckedShop();
      shops.set(name, opened);
      const id = /invoices\/([\w-]+)/.exec(request.url)?.[1] ?? '';
      const shop = byInvoice.get(id) ?? (await opened);
      const answer = await shop.answer(request);
      const json = (await answer
        .clone()
        .json()
        .catch(() => ({}))) as { data?: Fields };
      if (json.data) byInvoice.set(String(json.data['invoice_id']), shop);
      return answer;
    };
  };
}

/** The token that belongs to an invoice. */
export function knowingTokens(read: (request: Request, token: string) => Headers | null) {
  return ({ answer }: CheckedShop): Answering => {
    const tokens = new Map<string, string>();
    return async (request) => {
      const id = /invoices\/([\w-]+)/.exec(request.url)?.[1] ?? '';
      const headers = read(request, tokens.get(id) ?? '');
      const response = await answer(headers ? new Request(request, { headers }) : request);
      const { data } = (await response
        .clone()
        .json()
        .catch(() => ({}))) as { data?: Fields };
      const token = data?.['lookup_token'];
      if (typeof token === 'string') tokens.set(String(data?.['invoice_id']), token);
      return response;
    };
  };
}

export function withHeader(request: Request, name: string, value: string): Headers {
  const headers = new Headers(request.headers);
  headers.set(name, value);
  return headers;
}

/** A proxy that believes some order tokens, and signs them anew. */
export function believing(
  isBelieved: (payload: { readonly e: string; readonly x: number }, token: string) => boolean,
): PlantedFault['plant'] {
  return reading(async (request, { sign }) => {
    const text = isCreation(request) ? await textOf(request) : null;
    const token = /"order_token":"(v1\.[^"]*)"/.exec(text ?? '')?.[1] ?? '';
    const payload = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}',
    );
    if (text === null || !isBelieved(payload, token)) return null;
    return { body: text.replace(token, await sign(payload.e)) };
  });
}
