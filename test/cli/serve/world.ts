/** What `serve` needs around it: a sandbox, a merchant's server that verifies its calls, and a payer who knows only HTTP. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { signOrder } from '../../../src/order-token.js';
import { createSandbox, serveSandbox } from '../../../src/sandbox.js';
import { toCreation, toLookUp } from '../../support/payer.js';
import { makeFolder } from '../../support/folder.js';
import { until } from '../../support/until.js';
import { serve } from '../../support/proxy/node-servers.js';

export const accessToken = 'token-of-the-serve-tests';
export const secret = 'a-secret-of-the-tests-of-serve-0';
export const webhookSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
export const publicUrl = 'https://shop.example/pix';
const origin = 'https://shop.example';
export const totalCents = 12_990;

/** An event as the merchant's server heard it. */
interface Heard {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The data of a create answer. */
export interface Created {
  readonly invoice_id: string;
  readonly lookup_token: string;
  readonly qr_code_pix: string;
  readonly total_cents: number;
}

/** Opens it, with a folder of its own. All of it ends with the test. */
export async function openWorld(t: Pick<TestContext, 'onTestFinished'>) {
  const folder = makeFolder(t);
  const sandbox = createSandbox({ accessToken });
  const service = await serveSandbox(sandbox);
  t.onTestFinished(() => service.close());
  const merchant = await openMerchant(t);
  return {
    folder,
    sandbox,
    merchant,
    /** The variables of a proxy that works. */
    env: {
      PIX_SERVICE_URL: service.url,
      PIX_ACCESS_TOKEN: accessToken,
      PIX_SECRETS: secret,
      PIX_PUBLIC_URL: publicUrl,
      PIX_ALLOWED_ORIGINS: origin,
      PIX_ALLOW_SANDBOX: 'true',
      PIX_LEDGER_URL: `file:${join(folder, 'pix.db')}`,
      PIX_ORDER_URL: `${merchant.url}/order`,
      PIX_EVENTS_URL: `${merchant.url}/events`,
      PIX_WEBHOOK_SECRETS: webhookSecret,
      PIX_PORT: '0',
    },
    write(name: string, source: string) {
      const path = join(folder, name);
      writeFileSync(path, source);
      return path;
    },
  };
}

/** Where an invoice is paid: a sandbox, here or in another process. */
export interface Bank {
  readonly fetch: (url: string, init: { readonly method: string }) => Promise<Response>;
}

/**
 * @param base where the proxy listens, as its start line says
 * @param from the origin of the payer's page
 */
export function openPayer(base: string, sandbox: Bank, from = origin) {
  const url = `${base}${new URL(publicUrl).pathname}`;
  return {
    url,
    async create(externalId: string, orderToken?: string): Promise<Created> {
      const answer = await this.ask(externalId, orderToken);
      assert.equal(answer.status, 200);
      return ((await answer.json()) as { data: Created }).data;
    },
    /** @param orderToken default: one that is made here */
    async ask(
      externalId: string,
      orderToken?: string,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Response> {
      const token = orderToken ?? (await signOrder({ secrets: [secret], publicUrl, externalId }));
      const body = { external_id: externalId, order_token: token };
      return fetch(`${url}/invoices`, toCreation(from, body, headers));
    },
    /** Pays, and has the page look. */
    async pay({ invoice_id: id, lookup_token: token }: Created): Promise<string> {
      const settle = `http://127.0.0.1/sandbox/invoices/${id}/settle`;
      assert.equal((await sandbox.fetch(settle, { method: 'POST' })).status, 200);
      const answer = await fetch(`${url}/invoices/${id}`, toLookUp(from, token));
      return ((await answer.json()) as { data: { status: string } }).data.status;
    },
  };
}

/** A merchant's server, as its library of Standard Webhooks lets it be. */
async function openMerchant(t: Pick<TestContext, 'onTestFinished'>) {
  const heard: Heard[] = [];
  const asked: unknown[] = [];
  let answersEvents = true;
  const url = await serve(t, async (request, answer) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    try {
      new Webhook(webhookSecret).verify(body, headers);
    } catch {
      return answer.writeHead(401).end();
    }
    const value = JSON.parse(body) as Heard;
    if (request.url === '/order') {
      asked.push({ ...value, traceparent: headers['traceparent'] });
      return answer.end(JSON.stringify({ total_price_cents: totalCents }));
    }
    heard.push({ ...value, id: headers['webhook-id'] ?? '' });
    return answersEvents && answer.writeHead(204).end();
  });
  return {
    url,
    asked,
    heard,
    /** Whether events that are heard are answered, too. */
    setAnswering: (isOn: boolean) => void (answersEvents = isOn),
    /** Resolves with the first event of the type, also one that was heard before. */
    untilHeard: (type: string) => until(() => heard.find((one) => one.type === type)),
  };
}
