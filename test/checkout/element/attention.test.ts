/** What the payer has done beside a code, and is told of it; the controller keeps it, the machine knows none of it. */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import { attend, calm, noteCopy } from '../../../src/checkout/element/attention.js';
import type { TimedAttention } from '../../../src/checkout/element/attention.js';
import type { CheckoutEvent } from '../../../src/checkout/machine/events-and-commands.js';
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
import { awaiting, awaitingUntil60s, replaced } from '../machine/states.js';

/** A payer before a code: an event of the machine, seconds that pass, or what the payer does. */
type Step = CheckoutEvent | number | ((attention: TimedAttention) => TimedAttention);

const copied: Step = (attention) => noteCopy(attention, true, 0);
const notCopied: Step = (attention) => noteCopy(attention, false, 0);
const inTrouble: Step = (attention) => ({ ...attention, trouble: 'checking' });
const aboutFormer = lookedUp({ invoice_id: formerId });

/** Plays the steps. @returns copy, check and trouble */
function after(play: Play, ...steps: readonly Step[]): string {
  let attention = calm;
  for (const step of steps) {
    if (typeof step === 'function') {
      attention = step(attention);
      continue;
    }
    const before = play.state;
    if (typeof step === 'number') play.wait(step * 1_000);
    else play.play(step);
    const event = typeof step === 'number' ? ticked : step;
    attention = attend(attention, event, before, play.state, play.nowMs);
  }
  const { copy, check, trouble } = attention;
  return [copy, check, trouble].join(' ');
}

const cases: readonly (readonly [name: string, found: string, play: () => Play, ...Step[]])[] = [
  ['nothing yet', 'none none none', awaiting, lookedUp(), 5, paused],
  ['a return is checked', 'none checking none', awaiting, returned],
  ['without an answer for ten seconds', 'none checking none', awaiting, returned, 9.999],
  ['and no longer', 'none not_yet none', awaiting, returned, 10],
  ['"Já paguei" is checked', 'none checking none', awaiting, lookedUp(), 2, checkAsked],
  ['an answer at once can be read', 'none checking none', awaiting, checkAsked, lookedUp(), 0.599],
  ['and then gives way', 'none not_yet none', awaiting, checkAsked, lookedUp(), 0.6],
  ['a later answer does at once', 'none not_yet none', awaiting, checkAsked, 2, lookedUp()],
  ['so does none', 'none not_yet none', awaiting, checkAsked, 2, lookUpFailed('network')],
  ['and one about a former code not', 'none checking none', replaced, returned, 2, aboutFormer],
  ['again ten seconds', 'none checking none', awaiting, checkAsked, 10, checkAsked, 9.999],
  ['trouble: a look-up first', 'none checking checking', awaiting, inTrouble, checkAsked],
  [
    'trouble: then a new code is offered',
    'none checking offered',
    ...([awaiting, inTrouble, checkAsked, lookedUp()] as const),
  ],
  [
    'trouble: not by a look-up that failed, and it may be reported again',
    'none not_yet none',
    ...([awaiting, inTrouble, checkAsked, lookUpFailed('network'), 10] as const),
  ],
  [
    'trouble: not by an answer that disagrees',
    'none checking checking',
    ...([awaiting, inTrouble, checkAsked, lookedUp({ total_cents: 1 })] as const),
  ],
  [
    'trouble: not by an answer about a former code',
    'none none checking',
    ...([replaced, lookedUp(), inTrouble, aboutFormer] as const),
  ],
  [
    'trouble: not by an answer that was not asked',
    'none none checking',
    ...([awaiting, lookedUp(), inTrouble, lookedUp()] as const),
  ],
  [
    'the offer stays until it is taken',
    'none not_yet offered',
    ...([awaiting, inTrouble, checkAsked, lookedUp(), 10] as const),
  ],
  ['copied', 'copied none none', awaiting, copied],
  ['not copied', 'failed none none', awaiting, notCopied],
  ['copied after "not yet"', 'copied none none', awaiting, checkAsked, 10, copied],
  ['not copied after it', 'failed none none', awaiting, checkAsked, 10, notCopied],
  ['not copied while it is checked', 'failed none none', awaiting, checkAsked, notCopied],
  ['and then checked', 'failed not_yet none', awaiting, notCopied, checkAsked, 10],
  ['copied while it is checked', 'copied checking none', awaiting, checkAsked, copied],
  ['the deadline is checked', 'none checking none', awaitingUntil60s, lookedUp(), 60],
  ['another screen ends it', 'none none none', awaiting, copied, newCodeAsked],
  [
    'another code ends it',
    'none none none',
    ...([awaiting, copied, lookUpFailed('unauthorized')] as const),
    createdEvent({ invoice_id: 'invoice-2' }),
  ],
];

for (const [name, found, play, ...steps] of cases) {
  it(`what the payer is told beside a code ${name}`, () =>
    assert.equal(after(play(), ...steps), found));
}
