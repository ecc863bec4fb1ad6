/** Which event applies in which state. One that does not gives the same object back, and no command. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import type { CheckoutEvent, State } from '../../../src/checkout/machine/state.js';
import {
  checkAsked,
  created,
  createdEvent,
  createFailed,
  lookedUp,
  lookUpFailed,
  newCodeAsked,
  paused,
  recovering,
  returned,
  submitted,
  ticked,
  stored,
} from './samples.js';
import { cardFailed, cardReady, cardSamples, cardSubmitted, chosen } from './charge/cards.js';
import { samples, snapshot } from './states.js';

const every = { ...samples, ...cardSamples };

const events = {
  submitted,
  cardSubmitted,
  cardReady,
  cardFailed,
  cardChosen: chosen('credit_card'),
  pixChosen: chosen('pix'),
  recovering,
  resumed: stored,
  promised: { type: 'promised' },
  given: { type: 'given', invoice: created() },
  created: createdEvent({ lookup_token: 'token-2' }),
  createFailed: createFailed('network'),
  orderPaid: createFailed('order_paid', { invoice: created({ status: 'paid' }) }),
  pending: lookedUp({ status: 'processing' }),
  paid: lookedUp({ status: 'paid' }),
  strangersPaid: lookedUp({ invoice_id: 'invoice-9999', status: 'paid' }),
  lookUpFailed: lookUpFailed('network'),
  tickedEarly: ticked,
  returned,
  paused,
  checkAsked,
  newCodeAsked,
  failed: { type: 'failed', code: 'configuration' },
  reset: { type: 'reset' },
  orderChanged: { type: 'order_changed' },
} satisfies Record<string, CheckoutEvent>;

type EventName = keyof typeof events;

/** Every event type the machine knows: a new one without a row here does not compile. */
const covered: Readonly<Record<CheckoutEvent['type'], EventName>> = {
  submitted: 'submitted',
  card_prepared: 'cardReady',
  method_chosen: 'cardChosen',
  resumed: 'resumed',
  promised: 'promised',
  given: 'given',
  answered: 'created',
  looked_up: 'pending',
  ticked: 'tickedEarly',
  returned: 'returned',
  paused: 'paused',
  check_asked: 'checkAsked',
  new_code_asked: 'newCodeAsked',
  failed: 'failed',
  reset: 'reset',
  order_changed: 'orderChanged',
};

const inquiry = 'pending paid lookUpFailed paused returned checkAsked';
const shown = `${inquiry} created orderPaid reset orderChanged`;

/** The events that apply, by state. */
const applying: Readonly<Record<string, string>> = {
  form: 'submitted cardSubmitted recovering resumed promised given failed',
  posting: 'created createFailed orderPaid returned failed orderChanged',
  retrying: 'created createFailed orderPaid returned failed orderChanged',
  // A look-up in flight goes on while another code is asked for.
  replacing: 'created createFailed orderPaid returned paused checkAsked failed orderChanged',
  recovering: 'created createFailed orderPaid returned failed orderChanged',
  promised: 'given failed orderChanged',
  following: `${inquiry} failed orderChanged`,
  awaiting: `${shown} newCodeAsked cardChosen`,
  // Between two look-ups no answer is expected.
  offered:
    'created orderPaid returned paused checkAsked newCodeAsked reset orderChanged cardChosen',
  offline:
    'created createFailed orderPaid returned checkAsked newCodeAsked reset orderChanged cardChosen',
  // The page made it: there is no attempt whose token could be renewed.
  given: `${inquiry} orderPaid reset orderChanged newCodeAsked cardChosen`,
  confirming: shown,
  expired: `created orderPaid returned paused checkAsked newCodeAsked reset orderChanged cardChosen`,
  paid: 'reset orderChanged',
  // A Pix code is followed behind the form: it is the one that a press of Pix's button shows.
  cardForm: `${shown} submitted cardSubmitted pixChosen recovering resumed promised given failed`,
  tokenizing: 'cardReady cardFailed failed orderChanged',
  tokenizingBehindPix: `${inquiry} created orderPaid cardReady cardFailed failed orderChanged`,
  checking: `${inquiry} created orderPaid failed orderChanged`,
  // A card that was sent may be charged: a promised invoice that fails late does not hide it.
  sending: 'created createFailed orderPaid orderChanged',
  sendingBehindPix: 'created createFailed orderPaid paused returned checkAsked orderChanged',
  // An open payment is never reset.
  inquiry: 'created createFailed orderPaid returned checkAsked orderChanged',
  inquiryBehindPix: 'created createFailed orderPaid paused returned checkAsked orderChanged',
  cardPending: 'orderPaid paused returned checkAsked orderChanged',
  cardPendingBehindPix: 'orderPaid paused returned checkAsked orderChanged',
  failed: 'reset orderChanged',
};

describe('which event applies where', () => {
  it('every state has a row, and every row a state', () => {
    assert.deepEqual(Object.keys(applying).toSorted(), Object.keys(every).toSorted());
    assert.equal(Object.keys(covered).length, 16);
  });

  for (const [name, list] of Object.entries(applying)) {
    const applies = new Set(list.split(' '));
    for (const [eventName, event] of Object.entries(events)) {
      const does = applies.has(eventName);
      it(`${name}: ${eventName} ${does ? 'applies' : 'changes nothing'}`, () => {
        const play = every[name as keyof typeof every]();
        const before: State = play.state;
        const copy = snapshot(before);
        play.play(event);
        assert.deepEqual(before, copy, 'no state is changed in place');
        if (does) {
          assert.notEqual(play.state, before);
        } else if (name === 'form' && (eventName === 'reset' || eventName === 'orderChanged')) {
          // The form is already what these lead to; what is stored or in flight goes all the same.
          assert.equal(play.state, before);
        } else {
          assert.equal(play.state, before);
          assert.deepEqual(play.commands, []);
        }
      });
    }
  }
});
