/**
 * A card through the real client, controller and machine: one POST, whatever the line, the proxy or the page does to it.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { State } from '../../src/checkout/machine/state.js';
import { createFakeEnvironment } from '../support/fake-environment.js';
import type { Answerer, FakeEnvironment, SentRequest } from '../support/fake-environment.js';
import { good, hostileAnswers } from './hostile-list.js';
import { createNodeHost } from './node-host.js';
import type { HostOptions, NodeHost } from './node-host.js';
import { json, never } from './open-client.js';

const tenMinutesMs = 600_000;

/** `pix-paid` comes once per invoice and page load: each test has invoices of its own. */
let lastInvoice = 0;
const nextId = () => `card-test-${String((lastInvoice += 1)).padStart(4, '0')}`;

const isPost = ({ method }: SentRequest) => method === 'POST';
const isCharge = (request: SentRequest) =>
  isPost(request) && (request.body as { method: string }).method === 'credit_card';
const isAsk = ({ method, url }: SentRequest) => method === 'GET' && url.endsWith('/invoices');
const keyOf = ({ headers }: SentRequest) => headers.get('Idempotency-Key');

const problem = (status: number, code: string) => () => json({ code, status }, { status });

/** A proxy that does what it should, for a card's invoice. */
const well =
  (invoiceId: string, status: string): Answerer =>
  (request) =>
    json({
      data: {
        ...good(invoiceId),
        is_pix: false,
        qr_code_pix: '',
        status: isPost(request) || isAsk(request) ? 'pending' : status,
      },
      message: '',
    });

/** What answers each kind of request; the others are never answered. */
function answerBy(answers: { charge?: Answerer; ask?: Answerer; rest?: Answerer }): Answerer {
  return (request) => {
    if (isCharge(request)) return (answers.charge ?? never)(request);
    if (isAsk(request)) return (answers.ask ?? never)(request);
    return (answers.rest ?? never)(request);
  };
}

/** A Pix code on the screen that nobody pays, if `pix` is its invoice. */
const pixOf =
  (pix: string): Answerer =>
  () =>
    json({ data: good(pix), message: '' });

interface Page {
  readonly environment: FakeEnvironment;
  readonly host: NodeHost;
  readonly charges: () => readonly SentRequest[];
  readonly asks: () => readonly SentRequest[];
  readonly state: () => State;
  /** Lets everything settle that needs no time. */
  readonly settle: () => Promise<void>;
}

function openPage(answer: Answerer, options: HostOptions = {}, storage?: Storage): Page {
  const environment = createFakeEnvironment(answer, storage ? { storage } : {});
  const host = createNodeHost(environment, options);
  return {
    environment,
    host,
    charges: () => environment.sent.filter(isCharge),
    asks: () => environment.sent.filter(isAsk),
    state: () => host.controller.state,
    settle: () => environment.advance(0),
  };
}

/** A page whose card has been sent, and not been answered. */
async function sending(answer: Answerer = answerBy({})): Promise<Page> {
  const page = openPage(answer);
  page.host.submitCard();
  await page.settle();
  assert.equal(page.charges().length, 1);
  return page;
}

/** A page with a Pix code on the screen, the card form before it. */
async function cardFormBehindPix(options: HostOptions = {}): Promise<Page> {
  const page = openPage(answerBy({ rest: pixOf(nextId()) }), options);
  page.host.submit();
  await page.settle();
  page.host.controller.dispatch({ type: 'method_chosen', method: 'credit_card' });
  assert.equal(page.state().phase, 'form');
  return page;
}

const eventsOf = ({ host }: Page, type: string) =>
  host.events.filter((event) => event.type === type);

describe('the request', () => {
  it('carries the key that is stored before it leaves, and nothing of the card is stored', async () => {
    const { charges, host } = await sending();
    const [charge] = charges();
    const { stored } = host.controller;
    assert.equal(keyOf(charge!), stored?.attemptKey);
    assert.deepEqual([stored?.method, stored?.invoiceId], ['credit_card', null]);
    assert.ok(!JSON.stringify([stored, host.controller.state]).includes('token-of-a-card'));
  });

  it('a double click is one', async () => {
    const page = openPage(answerBy({}));
    page.host.submitCard();
    page.host.submitCard();
    await page.settle();
    page.host.submitCard();
    await page.settle();
    assert.equal(page.charges().length, 1);
  });

  it('of a card that could not be made ready is none', async () => {
    const page = openPage(answerBy({}), { prepareCard: () => Promise.resolve(false) });
    page.host.submitCard();
    await page.settle();
    assert.equal(page.state().phase, 'form');
    assert.deepEqual([page.environment.sent.length, page.host.controller.stored], [0, null]);
  });

  it('of another try has the same key after 503, another one after a refusal', async () => {
    const page = openPage(answerBy({ charge: problem(503, 'service_unavailable') }));
    for (const charge of [problem(402, 'payment_refused'), answerBy({})]) {
      page.host.submitCard();
      await page.settle();
      page.environment.answerWith(answerBy({ charge }));
    }
    page.host.submitCard();
    await page.settle();
    const [first, second, third] = page.charges().map(keyOf);
    assert.equal(second, first);
    assert.notEqual(third, second);
  });

  it('of a second tab has the same key: it is the same attempt', async () => {
    const one = await sending();
    const two = openPage(answerBy({}), {}, one.environment.storage()!);
    two.host.submitCard();
    await two.settle();
    assert.equal(keyOf(two.charges()[0]!), keyOf(one.charges()[0]!));
  });

  it('waits for a last look-up of the Pix code, and is not made if that is paid', async () => {
    const page = await cardFormBehindPix();
    page.host.submitCard();
    await page.settle();
    assert.deepEqual(page.environment.sent.slice(-2).map(isCharge), [false, true]);
    const other = await cardFormBehindPix();
    const { stored } = other.host.controller;
    other.environment.answerWith(() =>
      json({ data: { ...good(stored?.invoiceId ?? ''), status: 'paid' }, message: '' }),
    );
    other.host.submitCard();
    await other.settle();
    assert.deepEqual([other.state().phase, other.charges()], ['paid', []]);
  });
});

/** Where the checkout stands when the charge is answered so, and the proxy then does what it should; else it is paid. */
const ended: Readonly<Record<string, State['phase']>> = {
  '401': 'failed',
  '429 for ever': 'form',
  'order_paid without an invoice': 'failed',
  'order_paid by another order': 'failed',
  '503, and nonsense for a time': 'form',
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

  it('nothing, and then the attempt is not known: the form, and the next try is the same attempt', async () => {
    const page = await sending(answerBy({ ask: problem(404, 'not_found') }));
    await page.environment.advance(60_000);
    assert.equal(page.state().phase, 'form');
    page.host.submitCard();
    await page.settle();
    const [first, second] = page.charges().map(keyOf);
    assert.equal(second, first);
  });

  it('pending, and refused at last: the form, and the record is gone', async () => {
    const invoiceId = nextId();
    const page = await sending(well(invoiceId, 'pending'));
    await page.environment.advance(60_000);
    assert.equal(page.state().phase, 'confirming');
    page.environment.answerWith(problem(402, 'payment_refused'));
    await page.environment.advance(60_000);
    assert.deepEqual([page.state().phase, page.host.controller.stored], ['form', null]);
    assert.equal(page.charges().length, 1);
  });
});

describe('the element leaves the page and is put back', () => {
  const move = async (page: Page) => {
    const { controller } = page.host;
    const { environment } = page;
    const { length } = environment.sent;
    controller.hostDisconnected();
    await page.settle();
    assert.deepEqual([environment.inFlight.size, environment.timers], [0, []]);
    await environment.advance(tenMinutesMs);
    assert.equal(environment.sent.length, length, 'nothing is asked while it is away');
    controller.hostConnected();
    await page.settle();
  };

  it('while the card is made ready: the form, and a late token is nobody’s', async () => {
    const made: ((ready: boolean) => void)[] = [];
    const prepareCard = () => new Promise<boolean>((resolve) => made.push(resolve));
    const page = openPage(answerBy({}), { prepareCard });
    page.host.submitCard();
    await move(page);
    assert.equal(page.state().phase, 'form');
    page.host.submitCard();
    made[0]!(true);
    await page.settle();
    assert.deepEqual(page.charges(), [], 'the first token is not for the second attempt');
    made[1]!(true);
    await page.settle();
    assert.equal(page.charges().length, 1);
  });

  it('while the Pix code is looked up: looked up again, and only then sent', async () => {
    const page = await cardFormBehindPix();
    const { invoiceId } = page.host.controller.stored ?? {};
    page.environment.answerWith(never);
    page.host.submitCard();
    await page.settle();
    page.environment.answerWith(answerBy({ rest: pixOf(invoiceId ?? '') }));
    const { length } = page.environment.sent;
    await move(page);
    assert.deepEqual(page.environment.sent.slice(length).map(isCharge), [false, true]);
  });

  it('while it is sent: the attempt is asked for, and never sent again', async () => {
    const page = await sending();
    const [charge] = page.charges();
    await move(page);
    assert.equal(charge?.signal.aborted, true);
    assert.equal(page.state().phase, 'confirming');
    assert.deepEqual(page.asks().map(keyOf), [charge && keyOf(charge)]);
    page.environment.answerWith(well(nextId(), 'paid'));
    await page.environment.advance(60_000);
    assert.deepEqual([page.state().phase, page.charges().length], ['paid', 1]);
  });

  it('while nobody knows: it is asked for again at once', async () => {
    const page = await sending(answerBy({ charge: problem(502, 'outcome_unknown') }));
    await page.environment.advance(1_000);
    const { length } = page.asks();
    assert.equal(page.environment.inFlight.size, 1);
    await move(page);
    assert.equal(page.asks().length, length + 1);
    assert.equal(page.charges().length, 1);
  });

  it('while it is pending: it is looked up at once', async () => {
    const invoiceId = nextId();
    const page = await sending(well(invoiceId, 'pending'));
    await page.settle();
    page.environment.answerWith(well(invoiceId, 'paid'));
    await move(page);
    assert.deepEqual([page.state().phase, page.charges().length], ['paid', 1]);
  });

  it('with a Pix code behind the card form: it is followed on', async () => {
    const page = await cardFormBehindPix();
    await move(page);
    assert.equal(page.state().phase, 'form');
    assert.equal(isCharge(page.environment.sent.at(-1)!), false);
    assert.ok(page.environment.timers.length > 0 || page.environment.inFlight.size > 0);
  });

  it('the button is pressed by the page’s script while it is away: nothing is made ready or sent', async () => {
    let asked = 0;
    const prepareCard = () => Promise.resolve((asked += 1) > 0);
    const page = openPage(answerBy({}), { prepareCard });
    page.host.controller.hostDisconnected();
    page.host.submitCard();
    await page.settle();
    page.host.controller.hostConnected();
    await page.settle();
    assert.deepEqual([asked, page.charges(), page.state().phase], [0, [], 'form']);
  });
});

describe('the page shows another order', () => {
  it('while the card is made ready: what comes of it is not for the next', async () => {
    const made: ((ready: boolean) => void)[] = [];
    const prepareCard = () => new Promise<boolean>((resolve) => made.push(resolve));
    const page = openPage(answerBy({}), { prepareCard });
    page.host.submitCard();
    page.host.controller.dispatch({ type: 'order_changed' });
    page.host.submitCard();
    made[0]!(false);
    await page.settle();
    assert.equal(page.state().phase, 'creating');
    made[1]!(true);
    await page.settle();
    assert.equal(page.charges().length, 1);
  });

  it('while it is sent: the record stays, and its return asks for the attempt', async () => {
    const page = await sending();
    page.host.controller.dispatch({ type: 'order_changed' });
    const stored = page.host.controller.stored!;
    const { attemptKey, method, totalCents } = stored;
    page.host.controller.dispatch({ type: 'recovering', attemptKey, method, totalCents });
    await page.settle();
    assert.deepEqual(page.asks().map(keyOf), [keyOf(page.charges()[0]!)]);
    assert.equal(page.charges().length, 1);
  });
});
