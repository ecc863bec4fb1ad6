/** The points at which a machine dies, and how it is brought to each: by a store that kills it. Knows no test. */

import type { OrderStore } from '../../../src/proxy/store/order-store.js';
import { isLeaving, withNews } from '../../support/order-news.js';
import type { News } from '../../support/order-news.js';

/** In the order in which a payment comes by. At `answered` the test kills the machine itself, once it has the answer. */
export const crashPoints = [
  'before claim',
  'claimed',
  'sent',
  'answer read',
  'stored',
  'answered',
  'paid stored',
  'inside onPaid',
] as const;

export type PaymentPoint = (typeof crashPoints)[number];

/** The same of a return, which a postback tells of. */
export const returnPoints = ['named', 'return stored', 'inside onReturned'] as const;

/** Any of them. */
export type CrashPoint = PaymentPoint | (typeof returnPoints)[number];

/** `kill -9`: nothing of this process runs afterwards, no handler and no `finally`. */
export function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => {});
}

/** `SIGSTOP`: nothing of this process runs until it gets a `SIGCONT`, and then it goes on where it stood. */
export async function standStill(): Promise<void> {
  process.kill(process.pid, 'SIGSTOP');
}

/**
 * A store during whose use the process dies. What resolved before is durable; what was not begun is not.
 * @param halt in place of dying
 */
export function withCrash(
  point: CrashPoint | null,
  store: OrderStore,
  halt: () => Promise<unknown> = die,
): OrderStore {
  return withNews(store, {
    before: async (news) => void (haltsBefore(point, news) && (await halt())),
    after: async (news) => void (haltsAfter(point, news) && (await halt())),
  });
}

function haltsBefore(point: CrashPoint | null, news: readonly News[]): boolean {
  if (point === 'before claim') return news.some(isClaim);
  return point === 'answer read' && news.some(({ is }) => is === 'invoice');
}

function haltsAfter(point: CrashPoint | null, news: readonly News[]): boolean {
  switch (point) {
    case 'claimed':
      return news.some(isClaim);
    case 'sent':
      // A card has a state of its own for it.
      return isLeaving(news);
    case 'stored':
      return news.some(({ is }) => is === 'invoice');
    case 'paid stored':
      return news.some(({ is }) => is === 'paid');
    case 'named':
      return news.some(({ is }) => is === 'named') && !news.some(({ is }) => is === 'paid');
    case 'return stored':
      return news.some((one) => one.is === 'queued' && one.event.kind === 'returned');
    case 'before claim':
    case 'answer read':
    case 'answered':
    case 'inside onPaid':
    case 'inside onReturned':
    case null:
      return false;
    default:
      return point satisfies never;
  }
}

function isClaim(one: News): boolean {
  return one.is === 'attempt' && one.attempt.progress.state === 'claimed';
}
