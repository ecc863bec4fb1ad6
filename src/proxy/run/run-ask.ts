/**
 * Puts an ask to its order until the order answers. If the order replies a command, this loop carries it out, stores what
 * happened, and asks again, in one change. It is the only loop of a request.
 */

import { logError, type Log } from '../set-up/log.js';
import { isCommand, nothingYet } from '../order/asks/ask.js';
import type { Asking, Command, Learned, Answer } from '../order/asks/ask.js';
import type { Given, Order, MadeInvoice, Step } from '../order/order.js';
import { ProxyError, OrderPaid } from '../set-up/proxy-error.js';
import type { OrderStore } from '../store/order-store.js';
import type { Persistent } from './persistent.js';
import { withdrawAttempt } from '../order/attempts.js';
import { putKeyAsk } from '../order/asks/by-key.js';
import { putCardFailedAsk, putCardAsk } from '../order/asks/card.js';
import { putNamedIdAsk } from '../order/asks/named-id.js';
import { putPixAsk, giveUpPix } from '../order/asks/pix.js';
import { putResolutionAsk } from '../order/asks/resolution.js';

/** The result of a command. A command that throws, or has `failed`, ends the ask. */
export interface Outcome {
  /** What happened to the order. The change that asks again applies it. */
  readonly fact?: Fact;
  /** What only this request has learned. */
  readonly learned?: Partial<Learned>;
  /**
   * An error with which the ask fails, although its fact is stored: the service did not take the card, or no payer may see
   * the invoice that it created.
   */
  readonly failed?: ProxyError;
}

type Fact = (order: Order, given: Given) => Order;

/** What a command's function gets. */
interface CommandContext {
  readonly order: Order;
  readonly learned: Learned;
  /** When the order was asked, by the clock of this process, which may differ from the store's. */
  readonly askedAtMs: number;
}

/** Carries out a command. If it throws, the order gives the request up; after `charge` the card's outcome is unknown. */
type CarryOut<C extends Command> = (command: C, when: CommandContext) => Promise<Outcome>;

/** The functions that carry out a request's commands. They hold the payer's data and the card; an ask never does. */
interface CommandHandlers<C extends Command> {
  /** Whether the request's page still waits. The rules of `pix` ask that. */
  readonly isAwaited?: () => boolean;
  /** Called before each asking. */
  readonly beforeAsking?: () => Promise<void>;
  readonly carryOut: { readonly [T in C['type']]: CarryOut<Extract<C, { readonly type: T }>> };
}

/** Runs an ask to its end. @throws the error of a command or the store; ProxyError `outcome_unknown` once a card was sent */
export type RunAsk = <A extends Ask>(
  ask: A,
  handlers: CommandHandlers<CommandOf<A>>,
) => Promise<AnswerTo<A>>;

interface RunParts {
  readonly store: Pick<OrderStore, 'change' | 'now'>;
  readonly now: () => number;
  readonly log: Log;
  readonly persist: Persistent['persist'];
}

/**
 * Creates the loop of a request: it puts the ask to its order, carries out the command that comes back, and asks again until
 * the order answers. If a command fails before a card was sent, the order gives the request up; after that it fails as
 * `outcome_unknown`.
 */
export function createRunAsk({ store, now, log, persist }: RunParts): RunAsk {
  return async function runAsk<A extends Ask>(ask: A, handlers: CommandHandlers<CommandOf<A>>) {
    const carryOut: Partial<Record<Command['type'], CarryOut<never>>> = handlers.carryOut;
    const cameAtMs = now();
    let learned = nothingYet;
    let fact: Fact | undefined;
    let last: Order | undefined;
    try {
      for (;;) {
        await handlers.beforeAsking?.();
        const askedAtMs = now();
        const isAwaited = handlers.isAwaited?.() ?? true;
        const how = { isAwaited, waitedMs: askedAtMs - cameAtMs };
        const { reply, order } = await putAndStore(ask, { ...learned, ...how }, fact, last);
        if (!isCommand(reply)) return reply as AnswerTo<A>;
        // The card may leave now. From here on only an outcome with `failed` gives the attempt up.
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

  /**
   * Applies the last command's fact, puts the ask, and stores the order in one change. If the store fails, it still answers
   * with a payment that this request's look-ups found, and repeats the write of a charge's outcome, for which it waits up to
   * `recordingMs`.
   * @param last the order after the former reply; undefined if there was none
   */
  async function putAndStore(
    ask: Ask,
    asking: Asking,
    fact: Fact | undefined,
    last: Order | undefined,
  ) {
    try {
      return await storeAsking(ask, asking, fact);
    } catch (thrown) {
      const reply = last && answerUnwritten(last, ask, asking);
      if (reply) return { reply, order: last };
      if (!asking.hasLeft || !fact) throw thrown;
      // If the outcome of a charge is not stored, a person has to find it out.
      note(thrown, ask);
      return persist(() => storeAsking(ask, asking, fact));
    }
  }

  /** Answers with a payment that a look-up found, although the store failed. @param order as after the former reply */
  function answerUnwritten(order: Order, ask: Ask, asking: Asking) {
    if (asking.hasLeft || ![...asking.said.values()].includes('paid')) return null;
    const [, reply] = putAsk(order, ask, asking, { nowMs: store.now() });
    return isCommand(reply) ? null : reply;
  }

  /** Applies the fact and puts the ask in one change of the store. @returns the reply, and the order after it */
  function storeAsking(ask: Ask, asking: Asking, fact: Fact | undefined) {
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
   * Gives the ask up, and stores the last command's fact with that. Never rejects: if the store fails, a claim runs out by
   * itself, and a card recorded as sent becomes unknown. The failure is logged if the order has replied; otherwise the caller
   * logs it.
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

// Turns an order's answer into the page's.

/** Takes the invoice out of an order's answer. @throws OrderPaid, or ProxyError with the code of the refusal */
export function toInvoice(answer: Answer): MadeInvoice {
  if (answer.type === 'invoice') return answer.invoice;
  if (answer.type === 'paid') throw new OrderPaid(answer.invoice);
  const { code, afterMs } = answer;
  const after = afterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(afterMs / 1_000) };
  throw new ProxyError(code, after);
}

// Puts an ask to an order. Each kind of ask has a file that lists its rules in their order.

const rulesOf = {
  pix: putPixAsk,
  card: putCardAsk,
  by_key: putKeyAsk,
  card_failed: putCardFailedAsk,
  resolution: putResolutionAsk,
  named: putNamedIdAsk,
};

type Kind = keyof typeof rulesOf;

export type Ask = Parameters<(typeof rulesOf)[Kind]>[1];

/** Everything that an order may reply to a kind of ask. */
type ReplyTo<K extends Kind> = ReturnType<(typeof rulesOf)[K]>[1];

/** The answers that end a kind of ask. */
type AnswerTo<A extends Ask> = Exclude<ReplyTo<A['kind']>, Command>;

/** The commands that an order may reply to a kind of ask. */
type CommandOf<A extends Ask> = Extract<ReplyTo<A['kind']>, Command>;

type Rules = (order: Order, ask: Ask, asking: Asking, given: Given) => Step<ReplyTo<Kind>>;

/** Puts an ask to the order. @returns the changed order, and its answer or the command to carry out first */
export function putAsk(order: Order, ask: Ask, asking: Asking, given: Given): Step<ReplyTo<Kind>> {
  return (rulesOf[ask.kind] as Rules)(order, ask, asking, given);
}

/**
 * Whether a power cut may undo this asking's change of the order: a claim, a creation that is about to be sent, or a code
 * shown again. The first asking of a card never sends it, so it may be lost as well.
 */
export function mayBeLost({ kind }: Ask, { isAdmitted }: Learned): boolean {
  return kind === 'pix' || ((kind === 'card' || kind === 'by_key') && !isAdmitted);
}

/** Finds the change that frees the order after a command of the ask failed. @returns null if the ask claimed nothing */
export function findGiveUp(ask: Ask): ((order: Order) => Order) | null {
  if (ask.kind === 'pix') return (order) => giveUpPix(order, ask);
  return ask.kind === 'card' ? (order) => withdrawAttempt(order, ask.attempt) : null;
}
