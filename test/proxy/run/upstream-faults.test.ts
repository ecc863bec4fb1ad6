/** Whatever the service does: a Pix creation and a look-up end in an answer of the closed list, and nothing is believed. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { networkError } from '../../support/proxy/card-shop.js';
import { openInvoice } from '../../support/proxy/open-invoice.js';
import { dynamicCode, staticCode, toPixCode } from '../../support/pix-code.js';
import {
  dataOf,
  json,
  openShop,
  refusalOf,
  toWireInvoice,
  assertRefused,
} from '../../support/proxy/shop.js';
import type { Shop } from '../../support/proxy/shop.js';

const unavailable = '503 service_unavailable';

function streaming(...chunks: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.error(networkError('UND_ERR_SOCKET'));
      else controller.enqueue(encoder.encode(chunk));
    },
  });
}

const asJson = (body: BodyInit) =>
  new Response(body, { headers: { 'content-type': 'application/json' } });

const never = () => new Promise<Response>(() => {});
const hang = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));

/** Faults that say nothing of the invoice. */
const faults: Record<string, () => Response | Promise<Response>> = {
  'connection refused': () => Promise.reject(networkError('ECONNREFUSED')),
  'no such host': () => Promise.reject(networkError('ENOTFOUND')),
  'a certificate that is refused': () => Promise.reject(networkError('CERT_HAS_EXPIRED')),
  'connection reset': () => Promise.reject(networkError('ECONNRESET')),
  'an error that is none': () => Promise.reject('a string'),
  'a time-out': never,
  'a body that never comes': hang,
  'a truncated body': () => asJson(streaming('{"data":{"invoice_id":"')),
  'an empty 200': () => asJson(''),
  'a 204': () => new Response(null, { status: 204 }),
  'HTML with 200': () =>
    new Response('<html>paid</html>', { headers: { 'content-type': 'text/html' } }),
  'broken JSON': () => asJson('{"data":'),
  'JSON that is not UTF-8': () => asJson(new Uint8Array([0x22, 0xff, 0x22])),
  'a list': () => json([]),
  'no envelope': () => json(toWireInvoice({ external_id: 'order-1', total_price_cents: 12_345 })),
  null: () => json(null),
  'a polluted prototype': () => asJson('{"__proto__":{"data":{"status":"paid"}}}'),
  'an answer of 300 kB': () => json({ data: 'x'.repeat(300_000) }),
  'a 301': () => new Response(null, { status: 301, headers: { location: 'https://evil.example' } }),
  'a 302': () => new Response(null, { status: 302, headers: { location: '/api/v2/payouts' } }),
  'a 307': () => new Response(null, { status: 307, headers: { location: 'https://evil.example' } }),
  'a 502': () => new Response('<html>Bad Gateway', { status: 502 }),
  ...Object.fromEntries(
    [401, 403, 405, 408, 409, 500, 503, 504, 599].map((status) => [
      `a ${status}`,
      () => json({ message: 'canary' }, status),
    ]),
  ),
};

/** Answers that are well-formed and wrong. */
const wrongFields: Record<string, object> = {
  'no invoice id': { invoice_id: undefined },
  'an invoice id that would change the path': { invoice_id: '../../../payouts' },
  'no status': { status: undefined },
  'a status that is no text': { status: true },
  'no total': { total_cents: undefined },
  'a total as text': { total_cents: '12345' },
  'a total of 2^53': { total_cents: 2 ** 53 },
  'no reference at all': { external_id: undefined },
};

const wrongForCreation: Record<string, object> = {
  ...wrongFields,
  'another total': { total_cents: 1 },
  'a foreign reference': { external_id: 'order-2' },
  ...Object.fromEntries(
    Object.entries({
      'no code': undefined,
      'an empty code': '',
      'a placeholder for a code': 'PIX-CODE',
      'a code with a wrong check sum': dynamicCode(12_345).slice(0, -4) + '0000',
      'a static code of another amount': staticCode(1),
      'a code that only authorises': toPixCode({ totalCents: 12_345, recurrence: 'alone' }),
      'a code that also authorises': toPixCode({ totalCents: 12_345, recurrence: 'beside' }),
    }).map(([name, qr_code_pix]) => [name, { qr_code_pix }]),
  ),
};

/** A shop whose service creates invoices with these fields. */
function openAnswering(fields: object): Shop {
  const shop = openShop();
  shop.upstream.behave = ({ body }) => json({ data: { ...toWireInvoice(body ?? {}), ...fields } });
  return shop;
}

describe('a creation', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`that meets ${name} may be tried again, and is sent once`, async () => {
      const shop = openShop({ serviceTimeoutMs: 30 });
      shop.upstream.behave = fault;
      const response = await shop.create();
      assert.equal(response.headers.get('retry-after'), '5');
      assert.equal(await refusalOf(response), unavailable);
      assert.equal(shop.upstream.sent.length, 1);
      assert.equal(shop.log.length, 1);
      shop.upstream.behave = () => undefined;
      await dataOf(await shop.create());
    });
  }

  for (const [name, fields] of Object.entries(wrongForCreation)) {
    it(`that is answered with ${name} is not handed out, and looked up before another is made if it is ours`, async () => {
      const shop = openAnswering(fields);
      assert.equal(await refusalOf(await shop.create()), unavailable);
      assert.match(shop.log[0]?.event ?? '', /^invalid_(answer|code)$/);
      assert.ok(shop.log[0]?.field);
      shop.upstream.behave = () => undefined;
      await dataOf(await shop.create());
      assert.equal(shop.upstream.creates(), 2);
      const { total_cents: total } = { total_cents: null, ...fields };
      const isOurs = 'qr_code_pix' in fields || Number.isSafeInteger(total);
      assert.equal(shop.upstream.lookUps(), isOurs ? 1 : 0);
    });
  }

  const refused: [status: number, hasTyped: boolean, refusal: string][] = [
    [400, true, '400 invalid_request payer'],
    [422, true, '400 invalid_request payer'],
    [400, false, unavailable],
    [422, false, unavailable],
    [404, true, unavailable],
    [410, true, unavailable],
    [415, true, unavailable],
  ];
  for (const [status, hasTyped, refusal] of refused) {
    const what = hasTyped ? 'what the payer typed' : "the merchant's own data";
    it(`Assumed: that the service refuses with ${status}, given ${what}, is ${refusal}`, async () => {
      const shop = openShop();
      shop.upstream.behave = () => json({ message: 'canary' }, status);
      const response = await shop.create({ body: hasTyped ? { payer: { name: 'Ana' } } : {} });
      assert.equal(await refusalOf(response), refusal);
    });
  }

  it('takes a null echo, which names no other order', async () => {
    const shop = openAnswering({ external_id: null });
    assert.equal((await dataOf(await shop.create()))['external_id'], 'order-1');
  });

  it('takes a dynamic code of another amount: the bank asks for it again', async () => {
    const code = toPixCode({ totalCents: 1 });
    const shop = openAnswering({ qr_code_pix: code });
    assert.equal((await dataOf(await shop.create()))['qr_code_pix'], code);
  });

  it('says once that the access token is refused, until it is taken again', async () => {
    const shop = openShop();
    const refuse = () => json({}, 401);
    const events = () => shop.log.map(({ level, event }) => `${level} ${event}`);
    shop.upstream.behave = refuse;
    await shop.create();
    await shop.create();
    assert.deepEqual(events(), ['error service_unauthorized']);
    shop.upstream.behave = () => undefined;
    await shop.create();
    shop.upstream.behave = refuse;
    await shop.create({ externalId: 'order-2' });
    assert.deepEqual(events(), ['error service_unauthorized', 'error service_unauthorized']);
  });
});

describe('a look-up', () => {
  for (const [name, fault] of Object.entries(faults)) {
    it(`that meets ${name} is unavailable, and says nothing of the payment`, async () => {
      const [shop, made] = await openInvoice({ serviceTimeoutMs: 30 });
      shop.upstream.behave = fault;
      const response = await shop.lookUp(made);
      assert.equal(response.headers.get('retry-after'), '5');
      assert.equal(await refusalOf(response), unavailable);
      shop.upstream.behave = () => undefined;
      await shop.clock.advance(1_001);
      assert.equal((await dataOf(await shop.lookUp(made)))['status'], 'pending');
    });
  }

  const wrong = { ...wrongFields, 'another invoice': { invoice_id: randomUUID() } };
  for (const [name, fields] of Object.entries(wrong)) {
    it(`that is answered with ${name} is unavailable`, async () => {
      const [shop, made] = await openInvoice();
      const paid = { ...shop.upstream.invoices.get(made.invoice_id), status: 'paid' };
      shop.upstream.behave = () => json({ data: { ...paid, ...fields } });
      assert.equal(await refusalOf(await shop.lookUp(made)), unavailable);
      const { level, event } = shop.log.at(-1)!;
      const expected = name === 'another invoice' ? 'error' : 'warn';
      assert.deepEqual([level, event], [expected, 'invalid_answer']);
    });
  }

  for (const status of [404, 410]) {
    it(`that is answered with ${status} is not found, and its order can be paid`, async () => {
      const [shop, made] = await openInvoice();
      shop.upstream.behave = ({ method }) => (method === 'GET' ? json({}, status) : undefined);
      assert.equal(await refusalOf(await shop.lookUp(made)), '404 not_found');
      shop.totalCents = 500;
      assert.equal((await dataOf(await shop.create()))['total_cents'], 500);
    });
  }

  it('passes a wait on that the service asks for, and so does a creation', async () => {
    const [shop, made] = await openInvoice();
    shop.upstream.behave = () => json({}, 429, { 'retry-after': '90' });
    assert.equal((await shop.lookUp(made)).headers.get('retry-after'), '90');
    await assertRefused(shop.create({ externalId: 'order-2' }), unavailable, '90');
  });
});
