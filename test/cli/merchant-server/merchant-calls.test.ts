/**
 * The calls to the merchant's server: verified by the public library of Standard Webhooks, held against the OpenAPI
 * document, and what they do with answers that are none.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import {
  createEventCalls,
  eventTypes,
  type EventHook,
  createOrderCall,
} from '../../../src/cli/merchant-server/merchant-calls.js';
import type { MerchantServer } from '../../../src/cli/merchant-server/signed-post.js';
import { parseWebhookSecrets } from '../../../src/cli/merchant-server/webhook-signature.js';
import type { OrderQuestion } from '../../../src/proxy.js';
import { faultsOfCall } from '../../support/openapi-check.js';
import { openShop, refusalOf } from '../../support/proxy/shop.js';
import { anyText, forAny } from '../../support/tables.js';

const secretOf = (seed: number) => `whsec_${Buffer.alloc(32, seed).toString('base64')}`;
const [current, previous] = [secretOf(1), secretOf(2)];
const url = 'https://shop.example/pix/calls?key=1';
const invoice = {
  externalId: 'order-1.a',
  invoiceId: 'inv-00000001',
  orderCode: 'code-1',
  totalCents: 12_990,
  method: 'pix',
} as const;
const at = '2026-01-31T12:00:00.000Z';

const notices: { [K in EventHook]: Parameters<Hooks[K]>[0] } = {
  onPaid: {
    ...invoice,
    deliveryId: 'paid~order-1.a~inv-00000001',
    endToEndId: 'E1',
    late: false,
    duplicate: true,
  },
  onPixWaiting: { ...invoice, deliveryId: 'waiting~a~b', code: '000201', expiresAt: at },
  onLapsed: { ...invoice, deliveryId: 'lapsed~a~b' },
  onOutcomeUnknown: {
    externalId: 'a',
    totalCents: 1,
    attemptedAt: at,
    deliveryId: 'outcome_unknown~a~b',
  },
  onMismatch: {
    externalId: 'a',
    invoiceId: 'inv-00000001',
    totalCents: 1,
    field: 'is_pix',
    deliveryId: 'mismatch~a~b',
  },
  onReturned: {
    ...invoice,
    status: 'refunded',
    isPaidAgain: false,
    duplicate: false,
    isListed: true,
    endToEndId: 'E1',
    deliveryId: 'returned~a~b',
  },
  onUndelivered: { kind: 'lapsed', externalId: 'a', tries: 12, deliveryId: 'lapsed~a~b' },
};
type Hooks = ReturnType<typeof createEventCalls>;

const question: OrderQuestion = {
  externalId: 'order-1',
  orderToken: 'v1.a-token-that-stays-here',
  method: 'credit_card',
  installment: 3,
  request: null,
};

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A merchant's server that answers the same to each call, and what it got. */
function openMerchant(
  answer: () => Response | Promise<Response>,
  more: Partial<MerchantServer> = {},
) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (input, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    sent.push({ url: input as string, init, headers, body: init.body as string });
    return answer();
  };
  const options = { url, secrets: [current, previous], fetch: send, ...more };
  return { sent, options };
}

const ok = () => Response.json({ total_price_cents: 12_990 });

describe('a call to the merchant', () => {
  const [order, event] = [openMerchant(ok), openMerchant(ok)];
  const calls: [name: string, sent: readonly Sent[], make: () => Promise<unknown>][] = [
    ['for a price', order.sent, async () => createOrderCall(order.options)(question)],
    ['of an event', event.sent, async () => createEventCalls(event.options).onPaid(notices.onPaid)],
  ];
  for (const [name, sent, make] of calls) {
    it(`${name} is verified with the current secret and with the former one`, async () => {
      await make();
      const { headers, body, init } = sent[0] ?? assert.fail('nothing was sent');
      for (const secret of [current, previous]) {
        assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
      }
      assert.throws(() => new Webhook(secretOf(3)).verify(body, headers));
      assert.throws(() => new Webhook(current).verify(`${body} `, headers));
      assert.equal(init.redirect, 'manual');
      assert.equal(sent[0]?.url, url);
    });
  }

  it('is signed as the public library signs, whatever stands in it', () => {
    const text = anyText();
    forAny(100, text, fc.uint8Array({ minLength: 24, maxLength: 64 }), (code, key) => {
      const secret = `whsec_${Buffer.from(key).toString('base64')}`;
      const { sent, options } = openMerchant(ok, { secrets: [secret] });
      void createEventCalls(options).onPixWaiting({ ...notices.onPixWaiting, code });
      const { headers, body } = sent[0] ?? assert.fail('nothing was sent');
      new Webhook(secret).verify(body, headers);
      assert.deepEqual(faultsOfCall('event', JSON.parse(body)), []);
    });
  });

  const refused: [what: string, more: Partial<MerchantServer>, said: RegExp][] = [
    ['http', { url: 'http://shop:8000/order' }, /^orderUrl must be https/],
    ['a password', { url: 'https://a:b@shop.example/' }, /^orderUrl must not hold credentials/],
    [
      'a password by http',
      { url: 'http://a:b@shop/', plainHttpHosts: ['shop'] },
      /^orderUrl must not hold credentials/,
    ],
    [
      'another host by http',
      { url: 'http://shop.example/', plainHttpHosts: ['shop'] },
      /^orderUrl must be https/,
    ],
    ['a fragment', { url: 'https://shop.example/#a' }, /^orderUrl must not hold a fragment/],
    ['no address', { url: '/order' }, /^orderUrl is not an absolute URL/],
    ['no secret', { secrets: [] }, /^webhookSecrets must be a list/],
    ['a secret without its mark', { secrets: [current.slice(6)] }, /^webhookSecrets\[0\] must be/],
    ['a short one', { secrets: [current, 'whsec_c2hvcnQ='] }, /^webhookSecrets\[1\] must be/],
    ['one cut off', { secrets: [`${current.slice(0, -4)}*`] }, /^webhookSecrets\[0\] must be/],
  ];
  for (const [what, more, said] of refused) {
    it(`refuses ${what}, and quotes nothing`, () => {
      const { options } = openMerchant(ok, more);
      assert.throws(
        () => createOrderCall(options),
        ({ message }: Error) => said.test(message) && !message.includes('c2hvcnQ'),
      );
    });
  }

  it('goes by http to a host that is named, and to loopback', async () => {
    for (const to of ['http://shop:8000/order', 'http://127.0.0.1:8000/order']) {
      const { options, sent } = openMerchant(ok, { url: to, plainHttpHosts: ['shop'] });
      await createOrderCall(options)(question);
      assert.equal(sent[0]?.url, to);
    }
  });

  it('takes secrets without padding', () => {
    assert.equal(parseWebhookSecrets('webhookSecrets', [current.replace(/=+$/, '')]).length, 1);
  });
});

describe('a call for a price', () => {
  it('asks for reference, method and instalments, and hands trace context on', async () => {
    const { sent, options } = openMerchant(ok);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const headers = { traceparent, tracestate: 'shop=1', cookie: 'session=1' };
    const request = new Request('https://shop.example/pix/invoices', { headers });
    const answer = await createOrderCall(options)({ ...question, request });
    assert.deepEqual(answer, { total_price_cents: 12_990 });
    const [{ body, headers: got } = assert.fail()] = sent;
    assert.deepEqual(JSON.parse(body), {
      external_id: 'order-1',
      method: 'credit_card',
      installment: 3,
    });
    assert.deepEqual(faultsOfCall('order', JSON.parse(body)), []);
    assert.equal(got['traceparent'], traceparent);
    assert.equal(got['tracestate'], 'shop=1');
    const names = Object.keys(got).filter((name) => !/^(webhook-|trace)/.test(name));
    assert.deepEqual(names.toSorted(), ['accept', 'content-type', 'user-agent']);
    assert.ok(!JSON.stringify(sent).includes('a-token-that-stays-here'));
  });

  it('leaves trace context that is none behind', async () => {
    const { sent, options } = openMerchant(ok);
    const headers = { traceparent: 'x', tracestate: 'shop=1' };
    await createOrderCall(options)({ ...question, request: new Request(url, { headers }) });
    assert.deepEqual(
      Object.keys(sent[0]?.headers ?? {}).filter((name) => name.startsWith('trace')),
      [],
    );
  });

  it('404 with {"order": null} is an order that is not known, as the OpenAPI document says', async () => {
    for (const body of [{ order: null }, { order: null, message: 'No such order' }]) {
      const { options } = openMerchant(() => Response.json(body, { status: 404 }));
      assert.equal(await createOrderCall(options)(question), null);
      assert.deepEqual(faultsOfCall('unknown', body), []);
    }
  });

  it('any other 404 is a fault, and the log says what to answer', async () => {
    const page = '<!doctype html><title>404</title>';
    const bodies = ['', 'no', page, 'null', '[]', '{}', '{"detail":"Not Found"}', '{"order":{}}'];
    const big = page + ' '.repeat(65_537);
    for (const body of [...bodies, big, Uint8Array.of(0xff)]) {
      const { options } = openMerchant(() => new Response(body, { status: 404 }));
      const shop = openShop({ resolveOrder: createOrderCall(options) });
      assert.equal(await refusalOf(await shop.create()), '503 service_unavailable resolveOrder');
      const [{ event, errorName, hint } = assert.fail('nothing is logged')] = shop.log;
      assert.deepEqual([event, errorName], ['order_failed', 'OrderUrlNotFound']);
      assert.match(hint ?? '', /404.*\{"order": null\}.*PIX_ORDER_URL/);
    }
    assert.notDeepEqual(faultsOfCall('unknown', { detail: 'Not Found' }), []);
  });

  const failures: [what: string, answer: () => Response, name: string][] = [
    ['a redirect', () => Response.redirect('https://elsewhere.example/'), 'MerchantRedirects'],
    ['a refused signature', () => new Response('', { status: 401 }), 'SignatureRefused'],
    ['410', () => new Response('', { status: 410 }), 'MerchantRefused'],
    ['a fault', () => new Response('', { status: 500 }), 'MerchantFailed'],
    ['201', () => Response.json({}, { status: 201 }), 'MerchantRefused'],
    ['null', () => new Response('null'), 'AnswerNotJson'],
    ['a page', () => new Response('<p>'), 'AnswerNotJson'],
    ['no UTF-8', () => new Response(Uint8Array.of(0xff)), 'AnswerNotJson'],
    ['too much', () => new Response(' '.repeat(65_537)), 'AnswerTooLarge'],
    [
      'no connection',
      () => {
        throw new TypeError(`fetch failed: ${url}`);
      },
      'MerchantNotReached',
    ],
  ];
  for (const [what, answer, name] of failures) {
    it(`fails by ${what}`, async () => {
      const { options } = openMerchant(answer);
      const call = Promise.resolve(createOrderCall(options)(question));
      const thrown = await call.catch((error: unknown) => error);
      assert.ok(thrown instanceof Error);
      assert.equal(thrown.name, name);
      assert.ok(!String(thrown).includes('shop.example'));
    });
  }

  for (const part of ['answer', 'body'] as const) {
    it(`ends when the time for its ${part} is over`, async () => {
      const { options } = openMerchant(ok);
      const hanging: typeof fetch = (_, init) => {
        const { signal } = init ?? {};
        const fail = (reject: (reason: unknown) => void) =>
          signal?.addEventListener('abort', () => reject(signal.reason));
        if (part === 'answer') return new Promise((_resolve, reject) => fail(reject));
        const body = new ReadableStream({ start: (to) => fail((reason) => to.error(reason)) });
        return Promise.resolve(new Response(body));
      };
      // The time-out's own timer keeps no process alive.
      const alive = setInterval(() => undefined, 1_000);
      const call = createOrderCall({ ...options, fetch: hanging, timeoutMs: 1 })(question);
      await assert.rejects(Promise.resolve(call), { name: 'TimeoutError' });
      clearInterval(alive);
    });
  }
});

describe('the call of an event', () => {
  for (const hook of Object.keys(eventTypes) as EventHook[]) {
    it(`${hook} is ${eventTypes[hook]}, as the OpenAPI document says`, async () => {
      const { sent, options } = openMerchant(() => new Response(null, { status: 204 }), {
        now: () => Date.parse(at),
      });
      await (createEventCalls(options)[hook] as (notice: object) => unknown)(notices[hook]);
      const body = JSON.parse(sent[0]?.body ?? '') as { type: string; timestamp: string };
      assert.equal(body.type, eventTypes[hook]);
      assert.equal(body.timestamp, at);
      assert.equal(sent[0]?.headers['webhook-timestamp'], String(Date.parse(at) / 1_000));
      assert.deepEqual(faultsOfCall('event', body), []);
      assert.notDeepEqual(faultsOfCall('event', { ...body, data: { ...notices[hook] } }), []);
    });
  }

  it('says what the hook hears, in snake_case, with an id that no full stop cuts', async () => {
    const { sent, options } = openMerchant(ok);
    const calls = createEventCalls(options);
    await calls.onPaid(notices.onPaid);
    await calls.onPaid(notices.onPaid);
    await calls.onLapsed(notices.onLapsed);
    await calls.onUndelivered(notices.onUndelivered);
    const ids = sent.map(({ headers }) => headers['webhook-id']);
    const paid = 'paid~order-1%2Ea~inv-00000001';
    assert.deepEqual(ids, [paid, paid, 'lapsed~a~b', 'undelivered~lapsed~a~b']);
    assert.deepEqual((JSON.parse(sent[0]?.body ?? '') as { data: object }).data, {
      external_id: 'order-1.a',
      invoice_id: 'inv-00000001',
      order_code: 'code-1',
      total_cents: 12_990,
      method: 'pix',
      delivery_id: 'paid~order-1.a~inv-00000001',
      end_to_end_id: 'E1',
      late: false,
      duplicate: true,
    });
  });

  for (const status of [301, 401, 410, 500]) {
    it(`is no delivery where the answer is ${status}`, async () => {
      const { options } = openMerchant(() => new Response('', { status }));
      await assert.rejects(Promise.resolve(createEventCalls(options).onPaid(notices.onPaid)));
    });
  }
});
