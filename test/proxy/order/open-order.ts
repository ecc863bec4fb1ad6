/**
 * One order in a test, without clock, store or network: what happens to it, what it replies when it is asked, and what is known
 * of it then.
 *
 *     const order = openOrder();
 *     order.shows('A');
 *     order.asked(pix({ totalCents: 6_000 })).replies({ lookUp: ['A'] });
 */

import assert from 'node:assert/strict';
import { vi } from 'vitest';
import type { ErrorCode } from '../../../src/contract/codes.js';
import { putAsk, findGiveUp } from '../../../src/proxy/run/run-ask.js';
import type { Ask } from '../../../src/proxy/run/run-ask.js';
import type { CardAsk } from '../../../src/proxy/order/asks/card.js';
import { recordCode } from '../../../src/proxy/order/asks/pix.js';
import type { PixAsk } from '../../../src/proxy/order/asks/pix.js';
import type { Asking, Command, LookUpFinding } from '../../../src/proxy/order/asks/ask.js';
import {
  addEndedKey,
  markUnansweredCards,
  releaseCard,
  recordCardOutcome,
} from '../../../src/proxy/order/attempts.js';
import type { CardOutcome, KeyEnding } from '../../../src/proxy/order/attempts.js';
import { queueNamedId, recordPostback } from '../../../src/proxy/order/due.js';
import { applyAnswer } from '../../../src/proxy/order/apply-answer.js';
import type { ServiceAnswer } from '../../../src/proxy/order/apply-answer.js';
import { createEmptyOrder, findInvoice, toInvoiceId } from '../../../src/proxy/order/order.js';
import type {
  Attempt,
  AttemptProgress,
  NamedOutcome,
  Order,
} from '../../../src/proxy/order/order.js';
import { alertOf } from '../../support/proxy/kept-order.js';
import { asking, follow, toCard, toCharge, toHeard, toInvoice, toPix } from './samples.js';

/** What an order replies, in short: a refusal by its code, an invoice by its id. */
type Reply =
  | Exclude<Command['type'], 'look_up'>
  | ErrorCode
  | 'as_it_failed'
  | 'heeded'
  | 'not_heeded'
  | 'accepted'
  | { readonly lookUp: readonly string[] }
  | { readonly invoice: string }
  | { readonly paidBy: string }
  | { readonly refusal: ErrorCode; readonly afterMs: number }
  | { readonly found: NamedOutcome | 'unknown' };

/** What a request has learned since it came, and how it stands. */
interface Learns extends Partial<Omit<Asking, 'said'>> {
  /** What look-ups have said, by invoice. */
  readonly said?: Readonly<Record<string, LookUpFinding>>;
}

type WithAttempt = Pick<PixAsk | CardAsk, 'attempt'>;

type State = AttemptProgress['state'];

/** What is known of an order, in short. */
interface Known {
  /** An attempt by its state; with the invoice it is known by, if there is one. */
  readonly attempts: readonly (State | `${State} released` | { readonly [S in State]?: string })[];
  /** `isUnseen`: kept without its code. `isOver`: looked up no more. */
  readonly invoices: readonly {
    readonly id: string;
    readonly isUnseen?: true;
    readonly isReleased?: true;
    readonly isOver?: true;
  }[];
  readonly events: ReturnType<ReturnType<typeof follow>['kinds']>;
  /** Ids that a postback named. `isLater`: not due yet. */
  readonly named: readonly { readonly id: string; readonly isLater?: true }[];
}

export function openOrder() {
  const life = follow(createEmptyOrder('order-1'));
  const { nowMs, tell } = life;
  const known = life.order;
  /** How many invoices the order had when a request's creation began. */
  const knownTo = new Map<string, number>();

  const order = {
    known,
    nowMs,
    tell,
    wait: life.wait,
    change: (change: (known: Order) => Order) => tell(change, null),

    /** A request, a postback or a person asks. */
    asked(ask: Ask, { said = {}, ...learned }: Learns = {}) {
      const how = { ...asking(), ...learned, said: new Map(Object.entries(said)) };
      const reply = tell((before, _, given) => putAsk(before, ask, how, given), null);
      if (reply.type === 'create' && ask.kind === 'pix') knownTo.set(ask.holder, reply.known);
      const replies = vi.defineHelper((expected: Reply) =>
        assert.deepEqual(toShort(reply), expected),
      );
      return { reply, replies };
    },
    /** Checks what is known now. What a test does not name may be as it is. */
    has: vi.defineHelper((expected: Partial<Known>) => {
      const seen = toKnown(known(), life);
      assert.deepEqual(seen, { ...seen, ...expected });
    }),

    /** A page gets a code. */
    shows(invoiceId: string, ask = pix()) {
      const said = allOpen(known());
      order.asked(ask, { said }).replies('create');
      order.makes(ask, invoiceId);
      order.asked(ask, { said, madeId: invoiceId });
      return ask;
    },
    /** The service made a code for this request. */
    makes(ask: PixAsk, invoiceId: string) {
      const invoice = toInvoice(invoiceId, { totalCents: ask.totalCents, createdAtMs: nowMs() });
      tell(recordCode, { ask, invoice, known: knownTo.get(ask.holder) ?? 0 });
    },
    /** A card leaves, and its charge ends so. Without an ending its answer has not come yet. */
    charges(ending?: CardOutcome, ask = card()) {
      order.asked(ask);
      order.asked(ask, { said: allOpen(known()), isAdmitted: true }).replies('charge');
      if (ending) order.ends(ask, ending);
      return ask;
    },
    ends: ({ attempt }: CardAsk, ending: CardOutcome) =>
      tell(recordCardOutcome, { attempt, ending }),
    /** A look-up's answer. */
    hears: (invoiceId: string, what: Partial<ServiceAnswer>) =>
      tell(applyAnswer, toHeard(findInvoice(known(), invoiceId) ?? toInvoice(invoiceId), what)),
    /** A person said that this card was not charged. */
    releases: ({ attempt }: CardAsk) => tell(releaseCard, attempt),
    /** What this request wanted done first has failed. */
    givesUp: (ask: Ask) =>
      order.change(findGiveUp(ask) ?? assert.fail(`${ask.kind} keeps nothing`)),
    /** The time in which the outcome of this card is recorded is over. */
    expires: ({ sentForMs }: CardAsk) =>
      order.change((before) => markUnansweredCards(before, { nowMs: nowMs() + sentForMs })[0]),
    /** The key of this request ended. */
    endsKey: (ask: WithAttempt, ending: KeyEnding) =>
      order.change((before) => addEndedKey(before, byKey(ask).key, ending, { nowMs: nowMs() })),
    /** A postback names an id, which is not looked up yet. */
    hearsName: (lookUpId: string) => tell(queueNamedId, { lookUpId, forMs: 0 }),
    /** A postback tells of an invoice of the order. */
    hearsOf: (lookUpId: string) => tell(recordPostback, { lookUpId }),
    /** The deadline of this code passes now. */
    runsOut: (id: string) =>
      order.change((before) => ({
        ...before,
        invoices: before.invoices.map((one) =>
          one.invoiceId === id ? { ...one, deadlineMs: nowMs() } : one,
        ),
      })),
    /** A person answers the alert about what blocks the order now. */
    notCharged: () => toWord(known(), nowMs(), null),
    chargedAs: (invoiceId: string) => toWord(known(), nowMs(), invoiceId),
  };
  return order;
}

const allOpen = ({ invoices }: Order) =>
  Object.fromEntries(invoices.map(({ invoiceId }) => [invoiceId, 'open' as const]));

const toWord = (order: Order, nowMs: number, invoiceId: string | null) =>
  ({
    kind: 'resolution',
    externalId: 'order-1',
    deliveryId: alertOf(order, nowMs),
    invoiceId,
    isWatched: true,
  }) as const;

let requests = 0;

function toAttempt(more: Partial<Attempt> = {}): Attempt {
  requests += 1;
  return { ...toCard(requests), scope: `scope ${requests}`, ...more };
}

/** A request for a code, with a key of its own. */
export const pix = (more: Partial<PixAsk> = {}): PixAsk =>
  toPix(toAttempt({ method: 'pix', totalCents: more.totalCents ?? 12_345 }), more);

/** A request to charge a card, with a key of its own. */
export function card(more: Partial<Attempt> = {}): CardAsk {
  return { kind: 'card', externalId: 'order-1', attempt: toAttempt(more), sentForMs: 35_000 };
}

/** The same request, sent again. */
export const again = ({ attempt, ...ask }: CardAsk): CardAsk => {
  requests += 1;
  return { ...ask, attempt: { ...attempt, holder: `again ${requests}` } };
};

/** A page that lost the answer to this request asks with its key. */
export const byKey = ({ attempt }: WithAttempt) =>
  ({ kind: 'by_key', externalId: 'order-1', key: attempt?.key ?? '' }) as const;

export const created = (invoiceId: string): CardOutcome => ({
  state: 'created',
  invoice: toCharge(invoiceId),
});
export const refusedAs = (invoiceId: string | null = null): CardOutcome => ({
  state: 'refused',
  invoice: invoiceId === null ? null : toCharge(invoiceId),
});
export const unknownAs = (invoiceId: string | null = null): CardOutcome => ({
  state: 'unknown',
  candidate: invoiceId === null ? null : toCharge(invoiceId),
});

function toShort(reply: ReturnType<typeof putAsk>[1]): Reply {
  switch (reply.type) {
    case 'refusal': {
      const { code, afterMs } = reply;
      return afterMs === undefined || code === 'in_progress' ? code : { refusal: code, afterMs };
    }
    case 'invoice':
      return { invoice: reply.invoice.invoiceId };
    case 'paid':
      return { paidBy: reply.invoice.invoiceId };
    case 'look_up':
      return { lookUp: reply.invoices.map(({ invoiceId }) => invoiceId) };
    case 'heeded':
      return reply.isPaid ? 'accepted' : reply.isHeeded ? 'heeded' : 'not_heeded';
    case 'found':
      return { found: reply.is };
    default:
      return reply.type;
  }
}

function toKnown(order: Order, { kinds, nowMs }: ReturnType<typeof follow>): Known {
  return {
    attempts: order.attempts.map(({ progress, released: isReleased }) => {
      const state = isReleased ? (`${progress.state} released` as const) : progress.state;
      const id = toInvoiceId(progress);
      return id === null ? state : { [state]: id };
    }),
    invoices: order.invoices.map((one) => ({
      id: one.invoiceId,
      ...(one.method === 'pix' && one.code === '' && { isUnseen: true }),
      ...(one.isReleased && { isReleased: true }),
      ...(one.lookUpAtMs === null && { isOver: true }),
    })),
    events: kinds(),
    named: order.named.map(({ lookUpId, dueAtMs }) => ({
      id: lookUpId,
      ...(dueAtMs > nowMs() && { isLater: true }),
    })),
  };
}
