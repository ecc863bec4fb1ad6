/**
 * What an order replies to an ask: its answer, or the ONE thing that has to be done first. The runner (`run/run-ask.ts`) does
 * that thing and asks again. Nothing is remembered between two askings but the order, and what the request has learned since it
 * came. Plain values: none holds a card or a payer.
 */

import type { ErrorCode } from '../../../contract/codes.js';
import type { Meaning } from '../heard.js';
import type { IssuedInvoice, KnownAttempt, MadeInvoice, NamedOutcome, SentAs } from '../order.js';

/** What a page is told, in the words of the contract. */
export type Answer =
  | { readonly type: 'invoice'; readonly invoice: MadeInvoice }
  | { readonly type: 'paid'; readonly invoice: MadeInvoice }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly afterMs?: number };

/** Look these up first, in this order. */
export interface LookUp {
  readonly type: 'look_up';
  readonly invoices: readonly IssuedInvoice[];
  /** The answer would only be friendlier with it. Else one that cannot be looked up may be paid, and nothing leaves. */
  readonly mayFail: boolean;
}

/** Look an id up that is said to be of this order. */
export interface LookUpNamed {
  readonly type: 'look_up_named';
  readonly lookUpId: string;
  /** The invoice that the order has by this id; null: only the id is known. */
  readonly known: IssuedInvoice | null;
  /** The creations that an unknown one may be the answer to, the likeliest first. */
  readonly sentAs: readonly SentAs[];
}

/** Let a guard say whether this request may go on. */
export interface Admit {
  readonly type: 'admit';
  /** An attempt of unknown outcome: the merchant may know how its order ended. */
  readonly unknown: KnownAttempt | null;
}

/** Send a creation of a Pix code. Only the ask for one replies this. */
export interface Create {
  readonly type: 'create';
  /** How many invoices requests had recorded when it began. */
  readonly known: number;
  /** The request's own key may go with it. */
  readonly isNewKey: boolean;
}

/** The card may leave. Only the ask for a charge replies this, and what led here is durable. */
export interface Charge {
  readonly type: 'charge';
}

/** Another request is at it. */
export interface Wait {
  readonly type: 'wait';
}

export type Command = LookUp | LookUpNamed | Admit | Create | Charge | Wait;

const commands: Readonly<Record<Command['type'], true> & Partial<Record<string, true>>> = {
  look_up: true,
  look_up_named: true,
  admit: true,
  create: true,
  charge: true,
  wait: true,
};

export function isCommand(reply: { readonly type: string }): reply is Command {
  return commands[reply.type] === true;
}

/**
 * What a look-up that began after the request came has said. `none`: the service does not know it. `untold`: it could not tell, or
 * was asked a moment ago; before anything leaves, it is asked again.
 */
export type Said = Meaning | 'none' | 'untold';

/** What a request has learned since it came. It is the request's alone: another one has to ask for itself. */
export interface Learned {
  /** By invoice, also where it could not be written down. */
  readonly said: ReadonlyMap<string, Said>;
  /** What a named id was found to be. */
  readonly found: NamedOutcome | null;
  /** A guard let it pass. */
  readonly isAdmitted: boolean;
  /** The invoice that it had made. The order may have taken another code instead. */
  readonly madeId: string | null;
  /** Its card has left: nothing gives its attempt up but the service's own word. */
  readonly hasLeft: boolean;
}

export const nothingYet: Learned = {
  said: new Map(),
  found: null,
  isAdmitted: false,
  madeId: null,
  hasLeft: false,
};

/** How a request stands when it asks. */
export interface Asking extends Learned {
  /** Whether its page is still there. */
  readonly isAwaited: boolean;
  /** How long it has asked by the clock of its own process, milliseconds. */
  readonly waitedMs: number;
}

export function refuse(code: ErrorCode, afterMs?: number): Answer {
  return { type: 'refusal', code, ...(afterMs !== undefined && { afterMs }) };
}

/** Another payment of the order is in flight: its page asks again in a second. */
export const inProgress: Answer = refuse('in_progress', 1_000);
