/** `pix-checkout check` against proxies as they are: ours, the careful ones of the demo, and the one of twenty lines. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, it, vi } from 'vitest';
import { toReport } from '../../../src/cli/check/check-report.js';
import { groups } from '../../../src/cli/check/point.js';
import { runCheck } from '../../../src/cli/check/run-check.js';
import { toTokenValues } from '../../../src/cli/check/values.js';
import { createNodeListener } from '../../../src/node.js';
import { signOrder, verifyOrder } from '../../../src/order-token.js';
import { openDemo } from '../../conformance/subjects.js';
import { createForwarder } from '../../support/forwarder.js';
import { whyNoProgram } from '../../tools/machine/programs.js';
import { leftOutIf } from '../../tools/runner/left-out.js';
import { isOtherNode } from '../../tools/runs.js';
import { root } from '../../tools/tools.js';
import { assertRefused, runCommand } from '../../support/cli/terminal.js';
import {
  check,
  endpoint,
  idsOf,
  noting,
  openCheckedShop,
  order,
  origin,
  patient,
  saidOf,
  sandboxUrl,
  secrets,
  toFetch,
} from './checked-shop.js';
import type { Answering } from './checked-shop.js';
import { openSmallProxy } from './small-proxy.js';
import { column, words } from '../../support/rows.js';
import { serve as listen } from '../../support/proxy/node-servers.js';

describe('our proxy', () => {
  for (const cardToken of ['tok_pending', 'tok_approve']) {
    it(`passes every point, with ${cardToken}`, async () => {
      const { answer, given, sandbox } = await openCheckedShop({ holdSeconds: 1 });
      const faults: string[] = [];
      const fetch = noting(faults, toFetch(answer, sandbox));
      const results = await check(answer, { ...given, cardToken, fetch, sandbox: sandboxUrl });
      assert.deepEqual(saidOf(results), []);
      assert.deepEqual(faults, [], 'as the OpenAPI document says');
      assert.ok(
        sandbox.charges(order).count <= 1 + 1,
        'the card, and the code that the sandbox paid',
      );
    });
  }

  it('pays nothing without a card', async () => {
    const { answer, orderToken, sandbox } = await openCheckedShop();
    const results = await check(answer, { orderToken });
    assert.deepEqual(idsOf(results, 'failed'), []);
    assert.deepEqual([sandbox.invoices().length, sandbox.charges(order).count], [3, 0]);
  });

  it('is not blamed for an order that cannot be paid, or a token, payer or address that is wrong', async () => {
    const { answer, orderToken, sign } = await openCheckedShop({
      resolveOrder: ({ externalId }) => (externalId === order ? { status: 'paid' } : null),
    });
    const unknown = { order: 'order-0', orderToken: await sign('order-0') };
    for (const [given, message] of [
      [{ orderToken }, /cannot be paid now \(order_/],
      [unknown, /does not know order order-0/],
      [{ ...unknown, orderToken }, /token is refused \(unauthorized\): is it of order order-0\?/],
      [{ orderToken, payer: { cpf_cnpj: '1' } }, /payer of the check is refused \(payer.*--payer/],
      [{ orderToken, endpoint: `${endpoint}/x` }, /is the endpoint right\?/],
    ] as const) {
      await assert.rejects(check(answer, given), { name: 'NotPayable', message });
    }
  });
});

// They are what they are on any Node.
for (const name of isOtherNode ? [] : (['python', 'php'] as const)) {
  it(`the proxy in ${name} passes`, leftOutIf(whyNoProgram(name)), async (t) => {
    const subject = await openDemo(name);
    t.onTestFinished(() => subject.close());
    await subject.price(order, 'open');
    const orderToken = await signOrder({ ...subject, externalId: order });
    const faults: string[] = [];
    const fetched = noting(faults, fetch, subject.url);
    const { origin: page } = subject;
    const given = { endpoint: subject.url, order, orderToken, origin: page, fetch: fetched };
    const results = await runCheck({ ...given, ...patient, stallMs: 300 });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    assert.deepEqual(failed, []);
    assert.ok(!results.some(({ isOpen }) => isOpen));
    assert.deepEqual(faults, [], 'as the OpenAPI document says');
    assert.equal(subject.sandbox.invoices().length, 3, 'a code, and two in its place');
    assert.equal(await subject.payments(order), 0);
  });
}

it('the proxy of twenty lines gets its list', async () => {
  const { sandbox, given } = await openCheckedShop();
  const forward = createForwarder({
    serviceUrl: 'https://service.example',
    accessToken: 'access-token-of-the-check',
    totalCents: 12_990,
    fetch: sandbox.fetch,
  });
  const results = await check(forward, { ...given, cardToken: 'tok_pending' });
  const failed = `
    price-first ten-at-once one-code price-open corrected replaces-other unknown-order reference-alike beside-wait
    foreign-field form-body order-token-missing order-token-other order-token-signature order-token-expired foreign-origin
    preflight replaces-foreign price-replaces replaces false-payer raw-card card-price errors no-store readable
    personal-data`;
  assert.deepEqual(idsOf(results, 'failed'), failed.trim().split(/\s+/));
});

it('requests at once are at once, over a line too', async (t) => {
  for (const fault of ['', 'ten-at-once', 'replaces']) {
    const shop = await openCheckedShop();
    const { fetch: serve } = shop.sandbox;
    const sandbox = { ...shop.sandbox, fetch: slowly(serve) };
    const small = openSmallProxy(
      { ...shop, sandbox },
      (name) => name === fault || name === 'no order tokens',
    );
    const url = await listen(t, createNodeListener(small));
    const given = { endpoint: `${url}/pix`, order, only: 'creation' } as const;
    const results = await runCheck({ ...given, ...patient, settleMs: 60, stallMs: 5 });
    assert.deepEqual(idsOf(results, 'failed'), fault === '' ? [] : [fault]);
  }
});

describe('what is said', () => {
  /** All that a run knows and may not say. */
  const secret = ['lookup-secret-1234567', '529.982.247-25', 'maria@example.com', 'SECRET-CODE'];
  const leaking: Answering = async ({ url, headers }) => {
    const data = {
      invoice_id: 'invoice-1234',
      external_id: order,
      status: 'pending',
      total_cents: 100,
      qr_code_pix: secret[3],
      lookup_token: secret[0],
      'Maria da Silva': secret[1],
    };
    const detail = headers.get('authorization') ?? url;
    return Response.json(
      { data, code: secret[1], detail, message: secret[2] },
      { headers: { 'x-e': secret[1] ?? '' } },
    );
  };

  it('repeats no token, code or personal data of any answer', async () => {
    const orderToken = 'order-token-7654321';
    const results = await check(leaking, { orderToken, cardToken: 'card-token-7654321' });
    for (const isJson of [true, false]) {
      const report = toReport(results, isJson, (_, text) => text);
      for (const one of [...secret, orderToken, 'card-token-7654321', 'Maria']) {
        assert.ok(!report.includes(one), one);
      }
    }
  });

  it('leads to documents that there are', () => {
    for (const { read } of Object.values(groups)) {
      const [path = '', anchor] = read.split('#');
      assert.ok(existsSync(join(root, path)), path);
      const headings = readFileSync(join(root, path), 'utf8').match(/^#+ .+/gm) ?? [];
      const slugs = headings.map((one) =>
        one.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'),
      );
      assert.ok(anchor === undefined || slugs.includes(anchor), read);
    }
  });
});

const usual = { invoice_id: 'invoice-1', external_id: order, status: 'pending', total_cents: 1 };
const bodies: readonly [name: string, body: string][] = [
  ['nested deep', `{"data":{"a":${'['.repeat(12_000)}${']'.repeat(12_000)}}}`],
  ['a foreign prototype', '{"__proto__":{"data":{}},"data":{"__proto__":{"status":"paid"}}}'],
  ['an id that leads out', JSON.stringify({ data: { ...usual, invoice_id: '../../elsewhere' } })],
  ['a token of two lines', JSON.stringify({ data: { ...usual, lookup_token: 'a\r\nx: y' } })],
  ['names of values', JSON.stringify({ data: { ...usual, order_code: '{order_token}' } })],
  ['control characters', JSON.stringify({ data: { ...usual, '\u001b[2J': '\u001b[2J' } })],
  ['a long word', JSON.stringify({ data: { ...usual, order_code: 'x'.repeat(20_000) } })],
  ['no JSON', '\u0000'],
  ['null', 'null'],
];
for (const [name, body] of bodies) {
  it(`an answer that is meant to harm is a failure and no more: ${name}`, async () => {
    const asked: string[] = [];
    const harming: Answering = async ({ url }) => {
      asked.push(url);
      return new Response(body, { headers: { 'content-type': '\u00ff/x' } });
    };
    const report = await check(harming, { orderToken: 'order-token-7654321' }).then(
      (results) => {
        assert.ok(idsOf(results, 'failed').length > 0);
        return toReport(results, false, (_, text) => text);
      },
      ({ name: thrown, message }: Error) => {
        assert.equal(thrown, 'NotPayable');
        return message;
      },
    );
    assert.ok(asked.every((url) => new URL(url).pathname.startsWith('/pix/')));
    assert.doesNotMatch(report.replaceAll('\n', ''), /\p{Cc}|elsewhere|7654321/u);
  });
}

describe('pix-checkout check', () => {
  const call = [endpoint, '--order', order, '--origin', origin];

  /** Against what answers, but for the body that stalls: the command would wait a minute for that. */
  const checkAt = (answer: Answering, more: readonly string[], env?: Record<string, string>) => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(answer)));
    return runCommand(['check', ...call, ...more], env);
  };

  it('writes groups, failures with what to read, and what was not checked', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const forgetful: Answering = async (request) => {
      const response = await answer(request);
      response.headers.delete('cache-control');
      return response;
    };
    const run = checkAt(forgetful, [], { PIX_ORDER_TOKEN: orderToken });
    assert.equal(await run.code, 3);
    assert.match(run.warnings(), /^This creates a Pix code .* Nothing is paid\.$/);
    assert.match(run.output(), /^Refusals {6}3 of 3$/m);
    assert.match(run.output(), /^BREAKS {2}No cache may keep an answer/m);
    assert.match(run.output(), /^ {2}Change: {3}Send Cache-Control: no-store with every answer/m);
    assert.match(run.output(), /src\/contract\/README\.md#every-answer/);
    assert.match(run.output(), /^Not checked: give --card-token/m);
    assert.match(run.output(), /\d+ passed, 1 failed, \d+ not checked$/);
    assert.ok(!run.output().includes(orderToken));
  });

  it('writes JSON, and ends with 0 where nothing failed', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const run = checkAt(answer, ['--token', orderToken, '--json']);
    assert.equal(await run.code, 0);
    const { points, ...counts } = JSON.parse(run.output());
    assert.equal(counts.passed + counts.not_checked, points.length);
    assert.deepEqual(
      Object.keys(points[0]),
      words('id group severity name outcome why change read'),
    );
  });

  it('says that most was not checked, without the token that the proxy wants', async () => {
    const { answer } = await openCheckedShop();
    const run = checkAt(answer, []);
    assert.equal(await run.code, 2);
    assert.match(run.output(), /^Not checked: the proxy wants an order token: give --token$/m);
    assert.match(run.output(), /\n\d+ points that may lose money were not asked\.$/);
  });

  it('ends when it is told to', async () => {
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => undefined));
    const run = runCommand(['check', ...call]);
    assert.equal(await run.end(), 2);
    assert.match(run.warnings(), /\nEnded$/);
  });

  it('claims nothing when it is ended while only the body that stalls is left', async () => {
    const { answer, orderToken } = await openCheckedShop();
    let resolve = () => {};
    const last = new Promise<void>((done) => (resolve = done));
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init = {}) => {
      if (await isStalled(init)) return new Promise(() => undefined);
      const body = typeof init.body === 'string' ? init.body : '';
      const isLast = body.includes('52998224724');
      const answered = await answer(new Request(input, init));
      if (isLast) resolve();
      return answered;
    });
    const run = runCommand(['check', ...call, '--token', orderToken]);
    await last;
    for (let turn = 0; turn < 50; turn += 1) await new Promise((done) => setImmediate(done));
    assert.equal(await run.end(), 2);
    assert.match(run.warnings(), /\nEnded$/);
    assert.equal(run.output(), '');
  });

  const wrong: readonly [args: readonly string[], said: RegExp][] = [
    [[], /<endpoint> is missing/],
    [[endpoint], /--order must be/],
    [[endpoint, '--order', 'a/b'], /--order must be/],
    [['/pix', '--order', order], /<endpoint> is not an absolute URL/],
    [['http://shop.example/pix', '--order', order], /<endpoint> must be https/],
    [['https://user:hunter2@shop.example', '--order', order], /must not hold credentials/],
    [[...call, '--origin', 'shop'], /--origin is not an absolute URL/],
    [[...call, '--token', 'a\nb'], /--token must be letters that a header may hold/],
    [[...call, '--token', 'não'], /--token must be letters that a header may hold/],
    [[...call, '--only', 'look'], /--only must be one of creation, refusals/],
    [[...call, '--payer', '{"cpf":1}'], /--payer must be JSON with fields of a payer/],
    [[...call, '--secret', 'short'], /--secret must have at least 32 bytes/],
  ];
  for (const [args, said] of wrong) {
    it(`names what is wrong in: check ${args.join(' ')}`, async () => {
      assert.doesNotMatch(await assertRefused(['check', ...args], {}, said), /hunter2|'short'/);
    });
  }

  const unreachable: readonly [thrown: unknown, said: RegExp][] = [
    [
      new TypeError('x', { cause: { code: 'ECONNREFUSED' } }),
      /reached: no answer \(ECONNREFUSED\)$/,
    ],
    [new TypeError('x', { cause: { code: 'CERT_HAS_EXPIRED' } }), /certificate is not valid/],
    [new DOMException('x', 'TimeoutError'), /no answer within 25 s$/],
    [new TypeError('Bearer secret'), /no connection/],
  ];
  for (const [thrown, said] of unreachable) {
    it(`says in a line that it cannot be reached: ${String(said)}`, async () => {
      vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.reject(thrown));
      await assertRefused(['check', ...call], {}, said);
    });
  }

  it('asks for one group alone, and tells what that needs not', async () => {
    const { answer, orderToken, sandbox } = await openCheckedShop();
    const results = await check(answer, { orderToken, cardToken: 'tok_approve', only: 'look-up' });
    assert.deepEqual([...new Set(results.map(({ group }) => group))], ['look-up']);
    assert.deepEqual(idsOf(results, 'failed'), []);
    assert.deepEqual(idsOf(results, 'not_checked'), []);
    assert.equal(sandbox.charges(order).count, 0);
  });

  it('makes an expired token, and one of an unknown order, with the secret', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const env = { PIX_ORDER_TOKEN: orderToken, SECRET: secrets[0]! };
    const run = checkAt(answer, ['--only', 'order-token', '--json'], env);
    assert.equal(await run.code, 0);
    const { points } = JSON.parse(run.output()) as { points: { outcome: string }[] };
    assert.deepEqual(new Set(column(points, 'outcome')), new Set(['passed']));
    assert.ok(!run.output().includes(secrets[0]!));
  });

  it('tells 1,000 tampered tokens from the true one, of references of every length', async () => {
    for (let n = 0; n < 1_000; n += 1) {
      const name = randomBytes(48)
        .toString('base64url')
        .slice(0, (n % 64) + 1);
      const options = { secrets, publicUrl: endpoint, externalId: name };
      const token = await signOrder(options);
      const { tampered_token, rewritten_token, unsigned_token, forged_token, alg_none_token } =
        toTokenValues(token, name, 'another-order');
      const isOurs = (orderToken = '', externalId = name) =>
        verifyOrder({ ...options, externalId, orderToken });
      assert.equal(await isOurs(token), true);
      for (const wrong of [tampered_token, unsigned_token, forged_token, alg_none_token]) {
        assert.equal(await isOurs(wrong), false, wrong);
        assert.equal(payloadOf(wrong).e, name, 'a proxy that verifies nothing takes it');
      }
      assert.equal(await isOurs(rewritten_token, 'another-order'), false, rewritten_token);
      assert.equal(payloadOf(rewritten_token).e, 'another-order');
    }
  });

  it('waits for an answer no longer than it says', async () => {
    const results = check(() => new Promise(() => undefined), { timeoutMs: 1 });
    await assert.rejects(results, { name: 'NoAnswer', message: 'no answer within 0.001 s' });
  });

  it('leaves a proxy that has stopped answering', async () => {
    const { answer, orderToken } = await openCheckedShop();
    let count = 0;
    const ending: Answering = (request) => {
      count += 1;
      return count > 5 ? Promise.reject(new TypeError('fetch failed')) : answer(request);
    };
    const results = await check(ending, { orderToken });
    assert.deepEqual(idsOf(results, 'failed'), ['reached']);
    assert.ok(count <= 30, String(count));
  });
});

const slowly =
  (serve: typeof fetch): typeof fetch =>
  async (...request) => {
    await pause(200);
    return serve(...request);
  };

function payloadOf(token = ''): { readonly e?: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The request whose body stalls fails at once. */
function endsStalled(send: typeof fetch): typeof fetch {
  return async (input, init = {}) => {
    if (await isStalled(init)) throw new DOMException('', 'TimeoutError');
    return send(input, init);
  };
}

/** Whether this is the body that never ends. It can be read afterwards all the same. */
async function isStalled(init: RequestInit): Promise<boolean> {
  if (!(init.body instanceof ReadableStream)) return false;
  const [first, rest] = init.body.tee();
  init.body = rest;
  const { value } = await first.getReader().read();
  return new TextDecoder().decode(value) === '{"method":';
}
