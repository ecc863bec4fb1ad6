/**
 * Runs the machine: passes events to it with the time, carries out its commands, and wakes it when something is due.
 *
 * It owns every request, timer and listener of one element, and ends them all on disconnect. It decides nothing about
 * payments (machine/) and shows nothing (views/).
 */

import type { ReactiveController, ReactiveControllerHost } from 'lit';
import type { CreateRequest, Method } from '../../contract/types.js';
import * as client from '../browser/proxy-client.js';
import type { Environment } from '../browser/environment.js';
import * as events from './events.js';
import type { Answer, CheckoutEvent, Command, Emission, State } from '../machine/state.js';
import {
  toFailure,
  findCurrentInvoice,
  emptyForm,
  isClosing,
  isCodePhase,
} from '../machine/state.js';
import { findNextDueMs, transition } from '../machine/transition.js';
import { isOffline, watchPageLife } from '../browser/page-lifecycle.js';
import type { Order } from '../page/order.js';
import { toPricedIdentity } from '../page/order.js';
import { toRecordPrefix, forgetAttempt, readAttempts, writeAttempt } from '../browser/storage.js';
import type { StoredAttempt } from '../browser/storage.js';
import type { Attention } from '../views/model.js';

/** The parts of the element that the controller needs. */
export interface CheckoutHost extends ReactiveControllerHost, EventTarget {
  readonly environment: Environment;
  readonly order: Order;
  /** Prepares the card for sending; false if that failed. */
  prepareCard(): Promise<boolean>;
  /** Makes the body of a request, with the payer's data. A card leaves memory with it. @param replaces see the contract */
  createRequest(method: Method, replaces: string | null): CreateRequest;
  /** Warns the merchant's developer, of each text once. */
  warn(text: string): void;
  /** Called when the state changed, so that the element sets its custom state at once. */
  stateChanged(): void;
}

/** `setTimeout` takes at most 2^31 − 1 ms, so a longer wait sets the timer again. */
const longestTimerMs = 3_600_000;

/** Names and invoices of each `pix-paid` and `pix-expired` that any element has dispatched since this page loaded. */
const reportedEvents = new Set<string>();

/** Receipts of this page load, by endpoint, order and totals, so that a later element for a paid order shows its receipt. */
const receipts = new Map<string, State>();

/** The controllers of all elements in the page. */
const connected = new Set<CheckoutController>();

type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>;

/** The kinds of requests. One of each kind may be in flight. */
type RequestKind = 'invoice' | 'look_up' | 'tokenization';

/** Runs the checkout of one element. */
export class CheckoutController implements ReactiveController {
  state: State = emptyForm;
  /** When the phase began, monotonic milliseconds. */
  sinceMs = 0;
  attention: TimedAttention = noAttention;
  offline = false;
  /** The stored attempt of the order that is shown. */
  readonly record: AttemptRecord;

  readonly #host: CheckoutHost;
  readonly #requests = new Map<RequestKind, AbortController>();
  readonly #pending: CheckoutEvent[] = [];
  #busy = false;
  #timer: unknown;
  #stopWatching: (() => void) | null = null;
  #leakReported = false;
  #freshKey: string | null = null;
  /** Why the last answer did not come from the proxy. */
  #reason: 'http_basic' | undefined;

  constructor(host: CheckoutHost) {
    this.#host = host;
    this.record = new AttemptRecord(host);
    host.addController(this);
  }

  /** Begins to listen to the page, and repeats what was given up on disconnect. */
  hostConnected(): void {
    connected.add(this);
    // The clock and the connection may have changed since the element left the page.
    this.#noteConnection();
    this.#stopWatching = watchPageLife(
      {
        onReturn: () => this.dispatch({ type: 'returned' }),
        onPause: () => this.dispatch({ type: 'paused' }),
        onChange: () => this.#noteConnection(),
      },
      () => this.#host.environment.now(),
    );
    // The element was moved, or put back, so it repeats the requests that it gave up on disconnect.
    this.dispatch({ type: 'returned' });
  }

  /** Gives up all requests, timers and listeners. */
  hostDisconnected(): void {
    connected.delete(this);
    this.#stopWatching?.();
    this.#stopWatching = null;
    this.dispatch({ type: 'paused' });
    // A card's request may have arrived all the same, so the machine asks for its outcome when the element is back.
    if (this.#requests.has('invoice')) {
      const answer = { failure: toFailure('network') };
      this.dispatch({ type: 'answered', purpose: 'charge', answer });
    }
    this.dispatch({ type: 'card_prepared', ready: false });
    this.#abort('all');
    this.#host.environment.clearTimer(this.#timer);
  }

  /** Notes whether there is a connection, and renders. */
  #noteConnection(offline = isOffline()): void {
    this.offline = offline;
    this.#host.requestUpdate();
  }

  /**
   * Pays with the stored attempt's key or a new one, so that a double click, a retry and a second tab are the same attempt.
   */
  submit(method: Method): void {
    const stored = this.record.read();
    const attemptKey =
      stored?.method === method ? stored.attemptKey : this.#host.environment.uuid();
    this.dispatch({ type: 'submitted', method, attemptKey });
  }

  /** Shows the receipt of an order that was paid since this page loaded, if there is one. */
  showReceipt(): void {
    const receipt = receipts.get(this.#orderName);
    if (receipt) this.#enter(receipt);
  }

  get #orderName(): string {
    // The price is included, because at another price only the proxy knows whether the order is paid.
    return toPricedIdentity(this.#host.order);
  }

  /** Notes whether the code is on the clipboard, and tells the page. */
  noteCopy(copied: boolean): void {
    if (this.state.phase !== 'awaiting') return;
    this.#attend(noteCopy(this.attention, copied, this.#host.environment.now()));
    this.#arm();
    this.#tell(new events.PixCopyEvent(copied));
  }

  /** Reports that the code does not work. The invoice is looked up first; after that a new code is offered. */
  reportTrouble(): void {
    if (this.state.phase !== 'awaiting' || this.attention.trouble === 'checking') return;
    this.#attend({ ...this.attention, trouble: 'checking' });
    this.dispatch({ type: 'check_asked' });
  }

  /** Requests another code, with a new key, if one is offered. */
  askForNewCode(): void {
    if (this.state.phase === 'awaiting' && this.attention.trouble !== 'offered') return;
    this.dispatch({ type: 'new_code_asked', attemptKey: this.#host.environment.uuid() });
  }

  /** Takes the new attention, and renders if it has changed. */
  #attend(attention: TimedAttention): void {
    if (attention === this.attention) return;
    this.attention = attention;
    this.#host.requestUpdate();
  }

  /** Applies an event. An event that arrives while another is being applied waits for its turn. */
  dispatch(event: CheckoutEvent): void {
    this.#pending.push(event);
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (let next = this.#pending.shift(); next; next = this.#pending.shift()) {
        this.#apply(next);
      }
    } finally {
      this.#busy = false;
    }
    this.#arm();
  }

  #apply(event: CheckoutEvent): void {
    const { environment, order } = this.#host;
    const { state: before, offline } = this;
    const [nowMs, random] = [environment.now(), environment.random()];
    if (event.type === 'order_changed') this.#freshKey = null;
    const freshKey = (this.#freshKey ??= environment.uuid());
    const given = { nowMs, random, terms: order.terms, offline, freshKey };
    const outcome = transition(before, event, given);
    this.#attend(noteEvent(this.attention, event, before, outcome.state, nowMs));
    if (outcome.state !== before) this.#enter(outcome.state);
    for (const command of outcome.commands) this.#run(command);
    if (before.phase === 'confirming') this.#resumeOther();
  }

  /** Once a card's outcome is known, asks for the outcome of another tab's card, if one is still unknown. */
  #resumeOther(): void {
    const { state, record } = this;
    const other = state.phase === 'form' && !state.watch ? record.read() : null;
    if (record.isUnresolved(other)) this.dispatch({ ...other, type: 'resumed', createdAtMs: null });
  }

  /** Takes a new state: keeps a receipt, and tells the element and the page. */
  #enter(state: State): void {
    const before = this.state;
    this.state = state;
    if (state.phase !== before.phase) this.sinceMs = this.#host.environment.now();
    if (state.phase === 'paid') receipts.set(this.#orderName, state);
    this.#host.stateChanged();
    this.#host.requestUpdate();
    this.#reportStatus(before);
  }

  /** Dispatches `pix-status` if the phase, the invoice or its status has changed. */
  #reportStatus(before: State): void {
    const [was, is] = [findCurrentInvoice(before), findCurrentInvoice(this.state)];
    const { status = null, invoiceId = null } = is ?? {};
    const { phase } = this.state;
    const isSame = was?.status === is?.status && was?.invoiceId === is?.invoiceId;
    if (!isSame || before.phase !== phase) {
      this.#tell(new events.PixStatusEvent(phase, status, invoiceId));
    }
  }

  #run(command: Command): void {
    switch (command.type) {
      case 'request':
        return this.#requestInvoice(command);
      case 'tokenize':
        return this.#tokenize();
      case 'look_up':
        return this.#lookUp(command);
      case 'abort':
        return this.#abort(command.what);
      case 'remember':
        return this.record.remember(command);
      case 'forget':
        return this.record.forget(command);
      case 'emit':
        return this.#emit(command.event);
      default:
        return command satisfies never;
    }
  }

  #requestInvoice(command: CommandOf<'request'>): void {
    const { action, purpose, attemptKey, replaces } = command;
    // The body takes the card out of memory at once, also if the element is not in the page.
    const method = action === 'charge' ? 'credit_card' : 'pix';
    const body = action === 'recover' ? null : this.#host.createRequest(method, replaces);
    this.#request(
      'invoice',
      (options) => client.requestInvoice(options, attemptKey, this.#host.order, body),
      (answer) => {
        if ('invoice' in answer && !answer.invoice.lookup_token) {
          this.#host.warn(
            'Your proxy gives no lookup_token: anyone with the invoice id can look it up',
          );
        }
        return { type: 'answered', purpose, answer };
      },
    );
  }

  #lookUp(command: CommandOf<'look_up'>): void {
    const { invoiceId } = command;
    this.#request(
      'look_up',
      (options) => client.lookUpInvoice(options, command),
      (answer) => ({ type: 'looked_up', invoiceId, answer }),
    );
  }

  #tokenize(): void {
    const tell = (ready: boolean) => this.dispatch({ type: 'card_prepared', ready });
    const begun = this.#begin('tokenization');
    // An element outside the page could not send the card.
    if (!begun) return tell(false);
    const end = (ready: boolean) => begun.settle(() => tell(ready));
    this.#host.prepareCard().then(end, () => end(false));
  }

  /** Makes a request in place of the former one of its kind. */
  #request<T>(
    kind: RequestKind,
    send: (options: client.RequestOptions) => Promise<client.Answer<T>>,
    toEvent: (answer: Answer<T>) => CheckoutEvent,
  ): void {
    const begun = this.#begin(kind);
    if (!begun) return;
    const { over, settle } = begun;
    const { environment, order } = this.#host;
    const [, twin] = [...connected].filter((one) => one.#orderName === this.#orderName);
    // Without a reference, two elements may show invoices of different orders.
    if (twin && order.externalId) {
      this.#host.warn('Two elements of this page show the same order: keep one');
    }
    void send({ endpoint: order.endpoint ?? '', environment, over }).then((answer) =>
      settle(() => {
        this.#reason = answer.reason;
        // Any answer proves that there is a connection, whatever the browser says.
        const isAnswered = 'invoice' in answer || answer.failure.code !== 'network';
        if (this.offline && isAnswered) this.#noteConnection(false);
        this.dispatch(toEvent(answer));
        // Without a connection a failure says nothing about the proxy.
        if (answer.advice && !this.offline) this.#host.warn(answer.advice);
        if ('leaked' in answer) this.#reportLeak(answer.leaked);
      }),
    );
  }

  /**
   * Begins a request in place of the former one of its kind. An aborted request's result is ignored.
   * @returns null while the element is in no page: `hostConnected` has the request repeated
   */
  #begin(kind: RequestKind) {
    this.#abort(kind);
    if (this.#stopWatching === null) return null;
    const over = new AbortController();
    this.#requests.set(kind, over);
    const settle = (tell: () => void) => {
      if (this.#requests.get(kind) !== over) return;
      this.#requests.delete(kind);
      tell();
    };
    return { over, settle };
  }

  #abort(what: RequestKind | 'all'): void {
    for (const [kind, request] of this.#requests) {
      if (what !== 'all' && what !== kind) continue;
      this.#requests.delete(kind);
      request.abort();
    }
  }

  #reportLeak(leaked: readonly string[]): void {
    if (leaked.length === 0 || this.#leakReported) return;
    this.#leakReported = true;
    this.#host.warn(
      `Your proxy's answers hold personal data (${leaked.join(', ')}): anyone with the invoice's id can read it`,
    );
    const { invoiceId = null } = findCurrentInvoice(this.state) ?? {};
    this.#tell(new events.PixErrorEvent('personal_data_leak', false, invoiceId));
  }

  #emit(event: Emission): void {
    switch (event.name) {
      case 'created':
        return this.#tell(new events.PixCreatedEvent(event.invoice));
      case 'paid':
        return this.#tell(new events.PixPaidEvent(event.invoice), event.invoice.invoiceId);
      case 'expired':
        return this.#tell(new events.PixExpiredEvent(event.invoiceId), event.invoiceId);
      case 'error':
        return this.#tell(
          new events.PixErrorEvent(event.code, event.retryable, event.invoiceId, this.#reason),
        );
      default:
        return event satisfies never;
    }
  }

  /** Dispatches an event. @param onceOf the invoice for which the event is dispatched only once per page load */
  #tell(event: Event, onceOf: string | null = null): void {
    const news = `${event.type} ${onceOf}`;
    if (onceOf !== null && reportedEvents.has(news)) return;
    reportedEvents.add(news);
    this.#host.dispatchEvent(event);
  }

  /** Sets the timer for the next event `ticked`, which also renders: time may be all that changed. */
  #arm(): void {
    const { environment } = this.#host;
    environment.clearTimer(this.#timer);
    const { checkUntilMs, copiedUntilMs } = this.attention;
    const nowMs = environment.now();
    const renderMs = findNextRenderMs(this.state, nowMs);
    const dueMs = Math.min(findNextDueMs(this.state), checkUntilMs, copiedUntilMs, renderMs);
    if (dueMs === Infinity || this.#stopWatching === null) return;
    const delay = Math.min(longestTimerMs, Math.max(0, dueMs - nowMs));
    this.#timer = environment.setTimer(() => {
      this.#host.requestUpdate();
      this.dispatch({ type: 'ticked' });
    }, delay);
  }
}

// The stored attempts of the order: which one is resumed, and when they are dropped. The record of a card with unknown
// outcome stays, because a reload must find its key.

/** The records of one element's order. */
export class AttemptRecord {
  readonly #source: Pick<CheckoutHost, 'environment' | 'order'>;
  /** Card attempts whose outcome this page knows. */
  readonly #settled = new Set<string | null>();

  constructor(source: Pick<CheckoutHost, 'environment' | 'order'>) {
    this.#source = source;
  }

  /** Finds the record to resume: first that of a card with unknown outcome. */
  read(): StoredAttempt | null {
    const all = this.#all();
    return (all.find(([, record]) => this.isUnresolved(record)) ?? all[0])?.[1] ?? null;
  }

  /** Whether the outcome of a record's card may be unknown, perhaps because another page has sent it. */
  isUnresolved(record: StoredAttempt | null): record is StoredAttempt {
    return record?.method === 'credit_card' && !this.#settled.has(record.attemptKey);
  }

  /** Stores an attempt beside cards with unknown outcome, because another tab may have sent one at this moment. */
  remember(command: Extract<Command, { type: 'remember' }>): void {
    const name = this.#name();
    if (name === null) return;
    const { environment } = this.#source;
    const { type: _, ...attempt } = command;
    const former = this.#all().find(([, { attemptKey }]) => attemptKey === attempt.attemptKey)?.[1];
    this.#dropSettled();
    // The attempt is repeated, so its outcome is unknown again.
    this.#settled.delete(attempt.attemptKey);
    const isKnown = former?.invoiceId === attempt.invoiceId;
    const createdAt = isKnown ? former.createdAt : environment.wallClock().getTime();
    writeAttempt(environment, name, { ...attempt, createdAt });
  }

  /** Notes that an attempt is over, and drops the records that are no longer needed, unless its key is kept. */
  forget({ attemptKey, keepsKey }: Extract<Command, { type: 'forget' }>): void {
    this.#settled.add(attemptKey);
    if (!keepsKey) this.#dropSettled();
  }

  /** Drops the order's records, except those of cards with unknown outcome. */
  #dropSettled(): void {
    for (const [name, record] of this.#all()) {
      if (!this.isUnresolved(record)) forgetAttempt(this.#source.environment, name);
    }
  }

  #all() {
    const name = this.#name();
    return name === null ? [] : readAttempts(this.#source.environment, name);
  }

  #name(): string | null {
    const { endpoint, externalId } = this.#source.order;
    return endpoint === null || externalId === null ? null : toRecordPrefix(endpoint, externalId);
  }
}

/** How long a code is shown before a payer may say that it does not work, milliseconds. */
export const askForNewCodeAfterMs = 180_000;

/** Below this the countdown shows seconds; above it, the time of day is enough. */
const secondsShownBelowMs = 601_000;

/**
 * When time alone changes the screen: the countdown, and the offer of a new code after three minutes. `Infinity` while nothing
 * on it depends on time.
 */
export function findNextRenderMs(state: State, nowMs: number): number {
  const tracked = state.phase === 'awaiting' ? findCurrentInvoice(state) : null;
  if (!tracked) return Infinity;
  const { createdAtMs, deadlineMs } = tracked;
  const troubleMs = createdAtMs + askForNewCodeAfterMs;
  const dues = troubleMs > nowMs ? [troubleMs] : [];
  if (deadlineMs !== null && deadlineMs > nowMs) {
    const left = deadlineMs - nowMs;
    // Above the limit the bar moves in hundredths; below it, the countdown moves with each whole second.
    const delayMs =
      left > secondsShownBelowMs
        ? Math.min(left - secondsShownBelowMs, (deadlineMs - createdAtMs) / 100)
        : left % 1_000 || 1_000;
    dues.push(nowMs + delayMs);
  }
  return Math.min(...dues);
}

// What the payer does while a code is on the screen (copies it, asks whether it is paid, says that it does not work), and how
// the screen responds. Pure. It decides nothing about the payment, and ends with the code.

/**
 * The attention with the times when "Conferindo…" disappears and the copy button shows its usual label again, monotonic
 * milliseconds.
 */
export interface TimedAttention extends Omit<Attention, 'justCopied'> {
  readonly checkUntilMs: number;
  readonly copiedUntilMs: number;
}

/** How long "Conferindo…" is shown at least, so that it can be read, and at most if no answer comes, milliseconds. */
const leastCheckMs = 600;
const mostCheckMs = 10_000;

/** How long the copy button confirms that it has copied, milliseconds. */
const copiedForMs = 3_000;

/** The state before the payer has done anything. */
export const noAttention: TimedAttention = {
  copy: 'none',
  presses: 0,
  copiedUntilMs: Infinity,
  check: 'none',
  checkUntilMs: Infinity,
  asked: false,
  trouble: 'none',
};

/** Makes the attention after one event of the machine. It ends with the code that it is about. */
export function noteEvent(
  attention: TimedAttention,
  event: CheckoutEvent,
  before: State,
  after: State,
  nowMs: number,
): TimedAttention {
  if (!isCodePhase(after) || !isCodePhase(before) || after.phase !== before.phase) {
    return noAttention;
  }
  const [{ invoiceId }] = after.watch.invoices;
  if (invoiceId !== before.watch.invoices[0].invoiceId) return noAttention;
  switch (event.type) {
    case 'check_asked': {
      const { presses, trouble } = attention;
      return {
        ...startCheck(attention, nowMs),
        presses: presses + 1,
        asked: trouble !== 'checking',
        // A look-up without an answer is news only until the next one.
        trouble: trouble === 'failed' ? 'none' : trouble,
      };
    }
    case 'returned':
      return startCheck(attention, nowMs);
    case 'looked_up': {
      if (event.invoiceId !== invoiceId) return attention;
      const isAnswered = after !== before && after.watch.failures === 0;
      if (!isAnswered) return hastenCheck(attention, nowMs);
      const { trouble } = attention;
      const isOffered = trouble === 'checking' || trouble === 'offered';
      const next: TimedAttention = { ...attention, trouble: isOffered ? 'offered' : 'none' };
      // After a bad connection the status says "not yet", because the usual text would not show that a look-up has worked.
      return before.watch.failures > 1 ? { ...next, check: 'not_yet' } : hastenCheck(next, nowMs);
    }
    case 'ticked':
      if (isClosing(after) && !isClosing(before)) return startCheck(attention, nowMs);
      return endCheck(endCopied(attention, nowMs), nowMs);
    default:
      return attention;
  }
}

/** Notes whether the code was copied. The status line says so, unless copying worked and "Conferindo…" is shown. */
export function noteCopy(
  attention: TimedAttention,
  copied: boolean,
  nowMs: number,
): TimedAttention {
  return {
    ...attention,
    check: copied && attention.check === 'checking' ? 'checking' : 'none',
    copy: copied ? 'copied' : 'failed',
    asked: false,
    presses: attention.presses + 1,
    copiedUntilMs: copied ? nowMs + copiedForMs : Infinity,
  };
}

function endCopied(attention: TimedAttention, nowMs: number): TimedAttention {
  return attention.copiedUntilMs > nowMs ? attention : { ...attention, copiedUntilMs: Infinity };
}

/** Shows "Conferindo…" until a look-up comes back, ten seconds at most. */
function startCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  return { ...attention, check: 'checking', checkUntilMs: nowMs + mostCheckMs };
}

/** Ends "Conferindo…" soon, because the look-up has come back. */
function hastenCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  const readMs = attention.checkUntilMs - mostCheckMs + leastCheckMs;
  return attention.check === 'checking'
    ? endCheck({ ...attention, checkUntilMs: Math.min(attention.checkUntilMs, readMs) }, nowMs)
    : attention;
}

/** Replaces "Conferindo…" by "not yet" once its time is over. */
function endCheck(attention: TimedAttention, nowMs: number): TimedAttention {
  if (attention.checkUntilMs > nowMs) return attention;
  const { trouble } = attention;
  return {
    ...attention,
    check: 'not_yet',
    checkUntilMs: Infinity,
    // Trouble may be reported again if no look-up has answered it.
    trouble: trouble === 'checking' ? 'failed' : trouble,
  };
}
