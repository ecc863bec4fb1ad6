/**
 * `paid` is only what the service said of exactly this invoice, to the merchant as to the payer; it is never taken back;
 * and every try to tell the merchant bears the same name.
 */

import type { IssuedInvoice } from '../../../src/proxy/orders/orders.js';
import type { Rule, RuleParts } from '../watch.js';

/** How long another process may give an answer again that it got before, milliseconds. */
const reusedForMs = 1_200;

export function createPaymentRule({ now, invoices, fail }: RuleParts): Rule {
  const knownAtMs = new Map<string, number>();
  const answeredAtMs = new Map<string, number>();
  const deliveryIds = new Map<string, string>();

  return {
    ledgerDid(operation, args) {
      if (operation !== 'recordPaid') return;
      const [{ invoiceId }] = args as [IssuedInvoice];
      if (!knownAtMs.has(invoiceId)) knownAtMs.set(invoiceId, now());
    },

    told(kind, { invoiceId, externalId, totalCents, deliveryId }) {
      if (kind !== 'paid' || invoiceId === undefined) return;
      const invoice = invoices().get(invoiceId);
      const agrees = invoice?.externalId === externalId && invoice.totalCents === totalCents;
      if (!invoice?.saidPaid || !agrees) fail('paid', 'onPaid for what nobody said is paid');
      const former = deliveryIds.get(invoiceId) ?? deliveryId;
      if (former !== deliveryId) fail('owed', 'onPaid with another deliveryId');
      deliveryIds.set(invoiceId, former);
    },

    answered({ reply, request, receivedAtMs, processNumber }) {
      const { data, code } = reply;
      const isLookUp = request.path.startsWith('/invoices/') && reply.status === 200;
      if (!data || (!isLookUp && code !== 'order_paid')) return;
      const id = String(data['invoice_id']);
      const invoice = invoices().get(id);
      const isPaid = code === 'order_paid' || data['status'] === 'paid';
      // One that disagrees is not shown as paid by any page.
      const agrees =
        data['total_cents'] === invoice?.totalCents && data['external_id'] === invoice?.externalId;
      if (isPaid && agrees && !invoice?.saidPaid)
        fail('paid', 'paid is answered, but nobody said so');
      const ownName = `${processNumber} ${id}`;
      if (isPaid && agrees && !answeredAtMs.has(ownName)) answeredAtMs.set(ownName, now());
      if (isPaid) return;
      if ((answeredAtMs.get(ownName) ?? Infinity) < receivedAtMs)
        fail('absorbing', 'paid is taken back');
      // Another process cannot know better than a service that answers from the past.
      const known = knownAtMs.get(id);
      const isKnown = known !== undefined && known + reusedForMs < receivedAtMs;
      if (isKnown && !invoice?.saidOld) fail('absorbing', 'paid is taken back by another process');
    },
  };
}
