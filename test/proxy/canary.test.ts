/** Planted secrets and personal data, searched for in everything that leaves the proxy. */

import assert from 'node:assert/strict';
import { describe, it, vi } from 'vitest';
import {
  accessToken,
  dataOf,
  json,
  openShop,
  secrets,
  toWireInvoice,
} from '../support/proxy/shop.js';
import type { Shop } from '../support/proxy/shop.js';

const payer = {
  name: 'Canaria Silva',
  cpf_cnpj: '39053344705',
  email: 'canary.typed@example.com',
  phone: '11912345678',
  address_line: 'Rua do Canario Typed',
};

/** In what the payer types, what the service answers, and what is configured. */
const canaries = [
  accessToken,
  ...secrets,
  ...Object.values(payer),
  '52998224725',
  'canary@example.com',
  '11987654321',
  'Canary Client',
  'Canary Payer',
  '11144477735',
  'E0000000020261121canary0000000',
  'canary-message',
];

const behaviours: Record<string, (shop: Shop) => void> = {
  'all goes well': () => {},
  'the service refuses and quotes': (shop) => {
    const quoted = { message: 'canary-message', errors: payer, token: accessToken };
    shop.upstream.behave = () => json(quoted, 422, { 'x-token': accessToken });
  },
  'the service refuses the token': (shop) => {
    shop.upstream.behave = () => json({ message: `Bearer ${accessToken}` }, 401);
  },
  'the network quotes': (shop) => {
    shop.upstream.behave = () => {
      throw Object.assign(new TypeError(`fetch failed: ${accessToken} ${payer.email}`), {
        cause: new Error(accessToken),
        request: { headers: accessToken, body: payer },
      });
    };
  },
  'the service answers about another payer': (shop) => {
    shop.upstream.behave = ({ body }) =>
      json({ data: { ...body, ...payer, invoice_id: 'canary-message', status: payer.email } });
  },
};

/** Fields of the service's answers that are passed on. */
const passedOn = ['external_id', 'order_code', 'qr_code_pix', 'status', 'created_at', 'updated_at'];

/** What must not stand in them, however it is written. */
const cpfs = ['52998224725', '529.982.247-25', 'CPF-52998224725'];
const planted = [accessToken, `Bearer ${accessToken}`, ...cpfs, payer.email];

function assertSilent(everything: string): void {
  for (const canary of canaries) assert.ok(!everything.includes(canary), `tells ${canary}`);
}

describe('no secret and no personal data is told or logged', () => {
  for (const field of passedOn) {
    it(`when the service writes it into ${field}`, async () => {
      for (const text of planted) {
        // A test environment's placeholder may be any text that is no CPF.
        const isPlaceholder = field === 'qr_code_pix' && text === payer.email;
        for (const allowUnverifiedCodes of isPlaceholder ? [false] : [false, true]) {
          const shop = openShop({ allowUnverifiedCodes });
          const made = await dataOf(await shop.create({ externalId: 'order-0' }));
          shop.upstream.behave = ({ method, body }) => {
            const known = shop.upstream.invoices.get(made.invoice_id);
            const data = method === 'POST' ? toWireInvoice(body ?? {}) : known;
            return json({ data: { ...data, [field]: text } });
          };
          const told: string[] = [];
          const tell = async (response: Response) => {
            told.push(await response.text());
            await shop.clock.advance(2_000);
            return response.status;
          };
          await tell(await shop.create());
          await tell(await shop.create({ body: { method: 'credit_card', card: { token: 't' } } }));
          const status = await tell(await shop.lookUp(made));
          // With its own access token in it, an answer is none. Whatever else is odd stops no payment.
          assert.equal(status, text.includes(accessToken) ? 503 : 200, text);
          shop.upstream.pay(made);
          await tell(await shop.lookUp(made));
          const everything = `${told.join('\n')}\n${JSON.stringify(shop.log)}`;
          assert.ok(!everything.includes(text), `tells ${text}: ${everything}`);
          assert.ok(!/52998224725|529\.982/.test(everything), everything);
        }
      }
    });
  }

  for (const [name, behave] of Object.entries(behaviours)) {
    it(`when ${name}`, async () => {
      const shop = openShop({
        resolveOrder: () => ({ total_price_cents: 100, payer: { email: 'canary@example.com' } }),
      });
      const orderToken = await shop.signOrder('order-1');
      const made = await dataOf(await shop.create({ externalId: 'order-0', body: { payer } }));
      behave(shop);
      const told: string[] = [];
      const tell = async (response: Response) => {
        told.push(JSON.stringify([...response.headers]), await response.text());
        await shop.clock.advance(2_000);
      };
      await tell(await shop.create({ body: { payer } }));
      await tell(await shop.create({ body: { payer: { ...payer, [payer.email]: '1' } } }));
      await tell(await shop.create({ key: payer.cpf_cnpj, body: { payer } }));
      await tell(await shop.create({ body: { payer, external_id: payer.email } }));
      await tell(await shop.create({ headers: { origin: `https://${payer.email}` } }));
      await tell(await shop.lookUp(made));
      for (const invoice of shop.upstream.invoices.values()) invoice.status = 'paid';
      await tell(await shop.lookUp(made));
      await tell(await shop.lookUp(made, `?wait=${payer.cpf_cnpj}`));
      await tell(await shop.create({ externalId: 'order-0', body: { payer } }));
      await tell(await shop.request(`/${payer.email}`));

      const everything = `${told.join('\n')}\n${JSON.stringify(shop.log)}`;
      assertSilent(everything);
      for (const token of [orderToken, made.lookup_token]) {
        assert.ok(!JSON.stringify(shop.log).includes(token), 'logs a token');
      }
    });
  }

  it('when the merchant’s code throws or answers nonsense', async () => {
    const failures = [
      () => {
        throw new Error(payer.email);
      },
      () => {
        throw Object.assign(new Error('x'), { name: payer.email });
      },
      () => Promise.reject(payer),
      () => ({ total_price_cents: payer.cpf_cnpj }),
      () => ({ total_price_cents: 1, [payer.email]: 1 }),
    ];
    for (const resolveOrder of failures) {
      const shop = openShop({ resolveOrder: resolveOrder as () => never });
      const response = await shop.create({ body: { payer } });
      const everything = (await response.text()) + JSON.stringify(shop.log);
      assertSilent(everything);
      assert.equal(shop.log.length, 1);
    }
  });

  it('on stderr, where entries go by default, or when the log itself fails', async () => {
    const lines: unknown[] = [];
    vi.spyOn(console, 'error').mockImplementation((...line: unknown[]) => lines.push(...line));
    const shop = openShop({ log: undefined } as object);
    shop.upstream.behave = () => json({ message: accessToken }, 500);
    await shop.create({ body: { payer } });
    assert.equal(lines.length, 1);
    const entry = { level: 'warn', event: 'service_failed', operation: 'create' };
    const asked = { method: 'POST', path: '/api/v2/invoices' };
    const facts = { externalId: 'order-1', kind: 'server', status: 500, ...asked };
    const { hint, ...told } = JSON.parse(String(lines[0])) as { hint: string };
    assert.ok(hint);
    assert.deepEqual(told, { ...entry, ...facts, host: 'service.example' });

    const loud = openShop({
      log: () => {
        throw new Error(accessToken);
      },
    });
    loud.upstream.behave = () => json({}, 500);
    assert.equal((await loud.create()).status, 503);
  });

  it('in an error of createInvoice', async () => {
    const shop = openShop();
    shop.upstream.behave = () => json({ message: accessToken }, 500);
    const failure = await shop.proxy
      .createInvoice({ externalId: 'order-1', method: 'pix', payer })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof Error);
    const everything = `${JSON.stringify(failure)} ${failure.stack} ${String(failure.cause)}`;
    assertSilent(everything);
  });
});
