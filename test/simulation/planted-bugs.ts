/**
 * Bugs that the histories must find: the ways in which a proxy like this one has charged twice, lost a payment or told
 * what it should not. Each is a function between a step and its order, a change of what the shared store does, or of one
 * string of the proxy's code.
 */

import type { KeptEvent, KeptInvoice } from '../../src/proxy/order/order.js';
import { recordPayment } from '../../src/proxy/order/apply-answer.js';
import { calm } from './conditions.js';
import type { Conditions } from './conditions.js';
import type { Mutation } from './bundle.js';
import type { Plant, Spoil } from './network/store.js';
import type { RuleName } from './rules/watch.js';

/** A bug. */
export interface PlantedBug {
  readonly name: string;
  /** The rules that may find it: whichever breaks first. */
  readonly rules: readonly RuleName[];
  readonly mutations?: readonly Mutation[];
  readonly spoil?: Spoil;
  readonly plant?: Plant;
  /** Conditions in which it shows sooner than in what the seeds draw. */
  readonly conditions?: Partial<Conditions>;
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a claim locks the order only once the card is sent',
    rules: ['charge'],
    conditions: { rush: 1, ledgerWaits: 0.8 },
    mutations: [
      [
        'order/attempts.ts',
        'if (isCard(attempt) && findBlockingCard(order, nowMs))',
        "if (isCard(attempt) && findBlockingCard(order, nowMs) && findBlockingCard(order, nowMs)?.progress.state !== 'claimed')",
      ],
      [
        'order/asks/card.ts',
        '(one) => isCard(one) && isBlocking(one) && one.key !== attempt.key',
        '() => false',
      ],
    ],
  },
  {
    name: 'a card leaves before it is written down',
    rules: ['charge'],
    mutations: [
      [
        'order/asks/card.ts',
        "return [recordSending(sent, attempt, given), { type: 'charge' }];",
        "return [order, { type: 'charge' }];",
      ],
    ],
  },
  {
    name: 'a key that is not known is told so, and not barred',
    rules: ['charge'],
    conditions: { streetDoubles: 0.6, streetLoses: 0.4 },
    mutations: [
      [
        'order/asks/by-key.ts',
        'const order = isKnown ? before : barKey(before, key, given);',
        "if (!isKnown) return [before, toRefusal('not_found')];\n  const order = before;",
      ],
    ],
  },
  {
    name: 'an attempt that was sent and never answered is forgotten as if it had never been',
    rules: ['charge', 'unknown', 'code', 'owed'],
    conditions: { crashEveryMs: 5_000, lineIsSlow: 0.4 },
    mutations: [
      [
        'order/order.ts',
        "state !== 'claimed' || untilMs > nowMs",
        "(state !== 'claimed' && state !== 'sent') || untilMs > nowMs",
      ],
    ],
  },
  {
    name: 'a word that a card was not charged is about whatever blocks the order now',
    rules: ['charge', 'unknown'],
    conditions: { ...calm, lineLoses: 0.6, postbacks: 0, rush: 1 },
    mutations: [
      [
        'order/asks/resolution.ts',
        'const card = blocking && isAlertAbout(order, blocking, deliveryId) ? blocking : null;',
        'void isAlertAbout;\n  void deliveryId;\n  const card = blocking ?? null;',
      ],
    ],
  },
  {
    name: 'a card is sent again after any failure of the network',
    rules: ['charge', 'unknown'],
    mutations: [['run/card.ts', 'if (!isUnsent || !maySend()) throw thrown;', '']],
  },
  {
    name: 'a card whose answer is lost counts as not charged',
    rules: ['charge', 'unknown'],
    mutations: [['run/card.ts', '|| thrown.mayHaveHappened) return unknown', ') return unknown']],
  },
  {
    name: 'a code is handed out beside an open card',
    rules: ['code'],
    mutations: [['order/asks/pix.ts', 'if (other) return end(other);', '']],
  },
  {
    name: 'a code is handed out by its key beside an open card',
    rules: ['code'],
    conditions: { rush: 1, streetLoses: 0.5, streetIsSlow: 0.4, lineIsSlow: 0.5, ledgerWaits: 0.8 },
    mutations: [['order/asks/by-key.ts', 'if (other) return [order, other];', '']],
  },
  {
    name: 'several processes make codes for one order at once',
    rules: ['code'],
    conditions: { ...calm, rush: 1, ledgerWaits: 0.8 },
    mutations: [
      [
        'order/asks/pix.ts',
        '!isTold && countRecordedInvoices(order.invoices) === known;',
        '!isTold;',
      ],
      [
        'order/asks/pix.ts',
        'if (!open && isOtherCreating(order, holder, nowMs)) {',
        'if (!open && nowMs < 0) {',
      ],
    ],
  },
  {
    name: 'a postback is believed',
    rules: ['paid'],
    plant(before, [after, answer], { nowMs }) {
      const hinted = after.invoices.find(
        (one) => one.hintedAtMs !== before.invoices.find(isSameRequest(one))?.hintedAtMs,
      );
      if (!hinted) return [after, answer];
      return [recordPayment(after, { invoice: hinted, endToEndId: null }, { nowMs })[0], answer];
    },
  },
  {
    name: 'what a postback names is dropped unless the outcome of a card is unknown',
    rules: ['owed'],
    conditions: { serviceErs: 0.6, postbacks: 1, postbackTrouble: 0.6 },
    plant(before, [after, answer]) {
      const isNamed = after.named.length > before.named.length && after.paidId === before.paidId;
      const isWanted = after.attempts.some(({ progress: { state } }) => /sent|unknown/.test(state));
      return [isNamed && !isWanted ? { ...after, named: before.named } : after, answer];
    },
  },
  {
    name: 'what a postback names is forgotten when its look-up begins',
    rules: ['owed'],
    conditions: { serviceErs: 0.5, postbacks: 1, crashEveryMs: 2_000, lineIsSlow: 0.7 },
    plant(before, [after, answer]) {
      const isBegun = after.namesAskedAtMs !== before.namesAskedAtMs;
      const taken = answer as { readonly lookUpId?: string } | null;
      const named = after.named.filter(({ lookUpId }) => lookUpId !== taken?.lookUpId);
      return [isBegun ? { ...after, named } : after, answer];
    },
  },
  {
    name: 'totals are not compared',
    rules: ['paid'],
    conditions: { serviceLies: 0.3 },
    mutations: [
      ['order/order.ts', "['external_id', 'total_cents', 'is_pix']", "['external_id', 'is_pix']"],
    ],
  },
  {
    name: 'an answer of the service is given again for ever',
    rules: ['owed'],
    mutations: [
      ['run/look-up.ts', 'isWithin(settledAtMs, reusedForMs, now())', 'settledAtMs <= now()'],
    ],
  },
  {
    name: 'the event is not written together with the payment',
    rules: ['owed'],
    plant(before, [after, answer], { world: { chance } }) {
      const isLost = after.events.length > before.events.length && chance.happens(0.2);
      const events = after.events.filter(
        (one) => one.kind !== 'paid' || before.events.some(isSameEvent(one)),
      );
      return [isLost ? { ...after, events } : after, answer];
    },
  },
  {
    name: 'an event is ended before the hook is called',
    rules: ['owed'],
    plant(before, [after, answer], { nowMs }) {
      const events = after.events.map((one): KeptEvent => {
        const known = before.events.find(isSameEvent(one));
        const isTaken = known !== undefined && one.tries > known.tries;
        return isTaken ? { ...one, outcome: 'delivered', endedAtMs: nowMs } : one;
      });
      return [after === before ? after : { ...after, events }, answer];
    },
  },
  {
    name: 'a closed page is looked up for once and never again',
    rules: ['owed'],
    conditions: { postbacks: 0 },
    plant(before, [after, answer], { nowMs }) {
      const invoices = after.invoices.map((one) => {
        const dueAtMs = before.invoices.find(isSameRequest(one))?.lookUpAtMs ?? null;
        // It was taken, and is put off now.
        const isPutOff = dueAtMs !== null && dueAtMs > nowMs + 30_000;
        return isPutOff && one.lookUpAtMs !== dueAtMs ? { ...one, lookUpAtMs: null } : one;
      });
      return [after === before ? after : { ...after, invoices }, answer];
    },
  },
  {
    name: 'a card whose process died has no owner',
    rules: ['owed'],
    conditions: { crashEveryMs: 5_000, lineIsSlow: 0.4 },
    spoil: (ledger) => ({
      ...ledger,
      search: async (search) => (await ledger.search(search)).filter(({ kind }) => kind !== 'sent'),
    }),
  },
  {
    name: 'a page is told what the service says of a paid invoice, whatever the order says',
    rules: ['absorbing'],
    conditions: { ...calm, rush: 1, serviceIsStale: 0.5 },
    mutations: [['run/look-up.ts', 'toSaid(wasPaid || found.isPaid)', 'toSaid(false)']],
  },
  {
    name: 'the rate limit lets every look-up through',
    rules: ['calls'],
    conditions: { rush: 1 },
    mutations: [['outside/service-calls.ts', 'if (total < upTo) {', 'if (total < Infinity) {']],
  },
];

function isSameRequest({ invoiceId }: KeptInvoice): (other: KeptInvoice) => boolean {
  return (other) => other.invoiceId === invoiceId;
}

function isSameEvent({ notice }: KeptEvent): (other: KeptEvent) => boolean {
  return (other) => other.notice.deliveryId === notice.deliveryId;
}
