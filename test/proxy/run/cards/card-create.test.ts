/** A charge as the service sees it, and as the payer is told of it. */

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'vitest';
import { parseCreatedInvoice, parseInvoiceStatus } from '../../../../src/contract/readers.js';
import type { ProxyOptions } from '../../../../src/proxy.js';
import { networkError, openCardShop, outcomeOf } from '../../../support/proxy/card-shop.js';
import { card, dataOf, openShop, refusalOf } from '../../../support/proxy/shop.js';
import type { Shop } from '../../../support/proxy/shop.js';

/** Every field of the specification, each with text that a careless reader would tidy up. */
const wholeCard = {
  token: ' tok_Untouched+/= ',
  installment: 3,
  number: '4111 1111-1111 1111',
  first_name: ' Ana  Lúcia',
  last_name: 'de Souza ',
  month: '05',
  year: '2030',
  security_code: '007',
  cavv: 'AAABBBccc+/=',
  xid: 'xid 1',
  eci: '05',
  version: '2.2.0',
  referenceid: 'Ref-é',
};

const sentCard = (shop: Shop) => shop.upstream.sent.at(-1)?.body?.['card'];
const payWith = (shop: Shop, card: object, body: object = {}) =>
  shop.create({ body: { method: 'credit_card', card, ...body } });

describe('a card payment', () => {
  it('carries every field of the card to the service as it came', async () => {
    const shop = openShop({ rawCard: true });
    const made = await dataOf(payWith(shop, wholeCard, { payer: { name: 'Ana' } }));
    assert.deepEqual(sentCard(shop), wholeCard);
    const { card: _card, postback_url: _postback, ...rest } = shop.upstream.sent[0]?.body ?? {};
    assert.deepEqual(rest, {
      method: 'credit_card',
      total_price_cents: 12_345,
      external_id: 'order-1',
      payer: { name: 'Ana' },
    });
    assert.equal(made['qr_code_pix'], '');
    assert.equal('expires_in' in made, false);
  });

  it('sends no field that was not given, but the one instalment it was priced for', async () => {
    const shop = openShop();
    await dataOf(payWith(shop, { token: 'tok' }));
    assert.deepEqual(sentCard(shop), { token: 'tok', installment: 1 });
  });

  it('is sent in one instalment and in ninety-nine', async () => {
    for (const installment of [1, 99]) {
      const shop = openShop();
      await dataOf(payWith(shop, { token: 'tok', installment }));
      assert.deepEqual(sentCard(shop), { token: 'tok', installment });
    }
  });

  it('is priced by its instalments, and compared with what the page showed', async () => {
    const asked: unknown[] = [];
    const shop = openShop({
      resolveOrder: ({ method, installment }) => {
        asked.push([method, installment]);
        return { total_price_cents: 10_000 + installment * 100, expires_in: 60 };
      },
    });
    const wrong = await payWith(
      shop,
      { token: 't', installment: 6 },
      { expected_total_cents: 10_000 },
    );
    assert.equal(await refusalOf(wrong), '409 amount_mismatch total_price_cents: 10600, not 10000');
    assert.equal(shop.upstream.sent.length, 0);
    const right = { expected_total_cents: 10_600 };
    const made = await dataOf(payWith(shop, { token: 't', installment: 6 }, right));
    assert.equal(shop.upstream.sent[0]?.body?.['total_price_cents'], 10_600);
    assert.equal(made['total_cents'], 10_600);
    assert.deepEqual(asked, [
      ['credit_card', 6],
      ['credit_card', 6],
    ]);
  });

  const invalid: [name: string, card: unknown, rawCard: boolean, field: string][] = [
    ['no card', undefined, true, 'card'],
    ['a number', { number: '4111111111111111' }, false, 'rawCard'],
    ['a number beside a token', { token: 't', number: '4111111111111111' }, false, 'rawCard'],
    ['a security code', { token: 't', security_code: '123' }, false, 'rawCard'],
    ['neither token nor number', { month: '05' }, true, 'card.token'],
    ['an empty token', { token: '' }, true, 'card.token'],
    ['a field of its own', { token: 't', pin: '1234' }, true, 'card.pin'],
    ['half an instalment', { token: 't', installment: 1.5 }, true, 'card.installment'],
    ['no instalment', { token: 't', installment: 0 }, true, 'card.installment'],
    ['a hundred instalments', { token: 't', installment: 100 }, true, 'card.installment'],
    ['instalments as text', { token: 't', installment: '2' }, true, 'card.installment'],
  ];
  for (const [name, card, rawCard, field] of invalid) {
    it(`with ${name}${rawCard ? '' : ' and without rawCard'} is refused by name: ${field}`, async () => {
      const shop = openShop({ rawCard });
      const answer = await shop.create({ body: { method: 'credit_card', card } });
      // The page takes a 403 for a fault of its set-up, and a 400 for one of its payer.
      const status = rawCard ? 400 : 403;
      assert.equal(await refusalOf(answer), `${status} invalid_request ${field}`);
      assert.equal(shop.upstream.sent.length, 0);
    });
  }

  it('replaces no Pix code', async () => {
    const shop = openShop();
    const answer = await payWith(shop, { token: 't' }, { replaces: randomUUID() });
    assert.equal(await refusalOf(answer), '400 invalid_request replaces');
  });

  it('of the merchant’s own server takes a token, and no number', async () => {
    const shop = openShop({ rawCard: true });
    const input = { externalId: 'order-1', method: 'credit_card', installment: 2 } as const;
    const card = { token: 'tok', cavv: 'c' };
    const made = await shop.proxy.createInvoice({ ...input, card });
    assert.deepEqual(sentCard(shop), { ...card, installment: 2 });
    assert.equal(made.external_id, 'order-1');
    const again = shop.proxy.createInvoice({ ...input, card });
    await assert.rejects(again, { name: 'ProxyError', code: 'in_progress' });
    const raw = { ...input, externalId: 'order-2', card: { number: '4111111111111111' } as object };
    await assert.rejects(shop.proxy.createInvoice(raw), {
      message: 'invalid_request: card.number',
    });
    assert.equal(shop.upstream.creates(), 1);
  });

  it('sends its key on both tries, if keys are forwarded', async () => {
    const shop = openShop({ forwardIdempotencyKey: true });
    const key = randomUUID();
    shop.upstream.behave = () =>
      shop.upstream.creates() === 1 ? Promise.reject(networkError('ECONNREFUSED')) : undefined;
    await dataOf(shop.create({ key, body: card }));
    const keys = shop.upstream.sent.map(({ headers }) => headers.get('idempotency-key'));
    assert.deepEqual(keys, [key, key]);
  });
});

describe('Assumed', () => {
  const written: [formats: ProxyOptions['formats'], given: object, sent: object][] = [
    [{}, { month: '5', year: '30' }, { month: '05', year: '2030' }],
    [{}, { month: '05', year: '2030' }, { month: '05', year: '2030' }],
    [{ month: 'M' }, { month: '05', year: '30' }, { month: '5', year: '2030' }],
    [{ month: 'M' }, { month: '10' }, { month: '10' }],
    [{ month: 'M' }, { month: '0' }, { month: '0' }],
    [{ year: 'YY' }, { month: '5', year: '2030' }, { month: '05', year: '30' }],
    [{ year: 'YY' }, { year: '30' }, { year: '30' }],
    [{}, { month: 'V', year: '030' }, { month: 'V', year: '030' }],
    [{}, { month: '', year: '' }, { month: '', year: '' }],
  ];
  for (const [formats, given, sent] of written) {
    it(`formats ${JSON.stringify(formats)}: ${JSON.stringify(given)} is written ${JSON.stringify(sent)}`, async () => {
      const shop = openShop({ formats: formats! });
      await dataOf(payWith(shop, { token: 't', ...given }));
      assert.deepEqual(sentCard(shop), { token: 't', installment: 1, ...sent });
    });
  }

  it('methodNames: a card is called credit_card', async () => {
    const shop = openShop({ methodNames: { credit_card: 'CARD' } });
    await dataOf(payWith(shop, { token: 't' }));
    assert.equal(shop.upstream.sent[0]?.body?.['method'], 'CARD');
  });

  const ends = [
    'refused',
    'failed',
    'canceled',
    'cancelled',
    'expired',
    'blocked',
    'processing_error',
  ];
  const waits = ['pending', 'paid', 'refunded', 'chargedback', 'em_analise'];
  const own = { statuses: { refused: ['recusado'] } };
  const words: [status: string, isEnd: boolean, options: Partial<ProxyOptions>][] = [
    ...ends.map((status): (typeof words)[number] => [status, true, {}]),
    ...waits.map((status): (typeof words)[number] => [status, false, {}]),
    ['recusado', true, own],
    ['refused', false, own],
  ];
  for (const [status, isEnd, options] of words) {
    const list = options.statuses ? 'the merchant’s own list' : 'the list';
    it(`statuses.refused: with ${list}, a card that reads ${status} was ${isEnd ? 'not charged' : 'charged, or will be'}`, async () => {
      const shop = openShop(options);
      shop.upstream.makes = { status };
      const answer = await payWith(shop, { token: 't' });
      assert.equal(await outcomeOf(answer), isEnd ? '402 payment_refused' : '200');
      if (!isEnd) assert.equal((await dataOf(answer))['status'], status);
    });
  }

  const totals: [option: 'sent' | 'any' | undefined, isPaid: boolean][] = [
    [undefined, false],
    ['sent', false],
    ['any', true],
  ];
  for (const [cardLookUpTotal, isPaid] of totals) {
    it(`cardLookUpTotal ${cardLookUpTotal}: a look-up with another total is ${isPaid ? '' : 'not '}paid`, async () => {
      const shop = openShop(cardLookUpTotal === undefined ? {} : { cardLookUpTotal });
      const made = await dataOf(payWith(shop, { token: 't' }));
      Object.assign(shop.upstream.of(made), { status: 'paid', total_cents: 13_000 });
      const found = await dataOf(shop.lookUp(made));
      assert.equal(found['total_cents'], 12_345);
      assert.equal(found['status'], isPaid ? 'paid' : 'amount_mismatch');
      const after = await outcomeOf(shop.create());
      assert.equal(after, isPaid ? '409 order_paid' : '409 in_progress');
    });
  }

  for (const [cardLookUpTotal, outcome] of [
    ['any', '200'],
    ['sent', '502 outcome_unknown'],
  ] as const) {
    it(`cardLookUpTotal ${cardLookUpTotal}: a creation answer with another total is told as ${outcome}`, async () => {
      const shop = openShop({ cardLookUpTotal });
      shop.upstream.makes = { total_cents: 13_000 };
      assert.equal(await outcomeOf(payWith(shop, { token: 't' })), outcome);
    });
  }

  it('cardLookUpTotal any: is for cards alone', async () => {
    const shop = openShop({ cardLookUpTotal: 'any' });
    shop.upstream.makes = { total_cents: 1 };
    assert.equal(await outcomeOf(shop.create()), '503 service_unavailable');
    shop.upstream.makes = {};
    const made = await dataOf(shop.create());
    Object.assign(shop.upstream.of(made), { status: 'paid', total_cents: 1 });
    assert.equal((await dataOf(shop.lookUp(made)))['status'], 'amount_mismatch');
    assert.equal(shop.log.at(-1)?.event, 'mismatch');
  });
});

describe('a card of the sandbox', () => {
  const follow = async (token: string, options: Partial<ProxyOptions> = {}) => {
    const shop = openCardShop(options);
    const made = parseCreatedInvoice(await (await shop.pay({ token })).json());
    const ticket = { invoice_id: made.invoice_id, lookup_token: made.lookup_token ?? '' };
    const look = async () => {
      await shop.clock.advance(2_000);
      return shop.lookUp(ticket);
    };
    return { shop, made, look };
  };

  it('that is approved is paid when a look-up says so', async () => {
    const { shop, made, look } = await follow('tok_approve');
    assert.equal(made.status, 'paid');
    assert.equal(await outcomeOf(shop.create()), '409 order_paid');
    const found = parseInvoiceStatus(await (await look()).json());
    assert.deepEqual([found.status, found.is_pix, found.total_cents], ['paid', false, 12_345]);
    assert.equal(await outcomeOf(shop.pay()), '409 order_paid');
    assert.equal(shop.sandbox.charges().count, 1);
    assert.deepEqual(shop.log, []);
  });

  it('that pends first is followed until it is paid', async () => {
    const { shop, look } = await follow('tok_pending_then_paid');
    assert.equal((await dataOf(look()))['status'], 'pending');
    assert.equal((await dataOf(look()))['status'], 'paid');
    assert.equal(shop.sandbox.charges().count, 1);
  });

  it('that pends first and is refused frees the order', async () => {
    const { shop, look } = await follow('tok_pending_then_refused');
    assert.equal((await dataOf(look()))['status'], 'pending');
    assert.equal(await refusalOf(look()), '402 payment_refused');
    assert.equal(await outcomeOf(shop.pay()), '200');
    assert.equal(shop.sandbox.charges().count, 1);
  });

  it('that is refused while a look-up is held ends the wait', async () => {
    const { shop, made } = await follow('tok_pending');
    const held = shop.lookUp(made as { invoice_id: string; lookup_token: string }, '?wait=25');
    await shop.control(`/invoices/${made.invoice_id}/status`, { status: 'refused' });
    await shop.clock.advance(10_000);
    assert.equal(await refusalOf(held), '402 payment_refused');
    assert.equal(shop.clock.dues().length, 0);
  });

  it('is never reported as paid unless allowSandbox is typed out', async () => {
    const { shop, made, look } = await follow('tok_approve', { allowSandbox: false });
    assert.equal(made.status, 'pending');
    assert.equal((await dataOf(look()))['status'], 'pending');
    assert.equal(await outcomeOf(shop.pay()), '409 in_progress');
    assert.ok(shop.logged('sandbox_invoice').length > 0);
  });

  it('with a raw number is charged once and kept nowhere', async () => {
    const shop = openCardShop({ rawCard: true });
    const card = { number: '4111111111111111', month: '05', year: '2030', security_code: '123' };
    await dataOf(shop.pay(card));
    assert.deepEqual(shop.sandbox.receivedCards(), [{ ...card, installment: 1 }]);
    assert.equal(shop.sandbox.charges().count, 1);
  });
});
