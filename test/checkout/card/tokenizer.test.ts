/** The card's way to one request: what a tokenizer may do wrong, what may travel, and that nothing of it stays. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CardDetails, CardForm } from '../../../src/checkout/card/card-file-contract.js';
import { Tokenizer } from '../../../src/checkout/card/tokenizer.js';
import type { CardContext, TokenizeCard } from '../../../src/checkout/card/tokenizer.js';
import { createFakeEnvironment } from '../../support/fake-environment.js';

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

function open(card: CardDetails | null = details) {
  const environment = createFakeEnvironment(() => assert.fail('a tokenizer sends no request'));
  const tokenizer = new Tokenizer({ environment, requestUpdate: () => undefined });
  const cleared: string[] = [];
  const form: CardForm = {
    render: () => null,
    check: () => null,
    read: () => card,
    clear: (what) => void cleared.push(what),
    choice: null,
  };
  tokenizer.form = form;
  const prepare = (hook: unknown, slotted = false) =>
    tokenizer.prepare(hook as TokenizeCard | null, context, slotted);
  /** Nothing is said that holds a value; nothing waits any more. */
  const assertQuiet = (...warnings: string[]) => {
    assert.deepEqual(environment.warnings, warnings);
    assert.deepEqual(environment.timers, []);
    assert.ok(![number, code].some((secret) => environment.warnings.join().includes(secret)));
  };
  return { environment, tokenizer, cleared, prepare, assertQuiet };
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
    for (const found of [details, null]) {
      const { prepare, tokenizer } = open(found);
      let card: unknown;
      const hook = (given: unknown) => {
        card = given;
        return Promise.resolve({ token: 't' });
      };
      assert.equal(await prepare(hook, true), true);
      assert.equal(card, null);
      assert.deepEqual(tokenizer.take(), { token: 't', installment: 3 });
    }
  });

  const all = {
    token: 't',
    first_name: 'ANA',
    last_name: 'LIMA',
    cavv: 'c',
    xid: 'x',
    eci: '05',
    version: '2.2.0',
    referenceid: 'r',
  };
  for (const [name, made, sent] of [
    ['a token', { token: 't' }, { token: 't' }],
    ['all there is', all, all],
    [
      'a number and a code beside the token',
      { token: 't', ...details },
      { token: 't', first_name: 'ANA', last_name: 'LIMA' },
    ],
    ['another installment', { token: 't', installment: 12 }, { token: 't' }],
    ['words nobody knows', { token: 't', cvv: code, card: details }, { token: 't' }],
    [
      'fields that are no text, or empty',
      { token: 't', eci: 5, cavv: '', xid: null },
      { token: 't' },
    ],
    ['at once, not a promise', { token: 't' }, { token: 't' }],
  ] as const) {
    it(`gives ${name}: only what may travel does`, async () => {
      const { prepare, tokenizer, assertQuiet } = open();
      const hook = name.startsWith('at once') ? () => made : () => Promise.resolve(made);
      assert.equal(await prepare(hook), true);
      assert.deepEqual(tokenizer.take(), { ...sent, installment: 3 });
      assertQuiet();
    });
  }

  const rubbish = {
    nothing: undefined,
    null: null,
    'a word': 'tok_1',
    'a number': 7,
    'a list': ['token'],
    'an empty object': {},
    'an empty token': { token: '' },
    'a token that is no text': { token: { id: 't' } },
    'a token that is inherited': Object.create({ token: 't' }) as object,
    'only proof of a challenge': { cavv: 'c', eci: '05' },
    'the card itself': details,
    'something that throws when it is read': {
      get token(): string {
        throw new Error(number);
      },
    },
  };
  for (const [name, made] of Object.entries(rubbish)) {
    it(`gives ${name}: nothing is there to send, and the developer hears why`, async () => {
      const { prepare, tokenizer, assertQuiet, environment } = open();
      assert.equal(await prepare(() => Promise.resolve(made)), false);
      assert.equal(tokenizer.take(), null);
      assert.equal(environment.warnings.length, 1);
      assertQuiet(
        name.startsWith('something') ? 'tokenizeCard failed' : 'tokenizeCard gave no token',
      );
    });
  }

  for (const [name, hook] of [
    ['rejects', () => Promise.reject(new Error(`declined ${number} ${code}`))],
    [
      'throws at once',
      () => {
        throw new Error(`declined ${number} ${code}`);
      },
    ],
    ['is no function', 'tok_1'],
  ] as const) {
    it(`${name}: nothing is there to send, and nothing of its words is repeated`, async () => {
      const { prepare, tokenizer, assertQuiet } = open();
      assert.equal(await prepare(hook), false);
      assert.equal(tokenizer.take(), null);
      assertQuiet('tokenizeCard failed');
    });
  }

  it('hangs: given up after five minutes, and told so', async () => {
    const { prepare, tokenizer, environment, assertQuiet } = open();
    const signals: AbortSignal[] = [];
    let late: (made: object) => void = () => undefined;
    const prepared = prepare((_: unknown, { signal }: CardContext) => {
      signals.push(signal);
      return new Promise((resolve) => {
        late = resolve;
      });
    });
    await environment.advance(timeoutMs - 1);
    assert.deepEqual([signals[0]?.aborted, environment.timers.length], [false, 1]);
    await environment.advance(1);
    assert.equal(await prepared, false);
    assert.equal(signals[0]?.aborted, true);
    late({ token: 'too late' });
    await environment.advance(0);
    assert.equal(tokenizer.take(), null);
    assertQuiet('tokenizeCard failed');
  });
});

describe('without a tokenizer', () => {
  it('the card itself travels, as it was typed', async () => {
    const { prepare, tokenizer, assertQuiet } = open();
    assert.equal(await prepare(null), true);
    assert.deepEqual(tokenizer.take(), { ...details, installment: 3 });
    assertQuiet();
  });

  it('and with the page’s own fields in the slot there is nothing to send', async () => {
    const { prepare, tokenizer } = open();
    assert.equal(await prepare(null, true), false);
    assert.equal(tokenizer.take(), null);
  });

  it('and without a card form there is nothing to send', async () => {
    const { prepare, tokenizer } = open();
    tokenizer.form = null;
    assert.equal(await prepare(null), false);
    assert.equal(tokenizer.take(), null);
  });
});

describe('what was made ready', () => {
  it('is taken once, and the security code goes with it', async () => {
    const { prepare, tokenizer, cleared } = open();
    await prepare(null);
    assert.deepEqual(cleared, []);
    assert.notEqual(tokenizer.take(), null);
    assert.equal(tokenizer.take(), null);
    assert.ok(cleared.length > 0 && cleared.every((what) => what === 'code'));
  });

  it('is gone when it is given up', async () => {
    const { prepare, tokenizer } = open();
    await prepare(null);
    tokenizer.discard();
    assert.equal(tokenizer.take(), null);
  });

  it('is gone when another is made ready', async () => {
    const { prepare, tokenizer } = open();
    await prepare(() => Promise.resolve({ token: 'first' }));
    assert.equal(await prepare(() => Promise.reject(new Error('no'))), false);
    assert.equal(tokenizer.take(), null);
  });

  it('is given up while it is being made: only the tokenizer hears of it', async () => {
    const { prepare, tokenizer, environment, assertQuiet } = open();
    const signals: AbortSignal[] = [];
    let made: (token: object) => void = () => undefined;
    const prepared = prepare((_: unknown, { signal }: CardContext) => {
      signals.push(signal);
      return new Promise((resolve) => {
        made = resolve;
      });
    });
    tokenizer.discard();
    assert.equal(signals[0]?.aborted, true);
    made({ token: 't' });
    assert.equal(await prepared, false);
    await environment.advance(timeoutMs);
    assert.equal(tokenizer.take(), null);
    assertQuiet();
  });

  it('is given up in the very moment it is there, whichever that is', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { prepare, tokenizer, assertQuiet } = open();
      let made: (token: object) => void = () => undefined;
      const prepared = prepare(() => new Promise((resolve) => (made = resolve)));
      made({ token: 't' });
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      tokenizer.discard();
      await prepared;
      assert.equal(tokenizer.take(), null, `after ${turns} turns`);
      assertQuiet();
    }
  });

  it('of a second press is not mixed with that of the first', async () => {
    const { prepare, tokenizer, assertQuiet } = open();
    const answers: ((token: object) => void)[] = [];
    const hook = () => new Promise((resolve) => answers.push(resolve));
    const [first, second] = [prepare(hook), prepare(hook)];
    answers[1]!({ token: 'second' });
    answers[0]!({ token: 'first' });
    assert.deepEqual(await Promise.all([first, second]), [false, true]);
    assert.equal(tokenizer.take()?.token, 'second');
    assertQuiet();
  });

  it('is in nothing that can be seen from outside', async () => {
    const { prepare, tokenizer, environment } = open();
    await prepare(null);
    const { form, failed, ...rest } = tokenizer;
    assert.deepEqual([Object.keys(rest), failed, form !== null], [[], false, true]);
    assert.ok(!JSON.stringify(tokenizer).includes(number));
    assert.equal(environment.storage()?.length, 0);
  });
});
