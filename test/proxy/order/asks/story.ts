/** One order, told in the words of a story: what is asked of it, what is done, what it replies. No clock, no store, no network. */

import { asked } from '../../../../src/proxy/order/asks/put-ask.js';
import type { Ask } from '../../../../src/proxy/order/asks/put-ask.js';
import type { CardAsk } from '../../../../src/proxy/order/asks/card.js';
import { codeMade } from '../../../../src/proxy/order/asks/pix.js';
import type { PixAsk } from '../../../../src/proxy/order/asks/pix.js';
import type { Asking, Said } from '../../../../src/proxy/order/asks/ask.js';
import { endedCard } from '../../../../src/proxy/order/attempts.js';
import type { CardEnding } from '../../../../src/proxy/order/attempts.js';
import { heard } from '../../../../src/proxy/order/answers.js';
import type { Heard } from '../../../../src/proxy/order/answers.js';
import { emptyOrder } from '../../../../src/proxy/order/order.js';
import type { Attempt, Order, MadeInvoice } from '../../../../src/proxy/order/order.js';
import { alertOf } from '../../support/kept-order.js';
import {
  asking,
  follow,
  startMs,
  toCard,
  toCharge,
  toHeard,
  toInvoice,
  toPix,
} from '../samples.js';

type Reply = ReturnType<typeof asked>[1];

export function story() {
  const life = follow(emptyOrder('order-1'));
  const { order, nowMs, tell } = life;
  const asks = (ask: Ask, how: Partial<Asking> = {}): Reply =>
    tell((before, _, given) => asked(before, ask, { ...asking(), ...how }, given), null);
  const makes = (ask: PixAsk, invoiceId: string, known = 0) => {
    const invoice = toInvoice(invoiceId, { totalCents: ask.totalCents, createdAtMs: nowMs() });
    tell(codeMade, { ask, invoice, known });
  };
  const allOpen = () => said(...order().invoices.map((one): Saying => [one.invoiceId, 'open']));

  /** A card leaves. */
  const charges = (ask: CardAsk) => {
    asks(ask);
    const reply = asks(ask, { ...allOpen(), isAdmitted: true });
    if (reply.type !== 'charge') throw new Error(`${wordOf(reply)}, and no charge`);
  };
  const ends = ({ attempt }: { readonly attempt: Attempt }, ending: CardEnding) =>
    tell(endedCard, { attempt, ending });

  return {
    ...life,
    asks,
    /** What an order replies, in one word. */
    says: (ask: Ask, how?: Partial<Asking>) => wordOf(asks(ask, how)),
    makes,
    /** A page gets a code. */
    shows(invoiceId: string, ask = pix()) {
      const how = allOpen();
      const reply = asks(ask, how);
      if (reply.type !== 'create') throw new Error(`${wordOf(reply)}, and no creation`);
      makes(ask, invoiceId, reply.known);
      asks(ask, { ...how, madeId: invoiceId });
      return ask;
    },
    charges,
    ends,
    /** A card of its own leaves, and ends so, unless its answer has not come yet. */
    charged(ending?: CardEnding) {
      const ask = card();
      charges(ask);
      if (ending) ends(ask, ending);
      return ask;
    },
    hears: (invoice: MadeInvoice, what: Partial<Heard>) => tell(heard, toHeard(invoice, what)),
    changes: (change: (order: Order) => Order) => tell(change, null),
  };
}

type Saying = readonly [invoiceId: string, said: Said];

/** What a request has heard of invoices since it came. */
export const said = (...all: readonly Saying[]) => ({ said: new Map(all) });

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

export const byKey = ({ attempt }: { readonly attempt: Attempt | null }) =>
  ({ kind: 'by_key', externalId: 'order-1', key: attempt?.key ?? '' }) as const;

/** A person answers the alert about what blocks the order. */
export const word = (order: Order, invoiceId: string | null) =>
  ({
    kind: 'word',
    externalId: 'order-1',
    deliveryId: alertOf(order, startMs),
    invoiceId,
    isWatched: true,
  }) as const;

export const created = (invoiceId: string): CardEnding => ({
  state: 'created',
  invoice: toCharge(invoiceId),
});
export const refusedAs = (invoiceId: string | null): CardEnding => ({
  state: 'refused',
  invoice: invoiceId === null ? null : toCharge(invoiceId),
});
export const unknownAs = (invoiceId: string | null): CardEnding => ({
  state: 'unknown',
  candidate: invoiceId === null ? null : toCharge(invoiceId),
});

/** A reply in one word; an invoice by its id. */
export function wordOf(reply: Reply): string {
  switch (reply.type) {
    case 'refusal':
      return reply.code;
    case 'invoice':
      return reply.invoice.invoiceId;
    case 'paid':
      return `paid by ${reply.invoice.invoiceId}`;
    case 'look_up':
      return `look up ${reply.invoices.map(({ invoiceId }) => invoiceId).join(', ')}`;
    case 'heeded':
      return reply.isPaid ? 'accepted' : reply.isHeeded ? 'heeded' : 'not heeded';
    case 'found':
      return reply.is;
    default:
      return reply.type;
  }
}
