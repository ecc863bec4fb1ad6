/**
 * Stories of a checkout, each a name and, indented below it, a sample (states.ts, cards.ts) and what then happens:
 *
 *   is paid with another total: no card is sent
 *     checking > found status=paid total_cents=1 = confirming (amount_mismatch) [1]: error:amount_mismatch
 *
 * `answered` and `fails` answer the request for an invoice, `found` and `lost` the look-up in flight; `key=value` changes
 * the answer; `wait` takes milliseconds. Behind `=` stands what is seen: phase, error, marks, the invoices that are
 * followed (newest first), and the commands of the last event. Invoices and keys go by their last part. `held` is a
 * look-up that the proxy may hold, `settle` an end that keeps the key.
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import type { CheckoutEvent, Command } from '../../../src/checkout/machine/events-and-commands.js';
import type { CheckoutErrorCode } from '../../../src/checkout/machine/state.js';
import { askedOf } from '../../../src/checkout/machine/polling.js';
import { watchOf } from '../../../src/checkout/machine/state.js';
import * as cards from './charge/cards.js';
import * as samples from './samples.js';
import type { Play } from './samples.js';
import { awaitingUntil60s, replaced, samples as pixSamples } from './states.js';

/** Plays each story as a test of its own. */
export function tell(stories: string): void {
  for (const [name, steps] of read(stories)) {
    it(name, () => {
      const [start = '', ...rest] = steps;
      const [sample = '', ...marks] = start.split(' = ');
      const play = starts[sample.trim()]?.() ?? assert.fail(`no sample is called ${sample}`);
      for (const expected of marks) assert.equal(seen(play), expected.trim());
      for (const step of rest) {
        const [words = '', expected] = step.split(' = ');
        happen(play, words.trim());
        if (expected !== undefined) assert.equal(seen(play), expected.trim(), `after ${words}`);
      }
    });
  }
}

function read(stories: string): readonly (readonly [name: string, steps: readonly string[]])[] {
  const lines = stories.split('\n').filter((line) => line.trim() !== '');
  const indent = /^ */.exec(lines[0] ?? '')?.[0] ?? '';
  const told: [string, string][] = [];
  for (const line of lines) {
    const last = told.at(-1);
    if (line.startsWith(`${indent} `) && last) last[1] += ` ${line.trim()}`;
    else told.push([line.trim(), '']);
  }
  return told.map(([name, play]) => [name, play.trim().split(/ > /)]);
}

/** Samples that the tables of every sample (applies.test.ts) leave out. */
const starts: Readonly<Record<string, () => Play>> = {
  ...pixSamples,
  ...cards.cardSamples,
  awaitingUntil60s,
  replaced,
  cardFormBehindTwo: () => cards.behindPix(replaced()),
  sendingShared: () =>
    cards.cardForm().play({ ...cards.cardSubmitted, shared: true }, cards.cardReady),
  resumedCard: () => samples.checkout().play(cards.resumed),
  // What the page named, as a page with a reference and one without.
  formAnew: () => anew(),
  givenAnew: () => anew().play({ type: 'given', invoice: samples.created() }),
  givenUnnamed: () => anew(null).play({ type: 'given', invoice: samples.created() }),
  namedAnew: () => anew().play(samples.named),
  namedUnnamed: () => anew(null).play(samples.named),
  followingCard: () => samples.checkout().play(cards.soughtCard),
};

function anew(externalId: string | null = samples.terms.externalId): Play {
  return Object.assign(samples.checkout({ externalId }), { freshKey: samples.freshKey });
}

/** What happens, by its first words. */
const events: Readonly<Record<string, CheckoutEvent>> = {
  submit: samples.submitted,
  'submit b': { ...samples.submitted, attemptKey: samples.otherKey },
  'submit card': cards.cardSubmitted,
  'card ready': cards.cardReady,
  'card fails': cards.cardFailed,
  'to card': cards.chosen('credit_card'),
  'to pix': cards.chosen('pix'),
  'new code': samples.newCodeAsked,
  check: samples.checkAsked,
  returned: samples.returned,
  paused: samples.paused,
  promised: { type: 'promised' },
  reset: { type: 'reset' },
  'order changed': { type: 'order_changed' },
};

function happen(play: Play, words: string): void {
  const event = events[words];
  if (event) return void play.play(event);
  const [verb = '', first = '', ...rest] = words.split(' ');
  if (verb === 'wait') return void play.wait(Number(first));
  const isCode = first !== '' && !first.includes('=');
  const changes = toChanges(isCode ? rest : [first, ...rest].filter(Boolean));
  const code = first as CheckoutErrorCode;
  const watch = watchOf(play.state);
  const asked = (watch && (askedOf(watch) ?? watch.invoices[0]).invoiceId) ?? samples.invoiceId;
  const isCard = asked === cards.cardId;
  const verbs: Readonly<Record<string, () => CheckoutEvent>> = {
    answered: () => samples.createdEvent(changes),
    charged: () => cards.charged(changes),
    fails: () => samples.createFailed(code, changes),
    given: () => ({ type: 'given', invoice: samples.created(changes) }),
    found: () =>
      isCard
        ? cards.cardLookedUp(changes)
        : samples.lookedUp({ invoice_id: asked, ...changes }, asked),
    lost: () => samples.lookUpFailed(code, changes, asked),
    stored: () => ({ ...samples.stored, ...changes }),
    'stored-card': () => ({ ...cards.soughtCard, ...changes }),
  };
  play.play((verbs[verb] ?? (() => assert.fail(`nothing is called ${words}`)))());
}

/** `key=value`; an invoice of a failure is one that was paid. */
function toChanges(words: readonly string[]): object {
  return Object.fromEntries(
    words.map((word) => {
      const [key = '', value = ''] = word.split('=');
      return [key, toValue(key, value)];
    }),
  );
}

function toValue(key: string, value: string): unknown {
  if (key === 'invoice') {
    const external_id = value === 'foreign' ? 'order-2' : 'order-1042';
    return samples.created({ invoice_id: value, status: 'paid', external_id });
  }
  const [kind, amount = ''] = value.split(':');
  if (kind === 'static') return samples.staticCode(amount);
  if (kind === 'dynamic') return samples.dynamicCode(...(amount.split('~') as [string, string?]));
  if (['null', 'true', 'false'].includes(value) || /^-?\d+$/.test(value)) return JSON.parse(value);
  return value;
}

/** What is seen of a checkout. */
export function seen({ state, commands }: Play): string {
  const invoices = watchOf(state)?.invoices.map(({ invoiceId }) => tail(invoiceId));
  const words = [
    state.phase,
    'error' in state && state.error ? `(${state.error.code})` : '',
    'closing' in state && state.closing ? 'closing' : '',
    state.phase === 'confirming' && state.attempt ? 'asking' : '',
    invoices ? `[${invoices.join(' ')}]` : '',
  ];
  const asked = commands.map(textOf).join(' ');
  return words.filter(Boolean).join(' ') + (asked && `: ${asked}`);
}

function textOf(command: Command): string {
  switch (command.type) {
    case 'request': {
      const { action, purpose, attemptKey, replaces } = command;
      const what = purpose === 'renewal' ? `${action}-renewal` : action;
      return `${what}:${tail(attemptKey)}${replaces ? `/${tail(replaces)}` : ''}`;
    }
    case 'look_up':
      return `${command.waitSeconds > 0 ? 'held' : 'look_up'}:${tail(command.invoiceId)}`;
    case 'remember': {
      const { attemptKey, invoiceId } = command;
      return `remember:${tail(attemptKey)}${invoiceId ? `/${tail(invoiceId)}` : ''}`;
    }
    case 'forget': {
      const { attemptKey, keepsKey } = command;
      return `${keepsKey ? 'settle' : 'forget'}${attemptKey ? `:${tail(attemptKey)}` : ''}`;
    }
    case 'abort':
      return command.what === 'all' ? 'abort' : 'abort:look_up';
    case 'emit':
      return command.event.name === 'error' ? `error:${command.event.code}` : command.event.name;
    default:
      return command.type;
  }
}

function tail(id: string): string {
  return id.replace(/^.*-0*(?=.)/, '');
}
