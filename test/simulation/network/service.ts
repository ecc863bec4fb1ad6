/**
 * The invoice service of a history: invoices, what becomes of them, and every way to answer that its specification does
 * not exclude. Written from the specification alone; it knows no proxy.
 *
 * Owns the truth: what was charged, and what was paid. A card's test outcome stands in its token.
 */

import { toPixCode } from '../../support/pix-code.js';
import { personal } from '../people/canaries.js';
import type { World } from '../world.js';

/** An invoice as the service knows it. */
export interface ServiceInvoice {
  readonly id: string;
  readonly orderCode: string;
  readonly externalId: string;
  readonly totalCents: number;
  readonly isPix: boolean;
  readonly code: string;
  /** Of the card that was charged; null for Pix. */
  readonly cardToken: string | null;
  readonly postbackUrl: string;
  status: 'pending' | 'paid' | 'refused';
  changedAtMs: number;
  /** A look-up of it names another total or another order, now and for ever. */
  readonly lie: 'total' | 'reference' | null;
  /** A look-up has said that it is paid, and agreed with what was created. */
  saidPaid: boolean;
  /** The creation was answered as if it had been refused: only a postback tells of it. */
  isDenied: boolean;
}

/** A request that arrived. */
export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown> | null;
}

/** What goes back. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: unknown;
  /** What it says of an invoice, for a watcher. */
  readonly about?: { readonly invoice: ServiceInvoice; readonly status: string };
}

/** How a card ends, by the first word of its token. */
export const cardOutcomes = ['approve', 'refuse', 'slow', 'doubt', 'decline', 'invalid'] as const;

export type Service = ReturnType<typeof createService>;

/** How long an answer from the past may be old, milliseconds. */
const staleForMs = 8_000;

const codes = new Map<number, string>();

/** @param sendPostback brings a postback on its way */
export function createService(
  world: World,
  sendPostback: (invoice: ServiceInvoice, body: Record<string, unknown>) => void,
) {
  const { timeline, chance, conditions, watch } = world;
  const invoices = new Map<string, ServiceInvoice>();

  return {
    invoices,
    /** Takes a request in, and answers now or later. */
    receive(call: ServiceCall, answer: (answer: ServiceAnswer) => void) {
      const delayMs = chance.happens(conditions().serviceIsLate) ? chance.between(500, 40_000) : 0;
      const work = () => answer(serve(call));
      if (delayMs > 0) timeline.after(delayMs, null, work);
      else work();
    },
    /** A payer's bank pays a Pix code. */
    pay(id: string) {
      const invoice = invoices.get(id);
      if (invoice?.status === 'pending') move(invoice, 'paid');
    },
  };

  function serve({ method, path, body }: ServiceCall): ServiceAnswer {
    if (method === 'POST') return create(body ?? {});
    return lookUp(path.split('/').at(-1) ?? '');
  }

  function create(body: Record<string, unknown>): ServiceAnswer {
    const errs = chance.happens(conditions().serviceErs);
    if (errs && chance.happens(0.5)) {
      return chance.pick([failure(429), failure(503), failure(401), failure(500), failure(408)]);
    }
    const card = body['card'] as { token?: string } | undefined;
    const cardToken = card?.token ?? null;
    const outcome = cardToken?.split('-')[0] ?? 'pix';
    if (outcome === 'invalid') return failure(422);
    const totalCents = Number(body['total_price_cents']);
    const invoice: ServiceInvoice = {
      id: chance.uuid(),
      // Now and then the service writes of people where a code or a time belongs.
      orderCode: invoices.size % 4 === 3 ? personal.payer.cpf : `CODE-${invoices.size + 1}`,
      externalId: String(body['external_id']),
      totalCents,
      isPix: cardToken === null,
      code: cardToken === null ? toCode(totalCents) : '',
      cardToken,
      postbackUrl: String(body['postback_url']),
      status: outcome === 'approve' ? 'paid' : outcome === 'refuse' ? 'refused' : 'pending',
      changedAtMs: timeline.now(),
      lie: chance.happens(conditions().serviceLies) ? chance.pick(['total', 'reference']) : null,
      saidPaid: false,
      isDenied: errs && chance.happens(0.5),
    };
    invoices.set(invoice.id, invoice);
    watch.invoiceMade(invoice);
    settleByItself(invoice, outcome);
    // An early postback may be there before the answer.
    if (chance.happens(0.3) || invoice.status !== 'pending') notify(invoice);
    if (invoice.isDenied) return failure(422);
    if (errs && chance.happens(0.3)) return chance.pick([failure(500), failure(409), nonsense]);
    const wrong = errs && chance.happens(0.3) ? { external_id: null } : {};
    return success({ ...toData(invoice), ...wrong });
  }

  function lookUp(id: string): ServiceAnswer {
    const errs = chance.happens(conditions().serviceErs);
    if (errs && chance.happens(0.6)) {
      return chance.pick([failure(429), failure(503), failure(401), failure(404), nonsense]);
    }
    const invoice = invoices.get(id);
    if (!invoice) return failure(404);
    const ageMs = timeline.now() - invoice.changedAtMs;
    const isStale = ageMs < staleForMs && chance.happens(conditions().serviceIsStale);
    const lie = invoice.lie ?? (errs ? chance.pick(['total', 'reference']) : null);
    const status = isStale ? 'pending' : invoice.status;
    if (status === 'paid' && lie === null) invoice.saidPaid = true;
    const answer = success({
      ...toData(invoice),
      ...personal,
      status,
      is_pix: invoice.isPix,
      installments: 1,
      created_at: '2026-11-21T10:00:00.000000-03:00',
      updated_at: personal.client.name,
      end_to_end_id: status === 'paid' ? `E00000000${invoice.id.slice(0, 8)}` : '',
      ...(lie === 'total' ? { total_cents: invoice.totalCents + 1 } : {}),
      ...(lie === 'reference' ? { external_id: 'order-of-others' } : {}),
      items: [],
    });
    // What disagrees says nothing of the invoice.
    return { ...answer, about: { invoice, status: lie === null ? status : 'disagrees' } };
  }

  /** Pending cards end when their time has come; one that is in doubt never does. */
  function settleByItself(invoice: ServiceInvoice, outcome: string): void {
    if (outcome !== 'slow' && outcome !== 'decline') return;
    const status = outcome === 'slow' ? 'paid' : 'refused';
    timeline.after(chance.between(1_000, 90_000), null, () => move(invoice, status));
  }

  function move(invoice: ServiceInvoice, status: ServiceInvoice['status']): void {
    invoice.status = status;
    invoice.changedAtMs = timeline.now();
    world.note(`service: ${invoice.id.slice(0, 4)} of ${invoice.externalId} is ${status}`);
    notify(invoice);
  }

  function notify(invoice: ServiceInvoice): void {
    if (!chance.happens(conditions().postbacks)) return;
    sendPostback(invoice, { id: invoice.id, status: invoice.status, payer: personal.payer });
  }
}

function toData({ id, orderCode, externalId, code, status, totalCents }: ServiceInvoice) {
  return {
    invoice_id: id,
    order_code: orderCode,
    external_id: externalId,
    qr_code_pix: code,
    status,
    total_cents: totalCents,
  };
}

function toCode(totalCents: number): string {
  const code = codes.get(totalCents) ?? toPixCode({ totalCents });
  codes.set(totalCents, code);
  return code;
}

const nonsense: ServiceAnswer = { status: 200, body: { data: { invoice_id: 'no' } } };

function success(data: object): ServiceAnswer {
  return { status: 200, body: { data, message: 'OK' } };
}

function failure(status: number): ServiceAnswer {
  return { status, body: { message: 'failure' } };
}
