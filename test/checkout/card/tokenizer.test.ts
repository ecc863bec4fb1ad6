/** The card's way to one request: what a tokenizer may do wrong, what may travel, and that nothing of it stays. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type {
  CardContext,
  CardDetails,
  TokenizeCard,
} from '../../../src/checkout/card/card-file-contract.js';
import { createTokenizer } from '../../../src/checkout/card/tokenizer.js';
import { createFakeEnvironment } from '../../support/checkout/fake-environment.js';

/** Stand for card data: they must be nowhere but where they belong. */
const number = '4111111111111111';
const code = '987';

const details: CardDetails = {
  number,
  first_name: 'ANA',
  last_name: 'LIMA',
  month: '07',
  year: '2031',
  security_code: code,
};
const context = { externalId: 'order-1042', totalCents: 13_500, installment: 3 };
const timeoutMs = 300_000;

function open() {
  const environment = createFakeEnvironment(() => assert.fail('a tokenizer sends no request'));
  const tokenizer = createTokenizer(environment, () => details);
  const prepare = (hook: unknown, slotted = false) =>
    tokenizer.prepare({ tokenize: hook as TokenizeCard | null, context, slotted });
  /** Checks the card to send and the page's warnings: nothing else waits, and no warning holds a value. */
  const assertTaken = (sent: object | null, ...warnings: string[]) => {
    assert.deepEqual(tokenizer.take(), sent);
    assert.deepEqual(environment.warnings, warnings);
    assert.deepEqual(environment.timers, []);
  };
  return { environment, tokenizer, prepare, assertTaken };
}

/** A tokenizer that answers when it is told to, call by call. */
function createSlowHook() {
  const answers: ((made: object) => void)[] = [];
  const signals: AbortSignal[] = [];
  const hook = (_: unknown, { signal }: CardContext) => {
    signals.push(signal);
    return new Promise((resolve) => answers.push(resolve));
  };
  return { hook, answers, signals };
}

describe('a tokenizer', () => {
  it('gets the card and what it is for, once', async () => {
    const { prepare } = open();
    const calls: [CardDetails | null, CardContext][] = [];
    await prepare((...call: [CardDetails | null, CardContext]) => {
      calls.push(call);
      return Promise.resolve({ token: 't' });
    });
    const [[card, { signal, ...rest }]] = calls as [[CardDetails, CardContext]];
    assert.deepEqual([calls.length, card, rest], [1, details, context]);
    assert.equal(signal.aborted, true, 'and is over');
  });

  it('gets no card where the page’s own fields fill the slot', async () => {
    const { prepare, assertTaken } = open();
    let card: unknown;
    const hook = (given: unknown) => {
      card = given;
      return Promise.resolve({ token: 't' });
    };
    assert.equal(await prepare(hook, true), true);
    assert.equal(card, null);
    assertTaken({ token: 't', installment: 3 });
  });

  const names = { first_name: 'ANA', last_name: 'LIMA' };
  const proof = { cavv: 'c', xid: 'x', eci: '05', version: '2.2.0', referenceid: 'r' };
  for (const [name, made, sent] of [
    ['a token', { token: 't' }, {}],
    ['all there is', { token: 't', ...names, ...proof }, { ...names, ...proof }],
    ['a number and a code beside the token', { token: 't', ...details }, names],
    ['another installment', { token: 't', installment: 12 }, {}],
    ['unknown words', { token: 't', cvv: code, card: details }, {}],
    ['fields that are no text, or empty', { token: 't', eci: 5, cavv: '', xid: null }, {}],
  ] as const) {
    it(`gives ${name}, promised or at once: only what may travel does`, async () => {
      for (const hook of [() => Promise.resolve(made), () => made]) {
        const { prepare, assertTaken } = open();
        assert.equal(await prepare(hook), true);
        assertTaken({ token: 't', ...sent, installment: 3 });
      }
    });
  }

  const throws = () => {
    throw new Error(`declined ${number} ${code}`);
  };
  const none = 'tokenizeCard gave no token';
  const failed = 'tokenizeCard failed';
  for (const [name, warning, hook] of [
    ['nothing', none, () => undefined],
    ['null', none, () => null],
    ['a word', none, () => 'tok_1'],
    ['a number', none, () => 7],
    ['a list', none, () => ['token']],
    ['an empty object', none, () => ({})],
    ['an empty token', none, () => ({ token: '' })],
    ['a token that is no text', none, () => ({ token: { id: 't' } })],
    ['a token that is inherited', none, () => Object.create({ token: 't' }) as object],
    ['only proof of a challenge', none, () => proof],
    ['the card itself', none, () => details],
    [
      'what throws when it is read',
      failed,
      () => Object.defineProperty({}, 'token', { get: throws, enumerable: true }),
    ],
    ['a rejection', failed, () => Promise.reject(new Error(`declined ${number} ${code}`))],
    ['an exception', failed, throws],
    ['no function', failed, 'tok_1'],
  ] as const) {
    it(`gives ${name}: nothing is there to send, and the developer hears why, and no value`, async () => {
      const { prepare, assertTaken } = open();
      assert.equal(await prepare(hook), false);
      assertTaken(null, warning);
    });
  }

  it('hangs: given up after five minutes, and told so', async () => {
    const { prepare, environment, assertTaken } = open();
    const { hook, answers, signals } = createSlowHook();
    const prepared = prepare(hook);
    await environment.advance(timeoutMs - 1);
    assert.deepEqual([signals[0]?.aborted, environment.timers.length], [false, 1]);
    await environment.advance(1);
    assert.equal(await prepared, false);
    assert.equal(signals[0]?.aborted, true);
    answers[0]!({ token: 'too late' });
    await environment.advance(0);
    assertTaken(null, failed);
  });
});

for (const [name, slotted, sent] of [
  ['the card itself travels, as it was typed', false, { ...details, installment: 3 }],
  ['nothing does of the page’s own fields in the slot', true, null],
] as const) {
  it(`without a tokenizer ${name}`, async () => {
    const { prepare, assertTaken } = open();
    assert.equal(await prepare(null, slotted), sent !== null);
    assertTaken(sent);
  });
}

describe('what was made ready', () => {
  it('is taken once', async () => {
    const { prepare, tokenizer } = open();
    await prepare(null);
    assert.notEqual(tokenizer.take(), null);
    assert.equal(tokenizer.take(), null);
  });

  it('is gone when it is given up, or another is made ready', async () => {
    const { prepare, tokenizer, assertTaken } = open();
    await prepare(null);
    tokenizer.discard();
    assertTaken(null);
    await prepare(() => Promise.resolve({ token: 'first' }));
    assert.equal(await prepare(() => Promise.reject(new Error('no'))), false);
    assertTaken(null, 'tokenizeCard failed');
  });

  it('is given up while it is being made: only the tokenizer hears of it', async () => {
    const { prepare, tokenizer, environment, assertTaken } = open();
    const { hook, answers, signals } = createSlowHook();
    const prepared = prepare(hook);
    tokenizer.discard();
    assert.equal(signals[0]?.aborted, true);
    answers[0]!({ token: 't' });
    assert.equal(await prepared, false);
    await environment.advance(timeoutMs);
    assertTaken(null);
  });

  it('is given up in the very moment it is there, whichever that is', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { prepare, tokenizer, assertTaken } = open();
      const { hook, answers } = createSlowHook();
      const prepared = prepare(hook);
      answers[0]!({ token: 't' });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      tokenizer.discard();
      await prepared;
      assertTaken(null);
    }
  });

  it('of a second press is not mixed with that of the first', async () => {
    const { prepare, assertTaken } = open();
    const { hook, answers } = createSlowHook();
    const prepared = [prepare(hook), prepare(hook)];
    answers[1]!({ token: 'second' });
    answers[0]!({ token: 'first' });
    assert.deepEqual(await Promise.all(prepared), [false, true]);
    assertTaken({ token: 'second', installment: 3 });
  });

  it('is in nothing that can be seen from outside', async () => {
    const { prepare, tokenizer, environment } = open();
    await prepare(null);
    assert.deepEqual(Object.keys(tokenizer), ['prepare', 'take', 'discard']);
    assert.ok(!JSON.stringify(tokenizer).includes(number));
    assert.equal(environment.storage()?.length, 0);
  });
});
