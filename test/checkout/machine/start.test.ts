/** With what a checkout begins: the form, a stored attempt, an invoice known by its id, one the page hands in. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CheckoutEvent } from '../../../src/checkout/machine/events-and-commands.js';
import {
  checkout,
  commandsOf,
  created,
  createdEvent,
  createFailed,
  dynamicCode,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  lookUpFailed,
  named,
  names,
  paused,
  recovering,
  returned,
  staticCode,
  stored,
  submitted,
  request,
} from './samples.js';
import { following } from './states.js';

const promised: CheckoutEvent = { type: 'promised' };
const handedIn = (changes: Parameters<typeof created>[0] = {}): CheckoutEvent => ({
  type: 'given',
  invoice: created(changes),
});

describe('the form', () => {
  it('stores the attempt before it asks for an invoice: a reload must find its key', () => {
    const { state, commands } = checkout().play(submitted);
    assert.equal(state.phase, 'creating');
    assert.deepEqual(commands, [
      {
        type: 'remember',
        attemptKey: key,
        method: 'pix',
        invoiceId: null,
        lookupToken: null,
        totalCents: 12_990,
      },
      request('create', 'invoice', key),
    ]);
  });

  it('a double click is one attempt', () => {
    const play = checkout().play(submitted, submitted);
    assert.deepEqual(play.commands, []);
  });
});

describe('a stored attempt without an invoice', () => {
  it('is asked for by its key, and never created anew by itself', () => {
    assert.deepEqual(checkout().play(recovering).commands, [request('recover', 'invoice', key)]);
  });

  it('its invoice is shown, remembered and followed; pix-created was for the POST', () => {
    const play = checkout().play(recovering, createdEvent());
    inPhase(play, 'awaiting');
    assert.deepEqual(names(play.commands), ['remember', 'look_up']);
  });

  for (const code of ['not_found', 'invalid_request', 'unauthorized', 'outcome_unknown'] as const) {
    it(`${code}: the form, without an error, and the key stays stored`, () => {
      const play = checkout().play(recovering, createFailed(code));
      assert.equal(inPhase(play, 'form').error, null);
      assert.deepEqual(play.commands, []);
    });
  }

  it('a bad line is tried twice more, then the form says so', () => {
    const play = checkout().play(recovering);
    for (const _ of [1, 2]) {
      play.play(createFailed('network'));
      assert.deepEqual(play.commands, []);
      play.wait(60_000);
      assert.deepEqual(play.commands, [request('recover', 'invoice', key)]);
    }
    play.play(createFailed('network'));
    assert.equal(inPhase(play, 'form').error?.code, 'network');
    assert.deepEqual(names(play.commands), ['error network']);
  });

  it('a return to the page asks anew: the request may have died with the connection', () => {
    const play = checkout().play(recovering, returned);
    assert.deepEqual(play.commands, [request('recover', 'invoice', key)]);
  });
});

describe('an invoice known by its id', () => {
  it('is looked up with the token that is known, not held: nothing is on the screen yet', () => {
    assert.deepEqual(following().commands, [
      { type: 'look_up', invoiceId, lookupToken: 'token-1', waitSeconds: 0, timeoutMs: 6_000 },
    ]);
  });

  it('is shown and followed when the look-up brings its code', () => {
    const play = following().play(lookedUp());
    const { invoices, attemptKey } = inPhase(play, 'awaiting').watch;
    assert.equal(invoices[0].code?.text, dynamicCode());
    assert.equal(attemptKey, key);
    assert.deepEqual(names(play.commands), []);
  });

  it('shows a receipt when it is paid already', () => {
    const play = following().play(lookedUp({ status: 'paid' }));
    assert.equal(inPhase(play, 'paid').paidAt, '2026-03-02T12:05:00Z');
    assert.deepEqual(names(play.commands), ['abort', 'forget', 'paid']);
  });

  it('a card is told of as a card', () => {
    const play = following().play(lookedUp({ is_pix: false }));
    inPhase(play, 'confirming');
    play.wait(8_000).play(lookedUp({ is_pix: false, status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.method, 'credit_card');
  });

  it('a stored one without its code in the answer asks for the order again, with the same key', () => {
    const play = following().play(lookedUp({ qr_code_pix: '' }));
    assert.deepEqual(commandsOf(play.commands, 'request'), [request('create', 'invoice', key)]);
  });

  it('counts the deadline from when the code was made, and looks once more before it is over', () => {
    const play = checkout({ expiresInSeconds: 60 });
    play.nowMs = 100_000;
    play.play({ ...stored, createdAtMs: 10_000 });
    play.play(lookedUp());
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, 70_000);
    play.wait(0);
    assert.equal(inPhase(play, 'awaiting').closing, true);
    play.play(lookedUp());
    inPhase(play, 'expired');
  });

  for (const [name, changes] of Object.entries({
    'another total': { total_cents: 100 },
    'another reference': { external_id: 'order-1' },
    'no reference': { external_id: null },
  })) {
    it(`${name}: a stored one is forgotten, one that the page named fails`, () => {
      const play = following().play(lookedUp(changes));
      inPhase(play, 'form');
      assert.deepEqual(names(play.commands), ['forget']);
      const page = checkout().play(named);
      page.play(lookedUp(changes));
      const { error } = inPhase(page, 'failed');
      assert.deepEqual(names(page.commands), [`error ${error.code}`]);
    });

    it(`${name} and paid: nothing is shown as paid, and nothing may be paid again`, () => {
      for (const attemptKey of [key, null]) {
        const play = checkout().play({ ...stored, attemptKey });
        play.play(lookedUp({ ...changes, status: 'paid' }));
        const { error, watch } = inPhase(play, 'confirming');
        assert.deepEqual(names(play.commands), [`error ${error?.code}`]);
        assert.equal(watch?.invoices[0].totalCents, 12_990);
        play.wait(8_000).play(lookedUp({ ...changes, status: 'paid' }));
        inPhase(play, 'confirming');
        play.wait(8_000).play(lookedUp({ status: 'paid' }));
        inPhase(play, 'paid');
      }
    });
  }

  it('what is not known is not compared', () => {
    const play = checkout({ externalId: null }).play({ ...named, totalCents: null });
    play.play(lookedUp({ total_cents: 500, external_id: 'x', qr_code_pix: dynamicCode('5.00') }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('a stored one whose token is refused is asked for again; one nobody knows is forgotten', () => {
    assert.deepEqual(
      commandsOf(following().play(lookUpFailed('unauthorized')).commands, 'request'),
      [request('create', 'invoice', key)],
    );
    const gone = following().play(lookUpFailed('not_found'));
    inPhase(gone, 'form');
    assert.deepEqual(names(gone.commands), ['forget']);
  });

  for (const code of ['unauthorized', 'not_found'] as const) {
    it(`one that the page named and the proxy refuses fails: ${code}`, () => {
      const play = checkout().play(named);
      play.play(lookUpFailed(code));
      assert.equal(inPhase(play, 'failed').error.code, code);
    });
  }

  it('a bad line is waited out: looked up again, and again when the payer is back', () => {
    const play = following().play(lookUpFailed('network')).wait(30_000);
    assert.equal(commandsOf(play.commands, 'look_up').length, 1);
    play.play(paused);
    assert.deepEqual(play.commands, [{ type: 'abort', what: 'look_up' }]);
    play.play(returned);
    assert.equal(commandsOf(play.commands, 'look_up').length, 1);
  });

  it('a code that cannot be read is refused: another is asked for in its place', () => {
    const play = following().play(lookedUp({ qr_code_pix: 'not a code' }));
    assert.equal(inPhase(play, 'form').replaces, invoiceId);
    assert.deepEqual(names(play.commands), ['forget', 'error invalid_code']);
    const page = checkout().play(named);
    page.play(lookedUp({ qr_code_pix: staticCode('1.00') }));
    assert.equal(inPhase(page, 'failed').error.code, 'code_amount_differs');
  });
});

describe('an invoice that the page hands in', () => {
  it('is shown at once, also after a promise, and followed', () => {
    for (const play of [checkout().play(handedIn()), checkout().play(promised, handedIn())]) {
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, false);
      assert.deepEqual(names(play.commands), ['look_up']);
    }
  });

  it('a promise that is not kept ends in half a minute, and is still good when it is kept later', () => {
    const play = checkout().play(promised);
    assert.deepEqual(play.commands, []);
    play.wait(29_999);
    inPhase(play, 'creating');
    play.wait(1);
    assert.equal(inPhase(play, 'failed').error.code, 'network');
    assert.deepEqual(names(play.commands), ['error network']);
    inPhase(play.play(handedIn()), 'awaiting');
  });

  it('the first look-up vouches for it by naming the same code', () => {
    const play = checkout().play(handedIn(), lookedUp());
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, true);
  });

  it('an answer without the code vouches for nothing', () => {
    const play = checkout().play(handedIn(), lookedUp({ qr_code_pix: '' }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, false);
    play.wait(8_000).play(lookedUp({ qr_code_pix: dynamicCode('129.90', 'v2/other') }));
    assert.equal(inPhase(play, 'failed').error.code, 'invalid_code');
  });

  for (const [code, changes] of [
    ['invalid_code', { qr_code_pix: dynamicCode('129.90', 'v2/other') }],
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
  ] as const) {
    it(`a first look-up that disagrees hides the code: ${code}`, () => {
      const play = checkout().play(handedIn(), lookedUp(changes));
      assert.equal(inPhase(play, 'failed').error.code, code);
      assert.deepEqual(names(play.commands), [`error ${code}`]);
      const paid = checkout().play(handedIn(), lookedUp({ ...changes, status: 'paid' }));
      assert.equal(inPhase(paid, 'confirming').error?.code, code);
    });
  }

  for (const [code, changes] of [
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
    ['invalid_code', { qr_code_pix: '' }],
    ['code_amount_differs', { qr_code_pix: staticCode('1.00') }],
  ] as const) {
    it(`is not shown at all when it is not this order's: ${code}`, () => {
      const play = checkout().play(promised, handedIn(changes));
      assert.equal(inPhase(play, 'failed').error.code, code);
      assert.deepEqual(names(play.commands), ['forget', `error ${code}`]);
    });
  }

  it('that says paid is looked up first', () => {
    const play = checkout().play(handedIn({ status: 'paid', qr_code_pix: '' }));
    inPhase(play, 'confirming');
    play.play(lookedUp({ status: 'paid' }));
    inPhase(play, 'paid');
  });
});
