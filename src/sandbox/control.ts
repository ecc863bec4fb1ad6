/**
 * The control surface under `/sandbox/…`: settles invoices, sets faults, sends postbacks.
 *
 * JSON, without a bearer, on loopback only. No answer names a person, a card or a token.
 */

import * as z from 'zod/mini';
import { drawBank, readBankForm } from './bank-page.js';
import { toProblem } from './json-response.js';
import { countCharges } from './charges.js';
import { faultList } from './faults.js';
import { settleInvoice, toPostback, toSummary, setStatus, type SandboxInvoice } from './invoice.js';
import type { OperationContext } from './invoice-operations.js';

export interface ControlContext extends OperationContext {
  readonly postbackFetch: typeof fetch;
}

/** Does what a control call asks for, and returns the JSON of its answer. */
type Handler = (context: ControlContext, call: Call) => object | Promise<object>;

/** A wrong status that a test may put into a postback. */
const claim = z._default(z.strictObject({ status: z.exactOptional(z.string()) }), {});

/** Longest wait for the receiver of a postback, milliseconds. */
const postbackTimeoutMs = 5_000;

const controlPath =
  /^\/sandbox\/(invoices|charges|faults|requests|reset)(?:\/([^/]+)\/(pay|settle|status|postback))?$/;

/** The page for people, and its two files. */
const bankPath = /^\/sandbox\/?(bank\.(?:css|js))?$/;

const loopbackHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const handlers: Readonly<Record<string, Handler>> = {
  'GET invoices': ({ store }) => {
    const invoices = store.invoices().map(toSummary);
    return { creates: invoices.length, invoices };
  },
  'POST invoices settle': (context, call) => toSummary(settle(context, call)),
  'POST invoices pay': (context, call) => {
    const invoice = settle(context, call);
    const url = invoice.request.postback_url ?? '';
    // The postback is not awaited, because a bank does not wait for a shop.
    if (URL.canParse(url)) void sendPostback(url, invoice, context.postbackFetch);
    return toSummary(invoice);
  },
  'POST invoices status': async ({ store, now }, call) => {
    const { status } = await call.read(z.strictObject({ status: z.string() }));
    const invoice = setStatus(call.invoice(), status, now());
    store.put(invoice);
    return toSummary(invoice);
  },
  'POST invoices postback': async ({ postbackFetch }, call) => {
    const invoice = call.invoice();
    const url = invoice.request.postback_url ?? '';
    if (!URL.canParse(url)) throw new ControlFault('postback_url');
    const { status = invoice.status } = await call.read(claim);
    return sendPostback(url, { ...invoice, status }, postbackFetch);
  },
  'GET charges': ({ store }, { query }) =>
    countCharges(store.invoices(), query.get('external_id') ?? undefined),
  'GET faults': ({ store }) => store.faults(),
  'PUT faults': async ({ store }, call) => {
    store.setFaults(await call.read(faultList));
    return store.faults();
  },
  'DELETE faults': ({ store }) => {
    store.setFaults([]);
    return store.faults();
  },
  'GET requests': ({ store }) => store.calls,
  'POST reset': ({ store }) => {
    store.reset();
    return store.calls;
  },
};

function settle({ store, now, randomUuid }: ControlContext, call: Call): SandboxInvoice {
  const invoice = settleInvoice(call.invoice(), now(), randomUuid());
  store.put(invoice);
  return invoice;
}

/** Whether a path belongs to the control surface. */
export function isControlPath(pathname: string): boolean {
  return controlPath.test(pathname) || bankPath.test(pathname);
}

/** Answers one control call. */
export async function answerControl(request: Request, context: ControlContext): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  // A page elsewhere can point its own host name at 127.0.0.1 (DNS rebinding), but the request then carries that host name.
  if (!loopbackHost.test(hostname))
    return toProblem(403, 'The control surface is for loopback only');
  const bank = bankPath.exec(pathname);
  if (bank) return answerBank(request, bank[1] ?? null, context);
  const [, name = '', id = '', action] = controlPath.exec(pathname) ?? [];
  const route = action === undefined ? name : `${name} ${action}`;
  const handler = handlers[`${request.method} ${route}`];
  if (!handler) return toProblem(405, 'This path has no such method');
  try {
    return Response.json(await handler(context, toCall(request, context, id)));
  } catch (thrown) {
    if (!(thrown instanceof ControlFault)) throw thrown;
    if (thrown.field === 'id') return toProblem(404, 'No such invoice', 'id');
    return toProblem(400, 'The call is not valid', thrown.field);
  }
}

/** Turns a form of the bank's page into a control call, and answers with the page again. */
async function answerBank(
  request: Request,
  file: string | null,
  context: ControlContext,
): Promise<Response> {
  const { store } = context;
  if (request.method === 'GET') {
    const bank = { invoices: store.invoices(), faults: store.faults() };
    return drawBank(file, bank) ?? toProblem(404, 'No such file');
  }
  const isForm = request.method === 'POST' && file === null;
  if (!isForm) return toProblem(405, 'This path has no such method');
  const call = readBankForm(new URLSearchParams(await request.text()));
  if (call === null) return toProblem(400, 'The call is not valid', 'act');
  const { method, path, body } = call;
  const url = new URL(`/sandbox/${path}`, request.url);
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
  const answer = await answerControl(new Request(url, init), context);
  return answer.ok
    ? new Response(null, { status: 303, headers: { Location: '/sandbox/' } })
    : answer;
}

/** A wrong control call. `field` names the wrong part. */
class ControlFault extends Error {
  constructor(readonly field: string) {
    super(`${field} is missing or invalid`);
  }
}

type Call = ReturnType<typeof toCall>;

/** Makes the call that a handler reads: its query, its body, and the invoice that its path names. */
function toCall(request: Request, context: ControlContext, id: string) {
  return {
    query: new URL(request.url).searchParams,
    /** Reads and checks the body. @throws ControlFault */
    async read<T extends z.ZodMiniType>(schema: T): Promise<z.infer<T>> {
      const body: unknown = await request.json().catch(() => undefined);
      const result = z.safeParse(schema, body);
      if (result.success) return result.data;
      throw new ControlFault(findWrongField(result.error));
    },
    /** Finds the invoice that the path names. @throws ControlFault */
    invoice() {
      const invoice = context.store.find(id);
      if (!invoice) throw new ControlFault('id');
      return invoice;
    },
  };
}

/** Finds the path of the first issue, with the name of an unknown key. */
function findWrongField({ issues: [issue] }: z.core.$ZodError): string {
  const path = [...(issue?.path ?? [])];
  if (issue?.code === 'unrecognized_keys') path.push(...issue.keys.slice(0, 1));
  return path.join('.') || 'body';
}

/** Sends the postback once, and says whether it was delivered. */
async function sendPostback(url: string, invoice: SandboxInvoice, postbackFetch: typeof fetch) {
  // Assumed: an unsigned JSON POST (service spec does not show payload, signing or retries).
  try {
    const response = await postbackFetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(toPostback(invoice)),
      redirect: 'manual',
      signal: AbortSignal.timeout(postbackTimeoutMs),
    });
    void response.body?.cancel().catch(() => undefined);
    return { delivered: response.ok, status: response.status };
  } catch {
    return { delivered: false, status: null };
  }
}
