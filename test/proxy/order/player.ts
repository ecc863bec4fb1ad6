/**
 * Plays random moves on one order, as processes whose clocks disagree would: requests, deaths between two facts, repeated and late
 * answers, words of persons. Keeps what the world knows beside the order, and says what must never have happened.
 */

import assert from 'node:assert/strict';
import { dayMs } from '../../../src/domain/spans.js';
import {
  claimAttempt,
  markUnansweredCards,
  releaseCard,
  recordCardOutcome,
} from '../../../src/proxy/order/attempts.js';
import { putKeyAsk } from '../../../src/proxy/order/asks/by-key.js';
import { putCardAsk } from '../../../src/proxy/order/asks/card.js';
import { putPixAsk, recordCode } from '../../../src/proxy/order/asks/pix.js';
import type { PixAsk } from '../../../src/proxy/order/asks/pix.js';
import { toEntries, toForgetAtMs } from '../../../src/proxy/order/due.js';
import { takeEvent } from '../../../src/proxy/order/told/outbox.js';
import { applyAnswer } from '../../../src/proxy/order/apply-answer.js';
import {
  createEmptyOrder,
  findBlockingCard,
  isCard,
  isBlocking,
} from '../../../src/proxy/order/order.js';
import type { Attempt, Order } from '../../../src/proxy/order/order.js';
import {
  allLookedUp,
  asking,
  paid,
  refused,
  startMs,
  toCard,
  toCharge,
  toHeard,
  toInvoice,
  toKey,
  toPix,
} from './samples.js';

/** Each fact that a move tells: a planted bug is another function in its place. */
export const facts = {
  putKeyAsk,
  putCardAsk,
  putPixAsk,
  claimAttempt,
  recordCode,
  recordCardOutcome,
  markUnansweredCards,
  applyAnswer,
  releaseCard,
  takeEvent,
};

export type Facts = typeof facts;

/** A move. Numbers are taken modulo what there is. */
export interface Move {
  readonly does:
    'claim' | 'send' | 'answer' | 'look' | 'release' | 'ask' | 'code' | 'made' | 'wait' | 'remind';
  readonly of: number;
  readonly how: number;
}

interface Charge {
  readonly attempt: Attempt;
  readonly invoiceId: string;
  /** What became of it at the service. */
  readonly outcome: 'paid' | 'refused' | 'pending';
  /** The order was told that it is over: refused, not taken, or released by a person. */
  isOver: boolean;
}

const keys = 6;
const waits = [0, 5_000, 31_000, 600_000, 3_600_000, 2 * dayMs, 20 * dayMs];

/** @throws AssertionError at the first thing that must not happen */
export function play(moves: readonly Move[], { ...of }: Facts): void {
  let order = createEmptyOrder('order-1');
  let nowMs = startMs;
  let count = 0;
  const claims: Attempt[] = [];
  const charges: Charge[] = [];
  const codes: { readonly ask: PixAsk; readonly attempt: Attempt; readonly known: number }[] = [];
  /** Invoices that a payer paid, at the service. */
  const moneyOf = new Set<string>();
  const over = new Set<string>();
  let leftAtMs = -Infinity;
  const given = (skew: number) => ({ nowMs: nowMs + (skew % 3) * 1_000 });
  const put = (next: Order) => {
    assert.ok(order.paidId === null || next.paidId === order.paidId, 'paid is never taken back');
    order = freeze(next);
  };
  const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
  const lookAtAll = (how: number) => {
    for (const { invoiceId } of order.invoices) look(invoiceId, how);
    return allLookedUp(order);
  };
  const look = (invoiceId: string, how: number) => {
    const charge = charges.find((one) => one.invoiceId === invoiceId);
    const invoice = charge ? toCharge(invoiceId) : toInvoice(invoiceId);
    const isPaid = moneyOf.has(invoiceId) || charge?.outcome === 'paid';
    const said = isPaid ? paid : charge?.outcome === 'refused' ? refused : {};
    const isNamed = how % 2 === 0;
    const [next, answer] = of.applyAnswer(
      order,
      toHeard(invoice, { ...said, isNamed }),
      given(how),
    );
    put(next);
    if (charge?.outcome === 'refused') charge.isOver = true;
    assert.ok(!isPaid || answer.isPaid, 'a payment that is looked up is known');
    const told = order.events.filter(
      (one) => one.kind === 'paid' && one.notice.invoiceId === invoiceId,
    );
    assert.equal(told.length, isPaid ? 1 : 0, 'each payment is told once');
  };

  for (const { does, of: n, how } of moves) {
    count += 1;
    switch (does) {
      case 'claim': {
        const attempt = toCard(n % keys, { holder: `h${count}`, scope: `scope ${how % 2}` });
        const [next, claim] = of.claimAttempt(order, attempt, given(how));
        put(next);
        if (claim === 'new') claims.push(attempt);
        break;
      }
      case 'send': {
        const attempt = pick(claims, n);
        if (!attempt) break;
        const learned = asking({ ...lookAtAll(1), isAdmitted: true });
        const wasPaid = order.paidId !== null;
        const ask = { kind: 'card', externalId: 'order-1', attempt, sentForMs: 60_000 } as const;
        const [next, { type }] = of.putCardAsk(order, ask, learned, given(how));
        put(next);
        if (type !== 'charge') break;
        assert.ok(!wasPaid, 'no card leaves for an order that is paid');
        assert.ok(!over.has(attempt.key), 'nothing is sent for a key that has ended');
        assert.ok(
          charges.every(({ isOver }) => isOver),
          'no second card while one is open',
        );
        leftAtMs = nowMs;
        const outcome = (['paid', 'refused', 'pending'] as const)[how % 3]!;
        charges.push({ attempt, invoiceId: `card-${count}`, outcome, isOver: false });
        break;
      }
      case 'answer': {
        const charge = pick(charges, n);
        if (!charge) break;
        const { attempt, invoiceId, outcome } = charge;
        const invoice = toCharge(invoiceId);
        const ending =
          how % 3 === 0
            ? ({ state: 'unknown', candidate: how % 2 === 0 ? invoice : null } as const)
            : outcome === 'refused'
              ? ({ state: 'refused', invoice } as const)
              : ({ state: 'created', invoice } as const);
        put(of.recordCardOutcome(order, { attempt, ending }, given(how)));
        if (ending.state === 'refused') {
          charge.isOver = true;
          over.add(attempt.key);
        } else if (charge.isOver && outcome !== 'refused' && ending.state === 'created') {
          // It came after a person's word: blocked again, or waits for its turn.
          const isHeard = findBlockingCard(order, nowMs) !== undefined || order.named.length > 0;
          assert.ok(isHeard || order.paidId !== null, 'an answer after a person’s word is heeded');
          charge.isOver = findBlockingCard(order, nowMs)?.holder !== attempt.holder;
        }
        break;
      }
      case 'look': {
        const ids = [...order.invoices, ...charges].map(({ invoiceId }) => invoiceId);
        const id = pick(ids, n);
        if (id === undefined) break;
        if (how % 4 === 3 && !id.startsWith('card')) moneyOf.add(id);
        look(id, how);
        break;
      }
      case 'release': {
        const meant = pick(charges, n);
        const open = findBlockingCard(order, nowMs);
        if (!meant) break;
        const [next, isDone] = of.releaseCard(order, { holder: meant.attempt.holder }, given(how));
        put(next);
        if (!isDone) break;
        assert.equal(
          open?.holder,
          meant.attempt.holder,
          'a person’s word is about the charge they saw',
        );
        meant.isOver = true;
        over.add(meant.attempt.key);
        break;
      }
      case 'ask': {
        const ask = { kind: 'by_key', externalId: 'order-1', key: toKey(n % keys) } as const;
        const learned = asking({ ...allLookedUp(order), isAdmitted: how % 4 !== 0 });
        const [next, reply] = of.putKeyAsk(order, ask, learned, given(how));
        put(next);
        if (reply.type === 'refusal' && reply.code === 'not_found') over.add(ask.key);
        break;
      }
      case 'code': {
        const attempt = { ...toCard(n % keys, { holder: `h${count}` }), method: 'pix' as const };
        const learned = asking(lookAtAll(1));
        const replaces = how % 2 === 0 ? order.offeredId : null;
        const ask = toPix(attempt, { replaces });
        const [next, reply] = of.putPixAsk(order, ask, learned, given(how));
        put(next);
        if (reply.type === 'invoice') over.add(attempt.key);
        if (reply.type !== 'create') break;
        assert.ok(!over.has(attempt.key), 'no code is made for a key that has ended');
        assert.equal(order.paidId, null, 'no code is made for an order that is paid');
        leftAtMs = nowMs;
        codes.push({ ask, attempt, known: reply.known });
        break;
      }
      case 'made': {
        const code = pick(codes, n);
        if (!code) break;
        const { ask, attempt, known } = code;
        const invoice = toInvoice(`pix-${ask.holder}`, { createdAtMs: nowMs });
        const made = of.recordCode(order, { ask, invoice, known }, given(how));
        const { invoiceId: madeId } = invoice;
        const learned = { ...asking({ ...allLookedUp(made), madeId }), isAwaited: how % 2 === 0 };
        const [next, reply] = of.putPixAsk(made, ask, learned, given(how));
        put(next);
        // A request ends with its answer.
        if (reply.type === 'invoice' || reply.type === 'refusal') {
          codes.splice(codes.indexOf(code), 1);
        }
        if (reply.type !== 'invoice') break;
        assert.ok(!over.has(attempt.key) || hasMade(order, attempt), 'a barred key gets no code');
        over.add(attempt.key);
        break;
      }
      case 'wait':
        nowMs += pick(waits, n)!;
        put(of.markUnansweredCards(order, given(how))[0]);
        break;
      case 'remind':
        for (const { kind, notice } of order.events) {
          if (kind !== 'waiting') continue;
          const { deliveryId } = notice;
          const [next, event] = of.takeEvent(order, { deliveryId, forMs: 60_000 }, given(how));
          const isUseless =
            order.paidId !== null || findBlockingCard(order, given(how).nowMs) !== undefined;
          assert.ok(
            !event || !isUseless,
            'no reminder of an order that is paid or has an open card',
          );
          put(next);
        }
        break;
      default:
        does satisfies never;
    }
    checkWhole(order, leftAtMs);
  }
}

function hasMade(order: Order, { key, scope }: Attempt): boolean {
  const known = order.attempts.find((one) => one.key === key && one.scope === scope);
  return known?.progress.state === 'created';
}

function checkWhole(order: Order, leftAtMs: number): void {
  const open = order.attempts.filter(
    (one) => isCard(one) && isBlocking(one) && one.progress.state !== 'claimed',
  );
  assert.ok(open.length <= 1, 'one charge of an order is open at most');
  assert.deepEqual(JSON.parse(JSON.stringify(order)), order, 'an order is plain JSON');
  const names = toEntries(order).map(({ kind, id }) => `${kind} ${id}`);
  assert.equal(new Set(names).size, names.length, 'each entry is found once');
  const forgetMs = toForgetAtMs(order) ?? Infinity;
  assert.ok(forgetMs >= leftAtMs + 90 * dayMs - 2_000, 'what was sent is remembered for 90 days');
}

/** A fact that changed what it was given would throw. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) freeze(each);
  }
  return value;
}
