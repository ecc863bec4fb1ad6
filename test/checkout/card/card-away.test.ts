/** A card whose element leaves the page, or whose page shows another order: nothing is sent twice, and nothing is lost. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import {
  answerBy,
  cardFormBehindPix,
  isCharge,
  keyOf,
  openMaking,
  openPage,
  pixOf,
  problem,
  sending,
  well,
} from './card-page.js';
import type { Page } from './card-page.js';
import { nextId } from '../browser/hostile-list.js';
import { never } from '../browser/open-client.js';

const tenMinutesMs = 600_000;

describe('the element leaves the page and is put back', () => {
  const move = async (page: Page) => {
    const { environment, host } = page;
    const { length } = environment.sent;
    host.controller.hostDisconnected();
    await page.settle();
    assert.deepEqual([environment.inFlight.size, environment.timers], [0, []]);
    await environment.advance(tenMinutesMs);
    assert.equal(environment.sent.length, length, 'nothing is asked while it is away');
    host.controller.hostConnected();
    await page.settle();
  };

  it('while the card is made ready: the form, and a late token belongs to no card', async () => {
    const { made, page } = openMaking();
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
    const { invoiceId } = page.host.controller.record.read() ?? {};
    page.environment.answerWith(never);
    await page.pay();
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

  it('while its outcome is unknown: it is asked for again at once', async () => {
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
    await page.pay();
    page.host.controller.hostConnected();
    await page.settle();
    assert.deepEqual([asked, page.charges(), page.state().phase], [0, [], 'form']);
  });
});

describe('the page shows another order', () => {
  it('while the card is made ready: what comes of it is not for the next', async () => {
    const { made, page } = openMaking();
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
    page.host.resume();
    await page.settle();
    assert.deepEqual(page.asks().map(keyOf), [keyOf(page.charges()[0]!)]);
    assert.equal(page.charges().length, 1);
  });
});
