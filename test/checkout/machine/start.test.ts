/** With what a checkout begins: the form, a stored attempt, an invoice known by its id, one the page hands in. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { chosen } from './charge/cards.js';
import {
  checkout,
  attempted,
  created,
  createdEvent,
  createFailed,
  inPhase,
  invoiceId,
  key,
  lookedUp,
  lookUpFailed,
  named,
  otherKey,
  paused,
  request,
  returned,
  stored,
  submitted,
} from './samples.js';
import { following } from './states.js';
import { checkoutAt, given, submittedAnew } from './checkout-at.js';
import { dynamicCode, staticCode } from '../../support/pix-code.js';

describe('the form', () => {
  it('stores the attempt before it asks for an invoice: a reload must find its key', () => {
    const remembered = { attemptKey: key, method: 'pix', totalCents: 12_990 };
    assert.deepEqual(checkout().play(submitted).commands, [
      { type: 'remember', ...remembered, invoiceId: null, lookupToken: null },
      request('create', 'invoice', key),
    ]);
  });

  it('a double click is one attempt', () => {
    const checkout = checkoutAt('posting');
    checkout.hears(submitted).is('creating');
  });
});

describe('a stored attempt without an invoice', () => {
  it('is asked for by its key, and never created anew by itself', () => {
    const checkout = checkoutAt('recovering');
    checkout.is('creating', { commands: [{ recover: key }] });
  });

  it('its invoice is shown, remembered and followed; pix-created was for the POST', () => {
    const checkout = checkoutAt('recovering');
    checkout.hears(createdEvent()).is('awaiting', {
      follows: [invoiceId],
      commands: [{ remember: key, invoice: invoiceId }, { lookUpHeld: invoiceId }],
    });
  });

  it('a bad line is tried twice more, then the form says so', () => {
    const checkout = checkoutAt('recovering');
    checkout.hears(createFailed('network')).is('creating');
    checkout.waits(60_000).is('creating', { commands: [{ recover: key }] });
    checkout.hears(createFailed('network')).is('creating');
    checkout.waits(60_000).is('creating', { commands: [{ recover: key }] });
    checkout
      .hears(createFailed('network'))
      .is('form', { error: 'network', commands: [{ error: 'network' }] });
  });

  it('a return to the page asks anew: the request may have died with the connection', () => {
    const checkout = checkoutAt('recovering');
    checkout.hears(returned).is('creating', { commands: [{ recover: key }] });
  });
  it('not_found: the form, without an error; its key is barred, and used no more', () => {
    const checkout = checkoutAt('recovering');
    checkout.hears(createFailed('not_found')).is('form', { commands: [{ forget: key }] });
  });
  for (const [name, failure] of [
    ['not_found of a gateway', createFailed('not_found', { told: false })],
    ['invalid_request', createFailed('invalid_request')],
    ['unauthorized', createFailed('unauthorized')],
    ['outcome_unknown', createFailed('outcome_unknown')],
  ] as const) {
    it(`${name}: the form, without an error, and the key stays stored`, () => {
      const checkout = checkoutAt('recovering');
      checkout.hears(failure).is('form');
    });
  }
});

describe('an invoice known by its id', () => {
  it('is looked up with the token that is known, not held: nothing is on the screen yet', () => {
    assert.deepEqual(following().commands, [
      { type: 'look_up', invoiceId, lookupToken: 'token-1', waitSeconds: 0, timeoutMs: 6_000 },
    ]);
  });

  it('is shown with the code that the look-up brings, and its own key', () => {
    const { invoices, attemptKey } = inPhase(following().play(lookedUp()), 'awaiting').watch;
    assert.equal(invoices[0].code?.text, dynamicCode());
    assert.equal(attemptKey, key);
  });

  it('a card is told of as a card', () => {
    const play = following()
      .play(lookedUp({ is_pix: false }))
      .wait(8_000);
    play.play(lookedUp({ is_pix: false, status: 'paid' }));
    assert.equal(inPhase(play, 'paid').invoice.method, 'credit_card');
  });

  for (const [name, event, deadlineMs] of [
    ['when the code was made', { ...stored, createdAtMs: 10_000 }, 70_000],
    ['when it is first shown, if the page named it', named, 105_000 + 60_000],
  ] as const) {
    it(`counts the deadline from ${name}, and looks once more before it is over`, () => {
      const play = checkout({ expiresInSeconds: 60 });
      play.nowMs = 100_000;
      play.play(event).wait(5_000).play(lookedUp());
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].deadlineMs, deadlineMs);
      play.wait(60_000);
      assert.equal(inPhase(play, 'awaiting').closing, true);
      inPhase(play.play(lookedUp()), 'expired');
    });
  }

  it('what is not known is not compared', () => {
    const play = checkout({ externalId: null }).play({ ...named, totalCents: null });
    play.play(lookedUp({ total_cents: 500, external_id: 'x', qr_code_pix: dynamicCode(500) }));
    assert.equal(inPhase(play, 'awaiting').watch.invoices[0].totalCents, 500);
  });

  it('and is told as the look-up named it', () => {
    const play = checkout({ externalId: null }).play({ ...named, totalCents: null });
    const { invoice } = inPhase(play.play(lookedUp({ total_cents: 500, status: 'paid' })), 'paid');
    assert.deepEqual([invoice.totalCents, invoice.externalId], [500, 'order-1042']);
  });

  for (const [name, change, code] of [
    ['another total', { total_cents: 100 }, 'amount_mismatch'],
    ['another reference', { external_id: 'order-1' }, 'reference_mismatch'],
    ['no reference', { external_id: null }, 'reference_mismatch'],
  ] as const) {
    const confirming = { error: code, follows: [invoiceId] } as const;
    for (const [start, attemptKey] of [
      ['following', key],
      [() => checkout().play(named), null],
    ] as const) {
      it(`${name} and paid, ${attemptKey ? 'stored' : 'named'}: nothing is shown as paid, and nothing may be paid again`, () => {
        const checkout = checkoutAt(start);
        checkout
          .finds({ status: 'paid', ...change })
          .is('confirming', { ...confirming, commands: [{ error: code }] });
        checkout
          .waits(8_000)
          .finds({ status: 'paid', ...change })
          .is('confirming', confirming);
        checkout
          .waits(8_000)
          .finds({ status: 'paid' })
          .is('paid', {
            commands: [
              'abort',
              attemptKey === null ? ('forget' as const) : { forget: attemptKey },
              'paid',
            ],
          });
      });
    }
    it(`${name}: a stored one is forgotten`, () => {
      const checkout = checkoutAt('following');
      checkout.finds(change).is('form', { commands: [{ forget: key }] });
    });

    it(`${name}: one that the page named fails`, () => {
      const checkout = checkoutAt('form');
      checkout
        .hears(named)
        .finds(change)
        .is('failed', { error: code, commands: [{ error: code }] });
    });
  }

  it('is followed when it is shown', () => {
    const checkout = checkoutAt('following');
    checkout.finds().is('awaiting', { follows: [invoiceId] });
    checkout
      .waits(1_000)
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('is believed once it is shown: a later answer that disagrees hides no code', () => {
    const checkout = checkoutAt('following');
    checkout
      .finds()
      .waits(1_000)
      .finds({ total_cents: 100 })
      .is('awaiting', { follows: [invoiceId], commands: [{ error: 'amount_mismatch' }] });
  });

  it('paid already: the record goes', () => {
    const checkout = checkoutAt('following');
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', { forget: key }, 'paid'] });
  });

  it('a stored one without its code in the answer asks for the order again, with the same key', () => {
    const checkout = checkoutAt('following');
    checkout
      .finds({ qr_code_pix: '' })
      .is('creating', { commands: [{ remember: key }, { create: key }] });
  });

  it('a stored one whose token is refused is asked for again', () => {
    const checkout = checkoutAt('following');
    checkout
      .loses('unauthorized')
      .is('creating', { commands: [{ remember: key }, { create: key }] });
  });

  it('a stored one that is not known is forgotten', () => {
    const checkout = checkoutAt('following');
    checkout.loses('not_found').is('form', { commands: [{ forget: key }] });
  });

  it('one that the page named and the proxy refuses fails: unauthorized', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .loses('unauthorized')
      .is('failed', { error: 'unauthorized', commands: [{ error: 'unauthorized' }] });
  });

  it('one that the page named and the proxy refuses fails: not_found', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .loses('network')
      .waits(30_000)
      .loses('not_found')
      .is('failed', { error: 'not_found', commands: [{ error: 'not_found' }] });
  });

  it('a bad line is waited out: looked up again, and again when the payer is back', () => {
    const checkout = checkoutAt('following');
    checkout
      .loses('network')
      .waits(30_000)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.hears(paused).is('creating', { follows: [invoiceId], commands: ['abort_look_up'] });
    checkout
      .hears(returned)
      .is('creating', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('a code that cannot be read is refused: another is asked for in its place', () => {
    const checkout = checkoutAt('following');
    checkout.finds({ qr_code_pix: 'nonsense' }).is('form', {
      error: 'invalid_code',
      commands: [{ forget: key }, { error: 'invalid_code' }],
    });
    checkout.hears(submittedAnew).is('creating', {
      commands: [{ remember: otherKey }, { create: otherKey, replaces: invoiceId }],
    });
  });

  it('a code that cannot be read of one that the page named', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .finds({ qr_code_pix: staticCode(100) })
      .is('failed', { error: 'code_amount_differs', commands: [{ error: 'code_amount_differs' }] });
  });

  it('a card that the page named is followed', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .finds({ is_pix: false })
      .is('confirming', { follows: [invoiceId] });
  });

  it('a card that the page named, of another total', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .finds({ is_pix: false, total_cents: 1 })
      .is('failed', { error: 'amount_mismatch', commands: [{ error: 'amount_mismatch' }] });
  });

  it('no code of one that the page named', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(named)
      .finds({ qr_code_pix: '' })
      .is('failed', { error: 'invalid_code', commands: [{ error: 'invalid_code' }] });
  });
});

it('a payer whose stored code cannot be read may ask for another', () => {
  const play = following().play(lookedUp({ qr_code_pix: 'nonsense' }));
  assert.deepEqual(inPhase(play, 'form').error, { code: 'invalid_code', retryable: true });
});

describe('an invoice that the page hands in', () => {
  it('is believed once a look-up has named the same code', () => {
    for (const [changes, verified] of [
      [{}, true],
      [{ qr_code_pix: '' }, false],
    ] as const) {
      const play = checkout().play({ type: 'given', invoice: created() });
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, false);
      play.play(lookedUp(changes));
      assert.equal(inPhase(play, 'awaiting').watch.invoices[0].verified, verified);
    }
  });

  it('is shown at once, and followed', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(given())
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout
      .finds()
      .waits(8_000)
      .is('awaiting', { follows: [invoiceId] });
  });

  it('as the answer to a request of before the element: remembered by that request’s key', () => {
    const checkout = checkoutAt('promised');
    checkout.hears({ type: 'given', invoice: created(), attemptKey: key }).is('awaiting', {
      follows: [invoiceId],
      commands: [{ remember: key, invoice: invoiceId }, 'created', { lookUpHeld: invoiceId }],
    });
  });

  it('whose first look-up failed is given the usual time by the next', () => {
    const play = checkout().play(given(), lookUpFailed('network')).wait(30_000);
    const look = { type: 'look_up', invoiceId, lookupToken: 'token-1' } as const;
    assert.deepEqual(play.commands, [{ ...look, waitSeconds: 0, timeoutMs: 8_000 }]);
  });

  it('is shown at once after a promise, and followed', () => {
    const checkout = checkoutAt('promised');
    checkout
      .hears(given())
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('a promise that is not kept ends in half a minute, and is still good when it is kept later', () => {
    const checkout = checkoutAt('promised');
    checkout.waits(29_999).is('creating');
    checkout.waits(1).is('failed', { error: 'network', commands: [{ error: 'network' }] });
    checkout
      .hears(given())
      .is('awaiting', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
  });

  it('an answer without the code vouches for nothing', () => {
    const checkout = checkoutAt('given');
    checkout
      .finds({ qr_code_pix: '' })
      .waits(8_000)
      .finds({ qr_code_pix: dynamicCode(12_990, 'v2/other') })
      .is('failed', { error: 'invalid_code', commands: ['abort', { error: 'invalid_code' }] });
  });

  it('that disagrees behind the card form is a failed look-up: nothing of it is on the screen', () => {
    const checkout = checkoutAt('given');
    checkout
      .hears(chosen('credit_card'))
      .finds({ total_cents: 1 })
      .is('form', { follows: [invoiceId], commands: [{ error: 'amount_mismatch' }] });
  });

  it('that says paid is looked up first', () => {
    const checkout = checkoutAt('form');
    checkout
      .hears(given({ status: 'paid', qr_code_pix: '' }))
      .is('confirming', { follows: [invoiceId], commands: [{ lookUp: invoiceId }] });
    checkout.finds({ status: 'paid' }).is('paid', { commands: ['abort', 'forget', 'paid'] });
  });

  it('another dynamic amount is shown, and the merchant warned', () => {
    const checkout = checkoutAt('form');
    checkout.hears(given({ qr_code_pix: dynamicCode(100) })).is('awaiting', {
      follows: [invoiceId],
      commands: [{ error: 'code_amount_differs' }, { lookUp: invoiceId }],
    });
  });

  for (const [code, change] of [
    ['invalid_code', { qr_code_pix: dynamicCode(12_990, 'v2/other') }],
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
  ] as const) {
    it(`a first look-up that disagrees hides the code: ${code}`, () => {
      const checkout = checkoutAt('given');
      checkout.finds(change).is('failed', { error: code, commands: ['abort', { error: code }] });
    });

    it(`a first look-up that disagrees and says paid: ${code}`, () => {
      const checkout = checkoutAt('given');
      checkout.finds({ status: 'paid', ...change }).is('confirming', {
        error: code,
        follows: [invoiceId],
        commands: [{ error: code }, { lookUpHeld: invoiceId }],
      });
    });
  }

  for (const [code, change] of [
    ['amount_mismatch', { total_cents: 1 }],
    ['reference_mismatch', { external_id: 'order-1' }],
    ['invalid_code', { qr_code_pix: '' }],
    ['code_amount_differs', { qr_code_pix: staticCode(100) }],
  ] as const) {
    it(`is not shown at all when it is not this order's: ${code}`, () => {
      const checkout = checkoutAt('promised');
      checkout
        .hears(given(change))
        .is('failed', { error: code, commands: ['forget', { error: code }] });
    });
  }
});

it('an attempt that names nothing is none', () => {
  assert.equal(checkout().play({ ...attempted, attemptKey: null }).state.phase, 'form');
});
