/** A look-up token that ran out is renewed by asking for the order again, and never in a loop. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextDueMs, transition } from '../../../src/checkout/machine/transition.js';
import {
  commandsOf,
  created,
  createdEvent,
  createFailed,
  failure,
  formerId,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  lookUpFailed,
  names,
  returned,
  request,
} from './samples.js';
import { awaiting, replaced, replacing } from './states.js';

describe('a look-up token that ran out', () => {
  it('is renewed by asking for the order again with the same key', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'));
    assert.deepEqual(play.commands, [request('create', 'renewal', key)]);
    play.play(createdEvent({ lookup_token: 'token-2' }));
    assert.deepEqual(names(play.commands), ['remember']);
    play.wait(nextDueMs(play.state)! - play.nowMs);
    assert.equal(commandsOf(play.commands, 'look_up')[0]?.lookupToken, 'token-2');
  });

  it('a proxy that refuses every token it gives is asked ever more seldom', () => {
    const play = awaiting();
    const at: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      play.play(lookUpFailed('unauthorized'));
      at.push(play.nowMs);
      play.play(createdEvent({ lookup_token: `token-${round}` }));
      play.wait(nextDueMs(play.state)! - play.nowMs);
    }
    const pauses = at.slice(1).map((ms, index) => ms - at[index]!);
    assert.deepEqual(pauses.slice(0, 3), [4_000, 15_000, 15_000], 'random 0.5 of 8, 30, 30 s');
  });

  for (const code of ['network', 'unknown_order', 'order_closed', 'too_many_requests'] as const) {
    it(`renewal fails, ${code}: the code stays, and look-ups go on`, () => {
      const play = awaiting().play(lookUpFailed('unauthorized'), createFailed(code));
      inPhase(play, 'awaiting');
      assert.deepEqual(names(play.commands), code === 'network' ? [] : [`error ${code}`]);
      assert.notEqual(nextDueMs(play.state), null);
      play.wait(30_000).play(lookUpFailed('unauthorized'), createFailed(code));
      assert.deepEqual(play.commands, [], 'told once');
    });
  }

  it('brings another invoice: its code is shown, the former is followed', () => {
    const play = awaiting().play(
      lookUpFailed('unauthorized'),
      createdEvent({ invoice_id: 'invoice-2' }),
    );
    const ids = inPhase(play, 'awaiting').watch.invoices.map((invoice) => invoice.invoiceId);
    assert.deepEqual(ids, ['invoice-2', invoiceId]);
  });

  it('brings another invoice that cannot be shown: the former goes on', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'));
    play.play(createdEvent({ invoice_id: 'invoice-2', total_cents: 1 }));
    assert.equal(inPhase(play, 'awaiting').error?.code, 'amount_mismatch');
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('brings another invoice where somebody may have paid: its code is not shown', () => {
    const play = awaiting()
      .play(lookedUp({ status: 'paid', total_cents: 1 }))
      .wait(8_000);
    play.play(lookUpFailed('unauthorized'), createdEvent({ invoice_id: 'invoice-2' }));
    inPhase(play, 'confirming');
    assert.deepEqual(names(play.commands), ['error invalid_answer']);
    assert.notEqual(nextDueMs(play.state), null);
  });

  it('the order turns out to be paid: no code is shown any more, and the page hears of it once', () => {
    const play = awaiting().play(lookUpFailed('unauthorized'), createFailed('order_paid'));
    assert.equal(inPhase(play, 'confirming').error?.code, 'order_paid');
    assert.deepEqual(names(play.commands), ['error order_paid']);
    play.wait(30_000).play(lookUpFailed('unauthorized'), createFailed('order_paid'));
    assert.deepEqual(play.commands, []);
    assert.notEqual(nextDueMs(play.state), null);
    play.wait(30_000).play(lookUpFailed('unauthorized'), returned);
    const { state } = play;
    assert.equal(play.play(createFailed('order_paid')).state, state, 'and nothing changes');
  });

  it('waits while a new code is being asked for: one creation at a time', () => {
    const play = replacing().wait(8_000).play(lookUpFailed('unauthorized'));
    assert.deepEqual(names(play.commands), ['error unauthorized']);
    inPhase(play, 'creating');
  });

  for (const [name, start, purpose] of [
    ['a renewal, once a new code is asked for', replacing, 'renewal'],
    ['an invoice, once a code is shown', awaiting, 'invoice'],
    ['a charge, once a code is shown', awaiting, 'charge'],
  ] as const) {
    it(`the answer to ${name}: changes nothing`, () => {
      const { state, ...given } = start();
      const invoice = created({ lookup_token: 'token-2' });
      for (const answer of [{ invoice }, { failure: failure('network') }]) {
        const event = { type: 'answered', purpose, answer } as const;
        assert.equal(transition(state, event, given).state, state);
      }
    });
  }

  it('of a former invoice cannot be had by asking for the order: the newest would come', () => {
    const play = replaced().play(lookedUp(), lookUpFailed('unauthorized', {}, formerId));
    assert.deepEqual(play.commands, []);
    inPhase(play, 'awaiting');
  });
});
