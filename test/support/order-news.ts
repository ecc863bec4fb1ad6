/** What happened to an order in one change, told from how it was before: for tests that watch a store, or stop it somewhere. */

import type {
  KeptAttempt,
  KeptEvent,
  KeptInvoice,
  NamedId,
  Order,
} from '../../src/proxy/order/order.js';

import { createEmptyOrder } from '../../src/proxy/order/order.js';
import type { OrderStore } from '../../src/proxy/store/order-store.js';

/** `making`: a Pix creation leaves. `gone`: an attempt is no longer there. `due`: a look-up is, at another time. */
export type News =
  | { readonly is: 'attempt'; readonly attempt: KeptAttempt; readonly isNew: boolean }
  | { readonly is: 'gone'; readonly attempt: KeptAttempt }
  | { readonly is: 'making' }
  | { readonly is: 'invoice' | 'paid'; readonly invoice: KeptInvoice }
  | { readonly is: 'due'; readonly invoice: KeptInvoice; readonly wasDueAtMs: number | null }
  | { readonly is: 'named'; readonly name: NamedId }
  | { readonly is: 'queued' | 'taken' | 'told'; readonly event: KeptEvent };

/** In the order in which a payment comes by. */
function toNews(before: Order, after: Order): readonly News[] {
  return [
    ...after.attempts.flatMap((attempt) => ofAttempt(before, attempt)),
    ...before.attempts
      .filter((one) => !findSame(after, one))
      .map((attempt): News => ({ is: 'gone', attempt })),
    ...(after.making !== null && after.making !== before.making ? [{ is: 'making' } as const] : []),
    ...after.invoices.flatMap((invoice) => ofInvoice(before, invoice)),
    ...after.named
      .filter(({ lookUpId, namedAtMs }) =>
        before.named.every((one) => one.lookUpId !== lookUpId || one.namedAtMs !== namedAtMs),
      )
      .map((name): News => ({ is: 'named', name })),
    ...after.events.flatMap((event) => ofEvent(before, event)),
  ];
}

function ofAttempt(before: Order, attempt: KeptAttempt): News[] {
  const known = findSame(before, attempt);
  const isSame =
    known?.progress.state === attempt.progress.state && known.holder === attempt.holder;
  return isSame ? [] : [{ is: 'attempt', attempt, isNew: !known }];
}

function ofInvoice(before: Order, invoice: KeptInvoice): News[] {
  const known = before.invoices.find(({ invoiceId }) => invoiceId === invoice.invoiceId);
  const news: News[] = [];
  if (!known || (known.code === '' && invoice.code !== '')) news.push({ is: 'invoice', invoice });
  if (!known?.isPaid && invoice.isPaid) news.push({ is: 'paid', invoice });
  const wasDueAtMs = known?.lookUpAtMs ?? null;
  if (known && wasDueAtMs !== invoice.lookUpAtMs) news.push({ is: 'due', invoice, wasDueAtMs });
  return news;
}

function ofEvent(before: Order, event: KeptEvent): News[] {
  const { deliveryId } = event.notice;
  const known = before.events.find(({ notice }) => notice.deliveryId === deliveryId);
  if (!known) return [{ is: 'queued', event }];
  if (known.tries < event.tries) return [{ is: 'taken', event }];
  return known === event ? [] : [{ is: 'told', event }];
}

function findSame({ attempts }: Order, { key, scope }: KeptAttempt): KeptAttempt | undefined {
  return attempts.find((one) => one.key === key && one.scope === scope);
}

/** What is done around a change in which something happened. */
interface Around {
  readonly before?: (news: readonly News[]) => Promise<void>;
  readonly after?: (news: readonly News[]) => Promise<void>;
}

/** The same store, of whose changes the news are told: before each, as far as can be foreseen, and after it. */
export function withNews<S extends Pick<OrderStore, 'change' | 'read' | 'now'>>(
  store: S,
  { before, after }: Around,
): S {
  return {
    ...store,
    async change(externalId, step, terms) {
      if (before) {
        const order = (await store.read(externalId)) ?? createEmptyOrder(externalId);
        await before(toNews(order, step(order, store.now())[0] ?? order));
      }
      let news: readonly News[] = [];
      const answer = await store.change(
        externalId,
        (order, nowMs) => {
          const made = step(order, nowMs);
          news = toNews(order, made[0] ?? order);
          return made;
        },
        terms,
      );
      await after?.(news);
      return answer;
    },
  } satisfies S;
}

/** Whether a creation leaves now: a card, or that of a code. */
export function isLeaving(news: readonly News[]): boolean {
  return news.some(
    (one) => one.is === 'making' || (one.is === 'attempt' && one.attempt.progress.state === 'sent'),
  );
}
