/**
 * A checkout in a test of the machine: where it stands, what happens to it, and where it stands then.
 *
 *     const checkout = checkoutAt('checking');
 *     checkout.finds({ status: 'paid', total_cents: 1 }).is('confirming', {
 *       error: 'amount_mismatch',
 *       follows: [invoiceId],
 *       commands: [{ error: 'amount_mismatch' }],
 *     });
 */

import assert from 'node:assert/strict';
import { vi } from 'vitest';
import type { CreatedInvoice, InvoiceStatus } from '../../../src/contract/types.js';
import type {
  CheckoutEvent,
  Command,
  Emission,
  Failure,
  Phase,
} from '../../../src/checkout/machine/state.js';
import { findAskedInvoice } from '../../../src/checkout/machine/tracked-invoice.js';
import { findWatch } from '../../../src/checkout/machine/state.js';
import * as cards from './charge/cards.js';
import * as samples from './samples.js';
import type { Play } from './samples.js';
import { awaitingUntil60s, replaced, samples as pixSamples } from './states.js';

/** A command in short: keys and invoices by their ids, an event by its name. */
type Told =
  | { readonly create: string; readonly replaces?: string }
  | { readonly charge: string }
  | { readonly recover: string }
  /** Asks for the order again, for a new look-up token. */
  | { readonly renew: string }
  /** Asks for a card's outcome again, for a new look-up token. */
  | { readonly recoverToRenew: string }
  | { readonly lookUp: string }
  /** A look-up that the proxy may hold. */
  | { readonly lookUpHeld: string }
  | { readonly remember: string; readonly invoice?: string }
  | { readonly forget: string }
  | 'forget'
  /** The attempt is over, and its key is kept. */
  | { readonly settle: string }
  | 'settle'
  | 'abort'
  | 'abort_look_up'
  | 'tokenize'
  | Exclude<Emission['name'], 'error'>
  | { readonly error: Failure['code'] };

/** The visible state of a checkout besides its phase. What a test leaves out is not there. */
interface Seen {
  readonly error?: Failure['code'] | null;
  /** A last look-up decides whether the code expires. */
  readonly isClosing?: boolean;
  /** A card's outcome is asked for by its key. */
  readonly isAsking?: boolean;
  /** Ids of the invoices that are followed, the newest first. */
  readonly follows?: readonly string[];
  /** What the last event led to. */
  readonly commands?: readonly Told[];
}

/** Where a test begins. The last ones are left out by the tables of every sample (applies.test.ts). */
const at = {
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

export function checkoutAt(start: keyof typeof at | (() => Play)) {
  const play = typeof start === 'function' ? start() : at[start]();
  const checkout = {
    hears(...events: CheckoutEvent[]) {
      play.play(...events);
      return checkout;
    },
    /** So many milliseconds pass. */
    waits(ms: number) {
      play.wait(ms);
      return checkout;
    },
    /** The look-up in flight is answered. */
    finds(changes: Partial<InvoiceStatus> = {}) {
      const asked = idAsked(play.state);
      return checkout.hears(
        asked === cards.cardId
          ? cards.cardLookedUp(changes)
          : samples.lookedUp({ invoice_id: asked, ...changes }, asked),
      );
    },
    /** The look-up in flight fails. */
    loses: (code: Failure['code'], changes: Partial<Failure> = {}) =>
      checkout.hears(samples.lookUpFailed(code, changes, idAsked(play.state))),
    is: vi.defineHelper((phase: Phase, seen: Seen = {}) => {
      assertIs(play, phase, seen);
      return checkout;
    }),
  };
  return checkout;
}

/** Checks where a checkout stands, and what the last event led to. */
export const assertIs = vi.defineHelper((play: Play, phase: Phase, seen: Seen = {}) =>
  assert.deepEqual(toSeen(play), { phase, ...nothing, ...seen }),
);

const nothing = { error: null, isClosing: false, isAsking: false, follows: [], commands: [] };

function toSeen({ state, commands }: Play): Required<Seen> & { readonly phase: Phase } {
  return {
    phase: state.phase,
    error: ('error' in state && state.error?.code) || null,
    isClosing: 'closing' in state && state.closing,
    isAsking: state.phase === 'confirming' && state.attempt !== null,
    follows: findWatch(state)?.invoices.map(({ invoiceId }) => invoiceId) ?? [],
    commands: commands.map(toTold),
  };
}

function idAsked(state: Play['state']): string {
  const watch = findWatch(state);
  return (watch && (findAskedInvoice(watch) ?? watch.invoices[0]).invoiceId) ?? samples.invoiceId;
}

/** The invoice that paid an order, for the failure that names it. */
export const paidBy = (invoice_id: string, external_id = 'order-1042'): CreatedInvoice =>
  samples.created({ invoice_id, status: 'paid', external_id });

function toTold(command: Command): Told {
  switch (command.type) {
    case 'request': {
      const { action, purpose, attemptKey, replaces } = command;
      if (purpose === 'renewal') {
        return action === 'recover' ? { recoverToRenew: attemptKey } : { renew: attemptKey };
      }
      if (action === 'create') return { create: attemptKey, ...(replaces && { replaces }) };
      return action === 'charge' ? { charge: attemptKey } : { recover: attemptKey };
    }
    case 'look_up': {
      const { invoiceId, waitSeconds } = command;
      return waitSeconds > 0 ? { lookUpHeld: invoiceId } : { lookUp: invoiceId };
    }
    case 'remember': {
      const { attemptKey, invoiceId } = command;
      return { remember: attemptKey, ...(invoiceId !== null && { invoice: invoiceId }) };
    }
    case 'forget': {
      const { attemptKey, keepsKey } = command;
      if (attemptKey === null) return keepsKey ? 'settle' : 'forget';
      return keepsKey ? { settle: attemptKey } : { forget: attemptKey };
    }
    case 'abort':
      return command.what === 'all' ? 'abort' : 'abort_look_up';
    case 'emit':
      return command.event.name === 'error' ? { error: command.event.code } : command.event.name;
    case 'tokenize':
      return command.type;
    default:
      return command satisfies never;
  }
}
