/**
 * Looks up an id that is said to be an invoice of an order: by a postback to the order's own address, or by a person. What
 * agrees with what the order was sent as becomes an invoice of the order, whatever became of its attempt: the service may
 * have charged a card that it refused, or made a code whose answer was lost. What does not agree is logged by the look-up.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type { Settings } from '../config/read-options.js';
import type { IssuedInvoice, KeptAttempt, NamedOutcome, Order, SentAs } from '../order/order.js';
import { blockingCardOf, cardsOf, invoiceOf, isNamedBy } from '../order/questions.js';
import type { CallTerms, LookUps } from '../status/look-up.js';
import type { OrderStore } from '../store/order-store.js';
import { readOrder } from '../store/record.js';

/** What it needs. */
interface FindNamedParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly store: Pick<OrderStore, 'read'>;
  readonly settings: Pick<Settings, 'now' | 'log'>;
}

/** @throws ProxyError where the id cannot be looked up */
export type FindNamed = (
  externalId: string,
  lookUpId: string,
  terms?: CallTerms,
) => Promise<NamedOutcome>;

/** Makes the function that looks up named ids. */
export function createFindNamed({ store, lookUpNamed, settings }: FindNamedParts): FindNamed {
  const { now, log } = settings;

  return async function findNamed(externalId, lookUpId, terms = {}) {
    if (!invoiceIdPattern.test(lookUpId)) return 'none';
    const order = await readOrder(store, externalId);
    const known = findKnown(order, lookUpId, now());
    const sentAs = toSentAs(order, now());
    if (!known && sentAs.length === 0) {
      const about = { externalId, invoiceId: lookUpId };
      log({ level: 'warn', event: 'postback_unknown', operation: 'postback', ...about });
      return 'none';
    }
    const { is } = await lookUpNamed({ externalId, lookUpId, known, sentAs }, terms);
    return is;
  };
}

/** The invoice with this id that the order has, or that its blocking card's own answer named; null: there is none. */
function findKnown(order: Order, lookUpId: string, nowMs: number): IssuedInvoice | null {
  const card = blockingCardOf(order, nowMs);
  const all = [card && issuedOf(order, card), ...order.invoices];
  return all.find((one) => one && isNamedBy(lookUpId, one)) ?? null;
}

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown. */
function issuedOf(order: Order, card: KeptAttempt): IssuedInvoice | undefined {
  const { progress } = card;
  if (progress.state === 'unknown') return progress.candidate ?? undefined;
  return invoiceOf(order, card);
}

/** What an unknown invoice of the order may be, the likeliest first: the card whose answer is missing, then the newest. */
function toSentAs(order: Order, nowMs: number): SentAs[] {
  const cards = cardsOf(order, nowMs);
  const newestFirst = [...order.invoices, ...order.sentAs, ...cards].toReversed();
  return [...cards.filter(isSent), ...newestFirst];
}

/** Whether a card has left, and nothing is known of it. */
function isSent({ progress: { state } }: KeptAttempt): boolean {
  return state === 'sent' || state === 'unknown';
}
