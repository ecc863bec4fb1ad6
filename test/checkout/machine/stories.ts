/**
 * Stories of a checkout, each a name and, indented below it, a sample (`at`) and what then happens:
 *
 *   is paid with another total: no card is sent
 *     ${at.checking} > ${found({ status: 'paid', total_cents: 1 })} = confirming (amount_mismatch) [1]: error:amount_mismatch
 *
 * What happens is an event, or a function of the play that makes one. Behind `=` stands what is seen: phase, error, marks, the
 * invoices that are followed (newest first), and the commands of the last event. Invoices and keys go by their last part.
 * `held` is a look-up that the proxy may hold, `settle` an end that keeps the key.
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';
import type { CreatedInvoice, InvoiceStatus } from '../../../src/contract/types.js';
import type { CheckoutEvent, Command, Failure } from '../../../src/checkout/machine/state.js';
import { askedOf } from '../../../src/checkout/machine/tracked-invoice.js';
import { watchOf } from '../../../src/checkout/machine/state.js';
import { readStories } from '../../support/story-text.js';
import * as cards from './charge/cards.js';
import * as samples from './samples.js';
import type { Play } from './samples.js';
import { awaitingUntil60s, replaced, samples as pixSamples } from './states.js';

type Start = () => Play;
type Step = CheckoutEvent | ((play: Play) => CheckoutEvent | void);

/** Plays each story as a test of its own. A text that is put in is a part of a name, or of what is seen. */
export function tell(
  texts: TemplateStringsArray,
  ...values: readonly (string | Start | Step)[]
): void {
  const { stories, valueOf } = readStories(texts, values);
  for (const [name, [[sample, ...marks] = [''], ...steps]] of stories) {
    it(name, () => {
      const play = (valueOf(sample) as Start)();
      for (const expected of marks) assert.equal(seen(play), expected);
      for (const [at, [word, expected]] of steps.entries()) {
        const happens = valueOf(word) as Step;
        const event = typeof happens === 'function' ? happens(play) : happens;
        if (event) play.play(event);
        if (expected !== undefined) assert.equal(seen(play), expected, `after step ${at + 1}`);
      }
    });
  }
}

/** With what a story begins. The last ones are left out by the tables of every sample (applies.test.ts). */
export const at = {
  ...pixSamples,
  ...cards.cardSamples,
  awaitingUntil60s,
  replaced,
  cardFormBehindTwo: () => cards.behindPix(replaced()),
  resumedCard: () => samples.checkout().play(cards.resumed),
  // What the page named, as a page with a reference and one without.
  formAnew: () => anew(),
  givenAnew: () => anew().play(given()),
  givenUnnamed: () => anew(null).play(given()),
  namedAnew: () => anew().play(samples.named),
  namedUnnamed: () => anew(null).play(samples.named),
  followingCard: () => samples.checkout().play(cards.soughtCard),
} as const;

function anew(externalId: string | null = samples.terms.externalId): Play {
  return Object.assign(samples.checkout({ externalId }), { freshKey: samples.freshKey });
}

export const submittedAnew: CheckoutEvent = { ...samples.submitted, attemptKey: samples.otherKey };
export const reset: CheckoutEvent = { type: 'reset' };
export const orderChanged: CheckoutEvent = { type: 'order_changed' };
export const namedCard: CheckoutEvent = { ...cards.soughtCard, attemptKey: null };
export const given = (changes: Partial<CreatedInvoice> = {}): CheckoutEvent => ({
  type: 'given',
  invoice: samples.created(changes),
});

/** So many milliseconds pass. */
export const wait = (ms: number) => (play: Play) => void play.wait(ms);

/** The look-up in flight is answered. */
export const found =
  (changes: Partial<InvoiceStatus> = {}) =>
  ({ state }: Play): CheckoutEvent => {
    const asked = idAsked(state);
    return asked === cards.cardId
      ? cards.cardLookedUp(changes)
      : samples.lookedUp({ invoice_id: asked, ...changes }, asked);
  };

/** The look-up in flight fails. */
export const lost =
  (code: Failure['code'], changes: Partial<Failure> = {}) =>
  ({ state }: Play): CheckoutEvent =>
    samples.lookUpFailed(code, changes, idAsked(state));

function idAsked(state: Play['state']): string {
  const watch = watchOf(state);
  return (watch && (askedOf(watch) ?? watch.invoices[0]).invoiceId) ?? samples.invoiceId;
}

/** The invoice that paid an order, for the failure that names it. */
export const paidBy = (invoice_id: string, external_id = 'order-1042'): CreatedInvoice =>
  samples.created({ invoice_id, status: 'paid', external_id });

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
