/**
 * One open Pix code per order and price: another one only on request, or after the deadline; none once it is known that
 * the order is paid, and none while a card of it is open.
 */

import type { MadeInvoice } from '../../../src/proxy/order/order.js';
import type { Rule, RuleParts } from './watch.js';

/** How far clocks of processes may differ, milliseconds. */
const skewMs = 2_000;

export function createCodeRule({ now, fail }: RuleParts): Rule {
  const recorded = new Map<string, MadeInvoice>();
  const handedOut = new Map<string, string[]>();
  const replaced = new Set<string>();
  const paidAtMs = new Map<string, number>();
  const cardsSentAtMs = new Map<string, Map<string, number>>();

  return {
    received({ body }) {
      if (typeof body?.['replaces'] === 'string') replaced.add(body['replaces']);
    },

    orderChanged(before, after) {
      for (const invoice of after.invoices) {
        const known = recorded.get(invoice.invoiceId);
        // One that a postback named first has neither code nor deadline until then.
        if (!known || known.code === '') recorded.set(invoice.invoiceId, invoice);
      }
      const { externalId } = after;
      if (after.paidId !== null && before.paidId === null) paidAtMs.set(externalId, now());
      const cards = cardsOf(externalId);
      for (const { key, method, progress } of after.attempts) {
        const known = before.attempts.find((one) => one.key === key);
        const isSentNow = progress.state === 'sent' && known?.progress.state !== 'sent';
        if (method === 'credit_card' && isSentNow) cards.set(key, now());
        if (progress.state === 'refused') cards.delete(key);
      }
      for (const key of cards.keys()) {
        if (!after.attempts.some((one) => one.key === key)) cards.delete(key);
      }
    },

    answered({ request, reply, receivedAtMs }) {
      const isCreation = request.method === 'POST' && request.body?.['method'] === 'pix';
      const isByKey = request.method === 'GET' && request.path.startsWith('/invoices?');
      const hasCode = Boolean(reply.data?.['qr_code_pix']) && reply.data?.['status'] !== 'paid';
      if (!(isCreation || (isByKey && hasCode)) || reply.status !== 200 || !reply.data) return;
      const id = String(reply.data['invoice_id']);
      const externalId = String(reply.data['external_id']);
      if ((paidAtMs.get(externalId) ?? Infinity) < receivedAtMs) {
        fail('code', 'a code is handed out although it was known that the order is paid');
      }
      for (const sentAtMs of cardsOf(externalId).values()) {
        if (sentAtMs < receivedAtMs) fail('code', 'a code is handed out beside an open card');
      }
      // What is over is shown by its key, too: its page knows its deadline.
      if (isByKey) return;
      const codes = handedOut.get(`${externalId} ${String(reply.data['total_cents'])}`) ?? [];
      handedOut.set(`${externalId} ${String(reply.data['total_cents'])}`, codes);
      if (codes.includes(id) || isOver(id)) return;
      const former = codes.at(-1);
      if (former !== undefined && !mayBeReplaced(former) && !isLate(id, former, receivedAtMs)) {
        fail('code', `a second open code of ${externalId} is handed out`);
      }
      codes.push(id);
    },
  };

  function cardsOf(externalId: string): Map<string, number> {
    const cards = cardsSentAtMs.get(externalId) ?? new Map<string, number>();
    cardsSentAtMs.set(externalId, cards);
    return cards;
  }

  function mayBeReplaced(id: string): boolean {
    return replaced.has(id) || isOver(id);
  }

  /** Whether the code was asked for before the page replaced it with the former one: only its answer came late. */
  function isLate(id: string, former: string, receivedAtMs: number): boolean {
    return replaced.has(id) && receivedAtMs < (recorded.get(former)?.createdAtMs ?? 0);
  }

  function isOver(id: string): boolean {
    const deadlineMs = recorded.get(id)?.deadlineMs ?? null;
    return deadlineMs !== null && deadlineMs <= now() + skewMs;
  }
}
