/** What the tests of the machine are made of: terms, answers, failures, codes, and how events are played. */

import { errorCodes, isErrorCode } from '../../../src/contract/codes.js';
import type { CreatedInvoice, InvoiceStatus } from '../../../src/contract/types.js';
import type {
  CheckoutEvent,
  Command,
  Failure,
  Given,
  Phase,
  State,
  Terms,
  Watch,
} from '../../../src/checkout/machine/state.js';
import { emptyForm, isPosting, findUnresolvedCharge } from '../../../src/checkout/machine/state.js';
import { startWatch, toTracked } from '../../../src/checkout/machine/tracked-invoice.js';
import { transition } from '../../../src/checkout/machine/transition.js';
import { dynamicCode } from '../../support/pix-code.js';

export { request } from '../../../src/checkout/machine/state.js';

export const key = '00000000-0000-4000-8000-00000000000a';
export const freshKey = '00000000-0000-4000-8000-00000000000f';
export const otherKey = '00000000-0000-4000-8000-00000000000b';
export const invoiceId = 'invoice-0001';
export const formerId = 'invoice-0000';

export const terms: Terms = {
  externalId: 'order-1042',
  pixCents: 12_990,
  cardCents: 12_990,
  expiresInSeconds: null,
  pollIntervalMs: 4_000,
  allowUnverifiedCode: false,
};

/** Makes a watch of so many invoices, the newest first. */
export function watching(invoices = 1, nowMs = 0): Watch {
  const [newest, ...former] = Array.from({ length: invoices }, (_, index) =>
    toTracked(created({ invoice_id: `invoice-${index}` }), terms, nowMs, true),
  );
  return startWatch([newest!, ...former], key, nowMs);
}

export function created(changes: Partial<CreatedInvoice> = {}): CreatedInvoice {
  return {
    invoice_id: invoiceId,
    order_code: 'ABC123',
    external_id: 'order-1042',
    qr_code_pix: dynamicCode(),
    status: 'pending',
    total_cents: 12_990,
    lookup_token: 'token-1',
    ...changes,
  };
}

export function status(changes: Partial<InvoiceStatus> = {}): InvoiceStatus {
  return {
    invoice_id: invoiceId,
    order_code: 'ABC123',
    external_id: 'order-1042',
    status: 'pending',
    is_pix: true,
    total_cents: 12_990,
    installments: 1,
    qr_code_pix: dynamicCode(),
    created_at: '2026-03-02T12:00:00Z',
    updated_at: '2026-03-02T12:05:00Z',
    ...changes,
  };
}

export function failure(code: Failure['code'], changes: Partial<Failure> = {}): Failure {
  // A code of the contract is the proxy's own word, if nothing else is said.
  const told = isErrorCode(code);
  return { code, retryable: false, retryAfterSeconds: null, invoice: null, told, ...changes };
}

// Events by short names: the tests read as the story they tell.
export const submitted = {
  type: 'submitted',
  method: 'pix',
  attemptKey: key,
} as const satisfies CheckoutEvent;
/** The stored record of an attempt whose invoice is not known. */
export const attempted = {
  type: 'resumed',
  attemptKey: key,
  method: 'pix',
  totalCents: 12_990,
  invoiceId: null,
  lookupToken: null,
  createdAtMs: null,
} as const satisfies CheckoutEvent;
export const recovering: CheckoutEvent = { ...attempted };
/** The stored record of an invoice. */
export const stored = { ...attempted, invoiceId, lookupToken: 'token-1' } as const;
/** What the page names of one. */
export const named = { ...stored, attemptKey: null } as const;
export const createdEvent = (changes: Partial<CreatedInvoice> = {}): CheckoutEvent => ({
  type: 'answered',
  purpose: 'invoice',
  answer: { invoice: created(changes) },
});
export const createFailed = (
  code: Failure['code'],
  changes: Partial<Failure> = {},
): CheckoutEvent => ({
  type: 'answered',
  purpose: 'invoice',
  answer: { failure: failure(code, changes) },
});
/** An answer to the question about `invoice_id`, unless `asked` names another one. */
export const lookedUp = (
  changes: Partial<InvoiceStatus> = {},
  asked = changes.invoice_id ?? invoiceId,
): CheckoutEvent => ({ type: 'looked_up', invoiceId: asked, answer: { invoice: status(changes) } });
export const lookUpFailed = (
  code: Failure['code'],
  changes: Partial<Failure> = {},
  asked = invoiceId,
): CheckoutEvent => ({
  type: 'looked_up',
  invoiceId: asked,
  answer: { failure: failure(code, changes) },
});
export const ticked: CheckoutEvent = { type: 'ticked' };
export const returned: CheckoutEvent = { type: 'returned' };
export const paused: CheckoutEvent = { type: 'paused' };
export const checkAsked: CheckoutEvent = { type: 'check_asked' };
export const newCodeAsked: CheckoutEvent = { type: 'new_code_asked', attemptKey: otherKey };

/** A checkout that is played event by event. */
export interface Play {
  state: State;
  nowMs: number;
  random: number;
  terms: Terms;
  /** The browser says that there is no connection. */
  offline: boolean;
  /** What the controller gives; most stories have no use for one. */
  freshKey?: string;
  /** The commands of the last event. */
  commands: readonly Command[];
  /** Applies events, one after the other, at the present time. */
  play(...events: CheckoutEvent[]): Play;
  /** Moves the clock by so much and ticks, whether or not something is due. */
  wait(ms: number): Play;
}

/** Starts a checkout at monotonic time 0 (or from a state). */
export function checkout(changes: Partial<Terms> = {}, state: State = emptyForm): Play {
  const play: Play = {
    state,
    nowMs: 0,
    random: 0.5,
    terms: { ...terms, ...changes },
    offline: false,
    commands: [],
    play(...events) {
      for (const event of events) {
        const outcome = transition(play.state, withPurpose(event, play.state), given(play));
        play.state = outcome.state;
        play.commands = outcome.commands;
      }
      return play;
    },
    wait(ms) {
      play.nowMs += ms;
      return play.play(ticked);
    },
  };
  return play;
}

/** As the controller does: an answer says what the request in flight was for. */
function withPurpose(event: CheckoutEvent, state: State): CheckoutEvent {
  if (!('purpose' in event)) return event;
  const other = findUnresolvedCharge(state) ? 'charge' : 'renewal';
  return { ...event, purpose: isPosting(state) ? 'invoice' : other };
}

type Told = Pick<Play, 'nowMs' | 'random' | 'terms' | 'freshKey'> & { readonly offline?: boolean };

function given({ nowMs, random, terms, freshKey, offline = false }: Told): Given {
  return { nowMs, random, terms, offline, ...(freshKey && { freshKey }) };
}

/** What a proxy may say. */
export const codes = Object.keys(errorCodes) as (keyof typeof errorCodes)[];

/** The state, known to be of a phase. */
export function inPhase<P extends Phase>(
  { state }: { readonly state: State },
  phase: P,
): Extract<State, { phase: P }> {
  if (state.phase !== phase) throw new Error(`expected ${phase}, found ${state.phase}`);
  return state as Extract<State, { phase: P }>;
}

/** The commands by name: a request by its action, an `emit` by the name of its event, an error by its code. */
export function names(commands: readonly Command[]): string[] {
  return commands.map((command) => {
    if (command.type === 'request') return command.action;
    if (command.type === 'forget') return command.keepsKey ? 'settle' : 'forget';
    if (command.type !== 'emit') return command.type;
    const { event } = command;
    return event.name === 'error' ? `error ${event.code}` : event.name;
  });
}

export function commandsOf<T extends Command['type']>(
  commands: readonly Command[],
  type: T,
): Extract<Command, { type: T }>[] {
  return commands.filter((it): it is Extract<Command, { type: T }> => it.type === type);
}
