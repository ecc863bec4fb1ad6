/** Two tabs of one browser and a card whose outcome is open: its record is kept, whatever the other tab does or hears. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { minuteMs } from '../../../../src/domain/spans.js';
import { answerBy, keyOf, nextId, openPage, pixOf, problem, well } from '../../card/card-page.js';
import type { StoredAttempt } from '../../../../src/checkout/browser/storage.js';
import type { Page } from '../../card/card-page.js';
import { good } from '../../browser/hostile-list.js';
import { json, never } from '../../browser/open-client.js';
import { createMemoryStorage } from '../../../support/storage.js';
import type { Answerer } from '../../../support/checkout/fake-environment.js';
import { words } from '../../../support/rows.js';

const inProgress = problem(409, 'in_progress');
const outcomeUnknown = problem(502, 'outcome_unknown');
const notFound = problem(404, 'not_found');
const unknown = answerBy({ charge: outcomeUnknown });

const recordOf = ({ host }: Page) => host.controller.record.read();

const namesIn = (storage: Storage) =>
  Array.from({ length: storage.length }, (_, index) => storage.key(index)!);

/** The keys that a page has asked for, each once, in their order. */
const keysAsked = (page: Page) => [...new Set(page.asks().map(keyOf))];

/** A tab whose keys are not those of the first: each environment counts its own. */
function openSecond(...page: Parameters<typeof openPage>): Page {
  const second = openPage(...page);
  second.environment.uuid();
  return second;
}

/** Two tabs, the first of which has sent a card whose outcome is not known. */
async function openTabs(answer: Answerer) {
  const storage = createMemoryStorage();
  const first = openPage(unknown, {}, storage);
  const second = openSecond(answer, {}, storage);
  first.host.submitCard();
  await first.settle();
  const record = recordOf(first);
  assert.deepEqual([record?.method, first.state().phase], ['credit_card', 'confirming']);
  const assertKept = () => assert.deepEqual(recordOf(first), record);
  return { first, second, storage, record, assertKept };
}

describe('a card whose outcome is open, and in another tab', () => {
  it('Pix that hears in_progress: its record stays, and reset() leaves it there', async () => {
    const { second, assertKept } = await openTabs(inProgress);
    second.host.submit();
    await second.environment.advance(minuteMs);
    assert.equal(second.state().phase, 'confirming', 'it waits for the outcome of the card');
    assertKept();
    second.host.controller.dispatch({ type: 'reset' });
    assert.equal(second.state().phase, 'confirming', 'which nothing forgets');
    assertKept();
  });

  it('Pix that hears in_progress, and the card is paid: the receipt', async () => {
    const { second } = await openTabs(inProgress);
    const invoiceId = nextId();
    const data = { ...good(invoiceId), qr_code_pix: '', status: 'paid' };
    const orderPaid = () => json({ code: 'order_paid', status: 409, data }, { status: 409 });
    second.host.submit();
    await second.environment.advance(minuteMs);
    second.environment.answerWith(answerBy({ ask: orderPaid, rest: well(invoiceId, 'paid') }));
    await second.environment.advance(minuteMs);
    assert.equal(second.state().phase, 'paid');
  });

  it('Pix that is turned away for good: its record stays', async () => {
    const { second, assertKept } = await openTabs(problem(409, 'order_closed'));
    second.host.submit();
    await second.settle();
    assert.equal(second.state().phase, 'failed');
    assertKept();
  });

  it('Pix that has a code after all, and is paid: its record stays', async () => {
    const invoiceId = nextId();
    const { second, assertKept } = await openTabs(pixOf(invoiceId));
    second.host.submit();
    await second.settle();
    assert.equal(second.state().phase, 'awaiting');
    assertKept();
    second.environment.answerWith(well(invoiceId, 'paid'));
    await second.environment.advance(minuteMs);
    assert.equal(second.state().phase, 'paid');
    assertKept();
  });

  for (const code of words(`
    unauthorized amount_mismatch key_reused order_closed invalid_request too_many_requests
    service_unavailable
  `)) {
    it(`the same attempt that is turned away with ${code}: its outcome is asked for, its record stays`, async () => {
      const { first, second, assertKept } = await openTabs(
        answerBy({ charge: problem(400, code) }),
      );
      second.host.submitCard();
      await second.environment.advance(minuteMs);
      assert.deepEqual(second.asks().map(keyOf).slice(0, 1), first.charges().map(keyOf));
      assert.equal(second.state().phase, 'confirming');
      assertKept();
    });
  }

  it('the same attempt that turns out to be refused: its record goes, the next try is another', async () => {
    const { first, second } = await openTabs(problem(402, 'payment_refused'));
    second.host.submitCard();
    await second.settle();
    assert.deepEqual([second.state().phase, recordOf(first)], ['form', null]);
    second.host.submitCard();
    await second.settle();
    const [former, next] = second.charges().map(keyOf);
    assert.notEqual(next, former);
  });
});

describe('two cards pressed in one instant, each in a tab', () => {
  /** Two tabs whose cards are ready one after the other; each has a key of its own. */
  async function openInstant(firstAnswer: Answerer, secondAnswer: Answerer) {
    const storage = createMemoryStorage();
    const made: ((ready: boolean) => void)[] = [];
    const prepareCard = () => new Promise<boolean>((resolve) => made.push(resolve));
    const first = openPage(firstAnswer, { prepareCard }, storage);
    const second = openSecond(secondAnswer, { prepareCard }, storage);
    for (const { host } of [first, second]) host.submitCard();
    for (const [index, page] of [first, second].entries()) {
      made[index]!(true);
      await page.settle();
    }
    const [key, otherKey] = [first, second].map((page) => keyOf(page.charges()[0]!)!);
    assert.notEqual(key, otherKey);
    return { first, second, storage, key, otherKey };
  }

  /** Knows one key only; its answers to charges are lost. */
  const knows =
    (key: string | undefined, answer: Answerer): Answerer =>
    (request) => {
      const asked = keyOf(request);
      return asked !== null && asked !== key ? notFound() : answer(request);
    };

  it('the second is turned away: it follows the first, whose record stays', async () => {
    const turnedAway = answerBy({ charge: inProgress });
    const { first, second, key, otherKey } = await openInstant(unknown, turnedAway);
    second.environment.answerWith(knows(key, outcomeUnknown));
    await second.environment.advance(minuteMs);
    assert.equal(second.state().phase, 'confirming');
    assert.deepEqual(keysAsked(second), [otherKey, key]);
    assert.equal(recordOf(first)?.attemptKey, key);
    assert.equal(second.charges().length, 1);
  });

  it('the second is turned away, and the first has come to nothing: it says so', async () => {
    const notThis = answerBy({ charge: inProgress, ask: notFound });
    const { second } = await openInstant(unknown, notThis);
    await second.environment.advance(minuteMs);
    const state = second.state();
    assert.equal(state.phase === 'form' && state.error?.code, 'network');
  });

  for (const taken of ['first', 'second'] as const) {
    it(`both answers are lost, and the ${taken} was taken: after a reload it is found`, async () => {
      const { storage, key, otherKey } = await openInstant(never, never);
      const invoiceId = nextId();
      const known = taken === 'first' ? key : otherKey;
      const again = openPage(knows(known, well(invoiceId, 'pending')), {}, storage);
      again.host.resume();
      await again.environment.advance(minuteMs);
      const state = again.state();
      assert.equal(state.phase === 'confirming' && state.watch?.invoices[0].invoiceId, invoiceId);
      again.environment.answerWith(well(invoiceId, 'paid'));
      await again.environment.advance(minuteMs);
      assert.equal(again.state().phase, 'paid');
    });
  }

  it('the second is the one that was taken: its invoice stands beside the first', async () => {
    const invoiceId = nextId();
    const answer = well(invoiceId, 'pending');
    const { storage, key, otherKey } = await openInstant(inProgress, answer);
    const records = namesIn(storage).map((name) => {
      const { attemptKey, invoiceId } = JSON.parse(storage.getItem(name)!) as StoredAttempt;
      return [attemptKey, invoiceId];
    });
    assert.deepEqual(Object.fromEntries(records), { [key!]: null, [otherKey!]: invoiceId });
  });
});

it('a card that the proxy says it never got leaves its place to a Pix code, and not its key to it', async () => {
  const invoiceId = nextId();
  const charge = () => Response.error();
  const page = openPage(answerBy({ charge, ask: notFound, rest: pixOf(invoiceId) }));
  page.host.submitCard();
  await page.environment.advance(minuteMs);
  const key = keyOf(page.charges()[0]!);
  assert.deepEqual([page.state().phase, recordOf(page)], ['form', null]);
  page.host.submit();
  await page.settle();
  assert.equal(recordOf(page)?.invoiceId, invoiceId);
  assert.notEqual(recordOf(page)?.attemptKey, key);
});
