/** Each point names the proxy that is wrong in its way, and no other; no right proxy is blamed, in whatever way it differs. */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { isOpenMoney } from '../../../src/cli/check/check-report.js';
import { answerPoints } from '../../../src/cli/check/points/answers.js';
import { contractPoints } from '../../../src/cli/check/run-check.js';
import type { CheckedProxy } from '../../../src/cli/check/values.js';
import { check, idsOf, openCheckedShop, sandboxUrl, secondOrder, toFetch } from './checked-shop.js';
import { words } from '../../support/rows.js';
import { openSmallProxy } from './small-proxy.js';

async function checkSmall(names: readonly string[], more: Partial<CheckedProxy> = {}) {
  const shop = await openCheckedShop();
  const answer = openSmallProxy(shop, (name) => names.includes(name));
  shop.sendPostbacksTo(answer);
  const fetch = toFetch(answer, shop.sandbox);
  const usual = { ...shop.given, cardToken: 'tok_pending', sandbox: sandboxUrl, fetch };
  return check(answer, { ...usual, ...more });
}

const ids = [...contractPoints, ...answerPoints].map(({ id }) => id).concat('reached');

const given: Readonly<Record<string, Partial<CheckedProxy>>> = {
  wait: { longestMs: 50 },
  'no-408': { stallMs: 60_000 },
};

for (const id of ids) {
  it(`a proxy that is wrong in one way is named by ${id} alone`, async () => {
    const results = await checkSmall([id], given[id]);
    assert.deepEqual(idsOf(results, 'failed'), [id]);
  });
}

const noRecovery = 'recover recover-no-order recover-stranger barred barred-held barred-later';
const barredCards = 'card-barred card-failed card-failed-again';
const noCards = `${barredCards} card-price card card-recover card-same-key card-other-key card-then-pix`;
const orderTokens = ids.filter((id) => id.startsWith('order-token-')).join(' ');

/** Ways in which a right proxy may differ, what else is given for it, and what cannot be checked then. */
const variants: readonly [names: string, left?: string, more?: Partial<CheckedProxy>][] = [
  [''],
  ['long polls'],
  ['another price for cards'],
  ['another word'],
  ['no code in look-ups'],
  ['a charset'],
  ['a deadline'],
  ['a minute for clocks'],
  ['an echo'],
  ['a star'],
  ['a body for preflights'],
  ['one at a time, the others later'],
  ['a refusal that binds'],
  ['a failure that is said again'],
  ['no questions in addresses'],
  ['prices that are overlooked'],
  ['a payer that is needed'],
  ['a limit for each address'],
  ['errors of a web server'],
  ['a page for every other path'],
  ['a slash of Apache'],
  ['no look-up tokens', 'look-up-missing look-up-forged look-up-other token-purpose'],
  ['no promise', `${noRecovery.slice(8)} ${barredCards}`],
  ['no question for attempts, no cards', `${noRecovery} ${noCards}`],
  ['card numbers', 'raw-card', { takesNumbers: true }],
  [
    'no order tokens',
    `${orderTokens} token-purpose recover-stranger replay limit`,
    {
      orderToken: undefined,
      madeTokens: {},
      otherOrder: undefined,
      secondOrder: { order: secondOrder },
    },
  ],
  ['a page on localhost', '', { origin: 'http://localhost:3000' }],
  ['no card given', noCards, { cardToken: undefined }],
  ['no sandbox given', 'sandbox-postback sandbox-lost sandbox-total', { sandbox: undefined }],
];

for (const [names, left = '', more] of variants) {
  it(`a right proxy passes without a word: ${names || 'the small one'}`, async () => {
    const results = await checkSmall(names.split(/, (?=no )/), more);
    assert.deepEqual(
      results.filter(({ outcome }) => outcome === 'failed'),
      [],
    );
    assert.deepEqual(
      idsOf(results, 'not_checked').toSorted(),
      left.split(' ').filter(Boolean).toSorted(),
    );
    assert.ok(!results.some(isOpenMoney));
  });
}

/** What an answer point says of an answer with this text, or this status. */
function faultIn(id: string, text: string, status = ''): string | null {
  const point = answerPoints.find((one) => one.id === id) ?? assert.fail(id);
  return point.findFault({ text, data: { status } } as never, {});
}

const traces: Readonly<Record<string, string>> = {
  JavaScript: 'TypeError: x\n    at route (/app/node_modules/express/lib/router/index.js:47:12)',
  'JavaScript, in HTML':
    'x<br> &nbsp; &nbsp;at JSON.parse (&lt;anonymous&gt;)<br> &nbsp; &nbsp;at parse (/app/a.js:92:19)',
  Python: 'Traceback (most recent call last):\n  File "/app/proxy.py", line 12, in create',
  PHP: 'PHP Fatal error: x in /srv/proxy.php:12\nStack trace:\n#0 /srv/proxy.php(40): price()',
  Ruby: "app/controllers/pix_controller.rb:12:in `create'",
  Java: 'java.lang.NullPointerException\n\tat com.shop.Pix.create(Pix.java:42)',
  Go: 'panic: x\n\ngoroutine 18 [running]:\nmain.create(0xc0000140a8)',
  '.NET': '   at Shop.Pix.Create() in /src/Pix.cs:line 42',
};
for (const [language, trace] of Object.entries(traces)) {
  it(`a stack trace is seen: ${language}`, () => {
    assert.ok(faultIn('stack-trace', trace));
    assert.ok(faultIn('stack-trace', JSON.stringify({ code: 'invalid_request', stack: trace })));
  });
}

it('a status is told from its translation', () => {
  for (const status of words(
    'pago PAGO pendente aguardando_pagamento aprovado não_pago pendiente pagado',
  )) {
    assert.ok(faultIn('status-portuguese', '', status), status);
  }
  for (const status of words(
    'paid pending processing waiting expired cancelled amount_mismatch page',
  )) {
    assert.equal(faultIn('status-portuguese', '', status), null, status);
  }
  const usual = JSON.stringify({
    detail: 'payer.name at 12:30',
    created_at: '2026-11-21T12:00:00Z',
  });
  assert.equal(faultIn('stack-trace', usual), null);
});

it('a proxy that no request of the page reaches has one fault with one cause, and all else stands open', async () => {
  const results = await checkSmall(['behind a wall']);
  assert.deepEqual(idsOf(results, 'failed'), ['reached']);
  assert.equal(
    results[0]?.came,
    'POST /invoices: 413 without a code; not JSON, it begins with "<h1>Loja</h1>"',
  );
  assert.ok(results.slice(1).every(({ isOpen }) => isOpen));
});

it('a proxy whose ids can be guessed, without look-up tokens is named for its ids', async () => {
  const results = await checkSmall(['guessed ids']);
  assert.deepEqual(idsOf(results, 'failed'), ['guessable']);
});
