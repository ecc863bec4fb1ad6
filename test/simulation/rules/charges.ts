/**
 * One debt per order: a second card reaches the service only when the former one was refused, none once it was known that
 * the order is paid, none that was not written down, and none after its payer was told that it did not. An unknown outcome is
 * never called a refusal.
 */

import type { ServiceCall } from '../network/service.js';
import type { Rule, RuleParts } from './watch.js';

export function createChargeRule({ now, invoices, fail }: RuleParts): Rule {
  const tokens = new Map<string, string>();
  const keys = new Map<string, string>();
  const claimedAtMs = new Map<string, number>();
  const sentAtMs = new Map<string, number>();
  const paidAtMs = new Map<string, number>();
  const travelling = new Map<string, number>();
  /** Keys of which a payer was told that nothing is known. */
  const denied = new Set<string>();

  // What the service called refused, and charged all the same, is no fault of ours: `owed.ts` asks that it is told.
  return {
    cardTyped(key, token) {
      tokens.set(key, token);
      keys.set(token, key);
    },

    orderChanged(before, after) {
      for (const { key, holder, progress } of after.attempts) {
        const known = before.attempts.find((one) => one.key === key && one.holder === holder);
        if (!known) {
          claimedAtMs.set(key, now());
          sentAtMs.delete(key);
        }
        if (progress.state === 'sent' && known?.progress.state !== 'sent') sentAtMs.set(key, now());
      }
      const isPaidNow = after.paidId !== null && before.paidId === null;
      if (isPaidNow) paidAtMs.set(after.externalId, now());
    },

    serviceCalled(call) {
      const key = keys.get(toToken(call) ?? '');
      if (key === undefined) return;
      if (denied.has(key)) fail('charge', 'a card leaves after it was said that it did not');
      if (!sentAtMs.has(key)) fail('charge', 'a card leaves that was not written down');
      const paid = paidAtMs.get(String(call.body?.['external_id']));
      if (paid !== undefined && paid < (claimedAtMs.get(key) ?? 0)) {
        fail('charge', 'a card leaves although it was known that the order is paid');
      }
    },

    travels(call, hasArrived) {
      const token = toToken(call);
      if (token === null) return;
      travelling.set(token, (travelling.get(token) ?? 0) + (hasArrived ? -1 : 1));
    },

    invoiceMade({ id, externalId, cardToken }) {
      if (cardToken === null) return;
      for (const other of invoices().values()) {
        const isCharge = other.cardToken !== null && other.status !== 'refused' && !other.isDenied;
        if (isCharge && other.id !== id && other.externalId === externalId) {
          fail('charge', `${externalId} is charged twice`);
        }
      }
    },

    answered({ request, reply }) {
      const { path, headers } = request;
      if (reply.code === 'payment_refused' && path.startsWith('/invoices/')) {
        const id = path.split('/')[2]?.split('?')[0] ?? '';
        if (invoices().get(id)?.status !== 'refused')
          fail('unknown', 'an open card is called refused');
        return;
      }
      const key = headers['idempotency-key'] ?? '';
      const token = tokens.get(key);
      if (token === undefined) return;
      const mayBeCharged = (travelling.get(token) ?? 0) > 0 || isCharged(token);
      if (reply.code === 'payment_refused' && mayBeCharged) {
        fail('unknown', 'a card that may be charged is called refused');
      }
      if (reply.code === 'not_found' && mayBeCharged) {
        fail('unknown', 'a card that may be charged is forgotten');
      }
      if (reply.code === 'not_found') denied.add(key);
    },
  };

  function isCharged(token: string): boolean {
    return [...invoices().values()].some(
      ({ cardToken, status, isDenied }) => cardToken === token && status !== 'refused' && !isDenied,
    );
  }
}

/** The card that a call charges; null: it charges none. */
export function toToken({ body }: ServiceCall): string | null {
  const card = body?.['card'] as { token?: string } | undefined;
  return card?.token ?? null;
}
