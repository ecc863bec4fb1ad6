/** The trace of a page's request reaches the service and the merchant's code, and no log; none is made here. */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { openCardShop } from '../support/proxy/card-shop.js';
import { dataOf, openShop, shopOrigin } from '../support/proxy/shop.js';
import type { Shop, Ticket } from '../support/proxy/shop.js';
import { openInvoice } from '../support/proxy/open-invoice.js';
import { toLookUp } from '../support/payer.js';

const toTrace = (n: number) => `00-${String(n).repeat(32)}-${String(n).repeat(16)}-01`;

function lookUp({ request }: Shop, ticket: Ticket, trace: number, query = '') {
  const traced = { traceparent: toTrace(trace), tracestate: `vendor=${trace}` };
  const { headers } = toLookUp(shopOrigin, ticket.lookup_token);
  return request(`/invoices/${ticket.invoice_id}${query}`, { headers: { ...headers, ...traced } });
}

function tracesOf({ upstream }: Shop): string[] {
  return upstream.sent.map(({ method, headers }) =>
    [method, headers.get('traceparent') ?? 'none', headers.get('tracestate') ?? '']
      .join(' ')
      .trim(),
  );
}

describe('a trace', () => {
  it('goes with a creation, and with the look-ups that it needs, and to resolveOrder', async () => {
    const shop = openShop();
    const headers = { traceparent: toTrace(1), tracestate: 'vendor=1' };
    const { invoice_id: replaces } = await dataOf(shop.create({ headers }));
    await shop.clock.advance(2_000);
    await dataOf(shop.create({ headers: { traceparent: toTrace(2) }, body: { replaces } }));
    assert.deepEqual(tracesOf(shop), [
      `POST ${toTrace(1)} vendor=1`,
      `GET ${toTrace(2)}`,
      `POST ${toTrace(2)}`,
    ]);
    const asked = shop.questions.map(({ request }) => request?.headers.get('traceparent'));
    assert.deepEqual(asked, [toTrace(1), toTrace(2)]);
    assert.ok(!JSON.stringify(shop.log).includes('1'.repeat(16)));
  });

  it('goes with a card', async () => {
    const sent: (string | null)[] = [];
    const shop = openCardShop();
    shop.network = ({ headers }) => void sent.push(headers.get('traceparent'));
    await shop.pay(undefined, { headers: { traceparent: toTrace(3) } });
    // With its look-up.
    assert.deepEqual(sent, [toTrace(3), toTrace(3)]);
  });

  it('goes with a look-up: of those who share it, the first one’s', async () => {
    const [shop, ticket] = await openInvoice();
    // Its token is known from now on: two that are checked at once may pass in any order.
    await lookUp(shop, ticket, 3);
    await shop.clock.advance(2_000);
    await Promise.all([lookUp(shop, ticket, 4), lookUp(shop, ticket, 5)]);
    const asked = [3, 4].map((n) => `GET ${toTrace(n)} vendor=${n}`);
    assert.deepEqual(tracesOf(shop), ['POST none', ...asked]);
  });

  it('goes with no call that was not asked for just now', async () => {
    const [shop, ticket] = await openInvoice({ onPaid: () => undefined });
    const held = lookUp(shop, ticket, 6, '?wait=25');
    await shop.clock.advance(26_000);
    await held;
    const [, first, ...later] = tracesOf(shop);
    assert.equal(first, `GET ${toTrace(6)} vendor=6`);
    assert.ok(later.length > 1);
    assert.deepEqual([...new Set(later)], ['GET none']);
  });

  it('that is none is not handed on, and never made', async () => {
    const shop = openShop();
    await dataOf(shop.create({ headers: { traceparent: 'canary', tracestate: 'vendor=1' } }));
    await dataOf(shop.create({ externalId: 'order-2', headers: { tracestate: 'vendor=1' } }));
    assert.deepEqual(tracesOf(shop), ['POST none', 'POST none']);
  });
});
