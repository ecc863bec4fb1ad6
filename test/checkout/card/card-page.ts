/** A page with a card form and no browser: its element's controller, its network, and what was asked of the proxy. */

import assert from 'node:assert/strict';
import type { State } from '../../../src/checkout/machine/state.js';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';
import type { Answerer, SentRequest } from '../../support/checkout/fake-environment.js';
import { good, nextId } from '../browser/hostile-list.js';
import { createNodeHost } from '../node-host.js';
import type { HostOptions } from '../node-host.js';
import { json, never } from '../browser/open-client.js';

export { nextId };

const isPost = ({ method }: SentRequest) => method === 'POST';
export const isCharge = (request: SentRequest) =>
  isPost(request) && (request.body as { method: string }).method === 'credit_card';
const isAsk = ({ method, url }: SentRequest) =>
  method === 'GET' && /\/invoices\?external_id=/.test(url);
export const keyOf = ({ headers }: SentRequest) => headers.get('Idempotency-Key');

export const problem = (status: number, code: string) => () => json({ code, status }, { status });

/** A proxy that does what it should, for a card's invoice. */
export const well =
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
export function answerBy(answers: {
  charge?: Answerer;
  ask?: Answerer;
  rest?: Answerer;
}): Answerer {
  return (request) => {
    if (isCharge(request)) return (answers.charge ?? never)(request);
    if (isAsk(request)) return (answers.ask ?? never)(request);
    return (answers.rest ?? never)(request);
  };
}

/** A Pix code on the screen that stays unpaid, if `pix` is its invoice. */
export const pixOf =
  (pix: string): Answerer =>
  () =>
    json({ data: good(pix), message: '' });

export type Page = ReturnType<typeof openPage>;

export function openPage(answer: Answerer, options: HostOptions = {}, storage?: Storage) {
  const environment = createFakeEnvironment(answer, storage);
  const host = createNodeHost(environment, options);
  /** Lets everything settle that needs no time. */
  const settle = () => environment.advance(0);
  /** Presses the button. */
  const pay = () => {
    host.submitCard();
    return settle();
  };
  return {
    environment,
    host,
    pay,
    settle,
    charges: () => environment.sent.filter(isCharge),
    asks: () => environment.sent.filter(isAsk),
    state: (): State => host.controller.state,
  };
}

/** A page whose cards are made ready when the test says so. */
export function openMaking() {
  const made: ((ready: boolean) => void)[] = [];
  const prepareCard = () => new Promise<boolean>((resolve) => made.push(resolve));
  return { made, page: openPage(answerBy({}), { prepareCard }) };
}

/** A page whose card has been sent, and not been answered. */
export async function sending(answer: Answerer = answerBy({})): Promise<Page> {
  const page = openPage(answer);
  await page.pay();
  assert.equal(page.charges().length, 1);
  return page;
}

/** A page with a Pix code on the screen, the card form before it. */
export async function cardFormBehindPix(options: HostOptions = {}): Promise<Page> {
  const page = openPage(answerBy({ rest: pixOf(nextId()) }), options);
  page.host.submit();
  await page.settle();
  page.host.controller.dispatch({ type: 'method_chosen', method: 'credit_card' });
  assert.equal(page.state().phase, 'form');
  return page;
}
