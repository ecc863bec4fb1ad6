/** Whatever a browser sends, the proxy answers with a Response of the closed list, and never believes it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { errorCodes, isErrorCode } from '../../../src/contract/codes.js';
import { parseCreatedInvoice } from '../../../src/contract/readers.js';
import { json, openShop, publicUrl } from '../../support/proxy/shop.js';
import { anyText, forAnyAsync } from '../../support/tables.js';

const key = '3f0c8f0e-2b8d-4f0a-9d6a-0c6f1c1f7a11';

/** An answer of the contract, or a problem whose code and status belong together. */
async function check(response: Response): Promise<void> {
  const text = await response.text();
  const body = text === '' ? null : JSON.parse(text);
  if (response.status === 200) {
    parseCreatedInvoice(body);
    return;
  }
  assert.ok(isErrorCode(body.code), `code ${body.code}`);
  if (body.code === 'invalid_request') assert.ok(body.detail, 'invalid_request names its field');
  assert.ok(errorCodes[body.code as keyof typeof errorCodes].statuses.includes(response.status));
}

const soup = fc.anything({ withNullPrototype: true, maxDepth: 3 });

/** Bodies near the contract: right keys, any values, some of them right. */
const nearBody = fc.record(
  {
    method: fc.oneof(fc.constant('pix'), soup),
    external_id: fc.oneof(fc.constant('order-1'), fc.string(), soup),
    order_token: fc.oneof(fc.string(), soup),
    payer: fc.oneof(
      fc.dictionary(fc.constantFrom('name', 'email', 'phone', '__proto__'), fc.string()),
      soup,
    ),
    expected_total_cents: fc.oneof(fc.constant(12_345), soup),
    replaces: fc.oneof(fc.uuid(), soup),
    card: soup,
  },
  { requiredKeys: ['method', 'external_id'] },
);

const body = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }),
  fc
    .oneof(anyText(), fc.json(), nearBody.map(toText))
    .map((text) => new TextEncoder().encode(text)),
);

function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? String(field) : field)) ?? ''
  );
}

for (const requireOrderToken of [true, false]) {
  it(`any bytes as a body end in an answer of the closed list, order token ${requireOrderToken ? '' : 'not '}needed`, async () => {
    await forAnyAsync(300, body, async (bytes) => {
      const shop = openShop({ requireOrderToken });
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const init = { method: 'POST', headers, body: new Uint8Array(bytes) };
      await check(await shop.request('/invoices', init));
      // The operator hears of a body that is whole but for its token or its reference, and of nothing else.
      const ofBody = ['reference_refused', ...(requireOrderToken ? ['order_token_refused'] : [])];
      assert.deepEqual(
        shop.log.filter(({ event }) => !ofBody.includes(event)),
        [],
      );
      if (requireOrderToken) assert.equal(shop.upstream.sent.length, 0);
      for (const { body } of shop.upstream.sent) assert.equal(body?.['total_price_cents'], 12_345);
    });
  });
}

it('any path and token end in an answer of the closed list, and reach nothing', async () => {
  const shop = openShop();
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 80 });
  const paths = fc
    .array(anyText({ maxLength: 20 }))
    .map((parts) => parts.map((part) => `/${encodeURIComponent(part)}`).join(''));
  await forAnyAsync(500, paths, text, text, async (path, token, wait) => {
    const url = new URL(`${publicUrl}/invoices${path}`);
    url.searchParams.set('wait', wait);
    const [authorization, key] = [`Bearer ${token.trim()}`, token.trim()];
    const headers = { authorization, 'idempotency-key': key };
    await check(await shop.proxy.fetch(new Request(url, { headers })));
  });
  assert.equal(shop.upstream.sent.length, 0);
});

describe('any answer of the service', () => {
  it('to a creation ends in an answer of the closed list, and never in a wrong price', async () => {
    const data = fc.record(
      {
        invoice_id: fc.oneof(fc.uuid(), soup),
        external_id: fc.oneof(fc.constantFrom('order-1', null), soup),
        status: fc.oneof(fc.constantFrom('pending', 'paid'), soup),
        total_cents: fc.oneof(fc.constantFrom(12_345, 1, 2 ** 53), soup),
        qr_code_pix: fc.oneof(fc.constant('PLACEHOLDER'), soup),
        order_code: soup,
      },
      { requiredKeys: [] },
    );
    const answer = fc.oneof(soup, fc.record({ data }));
    await forAnyAsync(300, answer, async (value) => {
      const shop = openShop({ allowUnverifiedCodes: true });
      const headers = { 'content-type': 'application/json' };
      shop.upstream.behave = () => new Response(toText(value), { headers });
      const response = await shop.create();
      const copy = response.clone();
      await check(response);
      if (copy.status === 200) assert.equal((await copy.json()).data.total_cents, 12_345);
    });
  });

  it('to a look-up never pays an order with another reference, total or method', async () => {
    const fields = fc.record({
      external_id: fc.constantFrom('order-1', 'order-2', null),
      total_cents: fc.constantFrom(12_345, 12_346),
      is_pix: fc.constantFrom(true, false),
      status: fc.constantFrom('paid', 'pending', 'PAID'),
    });
    await forAnyAsync(100, fields, async (found) => {
      const shop = openShop();
      const made = parseCreatedInvoice(await (await shop.create()).json());
      const { invoice_id, lookup_token = '' } = made;
      shop.upstream.behave = ({ method }) =>
        method === 'GET' ? json({ data: { invoice_id, ...found } }) : undefined;
      const { data } = await (await shop.lookUp({ invoice_id, lookup_token })).json();
      const agrees =
        found.external_id === 'order-1' && found.total_cents === 12_345 && found.is_pix;
      const saysPaid = found.status !== 'pending';
      assert.equal(data.status === 'paid', agrees && saysPaid);
      // What was paid otherwise than it was created is for a person to look at: no code is handed out meanwhile.
      assert.equal((await shop.create()).status, saysPaid ? 409 : 200);
    });
  });
});
