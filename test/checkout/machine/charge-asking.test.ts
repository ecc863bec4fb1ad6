/** A card attempt of which nobody knows the outcome: it is asked for by its key until the proxy's own word ends it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorCodes } from '../../../src/contract/codes.js';
import type { ErrorCode } from '../../../src/contract/codes.js';
import type { CheckoutErrorCode } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  inquiries,
  cardCents,
  cardId,
  cardKey,
  cardLookedUp,
  cardReady,
  cardSubmitted,
  charged,
  charging,
  chosen,
  resumed,
  soughtCard,
} from './cards.js';
import {
  checkAsked,
  checkout,
  created,
  createFailed,
  inPhase,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
  otherKey,
  paused,
  returned,
  submitted,
  ticked,
  request,
} from './samples.js';
import type { Play } from './samples.js';

const recover = request('recover', 'charge', cardKey);

describe('the proxy knows the attempt', () => {
  for (const [name, start] of Object.entries({
    ...inquiries,
    resumed: () => checkout().play(resumed),
  })) {
    it(`${name}: its invoice is followed; pix-created was for the POST`, () => {
      const play = start().play(charged());
      const state = inPhase(play, 'confirming');
      assert.deepEqual([state.attempt, state.error], [null, null]);
      assert.equal(state.watch?.invoices[0].invoiceId, cardId);
      assert.deepEqual(names(play.commands), ['remember', 'look_up']);
      inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
    });

    for (const [code, changes] of [
      ['amount_mismatch', { total_cents: 1 }],
      ['reference_mismatch', { external_id: 'order-2' }],
    ] as const) {
      it(`${name}: its invoice is not what was asked for, ${code}: told, and followed`, () => {
        const play = start().play(charged(changes));
        const { error, watch } = inPhase(play, 'confirming');
        assert.equal(error?.code, code);
        assert.equal(watch?.invoices[0].totalCents, cardCents);
        assert.deepEqual(names(play.commands), ['remember', `error ${code}`, 'look_up']);
      });
    }

    it(`${name}: it was refused: the form, and another key`, () => {
      const play = start().play(createFailed('payment_refused'));
      assert.equal(inPhase(play, 'form').error?.code, 'payment_refused');
      assert.deepEqual(names(play.commands), ['forget', 'error payment_refused']);
    });

    it(`${name}: the order is paid`, () => {
      const invoice = created({ invoice_id: 'invoice-paid', status: 'paid' });
      const play = start().play(createFailed('order_paid', { invoice }));
      assert.equal(inPhase(play, 'confirming').attempt, null);
      inPhase(play.play(lookedUp({ invoice_id: 'invoice-paid', status: 'paid' })), 'paid');
    });

    it(`${name}: it never arrived: the form, with the same key`, () => {
      const play = start().play(createFailed('not_found'));
      const form = inPhase(play, 'form');
      assert.deepEqual(form.error, { code: 'network', retryable: true });
      assert.deepEqual(names(play.commands), ['settle', 'error network'], 'the record stays');
      assert.equal(form.watch?.invoices[0].invoiceId, name.endsWith('Pix') ? invoiceId : undefined);
    });
  }

  it('another device pays for the order, and nothing is known of this attempt: it says so', () => {
    const play = charging.sending().play(createFailed('in_progress'), ticked);
    assert.deepEqual(play.commands, [recover]);
    play.play(createFailed('network')).wait(30_000).play(createFailed('not_found'));
    assert.deepEqual(inPhase(play, 'form').error, { code: 'in_progress', retryable: true });
    assert.deepEqual(names(play.commands), ['settle', 'error in_progress'], 'the record stays');
  });

  it('a proxy that is busy with this very attempt names its invoice in the end', () => {
    const play = charging.sending().play(createFailed('in_progress'), ticked, charged());
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].invoiceId, cardId);
  });

  it('the order is paid by an invoice it does not name: nothing is asked any more', () => {
    const play = inquiries.inquiryBehindPix().play(createFailed('order_paid'));
    const state = inPhase(play, 'confirming');
    assert.deepEqual([state.attempt, state.error?.code], [null, 'order_paid']);
    assert.notEqual(nextDueMs(play.play(lookedUp()).state), null, 'the code is followed');
  });
});

describe('the proxy does not tell', () => {
  const ends: readonly ErrorCode[] = ['not_found', 'payment_refused', 'order_paid'];
  const passing: readonly CheckoutErrorCode[] = [
    'network',
    'service_unavailable',
    'in_progress',
    'too_many_requests',
  ];
  const told = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => !ends.includes(code));
  const untold = [
    'network',
    'invalid_answer',
    'service_unavailable',
    'too_many_requests',
    // A proxy without this route, a gateway, a log-in page: they say nothing of the attempt.
    'not_found',
    'invalid_request',
    'payment_refused',
    'unauthorized',
  ] as const;
  const cases: readonly (readonly [CheckoutErrorCode, boolean])[] = [
    ...told.map((code) => [code, true] as const),
    ...untold.map((code) => [code, false] as const),
  ];

  for (const [code, told] of cases) {
    const unknown = !passing.includes(code);
    it(`${code}${told ? '' : ', from a status or none'}: asked again${unknown ? ', and the page hears once that nobody knows' : ''}`, () => {
      const play = inquiries.inquiry();
      const said = told && code === 'order_closed' ? code : 'outcome_unknown';
      for (const round of [0, 1, 2]) {
        play.play(createFailed(code, { told }));
        const { error } = inPhase(play, 'confirming');
        assert.equal(error?.code, unknown ? said : undefined);
        const news = unknown && round === 0;
        assert.deepEqual(names(play.commands), news ? [`error ${said}`] : []);
        assert.deepEqual(play.wait(30_000).commands, [recover]);
      }
    });
  }

  it('what was unknown stays so while the line is bad, and is told once', () => {
    const play = charging.sending().play(createFailed('outcome_unknown'));
    assert.deepEqual(names(play.commands), ['error outcome_unknown']);
    for (const code of ['network', 'outcome_unknown', 'in_progress'] as const) {
      play.wait(30_000).play(createFailed(code));
      assert.equal(inPhase(play, 'confirming').error?.code, 'outcome_unknown');
      assert.deepEqual(play.commands, []);
    }
  });

  it('the order was closed meanwhile: told once, and asked for all the same, for the card may have been charged', () => {
    const play = charging.sending().play(createFailed('outcome_unknown'));
    play.wait(30_000).play(createFailed('order_closed'));
    assert.deepEqual(names(play.commands), ['error order_closed']);
    for (const code of ['order_closed', 'outcome_unknown', 'network'] as const) {
      assert.deepEqual(play.wait(30_000).commands, [recover]);
      play.play(createFailed(code));
      assert.equal(inPhase(play, 'confirming').error?.code, 'order_closed');
      assert.deepEqual(play.commands, []);
    }
    play.wait(30_000).play(charged());
    inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
  });

  it('is asked ever more seldom, at most half a minute apart', () => {
    const play = inquiries.inquiry();
    play.random = 1;
    const pauses: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      play.play(createFailed('network'));
      pauses.push(nextDueMs(play.state)! - play.nowMs);
      play.wait(pauses.at(-1)!);
      assert.deepEqual(play.commands, [recover]);
    }
    assert.deepEqual(pauses, [2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('whatever luck the jitter has, it is no hot loop', () => {
    const play = inquiries.inquiry();
    play.random = 0;
    assert.equal(nextDueMs(play.play(createFailed('network')).state), play.nowMs + 250);
  });

  it('Retry-After is kept', () => {
    const play = inquiries.inquiry();
    play.play(createFailed('service_unavailable', { retryAfterSeconds: 120 }));
    assert.deepEqual(play.wait(119_999).commands, []);
    assert.deepEqual(play.wait(1).commands, [recover]);
  });

  for (const event of [returned, checkAsked]) {
    it(`${event.type}: it is asked for at once`, () => {
      const play = inquiries.inquiry().play(createFailed('network'), event);
      assert.deepEqual(play.commands, [recover]);
      assert.equal(nextDueMs(play.state), null);
      assert.deepEqual(play.play(event).commands, [recover], 'the request may have slept');
    });
  }

  it('nothing else may be paid meanwhile, and nothing forgotten', () => {
    const play = inquiries.inquiryBehindPix();
    const { state } = play;
    play.play(cardSubmitted, cardReady, chosen('pix'), chosen('credit_card'));
    play.play({ ...submitted, attemptKey: otherKey }, { type: 'reset' });
    play.play({ type: 'new_code_asked', attemptKey: otherKey });
    assert.equal(play.state, state);
    assert.deepEqual(play.commands, []);
  });
});

describe('a Pix code behind it', () => {
  it('is followed while the attempt is asked for', () => {
    const play = inquiries.inquiryBehindPix().play(createFailed('network'));
    const asked: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      const answers = names(play.commands);
      asked.push(...answers);
      if (answers.length === 0) play.wait(Math.max(0, nextDueMs(play.state)! - play.nowMs));
      for (const name of answers) {
        play.play(name === 'look_up' ? lookedUp() : createFailed('network'));
      }
    }
    for (const what of ['look_up', 'recover']) {
      assert.ok(asked.filter((name) => name === what).length > 3, `${what} in ${asked.join()}`);
    }
  });

  it('whose token ran out is not renewed: the answer would be taken for the card’s', () => {
    for (const start of [inquiries.inquiryBehindPix, charging.sendingBehindPix]) {
      const play: Play = start().play(returned, lookUpFailed('unauthorized'));
      assert.deepEqual(names(play.commands), ['error unauthorized']);
      assert.notEqual(nextDueMs(play.state), null);
    }
  });
});

describe('after a reload', () => {
  it('an attempt of which only the key is stored is asked for, and never sent', () => {
    const play = checkout().play(resumed);
    assert.deepEqual(play.commands, [recover]);
    assert.equal(inPhase(play, 'confirming').watch, null);
  });

  it('its total is the one that was stored, whatever method the page shows', () => {
    const play = checkout({ cardCents: 12_341 }).play(resumed, charged());
    assert.equal(inPhase(play, 'confirming').error, null);
    inPhase(play.play(cardLookedUp({ status: 'paid' })), 'paid');
  });

  for (const code of ['unauthorized', 'not_found'] as const) {
    for (const told of [true, false]) {
      it(`its invoice is refused, ${code} ${told ? 'told' : 'by a status'}: it is asked for, and never sent`, () => {
        const play = checkout()
          .play(soughtCard)
          .play(lookUpFailed(code, { told }, cardId));
        assert.deepEqual(play.commands, [recover]);
        play.play(createFailed('not_found'));
        assert.equal(inPhase(play, 'confirming').error?.code, 'outcome_unknown', 'it did arrive');
        play.wait(30_000).play(charged());
        assert.equal(inPhase(play, 'confirming').attempt, null);
      });
    }
  }

  it('in a second tab, put away and back: it is asked for again', () => {
    const play = checkout().play(resumed, paused);
    assert.deepEqual(play.play(returned).commands, [recover]);
  });
});
