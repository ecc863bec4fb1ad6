/** The model of the views: amounts, time left, marks; and when the element draws its screen again. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { chooseMessages } from '../../../src/checkout/locales/choose-messages.js';
import type { State } from '../../../src/checkout/machine/state.js';
import type { CardPanel } from '../../../src/checkout/views/model.js';
import { readOrder, silentPage } from '../../../src/checkout/page/order.js';
import { findNextRenderMs } from '../../../src/checkout/element/controller.js';
import { toModel, untouched } from '../../../src/checkout/element/screen.js';
import { parseInstallments } from '../../../src/domain/card/installments.js';
import {
  checkout,
  createdEvent,
  createFailed,
  lookedUp,
  lookUpFailed,
  submitted,
} from '../machine/samples.js';
import {
  inquiries,
  behindPix,
  cardSamples,
  charged,
  charging,
  pending,
} from '../machine/charge/cards.js';
import { awaiting, samples } from '../machine/states.js';

const wallClock = new Date(Date.UTC(2026, 2, 2, 12));

function modelOf(
  state: State,
  nowMs = 0,
  words: {
    total?: number;
    pix?: number;
    unverified?: boolean;
    externalId?: string;
    card?: CardPanel;
    methods?: string;
    installments?: unknown;
    pressed?: boolean;
  } = {},
) {
  const order = readOrder(
    {
      ...silentPage,
      endpoint: '/pix',
      externalId: words.externalId ?? 'order-1042',
      totalPriceCents: words.total,
      pixTotalPriceCents: words.pix,
      methods: words.methods,
      payerFields: '',
      allowUnverifiedCode: words.unverified,
      acceptRawCard: true,
    },
    'https://shop.example/',
    assert.fail,
  );
  const { card = null, pressed = false } = words;
  const installments = parseInstallments(words.installments, order.totalCents);
  const page = { ...untouched, card, installments, pressed, nowMs, wallClock };
  return toModel({ ...page, state, order, locale: 'pt-BR', texts: chooseMessages('pt-BR') });
}

const card: CardPanel = { content: null, failed: false, slotted: false };
const form = checkout().state;
const withDeadline = awaiting({ expiresInSeconds: 700 }).state;

describe('what each method costs', () => {
  const offersOf = (installments: unknown, prices: { total?: number; pix?: number }) =>
    modelOf(form, 0, { methods: 'pix credit_card', installments, ...prices }).offers;

  it('is the page’s word, with what Pix saves', () => {
    assert.deepEqual(offersOf(null, { total: 14_670, pix: 13_990 }), [
      { method: 'pix', cents: 13_990, savedCents: 680, free: null },
      { method: 'credit_card', cents: 14_670, savedCents: 0, free: null },
    ]);
    const fromSix = [{ installment: 6, total_cents: 15_624 }];
    const [byPix, byCard] = offersOf(fromSix, { total: 12_990, pix: 12_990 });
    assert.equal(
      byCard?.cents,
      15_624,
      'a table without a single instalment begins with its least',
    );
    assert.equal(byPix?.savedCents, 2_634);
    const unknown = { cents: null, savedCents: 0, free: null };
    assert.deepEqual(offersOf(null, {}), [
      { method: 'pix', ...unknown },
      { method: 'credit_card', ...unknown },
    ]);
  });

  for (const [name, table, free] of [
    [
      'the longest row without interest',
      [
        [1, 900, true],
        [3, 900, true],
        [2, 900, true],
        [6, 990],
      ],
      [3, 300],
    ],
    ['none of one instalment', [[1, 900, true]], null],
    [
      'none whose total is no price',
      [
        [3, 0, true],
        [4, '900', true],
      ],
      null,
    ],
    ['half a cent to the even one, as on the list', [[2, 897, true]], [2, 448]],
  ] as const) {
    it(`a card’s instalments: ${name}`, () => {
      const rows = table.map(([installment, total_cents, interest_free]) => {
        return { installment, total_cents, interest_free };
      });
      const [installment, eachCents] = free ?? [];
      const expected = free && { installment, eachCents };
      assert.deepEqual(offersOf([null, ...rows], { total: 900 })[1]?.free, expected);
    });
  }

  it('a table that is none says nothing', () => {
    for (const table of [null, undefined, 'rubbish', {}, [{}], [7]]) {
      assert.equal(offersOf(table, { total: 900 })[1]?.free, null);
    }
  });

  it('the choice says what Pix saves, and the amount no longer', () => {
    const prices = { total: 14_670, pix: 13_990 };
    assert.equal(modelOf(form, 0, prices).fullPriceCents, 14_670);
    const two = { ...prices, methods: 'pix credit_card' };
    assert.equal(modelOf(form, 0, two).fullPriceCents, null);
  });
});

describe('a form whose button was pressed', () => {
  const posting = checkout().play(submitted).state;
  for (const [name, state, pressed, busy] of [
    ['is busy while an invoice is made', posting, true, true],
    ['is not there where the element began by itself', posting, false, false],
    ['is busy while a card is charged', charging.sending().state, false, true],
    ['is not busy where it is filled in', form, true, false],
  ] as const) {
    it(name, () => assert.equal(modelOf(state, 0, { pressed }).busy, busy));
  }
});

for (const [name, state, words, total, full] of [
  ['not known', form, {}, null, null],
  ["the page's", form, { total: 12_990 }, 12_990, null],
  ['cheaper by Pix', form, { total: 12_990, pix: 12_341 }, 12_341, 12_990],
  ['dearer by Pix: no discount', form, { total: 12_990, pix: 13_500 }, 13_500, null],
  ["the invoice's", awaiting().state, {}, 12_990, null],
  ["the invoice's, cheaper", awaiting().state, { total: 13_500 }, 12_990, 13_500],
  ['by card: no discount', form, { total: 12_990, pix: 12_341, card }, 12_341, null],
  ['by card, a Pix code behind it', behindPix().state, { total: 13_500, card }, 13_500, null],
  ['a card being charged', charging.sendingBehindPix().state, { total: 13_500 }, 13_500, null],
  // After a reload the instalments chosen are gone; what was charged is not.
  ['a card whose outcome is open', inquiries.inquiry().state, { total: 99 }, 13_500, null],
  ['a Pix code behind it', inquiries.inquiryBehindPix().state, { total: 99 }, 13_500, null],
  ['a card pending', pending.cardPendingBehindPix().state, { total: 1 }, 13_500, null],
] as const) {
  it(`the amount ${name}`, () => {
    const model = modelOf(state, 0, words);
    assert.deepEqual([model.totalCents, model.fullPriceCents], [total, full]);
  });
}

it("the order is the page's until the invoice names one", () => {
  assert.equal(modelOf(form, 0, { externalId: 'x' }).externalId, 'x');
  assert.equal(modelOf(awaiting().state, 0, { externalId: 'x' }).externalId, 'order-1042');
});

describe('the deadline', () => {
  for (const [nowMs, secondsLeft] of [
    [0, 700],
    [1, 700],
    [1_000, 699],
    [699_001, 1],
    [700_000, 0],
    [800_000, 0],
  ] as const) {
    it(`${nowMs} ms on: ${secondsLeft} s left`, () => {
      assert.equal(modelOf(withDeadline, nowMs).secondsLeft, secondsLeft);
    });
  }

  it('as a time of day does not flicker between two renderings', () => {
    const at = new Date(wallClock.getTime() + 700_000);
    assert.deepEqual(modelOf(withDeadline, 0).deadlineAt, at);
    // Clocks of a browser differ by parts of a millisecond from one reading to the next.
    assert.deepEqual(modelOf(withDeadline, 0.3).deadlineAt, at);
  });

  it('none: nothing to count', () => {
    for (const { state } of [awaiting(), behindPix(awaiting({ expiresInSeconds: 700 }))]) {
      const { secondsLeft, deadlineAt } = modelOf(state);
      assert.deepEqual([secondsLeft, deadlineAt], [null, null]);
    }
  });

  it('however far off, it is a date', () => {
    const play = checkout().play(submitted, createdEvent({ expires_in: Number.MAX_SAFE_INTEGER }));
    assert.ok(!Number.isNaN(modelOf(play.state).deadlineAt?.getTime()));
  });
});

describe('what may be said', () => {
  it('"O código não funcionou?" after three minutes', () => {
    assert.equal(modelOf(awaiting().state, 179_999).mayAskForNewCode, false);
    assert.equal(modelOf(awaiting().state, 180_000).mayAskForNewCode, true);
    assert.equal(modelOf(form, 180_000).mayAskForNewCode, false);
  });

  for (const [what, start, failed, answer] of [
    ['look-ups', awaiting, lookUpFailed('network'), lookedUp()],
    ['creations', samples.posting, createFailed('network'), createdEvent()],
    ['questions for a card', inquiries.inquiry, createFailed('network'), charged()],
  ] as const) {
    it(`a bad line after two failures in a row of ${what}, until an answer comes`, () => {
      const play = start().play(failed);
      assert.equal(modelOf(play.state).troubledLine, false);
      assert.equal(modelOf(play.wait(30_000).play(failed).state).troubledLine, true);
      assert.equal(modelOf(play.wait(30_000).play(answer).state).troubledLine, false);
    });
  }

  it('a test environment, from the start', () => {
    assert.equal(modelOf(form).test, false);
    assert.equal(modelOf(form, 0, { unverified: true }).test, true);
  });

  it('a card that only a test kit took, while it is confirmed and when it is paid', () => {
    assert.equal(modelOf(charging.sending().play(charged()).state).test, false);
    const invoice_id = 'fake-00000001';
    const faked = charging.sending().play(charged({ invoice_id }));
    assert.equal(modelOf(faked.state).test, true);
    faked.play(
      lookedUp({ invoice_id, qr_code_pix: '', is_pix: false, status: 'paid' }, invoice_id),
    );
    assert.equal(modelOf(faked.state).test, true);
  });

  it('a payment of the sandbox, by card too, and where only its receipt is left', () => {
    const order_code = 'SBX-000017';
    const card = charging.sending().play(charged({ order_code }));
    assert.equal(modelOf(card.state).test, true);
    const receipt = samples.following().play(lookedUp({ order_code, status: 'paid' }));
    assert.deepEqual([receipt.state.phase, modelOf(receipt.state).test], ['paid', true]);
  });
});

describe('drawing again', () => {
  for (const [name, state, nowMs, delayMs] of [
    ['for "O código não funcionou?"', awaiting().state, 0, 180_000],
    ['a moment before it', awaiting().state, 179_999, 1],
    ['never after it, without a deadline', awaiting().state, 180_000, Infinity],
    ['for the bar, by hundredths', withDeadline, 0, 7_000],
    ['when the countdown begins', withDeadline, 98_000, 1_000],
    ['each second of it', withDeadline, 100_000, 1_000],
    ['at the end of the second under way', withDeadline, 100_250, 750],
    ['at the deadline', withDeadline, 699_999, 1],
    ['never after the deadline', withDeadline, 700_000, Infinity],
    [
      'for the bar of 300 days',
      awaiting({ expiresInSeconds: 300 * 86_400 }).state,
      180_000,
      259_200_000,
    ],
  ] as const) {
    it(`${name}: ${delayMs}`, () => {
      assert.equal(findNextRenderMs(state, nowMs), nowMs + delayMs);
    });
  }

  for (const [name, sample] of Object.entries({ ...samples, ...cardSamples })) {
    const { state } = sample();
    if (state.phase === 'awaiting') continue;
    it(`never in ${name}: nothing there changes with time`, () => {
      assert.equal(findNextRenderMs(state, 0), Infinity);
    });
  }
});
