/** A card that the service has and may still refuse: followed like a Pix code, and the Pix code behind it with it. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckoutEvent } from '../../../src/checkout/machine/events-and-commands.js';
import { currentInvoice } from '../../../src/checkout/machine/state.js';
import { nextDueMs } from '../../../src/checkout/machine/transition.js';
import {
  inquiries,
  behindPix,
  cardCents,
  cardFailed,
  cardForm,
  cardId,
  cardKey,
  cardLookedUp,
  cardReady,
  cardSubmitted,
  charged,
  charging,
  chosen,
  lookUpRefused,
  pending,
  soughtCard,
} from './cards.js';
import {
  checkout,
  commandsOf,
  created,
  createdEvent,
  createFailed,
  formerId,
  inPhase,
  invoiceId,
  lookedUp,
  lookUpFailed,
  names,
  otherKey,
  submitted,
  request,
} from './samples.js';
import type { Play } from './samples.js';
import { replaced } from './states.js';

/** Plays until an invoice is being looked up; all others are pending. */
function untilAsked(play: Play, id: string): Play {
  for (let steps = 0; steps < 20; steps += 1) {
    const [look] = commandsOf(play.commands, 'look_up');
    if (look?.invoiceId === id) return play;
    if (!look) play.wait(Math.max(0, (nextDueMs(play.state) ?? 0) - play.nowMs));
    else if (look.invoiceId === cardId) play.play(cardLookedUp());
    else play.play(lookedUp({ invoice_id: look.invoiceId }));
  }
  throw new Error(`${id} is not asked for`);
}

/** Every step in which a Pix code is followed behind the card. */
const behind: Readonly<Record<string, () => Play>> = {
  form: () => behindPix(),
  'being made ready': charging.tokenizingBehindPix,
  'the last look-up': charging.checking,
  'being sent': charging.sendingBehindPix,
  unknown: inquiries.inquiryBehindPix,
  pending: pending.cardPendingBehindPix,
};

describe('pending', () => {
  it('waits as long as it takes, then is paid as a card', () => {
    const play = pending.cardPending();
    for (let round = 0; round < 20; round += 1) {
      play.play(cardLookedUp());
      inPhase(play, 'confirming');
      play.wait(nextDueMs(play.state)! - play.nowMs);
    }
    play.play(cardLookedUp({ status: 'paid' }));
    const { invoice } = inPhase(play, 'paid');
    assert.deepEqual([invoice.method, invoice.totalCents], ['credit_card', cardCents]);
    assert.deepEqual(names(play.commands), ['abort', 'forget', 'paid']);
  });

  it('paid, but not what was asked for: told once, followed on', () => {
    const play = pending.cardPending().play(cardLookedUp({ status: 'paid', total_cents: 1 }));
    assert.equal(inPhase(play, 'confirming').error?.code, 'amount_mismatch');
    assert.deepEqual(names(play.commands), ['error amount_mismatch', 'look_up']);
    play.play(cardLookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
  });

  for (const told of [false, true]) {
    it(`token refused${told ? ' in so many words' : ''}: the attempt is asked for, never sent, never a Pix code`, () => {
      const play = pending.cardPending().play(lookUpFailed('unauthorized', { told }, cardId));
      assert.deepEqual(play.commands, [request('recover', 'renewal', cardKey)]);
      play.play(charged({ lookup_token: 'token-2' }));
      const [invoice] = inPhase(play, 'confirming').watch!.invoices;
      assert.deepEqual([invoice.lookupToken, invoice.method], ['token-2', 'credit_card']);
      assert.equal(commandsOf(play.commands, 'remember')[0]?.method, 'credit_card');
    });
  }

  it('nothing may be paid meanwhile', () => {
    const play = pending.cardPendingBehindPix();
    const { state } = play;
    play.play(cardSubmitted, cardReady, chosen('pix'), { type: 'reset' });
    play.play({ ...submitted, attemptKey: otherKey });
    assert.equal(play.state, state);
  });
});

describe('refused at last', () => {
  for (const [name, start, followed] of [
    ['no Pix code', pending.cardPending, []],
    ['a Pix code', pending.cardPendingBehindPix, [invoiceId]],
    [
      'two Pix codes',
      () => behindPix(replaced()).play(cardSubmitted, cardReady, lookedUp(), charged()),
      [invoiceId, formerId],
    ],
  ] as const) {
    it(`the form, with a new key; followed on: ${name}`, () => {
      const play = start().play(lookUpRefused);
      const form = inPhase(play, 'form');
      assert.equal(form.error?.code, 'payment_refused');
      const look = form.watch ? ['look_up'] : [];
      assert.deepEqual(names(play.commands), ['abort', 'forget', 'error payment_refused', ...look]);
      assert.deepEqual(form.watch?.invoices.map((invoice) => invoice.invoiceId) ?? [], followed);
      if (!form.watch) return;
      assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, invoiceId);
      play.play(lookedUp({ status: 'paid' }));
      inPhase(play, 'paid');
    });
  }

  it('no Pix code is asked for with the key of the card', () => {
    const play = pending.cardPendingBehindPix().play(lookUpRefused).wait(0);
    play.play(lookUpFailed('unauthorized'));
    assert.deepEqual(commandsOf(play.commands, 'request'), []);
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('by a status without a word: nobody’s word, and it waits', () => {
    const play = pending.cardPending();
    play.play(lookUpFailed('payment_refused', { told: false }, cardId));
    inPhase(play, 'confirming');
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('but it was said of the Pix code behind it: the card is as open as before', () => {
    const play = untilAsked(pending.cardPendingBehindPix(), invoiceId);
    play.play(lookUpFailed('payment_refused'));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].invoiceId, cardId);
    assert.deepEqual(names(play.commands), ['look_up']);
  });

  it('when the attempt is asked for because the token ran out', () => {
    const play = pending.cardPendingBehindPix();
    play.play(lookUpFailed('unauthorized', {}, cardId), createFailed('payment_refused'));
    const { error, watch } = inPhase(play, 'form');
    assert.deepEqual([error?.code, watch?.invoices[0].invoiceId], ['payment_refused', invoiceId]);
  });

  for (const disagreeing of [{ status: 'paid', total_cents: 1 }, { status: 'amount_mismatch' }]) {
    it(`but the Pix code is ${disagreeing.status}, and disagrees: nothing may be paid again`, () => {
      const play = untilAsked(pending.cardPendingBehindPix(), invoiceId);
      play.play(lookedUp(disagreeing));
      untilAsked(play, cardId).play(lookUpRefused);
      const { error, watch } = inPhase(play, 'confirming');
      assert.deepEqual([error?.code, watch?.invoices[0].invoiceId], ['amount_mismatch', invoiceId]);
      const look = ['abort', 'forget', 'error payment_refused', 'look_up'];
      assert.deepEqual(names(play.commands), look);
      untilAsked(play, invoiceId).play(lookedUp({ status: 'paid' }));
      inPhase(play, 'paid');
    });
  }
});

describe('a late payment of the Pix code behind it', () => {
  for (const [name, start] of Object.entries(behind)) {
    it(`${name}: paid`, () => {
      const play = untilAsked(start().play({ type: 'returned' }), invoiceId);
      play.play(lookedUp({ status: 'paid' }));
      assert.equal(inPhase(play, 'paid').invoice.invoiceId, invoiceId);
      const { state } = play;
      play.play(cardReady, cardFailed, charged(), createFailed('network'), cardSubmitted);
      assert.equal(play.state, state);
      assert.deepEqual(play.commands, []);
    });

    it(`${name}: paid, and it disagrees: nothing may be paid, and the card is not lost`, () => {
      const play = untilAsked(start().play({ type: 'returned' }), invoiceId);
      const open = name === 'being sent' || name === 'unknown';
      play.play(lookedUp({ status: 'paid', total_cents: 1 }));
      const state = inPhase(play, 'confirming');
      assert.equal(state.error?.code, 'amount_mismatch');
      assert.equal(state.attempt?.attemptKey, open ? cardKey : undefined);
      assert.deepEqual(
        names(play.commands).filter((name) => name === 'charge'),
        [],
      );
      if (!open) return;
      play.play(charged());
      assert.deepEqual(
        inPhase(play, 'confirming').watch?.invoices.map((invoice) => invoice.invoiceId),
        [cardId, invoiceId],
      );
    });
  }

  for (const code of ['not_found', 'payment_refused'] as const) {
    it(`disagrees while the card is asked for, and then ${code}: nothing may be paid again`, () => {
      const play = untilAsked(inquiries.inquiryBehindPix().play({ type: 'returned' }), invoiceId);
      play.play(lookedUp({ status: 'paid', total_cents: 1 }), createFailed(code));
      const state = inPhase(play, 'confirming');
      assert.deepEqual([state.attempt, state.error?.code], [null, 'amount_mismatch']);
      assert.notEqual(nextDueMs(play.state), null);
    });
  }

  it('the screen of a card is not about it', () => {
    for (const [name, start] of Object.entries(behind)) {
      const invoice = currentInvoice(start().state);
      assert.equal(invoice?.invoiceId ?? null, name === 'pending' ? cardId : null, name);
    }
  });
});

describe('after a reload', () => {
  it('is looked up, and followed where it was', () => {
    const play = checkout().play(soughtCard);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.invoiceId, cardId);
    play.play(cardLookedUp());
    assert.equal(inPhase(play, 'confirming').watch?.attemptKey, cardKey);
    play.wait(30_000).play(cardLookedUp({ status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.method, 'credit_card');
  });

  it('was refused meanwhile: the form, and a new key', () => {
    const play = checkout().play(soughtCard, lookUpRefused);
    assert.equal(inPhase(play, 'form').error?.code, 'payment_refused');
    assert.deepEqual(names(play.commands), ['forget', 'error payment_refused']);
  });

  it('was refused by a status without a word: it is asked again', () => {
    const play = checkout().play(soughtCard);
    play.play(lookUpFailed('payment_refused', { told: false }, cardId));
    inPhase(play, 'creating');
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('one that the page named and that was refused fails: it is the page’s affair', () => {
    const named: CheckoutEvent = { ...soughtCard, attemptKey: null };
    const play = checkout().play(named, lookUpRefused);
    assert.equal(inPhase(play, 'failed').error.code, 'payment_refused');
  });

  for (const changes of [{ total_cents: 1 }, { external_id: 'order-2' }] as const) {
    it(`differs, ${Object.keys(changes).join()}: it stays open, and nothing is forgotten`, () => {
      const play = checkout().play(soughtCard, cardLookedUp(changes));
      const { error, watch } = inPhase(play, 'confirming');
      assert.deepEqual(names(play.commands), [`error ${error?.code}`]);
      assert.equal(watch?.invoices[0].totalCents, cardCents);
      assert.deepEqual(play.play({ type: 'reset' }).commands, []);
    });
  }

  it('is said to be Pix: it stays a card, and no code is asked for with its key', () => {
    const play = checkout().play(soughtCard, cardLookedUp({ is_pix: true }));
    assert.equal(inPhase(play, 'confirming').watch?.invoices[0].method, 'credit_card');
    play.wait(30_000).play(lookUpFailed('unauthorized', {}, cardId));
    assert.deepEqual(play.commands, [request('recover', 'renewal', cardKey)]);
  });
});

it('another order on the page: the card’s record stays for its return', () => {
  for (const start of [charging.sending, inquiries.inquiry, pending.cardPending]) {
    const play = start().play({ type: 'order_changed' });
    assert.deepEqual(play.commands, [{ type: 'abort', what: 'all' }]);
    assert.deepEqual(play.play(charged(), createFailed('network')).commands, []);
  }
});

it('an order that turns out to be paid by another invoice is not reopened by a card that was refused', () => {
  const invoice = created({ invoice_id: 'invoice-paid', status: 'paid' });
  const play = pending.cardPending().play(lookUpFailed('unauthorized', {}, cardId));
  play.play(createFailed('order_paid', { invoice }));
  untilAsked(play, cardId).play(lookUpRefused);
  inPhase(play, 'confirming');
});

it('a card form that nothing was sent from knows no invoice', () => {
  const play = cardForm();
  const { state } = play;
  assert.equal(play.play(createdEvent(), charged(), createFailed('payment_refused')).state, state);
});
