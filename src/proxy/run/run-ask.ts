/**
 * Puts an ask to its order until the order answers. If the order replies a command, this loop has it carried out and asks again
 * with the result, in one change. The only loop of a request.
 */

import { logError } from '../set-up/log.js';
import type { Log } from '../set-up/log.js';
import { putAsk, findGiveUp, mayBeLost } from '../order/asks/put-ask.js';
import type { AnswerTo, Ask, CommandOf } from '../order/asks/put-ask.js';
import { isCommand, nothingYet } from '../order/asks/ask.js';
import type { Asking, Command, Learned, Answer } from '../order/asks/ask.js';
import type { Given, Order, MadeInvoice } from '../order/order.js';
import { ProxyError, OrderPaid } from '../set-up/proxy-error.js';
import type { OrderStore } from '../store/order-store.js';
import type { Persistent } from './persistent.js';

/** What a command led to. One that throws, or `failed`, ends the ask. */
export interface Outcome {
  /** What happened to the order. It is written in the change that asks again. */
  readonly fact?: Fact;
  /** What only this request has learned. */
  readonly learned?: Partial<Learned>;
  /** The service's own word that it did not take the card; or what it made may be shown to no one: the fact is written all the same. */
  readonly failed?: ProxyError;
}

type Fact = (order: Order, given: Given) => Order;

/** When something was commanded. */
interface CommandContext {
  readonly order: Order;
  readonly learned: Learned;
  /** Before the order was asked, by the clock of this process: that of the store may differ. */
  readonly askedAtMs: number;
}

/** Carries a command out. @throws then nothing has left, unless it is `charge` */
type CarryOut<C extends Command> = (command: C, when: CommandContext) => Promise<Outcome>;

/** What a request carries out its commands with: the payer's data and the card are here, and never in an ask. */
interface CommandHandlers<C extends Command> {
  /** Whether its page still waits. */
  readonly isAwaited: () => boolean;
  /** Called before each asking. */
  readonly beforeAsking?: () => Promise<void>;
  readonly carryOut: { readonly [T in C['type']]: CarryOut<Extract<C, { readonly type: T }>> };
}

/** @throws what a command failed with, or the store; ProxyError `outcome_unknown` once a card has left */
export type RunAsk = <A extends Ask>(
  ask: A,
  hands: CommandHandlers<CommandOf<A>>,
) => Promise<AnswerTo<A>>;

interface RunParts {
  readonly store: Pick<OrderStore, 'change' | 'now'>;
  readonly now: () => number;
  readonly log: Log;
  readonly persist: Persistent['persist'];
}

export function createRunAsk({ store, now, log, persist }: RunParts): RunAsk {
  return async function runAsk<A extends Ask>(ask: A, hands: CommandHandlers<CommandOf<A>>) {
    const carryOut: Partial<Record<Command['type'], CarryOut<never>>> = hands.carryOut;
    const cameAtMs = now();
    let learned = nothingYet;
    let fact: Fact | undefined;
    let last: Order | undefined;
    try {
      for (;;) {
        await hands.beforeAsking?.();
        const askedAtMs = now();
        const how = { isAwaited: hands.isAwaited(), waitedMs: askedAtMs - cameAtMs };
        const { reply, order } = await put(ask, { ...learned, ...how }, fact, last);
        if (!isCommand(reply)) return reply as AnswerTo<A>;
        // From here on nothing gives the attempt up, whatever fails.
        if (reply.type === 'charge') learned = { ...learned, hasLeft: true };
        const outcome = await carryOut[reply.type]!(reply as never, { order, learned, askedAtMs });
        fact = outcome.fact;
        last = order;
        learned = { ...learned, ...outcome.learned, ...(outcome.failed && { hasLeft: false }) };
        if (outcome.failed) throw outcome.failed;
      }
    } catch (thrown) {
      if (!learned.hasLeft) {
        await giveUp(ask, fact, last !== undefined);
        throw thrown;
      }
      note(thrown, ask);
      throw new ProxyError('outcome_unknown');
    }
  };

  async function put(ask: Ask, asking: Asking, fact: Fact | undefined, last: Order | undefined) {
    try {
      return await change(ask, asking, fact);
    } catch (thrown) {
      const reply = last && answerUnwritten(last, ask, asking);
      if (reply) return { reply, order: last };
      if (!asking.hasLeft || !fact) throw thrown;
      // A charge that is not written down is one that a person has to search for.
      note(thrown, ask);
      return persist(() => change(ask, asking, fact));
    }
  }

  /** What a look-up found paid is told, though nothing can be written. @param order as the ask saw it last */
  function answerUnwritten(order: Order, ask: Ask, asking: Asking) {
    if (asking.hasLeft || ![...asking.said.values()].includes('paid')) return null;
    const [, reply] = putAsk(order, ask, asking, { nowMs: store.now() });
    return isCommand(reply) ? null : reply;
  }

  function change(ask: Ask, asking: Asking, fact: Fact | undefined) {
    return store.change(
      ask.externalId,
      (before, nowMs) => {
        const given = { nowMs };
        const [order, reply] = putAsk(fact ? fact(before, given) : before, ask, asking, given);
        return [order, { reply, order }];
      },
      { isRelaxed: !fact && mayBeLost(ask, asking) },
    );
  }

  /**
   * With what came of it, where that was not written yet. If it cannot be written, its claim runs out; a card that was sent counts
   * as open, and that is logged.
   */
  async function giveUp(ask: Ask, fact: Fact | undefined, wasAsked: boolean): Promise<void> {
    const gaveUp = findGiveUp(ask);
    if (!gaveUp) return;
    await store
      .change(ask.externalId, (order, nowMs) => [
        gaveUp(fact ? fact(order, { nowMs }) : order),
        undefined,
      ])
      .catch((failure: unknown) => (wasAsked ? note(failure, ask) : undefined));
  }

  function note(thrown: unknown, { externalId }: Ask): void {
    logError(log, thrown, { operation: 'create', externalId });
  }
}

// Turns an order's answer into the one that a page gets.

/** @throws OrderPaid, or ProxyError with the code of the refusal */
export function toInvoice(answer: Answer): MadeInvoice {
  if (answer.type === 'invoice') return answer.invoice;
  if (answer.type === 'paid') throw new OrderPaid(answer.invoice);
  const { code, afterMs } = answer;
  const after = afterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(afterMs / 1_000) };
  throw new ProxyError(code, after);
}
