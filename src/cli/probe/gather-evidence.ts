/** Calls the service as the proxy does, and keeps the answers: two invoices with the same reference, a card, and look-ups. */

import { randomUUID } from 'node:crypto';
import { formatPayerField, normalizePayerField, type Payer } from '../../domain/payer.js';
import { createServiceClient, ServiceError } from '../../service.js';
import type { CreatedWireInvoice, CreationRequest, WireInvoice } from '../../service.js';
import { readText } from '../../service/body.js';
import { parseObject, toObject } from '../json-object.js';

/** Largest answer that is kept, bytes. It is the client's own limit. */
const maxAnswerBytes = 256 * 1024;

/** The merchant's account, and the order to create there. */
export interface ProbedService {
  readonly serviceUrl: string;
  readonly accessToken: string;
  readonly payer: Partial<Payer>;
  /** Integer cents. */
  readonly totalCents: number;
  /** Ends all calls. */
  readonly signal?: AbortSignal;
}

interface CreationForm {
  readonly method: string;
  readonly format: 'bare' | 'masked';
}

export interface Call<T> {
  /** The invoice, if the client could read one. */
  readonly invoice: T | null;
  readonly error: ServiceError | null;
  readonly status: number | null;
  readonly headers: Headers;
  /** The raw `data`, or an empty object. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Evidence {
  readonly request: CreationRequest;
  readonly form: CreationForm;
  readonly creation: Call<CreatedWireInvoice>;
  /** The look-up by `invoice_id`; null without an invoice, or without that id. */
  readonly byInvoiceId: Call<WireInvoice> | null;
  readonly byOrderCode: Call<WireInvoice> | null;
  readonly byUnknownId: Call<WireInvoice> | null;
  readonly withWrongToken: Call<WireInvoice> | null;
  readonly again: Call<CreatedWireInvoice> | null;
  /** A card that no bank has issued. */
  readonly card: Call<CreatedWireInvoice> | null;
  /** The look-up of the card's invoice; null if there is none. */
  readonly cardAfterwards: Call<WireInvoice> | null;
}

/** The forms of a creation. The first one is assumed. A refused creation has no effect, so the next form is tried. */
const forms: readonly CreationForm[] = ['pix', 'PIX'].flatMap((method) =>
  (['bare', 'masked'] as const).map((format) => ({ method, format })),
);

/** Creates the invoices and looks them up, one call after another. */
export async function gatherEvidence(service: ProbedService): Promise<Evidence> {
  const caller = createCaller(service, service.accessToken);
  const externalId = `pix-checkout-probe-${randomUUID().slice(0, 8)}`;
  const { request, form, creation } = await create();
  const { invoice_id: id, order_code: code } = creation.invoice ?? {};
  const byInvoiceId = id === undefined ? null : await caller.lookUp(id);
  const byOrderCode = code === undefined ? null : await caller.lookUp(code);
  const known = byInvoiceId?.invoice ? id : (code ?? id);
  const card = creation.invoice && (await caller.create(toCardRequest(request)));
  const { invoice_id: cardId, order_code: cardCode } = card?.invoice ?? {};
  const ofCard = byInvoiceId?.invoice ? cardId : (cardCode ?? cardId);
  const stranger = createCaller(service, `wrong-${randomUUID()}`);
  return {
    request,
    form,
    creation,
    byInvoiceId,
    byOrderCode,
    byUnknownId: creation.invoice && (await caller.lookUp(randomUUID())),
    withWrongToken: known === undefined ? null : await stranger.lookUp(known),
    again: creation.invoice && (await caller.create(request)),
    card,
    cardAfterwards: ofCard === undefined ? null : await caller.lookUp(ofCard),
  };

  /** Tries the forms of a creation until the service accepts one. */
  async function create(): Promise<Pick<Evidence, 'request' | 'form' | 'creation'>> {
    const made = [];
    for (const form of forms) {
      const request = toRequest(service, externalId, form);
      const creation = await caller.create(request);
      const { invoice, error } = creation;
      made.push({ request, form, creation });
      if (invoice) return made.at(-1)!;
      if (error?.kind !== 'refused_request' || error.mayHaveHappened) break;
    }
    // If the service accepts no form, report its answer to the first one, which the proxy assumes.
    return made[0]!;
  }
}

/** Makes the request for an invoice, written in this form. */
function toRequest(
  { payer, totalCents }: ProbedService,
  externalId: string,
  { method, format }: CreationForm,
): CreationRequest {
  const written = Object.entries(payer).map(([name, value]) => {
    const field = name as keyof Payer;
    const bare = normalizePayerField(field, value);
    const isMasked = format === 'masked' && (field === 'cpf_cnpj' || field === 'phone');
    return [field, isMasked ? formatPayerField(field, bare) : bare];
  });
  return {
    method,
    external_id: externalId,
    total_price_cents: totalCents,
    payer: Object.fromEntries(written) as Partial<Payer>,
    items: [{ name: 'Teste do pix-checkout', quantity: 1, unit_price: totalCents }],
  };
}

/** Makes the request for a card. Test environments refuse its number, which no bank has issued. */
function toCardRequest({ method: pix, ...request }: CreationRequest): CreationRequest {
  const method = pix === 'pix' ? 'credit_card' : 'CREDIT_CARD';
  const number = '4000000000000002';
  const expiry = { month: '12', year: String(new Date().getFullYear() + 2) };
  const name = { first_name: 'Teste', last_name: 'do Checkout' };
  const card = { number, ...name, ...expiry, security_code: '123', installment: 1 };
  return { ...request, method, external_id: `${request.external_id}-card`, card };
}

/** Wraps the client of the proxy, and records the raw answers. */
function createCaller({ serviceUrl, signal: ending }: ProbedService, accessToken: string) {
  let answer: { status: number; headers: Headers; text: string } | null = null;
  const record: typeof fetch = async (input, init) => {
    const signals = [init?.signal, ending].filter((one) => one instanceof AbortSignal);
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    const { status, headers } = response;
    answer = { status, headers, text: '' };
    // An answer that breaks off or is too large counts as empty.
    const text = await readText(response.body?.getReader(), maxAnswerBytes).catch(() => '');
    answer = { status, headers, text };
    return new Response(text === '' ? null : text, { status, headers });
  };
  const client = createServiceClient({ serviceUrl, accessToken, fetch: record });
  return {
    create: (request: CreationRequest) => run(() => client.createInvoice(request)),
    lookUp: (id: string) => run(() => client.lookUpInvoice(id)),
  };

  /** Runs one call, and adds the raw answer to its result. */
  async function run<T>(call: () => Promise<T>): Promise<Call<T>> {
    answer = null;
    const result = await call().catch((thrown: unknown) => {
      if (thrown instanceof ServiceError) return thrown;
      throw thrown;
    });
    const { status, headers, text } = answer ?? { status: null, headers: new Headers(), text: '' };
    const data = toObject(parseObject(text)?.['data']) ?? {};
    const isError = result instanceof ServiceError;
    const came = isError ? { invoice: null, error: result } : { invoice: result, error: null };
    return { ...came, status, headers, data };
  }
}
