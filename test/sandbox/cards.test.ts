/** The test cards: what each does by number and by token, and that no value of a card ever leaves the process. */

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, it } from 'vitest';
import { testCards } from '../../src/sandbox.js';
import type { TestCard } from '../../src/sandbox.js';
import { parseCreation, parseLookUp } from '../../src/service/wire.js';
import { until } from '../support/until.js';
import { creationRequest } from '../service/samples.js';
import { openSandbox } from './open-sandbox.js';
import { column, words } from '../support/rows.js';

/** What a payer's shop sees of one scenario: the creation, then each look-up; null: the connection broke or hung. */
interface Story {
  readonly created: string | null;
  readonly lookUps: readonly string[];
  /** Charges at the end. */
  readonly charged: number;
}

const stories: Readonly<Record<string, Story>> = {
  approve: { created: 'paid', lookUps: ['paid', 'paid'], charged: 1 },
  pending: { created: 'pending', lookUps: ['pending', 'pending', 'pending'], charged: 1 },
  pending_then_paid: { created: 'pending', lookUps: ['pending', 'paid', 'paid'], charged: 1 },
  refuse: { created: 'refused', lookUps: ['refused', 'refused'], charged: 0 },
  pending_then_refused: {
    created: 'pending',
    lookUps: ['pending', 'refused', 'refused'],
    charged: 0,
  },
  hang_after_effect: { created: null, lookUps: ['paid'], charged: 1 },
  reset_before_effect: { created: null, lookUps: [], charged: 0 },
  reset_after_effect: { created: null, lookUps: ['paid'], charged: 1 },
};

const isLuhn = (number: string) =>
  Array.from(number, Number)
    .toReversed()
    .map((digit, index) => digit * (index % 2 === 0 ? 1 : 2))
    .reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) %
    10 ===
  0;

const byNumber = ({ number }: TestCard) => ({
  number,
  first_name: 'Maria',
  last_name: 'Silva',
  month: '07',
  year: '2030',
  security_code: '123',
  installment: 3,
});
const byToken = ({ token }: TestCard) => ({ token, installment: 3 });

const chargeOf = (card: object) => ({
  method: 'credit_card',
  total_price_cents: 12_345,
  external_id: 'order-1001',
  card,
});

/** Sends a card as a client that leaves as soon as the charge is made. */
async function send(opened: ReturnType<typeof openSandbox>, card: object): Promise<string | null> {
  const leave = new AbortController();
  const work = opened.send('POST', '/api/v2/invoices', {
    body: JSON.stringify(chargeOf(card)),
    signal: leave.signal,
  });
  const answered = work.then(
    async (response) => parseCreation(await response.json()).status,
    () => null,
  );
  await until(() => opened.sandbox.receivedCards().length === 1);
  leave.abort();
  return answered;
}

it('the list has every story, numbers that pass Luhn, and no number or token twice', () => {
  assert.deepEqual(column(testCards, 'scenario'), Object.keys(stories));
  for (const { number } of testCards) assert.ok(isLuhn(number), number);
  const names = testCards.flatMap(({ number, token }) => [number, token]);
  assert.equal(new Set(names).size, names.length);
});

for (const [way, toCard] of [
  ['number', byNumber],
  ['token', byToken],
] as const) {
  for (const known of testCards) {
    const story = stories[known.scenario];
    it(`${known.scenario}, by ${way}`, async () => {
      assert.ok(story);
      const opened = openSandbox();
      assert.equal(await send(opened, toCard(known)), story.created);
      for (const [index, status] of story.lookUps.entries()) {
        const found = parseLookUp((await opened.lookUp('SBX-000001')).body);
        assert.equal(found.status, status, `look-up ${index + 1}`);
        assert.deepEqual([found.is_pix, found.installments, found.payer], [false, 3, undefined]);
        assert.deepEqual([found.qr_code_pix, found.end_to_end_id], ['', undefined]);
      }
      const { count, total_cents: total } = opened.sandbox.charges('order-1001');
      assert.deepEqual([count, total], [story.charged, story.charged * 12_345]);
      assert.equal(opened.sandbox.receivedCards().length, 1);
    });
  }
}

describe('a card that pends', () => {
  const pends = { token: 'tok_pending_then_refused' };

  it('stays so for as many look-ups as the sandbox is told', async () => {
    for (const pendingLookUps of [0, 3]) {
      const { create, lookUp } = openSandbox({ pendingLookUps });
      await create(chargeOf(pends));
      const statuses: unknown[] = [];
      for (let asked = 0; asked <= pendingLookUps; asked += 1) {
        statuses.push((await lookUp('SBX-000001')).body.data['status']);
      }
      assert.deepEqual(statuses, [
        ...Array.from({ length: pendingLookUps }, () => 'pending'),
        'refused',
      ]);
    }
  });

  it('says when it ended', async () => {
    const { create, lookUp, clock } = openSandbox({ pendingLookUps: 0 });
    await create(chargeOf(pends));
    clock.ms += 60_000;
    await lookUp('SBX-000001');
    clock.ms += 60_000;
    const { created_at, updated_at } = parseLookUp((await lookUp('SBX-000001')).body);
    assert.deepEqual(
      [created_at, updated_at],
      ['2026-11-21T10:15:30.123000-03:00', '2026-11-21T10:16:30.123000-03:00'],
    );
  });

  it('ends as the control says, and look-ups change nothing more', async () => {
    for (const [action, body, status] of [
      ['settle', undefined, 'paid'],
      ['status', { status: 'em_analise' }, 'em_analise'],
    ] as const) {
      const { create, control, lookUp } = openSandbox({ pendingLookUps: 0 });
      await create(chargeOf(pends));
      const summary = await control('POST', `/invoices/SBX-000001/${action}`, body);
      assert.deepEqual([summary.body['status'], summary.body['end_to_end_id']], [status, null]);
      for (let asked = 0; asked < 3; asked += 1) {
        assert.equal((await lookUp('SBX-000001')).body.data['status'], status);
      }
    }
  });
});

it('a fault that is set comes before the one of the card', async () => {
  const { create, control, sandbox } = openSandbox();
  await control('PUT', '/faults', [{ on: 'create', kind: 'server_error', times: 1 }]);
  const card = { token: 'tok_reset_after_effect' };
  assert.equal((await create(chargeOf(card))).status, 500);
  await assert.rejects(create(chargeOf(card)), TypeError);
  assert.deepEqual([sandbox.charges().count, sandbox.receivedCards().length], [1, 2]);
});

it('Pix is charged by no card, whatever card stands in its creation', async () => {
  const { create, sandbox } = openSandbox();
  for (const { number, token } of testCards) {
    const { status, body } = await create({ ...creationRequest, card: { number, token } });
    assert.deepEqual([status, body.data['status']], [200, 'pending']);
  }
  assert.deepEqual([sandbox.charges().count, sandbox.charges().attempts], [0, 0]);
});

describe('what was received', () => {
  const { card } = creationRequest;
  const secrets = [card.token, card.number, card.cavv, card.xid, card.referenceid];

  it('is every field as it came, for tests in this process', async () => {
    const { create, sandbox } = openSandbox();
    await create(chargeOf(card));
    await create();
    const received = sandbox.receivedCards();
    sandbox.reset();
    assert.deepEqual(received, [card]);
    assert.deepEqual(sandbox.receivedCards(), []);
  });

  it('is known by the names of its fields, and by no value anywhere else', async () => {
    const { create, lookUp, control, sandbox } = openSandbox();
    const answers: unknown[] = [await create(chargeOf(card)), await lookUp('SBX-000001')];
    answers.push(await control('POST', '/invoices/SBX-000001/settle'));
    for (const path of words('/invoices /charges /requests /faults /cards /receivedCards')) {
      answers.push(await control('GET', path));
    }
    answers.push(await create({ ...chargeOf(card), total_price_cents: 0 }));
    const [invoice] = sandbox.invoices();
    assert.deepEqual(
      invoice?.receivedFields.filter((name) => name.startsWith('card.')),
      Object.keys(card).map((name) => `card.${name}`),
    );
    const everything = inspect([answers, sandbox, sandbox.invoices(), sandbox.charges()], {
      depth: Infinity,
      showHidden: true,
      maxStringLength: Infinity,
      maxArrayLength: Infinity,
    });
    assert.match(everything, /card\.security_code/);
    for (const secret of secrets) assert.equal(everything.includes(secret), false);
  });
});
