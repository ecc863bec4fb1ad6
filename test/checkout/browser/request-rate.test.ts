/**
 * How often a page asks its proxy, whatever that answers: every answer to a creation beside every answer to a look-up, from
 * the start and once a code is shown, with and without a reload. Through the real client, controller and machine.
 */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import fc from 'fast-check';
import { errorCodes, isErrorCode } from '../../../src/contract/codes.js';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';
import type {
  Answerer,
  FakeEnvironment,
  SentRequest,
} from '../../support/checkout/fake-environment.js';
import { chosenCases } from '../../tools/runs.js';
import { createNodeHost } from '../node-host.js';
import { good, nextId } from './hostile-list.js';
import { forAnyAsync } from '../../support/tables.js';

/** The most requests of one page in any minute. */
const mostPerMinute = 20;

/** A request takes as long there and back. */
const tripMs = 100;

type AnswerOf = (invoiceId: string) => Answerer;

const data =
  (changes: object): AnswerOf =>
  (invoiceId) =>
  () =>
    Response.json({ data: { ...good(invoiceId), ...changes } });
const empty = (status: number, headers: Record<string, string> = {}) => {
  return () => () => new Response('<h1>', { status, headers });
};

/** Every code of the contract, and what gateways, firewalls and broken lines say. */
const errors: Readonly<Record<string, AnswerOf>> = {
  ...Object.fromEntries(
    Object.keys(errorCodes)
      .filter(isErrorCode)
      .map((code) => [
        code,
        () => () => Response.json({ code }, { status: errorCodes[code].statuses[0]! }),
      ]),
  ),
  'order_paid with its invoice': (id) => () =>
    Response.json({ code: 'order_paid', data: { ...good(id), status: 'paid' } }, { status: 409 }),
  ...Object.fromEntries(
    [401, 402, 403, 404, 407, 409, 429, 451, 503].map((status) => [status, empty(status)]),
  ),
  '401 of HTTP Basic': empty(401, { 'WWW-Authenticate': 'Basic realm="staging"' }),
  HTML: empty(200),
  'a broken line': () => () => Promise.reject(new TypeError('Failed to fetch')),
};

let others = 0;
const another: AnswerOf = () => () => Response.json({ data: good(`another-${(others += 1)}`) });

const creations = {
  'the code': data({}),
  'another code each time': another,
  'a code that cannot be shown': data({ qr_code_pix: 'none' }),
  'a paid invoice': data({ status: 'paid' }),
  ...errors,
};
const lookUps = {
  pending: data({}),
  paid: data({ status: 'paid' }),
  'paid by another': data({ external_id: 'order-1', status: 'paid' }),
  'another invoice': data({ invoice_id: 'invoice-other' }),
  ...errors,
};

/** Every other look-up is answered in the first way. */
const alternately =
  (one: AnswerOf, other: AnswerOf): AnswerOf =>
  (id) => {
    let count = 0;
    return (request) => ((count += 1) % 2 ? one : other)(id)(request);
  };

const isCreation = ({ method, url }: SentRequest) =>
  method === 'POST' || url.includes('external_id');
const both =
  (creation: AnswerOf, lookUp: AnswerOf) =>
  (id: string): Answerer => {
    const [create, look] = [creation(id), lookUp(id)];
    return (request) => (isCreation(request) ? create : look)(request);
  };

interface Story {
  readonly creation: AnswerOf;
  readonly lookUp: AnswerOf;
  /** A code is shown before the proxy begins to answer so. */
  readonly isShown: boolean;
}

/** Presses the button, waits, and loads the page anew. */
async function play({ creation, lookUp, isShown }: Story): Promise<FakeEnvironment> {
  const id = nextId();
  const slowly =
    (answer: Answerer): Answerer =>
    async (request) => {
      await environment.after(tripMs);
      return answer(request);
    };
  const answer = slowly(both(creation, lookUp)(id));
  const well = slowly(both(data({}), data({}))(id));
  const environment = createFakeEnvironment(isShown ? well : answer);
  // The worst luck with each jitter.
  environment.random = () => 0;
  const host = createNodeHost(environment);
  host.submit();
  await environment.advance(20_000);
  environment.answerWith(answer);
  await environment.advance(70_000);
  host.controller.hostDisconnected();
  const { controller, resume } = createNodeHost(environment);
  resume();
  await environment.advance(70_000);
  controller.hostDisconnected();
  return environment;
}

/** The most requests in any minute. */
function mostOf({ sent }: FakeEnvironment): number {
  const times = sent.map(({ atMs }) => atMs);
  const within = (fromMs: number) =>
    times.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000);
  return Math.max(0, ...times.map((atMs) => within(atMs).length));
}

/** What stands for its like where the table is not played whole. */
const telling =
  /^(the code|another|a paid|a code|pending|unauthorized|in_progress|order_paid|too_many|service_un|payment_ref|401$|403|HTML|a broken)/;
const rowsOf = (answers: Readonly<Record<string, AnswerOf>>) =>
  chosenCases(Object.entries(answers), ([name]) => telling.test(name));

describe(`never more than ${mostPerMinute} requests a minute, before and after a reload`, () => {
  for (const [name, creation] of rowsOf(creations)) {
    it(`a creation is answered with ${name}, and a look-up with anything`, async () => {
      const found: string[] = [];
      for (const isShown of [false, true]) {
        for (const [look, lookUp] of rowsOf(lookUps)) {
          const played = await play({ creation, lookUp, isShown });
          const most = mostOf(played);
          if (most > mostPerMinute)
            found.push(`${most}: ${look}${isShown ? ', after a code' : ''}`);
          // A page that never looked up does the same whatever the answer would be.
          if (played.sent.every(isCreation)) break;
        }
      }
      assert.deepEqual(found, []);
    });
  }

  it('between any two states of one code: the proxy answers now so, now so', async () => {
    // A second code is followed as well, right behind the newest: thirty a minute at most.
    const ofOne = (name: string) => name !== 'another code each time';
    const pairOf = (answers: Readonly<Record<string, AnswerOf>>) => {
      const name = fc.constantFrom(...Object.keys(answers).filter(ofOne));
      return fc.tuple(name, name);
    };
    const take = (answers: Readonly<Record<string, AnswerOf>>, [one, other]: [string, string]) =>
      alternately(answers[one]!, answers[other]!);
    await forAnyAsync(400, pairOf(creations), pairOf(lookUps), fc.boolean(), async (...story) => {
      const [creation, lookUp, isShown] = story;
      const answers = { creation: take(creations, creation), lookUp: take(lookUps, lookUp) };
      const most = mostOf(await play({ ...answers, isShown }));
      assert.ok(most <= mostPerMinute, `${most} requests`);
    });
  });
});
