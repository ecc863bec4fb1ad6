/** A kind of work that falls due: what it is found by, how it is taken, and what is done. */

import type { Kind } from '../../order/due/entries.js';
import { secondMs } from '../../../domain/spans.js';
import { Throttled } from '../../outside/rate-limit.js';
import type { Given, Order, Step } from '../../order/order.js';
import type { Failed } from '../../order/due/times.js';
import { ProxyError } from '../../set-up/proxy-error.js';
import type { Settings } from '../../set-up/options/read-options.js';
import type { Found, OrderStore } from '../../store/order-store.js';
import type { FindNamed } from '../find-named.js';
import type { CallTerms, LookUps } from '../look-up.js';
import type { PostbackWatch } from '../postback-watch.js';
import type { Ended, Pace } from './pace.js';

/** What is looked up by itself needs. */
export interface LookUpTaskParts {
  readonly store: OrderStore;
  readonly lookUp: LookUps['lookUp'];
  readonly findNamed: FindNamed;
  readonly settings: Settings;
  readonly postbackWatch: Pick<PostbackWatch, 'arrive'>;
  readonly pace: Pace;
  readonly terms: CallTerms;
}

/** `later`: there are too many now, and no more of its kind begins before the next round. */
export type Outcome = 'later' | void;

/** What the log calls it. */
export type Operation = 'sweep' | 'postback' | 'deliver';

/** A kind of work. */
export interface Task<Taken = unknown> {
  readonly operation: Operation;
  readonly kinds: readonly Kind[];
  /** How many more may begin now, with so many in flight. Tasks with the same function share it. */
  readonly room: (inFlight: number) => number;
  /** How many may begin, with so many of its own in flight, although a task before it had none of the room left. Default: none. */
  readonly roomBehind?: (inFlight: number) => number;
  /** In a backlog what fell due last comes first: a payer who has just paid waits for it. */
  readonly isLatestFirst?: boolean;
  /** How long what was taken is this process's, milliseconds. Then it is due again. */
  readonly takenForMs: number;
  /** May be lost in a power cut of the whole machine. */
  readonly isRelaxed: boolean;
  /** Takes it, so that no other process does. Pure. @returns null: it is not to be done now */
  readonly take: (order: Order, entry: Found, given: Given) => Step<Taken | null>;
  /** Does it, and writes down when it falls due again. May reject: then it is due again when its time is over. */
  readonly run: (taken: Taken, externalId: string) => Promise<Outcome>;
}

/** A task whose parts agree on what is taken. */
export function toTask<Taken>(task: Task<Taken>): Task {
  return task as Task;
}

/** Why a look-up did not tell; it is in the log already. @throws what is no failure of a look-up */
export function toFailed(thrown: unknown): Failed {
  if (!(thrown instanceof ProxyError)) throw thrown;
  const afterMs = (thrown.retryAfterSeconds ?? 0) * secondMs;
  if (thrown instanceof Throttled) return { failed: 'throttled', afterMs };
  return { failed: thrown.code === 'not_found' ? 'not_found' : 'no_answer', afterMs };
}

/** What the pace hears of a look-up. An invoice that the service does not know is an answer. */
export function toEnded(found: object | string, beganAtMs: number): Ended {
  const { failed, afterMs } = found as Failed;
  return { beganAtMs, afterMs: failed === 'no_answer' ? afterMs : null };
}
