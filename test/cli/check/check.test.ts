/** `pix-checkout check` against proxies as they are: ours, the careful ones of the demo, and the one of twenty lines. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, it, vi } from 'vitest';
import { toReport } from '../../../src/cli/check/check-report.js';
import { groups } from '../../../src/cli/check/point.js';
import { runCheck } from '../../../src/cli/check/run-check.js';
import { toTokenValues } from '../../../src/cli/check/wrong-tokens.js';
import { signOrder, verifyOrder } from '../../../src/order-token.js';
import { openDemo } from '../../conformance/subjects.js';
import { createForwarder } from '../../support/forwarder.js';
import { whyNoProgram } from '../../support/machine/programs.js';
import { root } from '../../support/tools.js';
import { useInstantCrypto } from '../../simulation/processes/instant-crypto.js';
import { runCommand } from '../support/terminal.js';
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
  secrets,
  textOf,
  toFetch,
} from './checked-shop.js';
import type { Answering } from './checked-shop.js';
import { leftOutIf } from '../../support/runner/left-out.js';

const agedPoints = 'expired expired-now expired-hour expired-zone'
  .split(' ')
  .map((id) => `order-token-${id}`);
const orderTokenPoints = [
  ...'missing other-order alike tampered payload unsigned'
    .split(' ')
    .map((id) => `order-token-${id}`),
  ...agedPoints,
  ...'look-up forged nonsense true ending'.split(' ').map((id) => `order-token-${id}`),
];
/** What needs the secret. */
const secretPoints = [...agedPoints, 'order-token-ending', 'unknown-order'];
const secondPoints = ['', '-key', '-former', '-token', '-look-up', '-recover'].map(
  (id) => `second-order${id}`,
);
const cardPoints = 'never price failed failed-again'.split(' ').map((id) => `card-${id}`);
cardPoints.push(
  'card',
  ...'recover look-up same-key other-key then-pix key-as-pix'.split(' ').map((id) => `card-${id}`),
);

// Many requests, each with several signatures: threads would cost more than all the rest.
afterAll(useInstantCrypto());

describe('our proxy', () => {
  for (const cardToken of ['tok_pending', 'tok_approve']) {
    it(`passes every point, with ${cardToken}`, async () => {
      const { answer, given, sandbox } = await openCheckedShop({ holdSeconds: 1 });
      const faults: string[] = [];
      const fetched = noting(faults, toFetch(answer));
      const results = await check(answer, { ...(await given()), cardToken, fetch: fetched });
      assert.deepEqual(saidOf(results), []);
      assert.deepEqual(faults, [], 'as the OpenAPI document says');
      assert.equal(
        sandbox.invoices().length,
        5,
        'a code, two in its place, a second order, the charge',
      );
      assert.ok(sandbox.charges(order).count <= 1);
    });
  }

  it('passes where Pix costs less than a card', async () => {
    const { answer, orderToken } = await openCheckedShop({
      resolveOrder: ({ method }) => ({ total_price_cents: method === 'pix' ? 12_990 : 13_990 }),
    });
    const results = await check(answer, { orderToken, cardToken: 'tok_approve' });
    assert.deepEqual(idsOf(results, 'failed'), []);
  });

  it('pays nothing without a card', async () => {
    const { answer, orderToken, sandbox } = await openCheckedShop();
    const results = await check(answer, { orderToken });
    assert.deepEqual(idsOf(results, 'failed'), []);
    assert.deepEqual(idsOf(results, 'not_checked'), [
      ...secretPoints,
      ...secondPoints,
      ...cardPoints,
    ]);
    assert.deepEqual([sandbox.invoices().length, sandbox.charges(order).count], [3, 0]);
  });

  it('without the token that it wants, passes what can be checked, and no more is said of it', async () => {
    const { answer, sandbox } = await openCheckedShop();
    const results = await check(answer);
    assert.deepEqual(idsOf(results, 'failed'), []);
    assert.equal(sandbox.invoices().length, 0);
    const left = idsOf(results, 'not_checked');
    for (const id of [
      'ten-at-once',
      'creation',
      'look-up',
      ...orderTokenPoints,
      'replaces',
      'total',
    ]) {
      assert.ok(left.includes(id), id);
    }
    assert.ok(idsOf(results, 'passed').includes('browser-price'));
  });

  it('passes where it wants no token', async () => {
    const { answer } = await openCheckedShop({ requireOrderToken: false });
    const results = await check(answer, { cardToken: 'tok_pending' });
    assert.deepEqual(idsOf(results, 'failed'), []);
    const left = [
      ...orderTokenPoints,
      'look-up-order-token',
      'replay-no-token',
      'replay-other-order',
      ...['no-token', 'tampered', 'look-up-token'].map((id) => `recover-${id}`),
      ...secondPoints,
    ];
    assert.deepEqual(idsOf(results, 'not_checked'), left);
  });

  it('without an origin, says nothing of its pages', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const results = await check(answer, { orderToken, origin: undefined });
    assert.deepEqual(idsOf(results, 'failed'), []);
    const left = [...secretPoints, 'preflight', 'preflight-look-up'];
    left.push(
      'prefix-preflight',
      'prefix-page',
      'suffix-preflight',
      'suffix-page',
      'preflight-recover',
    );
    left.push(...secondPoints, ...cardPoints, 'vary', 'readable');
    assert.deepEqual(idsOf(results, 'not_checked'), left);
  });

  it('says of an order that has had its codes of the hour what could not be checked', async () => {
    const { answer, orderToken } = await openCheckedShop();
    for (const left of [[], ['replaces']]) {
      const results = await check(answer, { orderToken });
      assert.deepEqual(idsOf(results, 'failed'), []);
      assert.deepEqual(
        idsOf(results, 'not_checked').filter((id) => id === 'replaces'),
        left,
      );
    }
  });

  it('passes behind a web server that gives a body up that stalls, in words of its own', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const behind: Answering = async (request) => {
      const isStalled = (await textOf(request)) === null;
      return isStalled ? new Response('Bad Request', { status: 400 }) : answer(request);
    };
    const results = await check(behind, { orderToken, stallMs: 60_000 });
    assert.deepEqual(idsOf(results, 'failed'), []);
  });

  it('is not blamed for an order that cannot be paid', async () => {
    const { answer, orderToken, sign } = await openCheckedShop({
      resolveOrder: ({ externalId }) => (externalId === order ? { status: 'paid' } : null),
    });
    const isNotPayable = (message: RegExp) => ({ name: 'NotPayable', message });
    await assert.rejects(
      check(answer, { orderToken }),
      isNotPayable(/cannot be paid now \(order_/),
    );
    const unknown = { order: 'order-0', orderToken: await sign('order-0') };
    await assert.rejects(check(answer, unknown), isNotPayable(/does not know order order-0/));
    await assert.rejects(
      check(answer, { ...unknown, orderToken, only: 'order-token' }),
      isNotPayable(/token is refused \(unauthorized\): is it of order order-0\?/),
    );
    await assert.rejects(
      check(answer, { orderToken, endpoint: `${endpoint}/x` }),
      isNotPayable(/is the endpoint right\?/),
    );
  });

  it('is asked for no second charge where the outcome of the first is unknown', async () => {
    const { answer, orderToken, sandbox } = await openCheckedShop({ serviceTimeoutMs: 50 });
    const results = await check(answer, { orderToken, cardToken: 'tok_hang_after_effect' });
    assert.deepEqual(idsOf(results, 'failed'), []);
    const left = [...secretPoints, ...secondPoints, 'card', 'card-look-up', 'card-same-key'];
    assert.deepEqual(idsOf(results, 'not_checked'), left);
    assert.equal(sandbox.charges(order).count, 1);
  });

  it('that gives several codes is told of them, though a limit stops it', async () => {
    const shops = await Promise.all([openCheckedShop(), openCheckedShop()]);
    let count = 0;
    const limited: Answering = async (request) => {
      if (!(request.method === 'POST' && (await textOf(request))?.includes(order) === true))
        return shops[0].answer(request);
      count += 1;
      const tooMany = { code: 'too_many_requests', title: '', status: 429 };
      return count > 25
        ? Response.json(tooMany, { status: 429 })
        : shops[count % 2]!.answer(request);
    };
    const results = await check(limited, { orderToken: shops[0].orderToken, only: 'creation' });
    const atOnce = results.find(({ id }) => id === 'ten-at-once');
    assert.deepEqual([atOnce?.outcome, atOnce?.came], ['failed', '2 different invoices']);
  });
});

for (const name of ['python', 'php'] as const) {
  it(`the proxy in ${name} passes`, leftOutIf(whyNoProgram(name)), async (t) => {
    const subject = await openDemo(name);
    t.onTestFinished(() => subject.close());
    await subject.price(order, 'open');
    const orderToken = await signOrder({ ...subject, externalId: order });
    const faults: string[] = [];
    const noted = noting(faults, fetch, subject.url);
    const proxy = {
      endpoint: subject.url,
      order,
      orderToken,
      origin: subject.origin,
      fetch: noted,
    };
    const results = await runCheck({ ...proxy, ...patient, stallMs: 300 });
    assert.deepEqual(
      results.filter(({ outcome }) => outcome === 'failed'),
      [],
    );
    const recovery = 'no-order no-token tampered look-up-token foreign other-order held never';
    const left = [...secretPoints, 'recover', 'preflight-recover'];
    left.push(...recovery.split(' ').map((id) => `recover-${id}`), ...secondPoints, ...cardPoints);
    assert.deepEqual(idsOf(results, 'not_checked'), left);
    assert.deepEqual(faults, [], 'as the OpenAPI document says');
    assert.equal(subject.sandbox.invoices().length, 3, 'a code, and two in its place');
    assert.equal(await subject.payments(order), 0);
  });
}

it('the proxy of twenty lines gets its list', async () => {
  const { sandbox, orderToken } = await openCheckedShop();
  const forward = createForwarder({
    serviceUrl: 'https://service.example',
    accessToken: 'access-token-of-the-check',
    totalCents: 12_990,
    fetch: sandbox.fetch,
  });
  const results = await check(forward, { orderToken, cardToken: 'tok_pending' });
  const failed = `
    method reference-path reference-number foreign-field foreign-postback foreign-product payer-field payer-type
    no-json list browser-price browser-total browser-items browser-payer browser-form no-key content-type size
    ten-at-once same-key other-key other-device expected-total corrected expected-total-below expected-total-zero
    order-token-missing order-token-other-order order-token-alike order-token-tampered order-token-payload
    order-token-unsigned order-token-forged order-token-nonsense order-token-true look-up beside-wait
    look-up-no-token look-up-id look-up-base64 look-up-order-token look-up-nonsense delete replay-no-token
    replay-foreign replay-other-order reference-line reference-space preflight foreign-page prefix-page
    suffix-page null-origin foreign-look-up replaces-other replaces raw-card security-code card-price card-recover
    card-same-key card-other-key card-then-pix card-key-as-pix errors no-store nosniff readable personal-data`;
  assert.deepEqual(idsOf(results, 'failed'), failed.trim().split(/\s+/));
  const left = `
    order-token-expired order-token-expired-now order-token-expired-hour order-token-expired-zone
    order-token-look-up order-token-ending unknown-order look-up-tampered look-up-unsigned look-up-other
    preflight-look-up recover preflight-recover recover-no-order recover-no-token recover-tampered
    recover-look-up-token recover-foreign recover-other-order recover-held recover-never second-order
    second-order-key second-order-former second-order-token second-order-look-up second-order-recover former
    look-up-crossed card-never card-failed card-failed-again card-look-up vary guessable`;
  assert.deepEqual(idsOf(results, 'not_checked'), left.trim().split(/\s+/));
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
      assert.match(report, /1 more/);
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

describe('an answer that is meant to harm', () => {
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
    it(`is a failure and no more: ${name}`, async () => {
      const asked: string[] = [];
      const harming: Answering = async ({ url }) => {
        asked.push(url);
        return new Response(body, { headers: { 'content-type': '\u00ff/x' } });
      };
      const report = await check(harming, { orderToken: 'order-token-7654321' }).then(
        (results) => {
          assert.ok(idsOf(results, 'failed').includes('unknown-path'));
          return toReport(results, false, (_, text) => text);
        },
        ({ name: thrown, message }: Error) => {
          assert.equal(thrown, 'NotPayable');
          return message;
        },
      );
      assert.ok(
        asked.length > 10 && asked.every((url) => new URL(url).pathname.startsWith('/pix/')),
      );
      assert.doesNotMatch(report.replaceAll('\n', ''), /\p{Cc}|elsewhere|7654321/u);
    });
  }
});

describe('pix-checkout check', () => {
  const call = [endpoint, '--order', order, '--origin', origin];

  it('writes groups, failures with what to read, and what was not checked', async () => {
    const { answer, orderToken } = await openCheckedShop();
    const forgetful: Answering = async (request) => {
      const response = await answer(request);
      response.headers.delete('cache-control');
      return response;
    };
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(forgetful)));
    const run = runCommand(['check', ...call], { ORDER_TOKEN: orderToken });
    assert.equal(await run.code, 3);
    assert.match(run.warnings(), /^This creates a Pix code .* Nothing is paid\.$/);
    assert.match(run.output(), /^Refusals {6}21 of 21$/m);
    assert.match(run.output(), /^BREAKS {2}No cache may keep an answer/m);
    assert.match(run.output(), /^ {2}expected {2}Cache-Control: no-store$/m);
    assert.match(run.output(), /src\/contract\/README\.md#every-answer/);
    assert.match(run.output(), /^Not checked: give --card-token/m);
    assert.match(run.output(), /\d+ passed, 1 failed, 23 not checked$/);
    assert.ok(!run.output().includes(orderToken));
  });

  it('writes JSON, and ends with 0 where nothing failed', async () => {
    const { answer, orderToken } = await openCheckedShop();
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(answer)));
    const run = runCommand(['check', ...call, '--token', orderToken, '--json']);
    assert.equal(await run.code, 0);
    const { points, ...counts } = JSON.parse(run.output());
    assert.deepEqual(counts, { passed: points.length - 23, failed: 0, not_checked: 23 });
    assert.deepEqual(Object.keys(points[0]), [
      'id',
      'group',
      'severity',
      'name',
      'outcome',
      'why',
      'read',
    ]);
  });

  it('says that most was not checked, without the token that the proxy wants', async () => {
    const { answer } = await openCheckedShop();
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(answer)));
    const run = runCommand(['check', ...call]);
    assert.equal(await run.code, 2);
    assert.match(run.output(), /^Not checked: the proxy wants an order token: give --token$/m);
    assert.match(run.output(), /\nNo code was created: most was not checked\.$/);
  });

  it('asks whether the endpoint is right, where a page of the shop answers', async () => {
    const page = async () => new Response('<h1>Loja</h1>', { status: 404 });
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(page)));
    const run = runCommand(['check', ...call]);
    assert.equal(await run.code, 2);
    assert.match(
      run.warnings(),
      /\nNo answer was one of the contract \(404 .*begins with "<h1>Loja.*\): is the endpoint right\?$/,
    );
    assert.equal(run.output(), '', 'nothing is said of money');
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
      const isLast = body.includes('"replaces":"') && !body.includes('1111-4');
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
    [[...call, '--only', 'look'], /--only must be one of refusals, creation/],
    [[...call, '--secret', 'short'], /--secret must have at least 32 bytes/],
  ];
  for (const [args, said] of wrong) {
    it(`names what is wrong in: check ${args.join(' ')}`, async () => {
      const run = runCommand(['check', ...args]);
      assert.equal(await run.code, 2);
      assert.match(run.warnings(), said);
      assert.doesNotMatch(run.warnings(), /hunter2|'short'/);
    });
  }

  const unreachable: readonly [thrown: unknown, said: RegExp][] = [
    [
      new TypeError('x', { cause: { code: 'ECONNREFUSED' } }),
      /reached: no answer \(ECONNREFUSED\)$/,
    ],
    [new TypeError('x', { cause: { code: 'CERT_HAS_EXPIRED' } }), /certificate is not valid/],
    [new DOMException('x', 'TimeoutError'), /no answer within 6 s$/],
    [new TypeError('Bearer secret'), /no connection/],
  ];
  for (const [thrown, said] of unreachable) {
    it(`says in a line that it cannot be reached: ${String(said)}`, async () => {
      vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.reject(thrown));
      const run = runCommand(['check', ...call]);
      assert.equal(await run.code, 2);
      assert.match(run.warnings(), said);
      assert.equal(run.output(), '');
    });
  }

  it('waits for a look-up no longer than the element does', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { answer, orderToken } = await openCheckedShop();
    const slow: Answering = async (request) => {
      const response = await answer(request);
      if (!/invoices\/[\w-]{20}/.test(request.url) || response.status !== 200) return response;
      vi.advanceTimersByTime(6_000);
      return request.url.includes('wait=') ? response : new Promise(() => undefined);
    };
    const results = await check(slow, { orderToken, timeoutMs: 25_000, lookUpMs: 6_000 });
    assert.deepEqual(idsOf(results, 'failed'), ['look-up', 'former']);
  });

  const noJson: readonly [body: string, said: RegExp][] = [
    [
      '<br />\n<b>Notice</b>: Undefined index: x',
      /it begins with "<br \/>\\n<b>Notice<\/b>: Undefined/,
    ],
    ['\ufeff\ufeff{"data":{}}', /it begins with "\\u\{feff\}{1,2}\{/],
    ['<!doctype html><h1>Loja</h1>', /it begins with "<!doctype html><h1>Loja/],
  ];
  for (const [body, said] of noJson) {
    it(`says that it is no JSON, and how it begins: ${body.slice(0, 8)}`, async () => {
      const results = check(async () => new Response(body), { orderToken: 'v1.a.b' });
      await assert.rejects(results, { name: 'NotPayable', message: said });
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
    vi.spyOn(globalThis, 'fetch').mockImplementation(endsStalled(toFetch(answer)));
    const env = { ORDER_TOKEN: orderToken, SECRET: secrets[0]! };
    const run = runCommand(['check', ...call, '--only', 'order-token', '--json'], env);
    assert.equal(await run.code, 0);
    const left = JSON.parse(run.output()).points.filter(isLeft) as { id: string }[];
    assert.deepEqual(left, []);
    assert.ok(!run.output().includes(secrets[0]!));
  });

  it('tells 1,000 tampered tokens from the true one, of references of every length', async () => {
    for (let n = 0; n < 1_000; n += 1) {
      const name = randomBytes(48)
        .toString('base64url')
        .slice(0, (n % 64) + 1);
      const options = { secrets, publicUrl: endpoint, externalId: name };
      const token = await signOrder(options);
      const { tampered_token, rewritten_token, unsigned_token, forged_token, ...others } =
        toTokenValues(token, name, 'another-order');
      assert.deepEqual(others, {});
      const isOurs = (orderToken = '', externalId = name) =>
        verifyOrder({ ...options, externalId, orderToken });
      assert.equal(await isOurs(token), true);
      for (const wrong of [tampered_token, unsigned_token, forged_token]) {
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
    assert.equal(idsOf(results, 'failed').length, 3);
    assert.ok(count <= 10, String(count));
  });

  it('keeps redirections for what they are', async () => {
    const asked: string[] = [];
    const elsewhere: Answering = async ({ url }) => {
      asked.push(url);
      return new Response(null, { status: 307, headers: { location: 'https://evil.example/' } });
    };
    await assert.rejects(check(elsewhere), { name: 'NotPayable', message: /307, a redirection/ });
    assert.ok(asked.every((url) => url.startsWith(endpoint)));
  });
});

const isLeft = ({ outcome }: { readonly outcome: string }) => outcome !== 'passed';

function payloadOf(token = ''): { readonly e?: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

/** The command waits a minute for a body that stalls: here that request fails at once. */
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
