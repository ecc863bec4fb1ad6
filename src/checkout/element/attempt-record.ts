/**
 * The stored attempts of the order that is shown: which of them is resumed, and what drops them. A card whose outcome may
 * be open keeps its record, because a reload must find its key.
 */

import { attemptName, forgetAttempt, readAttempts, writeAttempt } from '../browser/storage.js';
import type { StoredAttempt } from '../browser/storage.js';
import type { Environment } from '../browser/environment.js';
import type { Command } from '../machine/events-and-commands.js';
import type { Order } from '../page/order.js';

/** What names the record. */
interface RecordSource {
  readonly environment: Environment;
  readonly order: Order;
}

/** The records of one element's order. */
export class AttemptRecord {
  readonly #source: RecordSource;
  /** Card attempts of which this page knows how they ended. */
  readonly #settled = new Set<string | null>();

  constructor(source: RecordSource) {
    this.#source = source;
  }

  /** The record to resume: first that of a card whose outcome may be open. */
  read(): StoredAttempt | null {
    const all = this.#all();
    return (all.find(([, record]) => this.isUnresolved(record)) ?? all[0])?.[1] ?? null;
  }

  /** Whether a record is of a card that another page has sent and whose outcome may be open. */
  isUnresolved(record: StoredAttempt | null): record is StoredAttempt {
    return record?.method === 'credit_card' && !this.#settled.has(record.attemptKey);
  }

  /** Stores an attempt beside cards whose outcome may be open: another tab may have sent one in this instant. */
  remember(command: Extract<Command, { type: 'remember' }>): void {
    const name = this.#name();
    if (name === null) return;
    const { environment } = this.#source;
    const { type: _, ...attempt } = command;
    const former = this.#all().find(([, { attemptKey }]) => attemptKey === attempt.attemptKey)?.[1];
    this.#dropSettled();
    // An attempt that is made again is open again.
    this.#settled.delete(attempt.attemptKey);
    const isKnown = former?.invoiceId === attempt.invoiceId;
    const createdAt = isKnown ? former.createdAt : environment.wallClock().getTime();
    writeAttempt(environment, name, { ...attempt, createdAt });
  }

  /** Notes that an attempt is over. */
  forget({ attemptKey, keepsKey }: Extract<Command, { type: 'forget' }>): void {
    this.#settled.add(attemptKey);
    if (!keepsKey) this.#dropSettled();
  }

  /** Drops the order's records, but for those of cards whose outcome may be open. */
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
    return endpoint === null || externalId === null ? null : attemptName(endpoint, externalId);
  }
}
