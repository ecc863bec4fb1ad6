/**
 * What the merchant is owed at the end: to hear of every payment that the ledger can know of, and of every card of
 * unknown end. The part of the rules that only time can show.
 */

import { readKept } from '../../support/proxy/kept-order.js';
import { hookNames } from '../../../src/proxy/order/order.js';
import type { DeliveryKind } from '../../../src/proxy/order/order.js';
import { toToken } from './charges.js';
import type { Service, ServiceInvoice } from '../network/service.js';
import type { Store } from '../network/store.js';
import type { Rule } from './watch.js';

/** Makes an account of what is owed. */
export function createOwed(service: () => Service, store: () => Store) {
  const heard = new Set<string>();
  /** Paid invoices that a postback named, once that was answered 200; and those whose look-up was logged to disagree. */
  const reported = new Set<string>();
  const disagreed = new Set<string>();
  const travelling = new Map<string, number>();
  const keys = new Map<string, string>();
  /** Who sent the card that goes under a key: it is told of by its sender. */
  const holders = new Map<string, string[]>();

  return {
    /** How many card creations of an order may still reach the service. */
    travelling: (externalId: string) => travelling.get(externalId) ?? 0,
    /** To be told what happens. */
    rule: {
      cardTyped: (key, token) => void keys.set(token, key),
      orderChanged(_before, { attempts }) {
        for (const { key, holder } of attempts) {
          holders.set(key, [...new Set([...(holders.get(key) ?? []), holder])]);
        }
      },
      heard: (_kind, { deliveryId }) => void heard.add(deliveryId),
      answered({ request: { path, body }, reply }) {
        const id = String(body?.['id']);
        const isKept = path.startsWith('/postbacks/') && reply.status === 200;
        if (isKept && service().invoices.get(id)?.status === 'paid') reported.add(id);
      },
      logged({ event, invoiceId = '' }) {
        if (event === 'mismatch' || event === 'postback_dropped') disagreed.add(invoiceId);
      },
      travels(call, hasArrived) {
        if (toToken(call) === null) return;
        const externalId = String(call.body?.['external_id']);
        travelling.set(externalId, (travelling.get(externalId) ?? 0) + (hasArrived ? -1 : 1));
      },
    } satisfies Rule,

    /** @returns the first thing that is owed; null: nothing */
    async find(): Promise<string | null> {
      // A reminder waits while a card of its order is open, and is not owed.
      const kinds = (Object.keys(hookNames) as DeliveryKind[]).filter((one) => one !== 'waiting');
      const events = kinds.map((kind) => `event ${kind}` as const);
      const undelivered = await store().inner.count({ kinds: events, most: 10_000 });
      if (undelivered.count > 0) return `${undelivered.count} deliveries`;
      for (const invoice of service().invoices.values()) {
        if (invoice.status !== 'paid' || (await isTold(invoice))) continue;
        return `to tell that ${invoice.id.slice(0, 4)} of ${invoice.externalId} is paid`;
      }
      return null;
    },
  };

  async function isTold(invoice: ServiceInvoice): Promise<boolean> {
    const { id, externalId, cardToken, lie, isDenied } = invoice;
    if (heard.has(`paid~${externalId}~${id}`) || heard.has(`mismatch~${externalId}~${id}`))
      return true;
    if (reported.has(id) && lie === null) return disagreed.has(id);
    if (isDenied) return true;
    // A card may have been charged while its invoice is unknown; a code that was not shown does no harm.
    if (cardToken !== null) {
      const ofCard = holders.get(keys.get(cardToken) ?? '') ?? [];
      return ofCard.some((holder) => heard.has(`outcome_unknown~${externalId}~${holder}`));
    }
    const { invoices } = await readKept(store().inner, externalId);
    return lie !== null || !invoices.some(({ invoiceId }) => invoiceId === id);
  }
}
