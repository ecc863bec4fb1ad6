/** A card planted, and searched for in all that leaves the proxy but the one request it is for. */

import assert from 'node:assert/strict';
import nodeCrypto from 'node:crypto';
import type { BinaryLike } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, it, vi } from 'vitest';
import type { Fault } from '../../../../src/sandbox.js';
import { networkError, openCardShop } from '../../../support/proxy/card-shop.js';
import type { CardShop } from '../../../support/proxy/card-shop.js';
import { json } from '../../../support/proxy/shop.js';

const card = {
  number: '4111111111111111',
  first_name: 'Canaria',
  last_name: 'Plantada',
  month: '11',
  year: '2039',
  security_code: '7391',
  cavv: 'canary-cavv',
  xid: 'canary-xid',
  eci: 'canary-eci',
  version: 'canary-version',
  referenceid: 'canary-reference',
  token: 'canary-token',
};

const address = '198.51.100.77';
const canaries = [...Object.values(card).filter((text) => text.length > 2), address, 'canary'];

const fault = (kind: Fault['kind']) => (shop: CardShop) => shop.fail({ on: 'create', kind });

const behaviours: Record<string, (shop: CardShop) => void | Promise<void>> = {
  'all goes well': () => {},
  'the connection is cut': fault('cut_after'),
  'the service fails': fault('server_error_after_effect'),
  'the answer is about another order': fault('foreign_reference'),
  'the service refuses and quotes the card': (shop) => {
    shop.network = () =>
      json({ message: JSON.stringify(card), card }, 422, { 'x-card': card.token });
  },
  'the service answers with the card for an invoice': (shop) => {
    shop.network = () => json({ data: { ...card, invoice_id: card.number, status: card.token } });
  },
  'the network quotes the card': (shop) => {
    shop.network = () => {
      throw Object.assign(networkError(card.number), { message: inspect(card), body: card });
    };
  },
};

describe('no card is told, logged or kept', () => {
  for (const [name, behave] of Object.entries(behaviours)) {
    it(`when ${name}`, async () => {
      const shop = openCardShop({ rawCard: true });
      const token = await shop.signOrder('order-1');
      await behave(shop);
      const told: string[] = [];
      const tell = async (response: Response) => {
        const text = await response.text();
        told.push(JSON.stringify([...response.headers]), text);
        await shop.clock.advance(4_000);
        return JSON.parse(text || '{}');
      };
      const key = randomUUID();
      const from = { remoteAddress: address, body: { order_token: token } };
      const made = await tell(await shop.pay(card, { ...from, key }));
      await tell(await shop.pay(card, { ...from, key }));
      await tell(await shop.pay({ ...card, installment: 2 }, { ...from, key }));
      await tell(await shop.pay(card, from));
      await tell(
        await shop.pay({ ...card, [card.number]: '1' }, { ...from, externalId: 'order-2' }),
      );
      await tell(await shop.pay({ ...card, installment: card.number }, from));
      await tell(await shop.pay(card, { ...from, key: card.number }));
      await tell(await shop.ask(key));
      await tell(await shop.ask(card.number));
      if (made.data) await tell(await shop.lookUp(made.data));
      await tell(await shop.create());
      await tell(await shop.request(`/${card.number}`));

      const everything = `${told.join('\n')}\n${JSON.stringify(shop.log)}`;
      for (const canary of canaries) assert.ok(!everything.includes(canary), `tells ${canary}`);
    });
  }

  it('without rawCard it never reaches the service', async () => {
    const shop = openCardShop();
    const { token: _token, ...raw } = card;
    await shop.pay(raw);
    await shop.pay({ token: 't', security_code: card.security_code });
    assert.equal(shop.upstream.creates(), 0);
    assert.deepEqual(shop.sandbox.receivedCards(), []);
  });

  it('in an error of createInvoice', async () => {
    const shop = openCardShop();
    await shop.fail({ on: 'create', kind: 'server_error' });
    const failure = await shop.proxy
      .createInvoice({ externalId: 'order-1', method: 'credit_card', card: { token: card.token } })
      .catch((error: unknown) => error);
    assert.ok(failure instanceof Error);
    assert.ok(!`${inspect(failure)} ${JSON.stringify(failure)}`.includes(card.token));
  });
});

it('what an attempt is known by is hashed from nothing of the card, the payer or the address', async () => {
  const shop = openCardShop({ rawCard: true });
  const digests: string[] = [];
  const { createHash } = nodeCrypto;
  vi.spyOn(nodeCrypto, 'createHash').mockImplementation((algorithm) => {
    const hash = createHash(algorithm);
    const update = hash.update.bind(hash);
    hash.update = (text: BinaryLike) => {
      digests.push(inspect(text));
      return update(text);
    };
    return hash;
  });
  await shop.pay(card, { remoteAddress: address });
  assert.ok(digests.length > 0);
  for (const canary of canaries) assert.ok(!digests.join('\n').includes(canary), canary);
});
