/**
 * Puts an ask to its order until the order answers. If the order replies a command, this loop carries it out and asks again
 * with the result, in one change. It is the only loop of a request.
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

/** The result of a command. A command that throws, or has `failed`, ends the ask. */
export interface Outcome {
  /** What happened to the order. The change that asks again applies it. */
  readonly fact?: Fact;
  /** What only this request has learned. */
  readonly learned?: Partial<Learned>;
  /**
   * The ask fails with this, but its fact is stored all the same: the service did not take the card, or no payer may see what
   * it created.
   */
  readonly failed?: ProxyError;
}

type Fact = (order: Order, given: Given) => Order;

/** The state in which a command is carried out. */
interface CommandContext {
  readonly order: Order;
  readonly learned: Learned;
  /** When the order was asked, by the clock of this process. The store's clock may differ. */
  readonly askedAtMs: number;
}

/** Carries out a command. @throws only if nothing was sent, unless the command is `charge` */
type CarryOut<C extends Command> = (command: C, when: CommandContext) => Promise<Outcome>;

/** The functions that carry out a request's commands. They hold the payer's data and the card; an ask never does. */
interface CommandHandlers<C extends Command> {
  /** Whether its page still waits. */
  readonly isAwaited: () => boolean;
  /** Called before each asking. */
  readonly beforeAsking?: () => Promise<void>;
  readonly carryOut: { readonly [T in C['type']]: CarryOut<Extract<C, { readonly type: T }>> };
}

/** @throws what a command or the store failed with; ProxyError `outcome_unknown` once a card was sent */
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

/**
 * Makes the loop of a request: it puts the ask to its order, carries out the command that comes back, and asks again until the
 * order answers. If a command fails before a card left, the order gives the request up.
 */
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
        // The card may leave now, so no failure gives the attempt up from here on.
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
      // If the outcome of a charge is not stored, a person has to find it out.
      note(thrown, ask);
      return persist(() => change(ask, asking, fact));
    }
  }

  /** Answers with a payment that a look-up found although the store failed. @param order as the ask last saw it */
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
   * Gives the ask up, and stores its last fact with that. If the store fails, the claim runs out by itself; a card that was
   * sent counts as open. That is logged if the order has replied; otherwise the caller logs the store's failure itself.
   */
  async function giveUp(ask: Ask, fact: Fact | undefined, hasReplied: boolean): Promise<void> {
    const gaveUp = findGiveUp(ask);
    if (!gaveUp) return;
    await store
      .change(ask.externalId, (order, nowMs) => [
        gaveUp(fact ? fact(order, { nowMs }) : order),
        undefined,
      ])
      .catch((failure: unknown) => (hasReplied ? note(failure, ask) : undefined));
  }

  function note(thrown: unknown, { externalId }: Ask): void {
    logError(log, thrown, { operation: 'create', externalId });
  }
}

// Turning an order's answer into the page's

/** @throws OrderPaid, or ProxyError with the code of the refusal */
export function toInvoice(answer: Answer): MadeInvoice {
  if (answer.type === 'invoice') return answer.invoice;
  if (answer.type === 'paid') throw new OrderPaid(answer.invoice);
  const { code, afterMs } = answer;
  const after = afterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(afterMs / 1_000) };
  throw new ProxyError(code, after);
}
