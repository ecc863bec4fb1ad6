/**
 * Bugs that the histories must find: the ways in which a proxy like this one has charged twice, lost a payment or told
 * what it should not. Each is a change of one string of the proxy's code, or of what the shared store does.
 */

import { calm } from './conditions.js';
import type { Conditions } from './conditions.js';
import type { Mutation } from './bundle.js';
import type { Spoil } from './network/store.js';
import type { RuleName } from './rules/watch.js';

/** A bug. */
export interface PlantedBug {
  readonly name: string;
  /** The rules that may find it: whichever breaks first. */
  readonly rules: readonly RuleName[];
  readonly mutation?: Mutation;
  readonly spoil?: Spoil;
  /** Conditions in which it shows sooner than in what the seeds draw. */
  readonly conditions?: Partial<Conditions>;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a claim locks the order only once the card is sent',
    rules: ['charge'],
    conditions: { rush: 1, ledgerWaits: 0.8 },
    mutation: {
      file: 'proxy/order/attempts.ts',
      from: 'if (isCard(attempt) && openCardOf(order, nowMs))',
      to: "if (isCard(attempt) && openCardOf(order, nowMs) && openCardOf(order, nowMs)?.progress.state !== 'claimed')",
    },
  },
  {
    name: 'a card leaves before it is written down',
    rules: ['charge'],
    mutation: {
      file: 'proxy/order/charges.ts',
      from: "return [leaving(next, { method, atMs: nowMs, totalCents }, given)[0], { is: 'sent' }];",
      to: "return [order, { is: 'sent' }];",
    },
  },
  {
    // Seed 129 finds it.
    name: 'a key that is not known is told so, and not barred',
    rules: ['charge'],
    conditions: { standsStill: 0.1 },
    mutation: {
      file: 'proxy/operations/recover.ts',
      from: 'const order = await record(ledger, externalId, barred, key);',
      to: "if (key) throw new ProxyError('not_found');\n    const order = await record(ledger, externalId, barred, key);",
    },
  },
  {
    name: 'an attempt that was sent and never answered is forgotten as if it had never been',
    rules: ['charge', 'unknown', 'code', 'owed'],
    conditions: { crashEveryMs: 5_000, lineIsSlow: 0.4 },
    mutation: {
      file: 'proxy/order/questions.ts',
      from: "state !== 'claimed' || untilMs > nowMs",
      to: "(state !== 'claimed' && state !== 'sent') || untilMs > nowMs",
    },
  },
  {
    name: 'a card is sent again after any failure of the network',
    rules: ['charge', 'unknown'],
    mutation: {
      file: 'proxy/cards/send-charge.ts',
      from: 'if (!isUnsent || !isInTime()) throw thrown;',
      to: '',
    },
  },
  {
    name: 'a card whose answer is lost counts as not charged',
    rules: ['charge', 'unknown'],
    mutation: {
      file: 'proxy/cards/send-charge.ts',
      from: '|| thrown.mayHaveHappened) return unknown',
      to: ') return unknown',
    },
  },
  {
    name: 'a code is handed out beside an open card',
    rules: ['code'],
    mutation: {
      file: 'proxy/order/creations.ts',
      from: "if (openCardOf(order, nowMs)) return [order, { is: 'card' }];",
      to: '',
    },
  },
  {
    name: 'several processes make codes for one order at once',
    rules: ['code'],
    conditions: { ...calm, rush: 1, ledgerWaits: 0.8 },
    mutation: {
      file: 'proxy/order/creations.ts',
      from: 'const isFirst = countRecorded(order.invoices) === known;',
      to: 'const isFirst = true;',
    },
  },
  {
    name: 'a postback is believed',
    rules: ['paid'],
    mutation: {
      file: 'proxy/postbacks/postbacks.ts',
      from: 'await ask(invoice);',
      to: "await Reflect.get(ledger, 'recordPaid')({ ...invoice, orderCode: '', code: '', status: 'paid', createdAtMs: now() }, { endToEndId: null });",
    },
  },
  {
    name: 'what a postback names is dropped unless the outcome of a card is unknown',
    rules: ['owed'],
    conditions: { serviceErs: 0.6, postbacks: 1, postbackTrouble: 0.6 },
    mutation: {
      file: 'proxy/postbacks/postbacks.ts',
      from: 'if (isUnknownOrder(record)) return true;',
      to: `const isWanted = ({ progress: { state } }) => state === 'sent' || state === 'unknown';
    if (!record.cards.some(isWanted) && !toOpenInvoices(record).some((one) => one.invoiceId === id)) return true;`,
    },
  },
  {
    name: 'what a postback names is in no ledger before it is looked up',
    rules: ['owed'],
    conditions: { serviceErs: 0.5, postbacks: 1, crashEveryMs: 2_000, lineIsSlow: 0.7 },
    mutation: {
      file: 'proxy/order/due.ts',
      from: 'named: [...others.filter((one) => !isFull || one !== most), fresh]',
      to: 'named: others',
    },
  },
  {
    name: 'totals are not compared',
    rules: ['paid'],
    conditions: { serviceLies: 0.3 },
    mutation: {
      file: 'proxy/order/outbox-events.ts',
      from: "['external_id', 'total_cents', 'is_pix']",
      to: "['external_id', 'is_pix']",
    },
  },
  {
    name: 'an answer of the service is given again for ever',
    rules: ['owed'],
    mutation: {
      file: 'proxy/status/shared-look-ups.ts',
      from: 'ageMs >= 0 && ageMs <= reusedForMs',
      to: 'ageMs >= 0',
    },
  },
  {
    name: 'the delivery is not written together with the payment',
    rules: ['owed'],
    mutation: {
      file: 'proxy/order/payments.ts',
      from: "alive(withQueued(quiet, { kind: 'paid', notice }, given), given)",
      to: "alive(nowMs % 5 === 0 ? quiet : withQueued(quiet, { kind: 'paid', notice }, given), given)",
    },
  },
  {
    name: 'a delivery is ended before the hook is called',
    rules: ['owed'],
    mutation: {
      file: 'proxy/outbox/outbox.ts',
      from: "await time('pix_hook_seconds',",
      to: "await end(event, 'delivered');\n      await time('pix_hook_seconds',",
    },
  },
  {
    name: 'a closed page is looked up for once and never again',
    rules: ['owed'],
    conditions: { postbacks: 0 },
    mutation: {
      file: 'proxy/order/due.ts',
      from: 'isOurs ? withInvoice(order, { ...known, lookUpAtMs: atMs }) : order',
      to: 'isOurs && atMs !== null ? withInvoice(order, { ...known, lookUpAtMs: null }) : order',
    },
  },
  {
    name: 'a card whose process died belongs to nobody',
    rules: ['owed'],
    conditions: { crashEveryMs: 5_000, lineIsSlow: 0.4 },
    mutation: {
      file: 'proxy/order/attempts.ts',
      from: "progress.state === 'sent' && untilMs <= nowMs",
      to: "progress.state === 'sent' && untilMs < 0",
    },
  },
  {
    name: 'a page is told what the service says of a paid invoice, and the order is not read',
    rules: ['absorbing'],
    conditions: { ...calm, serviceIsStale: 0.8 },
    mutation: {
      file: 'proxy/status/record-status.ts',
      from: 'if (!isPaid) return found;',
      to: 'if (found) return found;',
    },
  },
  {
    name: 'the rate limit lets every look-up through',
    rules: ['calls'],
    conditions: { rush: 1 },
    mutation: {
      file: 'proxy/store/call-book.ts',
      from: 'Math.min(most, Math.max(0, Math.ceil(upTo - total)))',
      to: 'most',
    },
  },
];
