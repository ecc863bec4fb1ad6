/**
 * `paid` is only what the service said of exactly this invoice, to the merchant as to the payer; it is never taken back;
 * and every try to tell the merchant bears the same name.
 */

import type { Rule, RuleParts } from './watch.js';

export function createPaymentRule({ now, invoices, fail }: RuleParts): Rule {
  const answeredAtMs = new Map<string, number>();
  const toldAtMs = new Map<string, number>();
  const toldOld = new Set<string>();
  const troubled = new Set<number>();
  const deliveryIds = new Map<string, string>();

  return {
    ledgerFailed: ({ number }) => void troubled.add(number),

    lookedUp(invoice, status, { number }) {
      const name = `${number} ${invoice.id}`;
      if (status === 'paid' && !toldAtMs.has(name)) toldAtMs.set(name, now());
      if (status !== invoice.status) toldOld.add(name);
    },

    told(kind, { invoiceId, externalId, totalCents, deliveryId }) {
      if (kind !== 'paid' || invoiceId === undefined) return;
      const invoice = invoices().get(invoiceId);
      const agrees = invoice?.externalId === externalId && invoice.totalCents === totalCents;
      if (!invoice?.saidPaid || !agrees) fail('paid', 'onPaid for what was not said to be paid');
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
      const agrees =
        data['total_cents'] === invoice?.totalCents && data['external_id'] === invoice?.externalId;
      if (isPaid && !(agrees && invoice?.saidPaid)) {
        fail('paid', 'paid is answered, but that was not said');
      }
      const ownName = `${processNumber} ${id}`;
      if (isPaid && !answeredAtMs.has(ownName)) answeredAtMs.set(ownName, now());
      if (isPaid) return;
      const isOld = toldOld.has(ownName);
      const isAnswered = (answeredAtMs.get(ownName) ?? Infinity) < receivedAtMs;
      // What could not be written down is asked for again, and then the service's word counts, be it from the past.
      if (isAnswered && !(isOld && troubled.has(processNumber))) {
        fail('absorbing', 'paid is taken back');
      }
      const isTold = (toldAtMs.get(ownName) ?? Infinity) < receivedAtMs;
      if (isTold && !isOld) fail('absorbing', 'paid is not answered');
    },
  };
}
