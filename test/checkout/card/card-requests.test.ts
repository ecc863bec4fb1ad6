/**
 * A card through the real client, controller and machine: one POST, whatever the line and the proxy do to it.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { State } from '../../../src/checkout/machine/state.js';
import {
  answerBy,
  cardFormBehindPix,
  isCharge,
  keyOf,
  openPage,
  problem,
  sending,
  well,
} from './card-page.js';
import type { Page } from './card-page.js';
import { good, hostileAnswers, nextId } from '../browser/hostile-list.js';
import { json } from '../browser/open-client.js';

const tenMinutesMs = 600_000;

const eventsOf = ({ host }: Page, type: string) =>
  host.events.filter((event) => event.type === type);

describe('the request', () => {
  it('carries the key that is stored before it leaves, and nothing of the card is stored', async () => {
    const { charges, host } = await sending();
    const [charge] = charges();
    const stored = host.controller.record.read();
    assert.equal(keyOf(charge!), stored?.attemptKey);
    assert.deepEqual([stored?.method, stored?.invoiceId], ['credit_card', null]);
    assert.ok(!JSON.stringify([stored, host.controller.state]).includes('token-of-a-card'));
  });

  it('a double click is one', async () => {
    const page = openPage(answerBy({}));
    page.host.submitCard();
    await page.pay();
    await page.pay();
    assert.equal(page.charges().length, 1);
  });

  for (const [name, prepareCard] of [
    ['could not be made ready', () => Promise.resolve(false)],
    ['a form of another version makes ready', () => Promise.reject(new TypeError('no function'))],
  ] as const) {
    it(`of a card that ${name} is none`, async () => {
      const page = openPage(answerBy({}), { prepareCard });
      await page.pay();
      assert.equal(page.state().phase, 'form');
      const { record } = page.host.controller;
      assert.deepEqual([page.environment.sent.length, record.read()], [0, null]);
    });
  }

  it('of another try has another key: that of the first is barred, or bound by a refusal', async () => {
    const ask = problem(404, 'not_found');
    const page = openPage(answerBy({ charge: problem(503, 'service_unavailable'), ask }));
    for (const charge of [problem(402, 'payment_refused'), answerBy({})]) {
      await page.pay();
      assert.equal(page.state().phase, 'form');
      page.environment.answerWith(answerBy({ charge, ask }));
    }
    assert.deepEqual(page.asks().map(keyOf), [keyOf(page.charges()[0]!)]);
    await page.pay();
    assert.equal(new Set(page.charges().map(keyOf)).size, 3);
  });

  it('waits for a last look-up of the Pix code, and is not made if that is paid', async () => {
    const page = await cardFormBehindPix();
    await page.pay();
    assert.deepEqual(page.environment.sent.slice(-2).map(isCharge), [false, true]);
    const other = await cardFormBehindPix();
    const data = { ...good(other.host.controller.record.read()?.invoiceId ?? ''), status: 'paid' };
    other.environment.answerWith(() => json({ data, message: '' }));
    await other.pay();
    assert.deepEqual([other.state().phase, other.charges()], ['paid', []]);
  });
});

/** Where the checkout stands when the charge is answered so, and the proxy then does what it should; else it is paid. */
const ended: Readonly<Record<string, State['phase']>> = {
  'order_paid without an invoice': 'failed',
  'order_paid by another order': 'failed',
  'another invoice, paid': 'confirming',
};

describe('the charge is answered with', () => {
  for (const { name, answer } of hostileAnswers) {
    const end = ended[name] ?? 'paid';
    it(`${name}: one charge, ${end} in the end, and never called a failure on the way`, async () => {
      const invoiceId = nextId();
      const silent = answerBy({ charge: answer(invoiceId), ask: answer(invoiceId) });
      const page = await sending(silent);
      await page.environment.advance(tenMinutesMs);
      const { phase } = page.state();
      assert.equal(phase, end === 'paid' ? 'confirming' : end);
      page.environment.answerWith(well(invoiceId, 'paid'));
      await page.environment.advance(tenMinutesMs);
      assert.equal(page.state().phase, end);
      assert.equal(page.charges().length, 1);
      assert.equal(eventsOf(page, 'pix-paid').length, end === 'paid' ? 1 : 0);
      const keys = new Set([...page.charges(), ...page.asks()].map(keyOf));
      assert.equal(keys.size, 1, 'all of it is about one attempt');
      assert.ok(page.environment.sent.length < 300, `${page.environment.sent.length} requests`);
      if (end === 'confirming') return;
      assert.deepEqual([page.environment.timers, page.environment.inFlight.size], [[], 0]);
    });
  }

  it('nothing, and then the attempt is not known: the form, and the next try is another attempt', async () => {
    const page = await sending(answerBy({ ask: problem(404, 'not_found') }));
    await page.environment.advance(60_000);
    assert.equal(page.state().phase, 'form');
    await page.pay();
    const [first, second] = page.charges().map(keyOf);
    assert.ok(second && second !== first, 'the key of the first is barred');
  });

  it('pending, and refused at last: the form, and the record is gone', async () => {
    const page = await sending(well(nextId(), 'pending'));
    await page.environment.advance(60_000);
    assert.equal(page.state().phase, 'confirming');
    page.environment.answerWith(problem(402, 'payment_refused'));
    await page.environment.advance(60_000);
    assert.deepEqual([page.state().phase, page.host.controller.record.read()], ['form', null]);
    assert.equal(page.charges().length, 1);
  });
});
