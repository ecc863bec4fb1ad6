/** What the keys of `dev` do: they play the bank and the line for the newest invoice. */

import { randomUUID } from 'node:crypto';
import { signOrder } from '../../order-token.js';
import type { PixProxy, ProxyOptions } from '../../proxy.js';
import type { Sandbox } from '../../sandbox.js';

/** What the keys work with. */
export interface BankKeyParts {
  readonly sandbox: Pick<Sandbox, 'fetch' | 'invoices'>;
  readonly proxy: Pick<PixProxy, 'fetch'>;
  readonly settings: Pick<ProxyOptions, 'publicUrl' | 'secrets' | 'allowedOrigins'>;
}

type Invoice = ReturnType<Sandbox['invoices']>[number];

/** @returns the key's function: what it did, as a line; null for a key without a meaning */
export function createBankKeys(parts: BankKeyParts): (key: string) => Promise<string | null> {
  const { sandbox } = parts;
  const onNewest: Readonly<Record<string, (invoice: Invoice) => Promise<string>>> = {
    p: async (invoice) => `Paid: ${await change(invoice, 'settle')}`,
    r: async (invoice) => `Refused: ${await change(invoice, 'status', { status: 'refused' })}`,
    e: async (invoice) => `Expired: ${await change(invoice, 'status', { status: 'expired' })}`,
    2: payTwice,
  };

  return async (key) => {
    if (key === 'l') {
      await control('PUT', 'faults', [{ on: 'create', kind: 'cut_after', times: 1 }]);
      return 'The answer to the next creation will be lost.';
    }
    const act = Object.hasOwn(onNewest, key) ? onNewest[key] : undefined;
    if (!act) return null;
    const newest = sandbox.invoices().findLast(({ status }) => status === 'pending');
    return newest ? act(newest) : 'No invoice is open.';
  };

  /** Has the bank do something with an invoice, and tell of it. @returns its order, for the line */
  async function change(
    { invoiceId, request }: Invoice,
    action: 'settle' | 'status',
    body?: object,
  ): Promise<string> {
    await control('POST', `invoices/${invoiceId}/${action}`, body);
    await control('POST', `invoices/${invoiceId}/postback`);
    return request.external_id ?? invoiceId;
  }

  /** As a payer does who asked for another code, and has both in the bank app. */
  async function payTwice(invoice: Invoice): Promise<string> {
    if (!invoice.isPix) return 'Only a Pix code can be paid twice.';
    const second = await replace(parts, invoice);
    if (second === null) return 'The proxy made no second code: see its answer above.';
    const other = sandbox.invoices().find(({ invoiceId }) => invoiceId === second);
    await change(invoice, 'settle');
    if (other) await change(other, 'settle');
    return `Paid twice: ${invoice.request.external_id}`;
  }

  async function control(method: string, path: string, body?: unknown): Promise<void> {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await sandbox.fetch(`http://127.0.0.1/sandbox/${path}`, init);
    if (!answer.ok) throw new Error(`the sandbox answered ${answer.status}`);
  }
}

/** Asks the proxy for a second code of the order, as a page does. @returns its invoice; null: there is none */
async function replace(
  { proxy, settings }: BankKeyParts,
  { invoiceId, request }: Invoice,
): Promise<string | null> {
  const { publicUrl, secrets, allowedOrigins } = settings;
  const externalId = request.external_id ?? '';
  const answer = await proxy.fetch(
    new Request(`${publicUrl}/invoices`, {
      method: 'POST',
      headers: {
        Origin: allowedOrigins[0] ?? '',
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
      },
      body: JSON.stringify({
        method: 'pix',
        external_id: externalId,
        order_token: await signOrder({ secrets, publicUrl, externalId }),
        replaces: invoiceId,
      }),
    }),
  );
  if (!answer.ok) return null;
  const { data } = (await answer.json()) as { readonly data: { readonly invoice_id: string } };
  return data.invoice_id;
}
