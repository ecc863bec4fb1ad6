/** A captured stand-in for the service: it answers as the specification says, unless a test says otherwise. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { toPixCode } from '../pix-code.js';
import { createGate } from './clock.js';

/** A request as it went to the service. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown> | null;
}

/** An invoice by its id. */
type Made = Pick<WireFields, 'invoice_id'>;

/** What the service answers: one invoice per creation. */
export interface WireFields {
  [field: string]: unknown;
  invoice_id: string;
  status: string;
  total_cents: number;
}

/** How a test lets the service behave: an answer, a throw, or undefined for the usual. */
type Behaviour = (
  sent: Sent,
  request: Request,
) => Response | Promise<Response | undefined> | undefined;

export type Upstream = ReturnType<typeof createUpstream>;

export function createUpstream() {
  const sent: Sent[] = [];
  const invoices = new Map<string, WireFields>();
  const sentBy = (name: string) => sent.filter(({ method }) => method === name);
  const upstream = {
    sent,
    invoices,
    creates: () => sentBy('POST').length,
    lookUps: () => sentBy('GET').length,
    /** The invoice as the service has it. */
    of: ({ invoice_id: id }: Made) => invoices.get(id) ?? assert.fail(`there is no invoice ${id}`),
    /** It is paid, and that is not told. */
    pay: (made: Made) => void (upstream.of(made).status = 'paid'),
    /** The address that came with the newest creation. */
    postbackUrl: () => String(sentBy('POST').at(-1)?.body?.['postback_url']),
    behave: (() => undefined) as Behaviour,
    /** Holds requests of a method back. @returns what lets them go */
    hold(held: 'GET' | 'POST'): () => void {
      const { opened, release } = createGate();
      const { behave } = upstream;
      upstream.behave = async (call, request) => {
        if (call.method === held) await opened;
        return behave(call, request);
      };
      return release;
    },
    /** Fields of all that is made from now on. */
    makes: {} as Record<string, unknown>,
    /** Makes what is asked for. What became of the answer is another matter. */
    make(body: Record<string, unknown>): WireFields {
      const made = { ...toWireInvoice(body), ...upstream.makes };
      invoices.set(made.invoice_id, made);
      return made;
    },
    async fetch(...input: Parameters<typeof fetch>): Promise<Response> {
      const request = new Request(...input);
      const text = await request.clone().text();
      const { method, url, headers } = request;
      const call: Sent = { method, url, headers, body: text ? JSON.parse(text) : null };
      sent.push(call);
      return (await upstream.behave(call, request)) ?? answerAsSpecified(call);
    },
  };
  return upstream;

  function answerAsSpecified({ method, url, body }: Sent): Response {
    if (method === 'POST') return json({ data: upstream.make(body ?? {}), message: 'created' });
    const id = url.split('/').at(-1) ?? '';
    const found = [...invoices.values()].find((each) =>
      [each.invoice_id, each.order_code].includes(id),
    );
    return found ? json({ data: found, message: 'found' }) : json({}, 404);
  }
}

/** Every field of the specification, the personal ones too. */
export function toWireInvoice(request: Record<string, unknown>): WireFields {
  const totalCents = Number(request['total_price_cents']);
  const end_to_end_id = 'E0000000020261121canary0000000';
  const contact = { email: 'canary@example.com', phone: '11987654321' };
  return {
    invoice_id: randomUUID(),
    order_code: `ORDER-${randomUUID().slice(0, 8)}`,
    external_id: request['external_id'],
    status: 'pending',
    total_cents: totalCents,
    qr_code_pix: toPixCode({ totalCents }),
    is_pix: request['method'] !== 'credit_card',
    installments: 1,
    created_at: '2026-11-21T10:00:00.000000-03:00',
    updated_at: '2026-11-21T10:00:00.000000-03:00',
    end_to_end_id,
    client: { id: 1, name: 'Canary Client', cpf_cnpj: '52998224725', ...contact },
    payer: { name: 'Canary Payer', cpf: '11144477735', end_to_end_id },
    items: [],
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers });
}
