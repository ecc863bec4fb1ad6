/** What the payer has done beside a code, and is told of it; the controller keeps it, the machine knows none of it. */

import assert from 'node:assert/strict';
import { describe, it } from 'vitest';
import { noteEvent, noAttention, noteCopy } from '../../../src/checkout/element/controller.js';
import type { TimedAttention } from '../../../src/checkout/element/controller.js';
import type { CheckoutEvent } from '../../../src/checkout/machine/state.js';
import {
  checkAsked,
  createdEvent,
  formerId,
  lookedUp,
  lookUpFailed,
  newCodeAsked,
  paused,
  returned,
  ticked,
} from '../machine/samples.js';
import type { Play } from '../machine/samples.js';
import { awaiting, awaitingUntil60s, expired, replaced } from '../machine/states.js';

/** A payer before a code: an event of the machine, seconds that pass, or what the payer does. */
type Step = CheckoutEvent | number | ((attention: TimedAttention) => TimedAttention);

const copied: Step = (attention) => noteCopy(attention, true, 0);
const notCopied: Step = (attention) => noteCopy(attention, false, 0);
const inTrouble: Step = (attention) => ({ ...attention, trouble: 'checking' });
const aboutFormer = lookedUp({ invoice_id: formerId });
const anotherCode = createdEvent({ invoice_id: 'invoice-2' });

/** Plays the steps. @returns copy, check and trouble */
function after(play: Play, ...steps: readonly Step[]): string {
  let attention = noAttention;
  for (const step of steps) {
    if (typeof step === 'function') {
      attention = step(attention);
      continue;
    }
    const before = play.state;
    if (typeof step === 'number') play.wait(step * 1_000);
    else play.play(step);
    const event = typeof step === 'number' ? ticked : step;
    attention = noteEvent(attention, event, before, play.state, play.nowMs);
  }
  const { copy, check, trouble } = attention;
  return [copy, check, trouble].join(' ');
}

/** Each row: what is told at the end of its steps. */
function tells(start: () => Play, rows: readonly (readonly [string, found: string, ...Step[]])[]) {
  for (const [name, found, ...steps] of rows) {
    it(name, () => assert.equal(after(start(), ...steps), found));
  }
}

describe('what the payer is told beside a code', () => {
  tells(awaiting, [
    ['nothing yet', 'none none none', lookedUp(), 5, paused],
    ['a return is checked', 'none checking none', returned],
    ['without an answer for ten seconds', 'none checking none', returned, 9.999],
    ['and no longer', 'none not_yet none', returned, 10],
    ['"Já paguei" is checked', 'none checking none', lookedUp(), 2, checkAsked],
    ['an answer at once can be read', 'none checking none', checkAsked, lookedUp(), 0.599],
    ['and then gives way', 'none not_yet none', checkAsked, lookedUp(), 0.6],
    ['a later answer does at once', 'none not_yet none', checkAsked, 2, lookedUp()],
    ['so does none', 'none not_yet none', checkAsked, 2, lookUpFailed('network')],
    ['again ten seconds', 'none checking none', checkAsked, 10, checkAsked, 9.999],
    ['copied', 'copied none none', copied],
    ['not copied', 'failed none none', notCopied],
    ['copied after "not yet"', 'copied none none', checkAsked, 10, copied],
    ['not copied after it', 'failed none none', checkAsked, 10, notCopied],
    ['not copied while it is checked', 'failed none none', checkAsked, notCopied],
    ['and then checked', 'failed not_yet none', notCopied, checkAsked, 10],
    ['copied while it is checked', 'copied checking none', checkAsked, copied],
    ['another screen ends it', 'none none none', copied, newCodeAsked],
    ['another code ends it', 'none none none', copied, lookUpFailed('unauthorized'), anotherCode],
  ]);
  tells(awaitingUntil60s, [['the deadline is checked', 'none checking none', lookedUp(), 60]]);
  tells(expired, [
    ['after it nothing', 'none none none', 5, lookedUp()],
    ['"Já paguei" is checked', 'none checking none', checkAsked],
    ['and answered', 'none not_yet none', checkAsked, lookedUp(), 10],
    ['a return is checked', 'none checking none', returned],
    ['a new code ends it', 'none none none', checkAsked, newCodeAsked],
  ]);
  tells(replaced, [
    ['an answer about a former code ends nothing', 'none checking none', returned, 2, aboutFormer],
  ]);
});

describe('trouble with the code', () => {
  const disagreeing = lookedUp({ total_cents: 1 });
  const failed = lookUpFailed('network');
  tells(awaiting, [
    ['a look-up first', 'none checking checking', inTrouble, checkAsked],
    ['then a new code is offered', 'none checking offered', inTrouble, checkAsked, lookedUp()],
    ['until it is taken', 'none not_yet offered', inTrouble, checkAsked, lookedUp(), 10],
    ['not by a failure: reported again', 'none not_yet failed', inTrouble, checkAsked, failed, 10],
    [
      'a failure is told until an answer',
      'none not_yet none',
      inTrouble,
      checkAsked,
      failed,
      10,
      lookedUp(),
    ],
    ['or until another press', 'none checking none', inTrouble, checkAsked, failed, 10, checkAsked],
    ['not by what disagrees', 'none checking checking', inTrouble, checkAsked, disagreeing],
    ['not by what was not asked', 'none none checking', lookedUp(), inTrouble, lookedUp()],
  ]);
  tells(replaced, [
    ['not by one about a former code', 'none none checking', lookedUp(), inTrouble, aboutFormer],
  ]);
});
