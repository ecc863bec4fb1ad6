/**
 * The stored attempt of the order shown: what may take its place, and what may drop it. A card whose outcome may be open
 * keeps its record, for a reload must find its key.
 */

import { attemptName, forgetAttempt, readAttempt, writeAttempt } from '../browser/storage.js';
import type { StoredAttempt } from '../browser/storage.js';
import type { Environment } from '../browser/environment.js';
import type { Command } from '../machine/events-and-commands.js';
import type { Order } from '../page/order.js';

/** What names the record. */
interface Holder {
  readonly environment: Environment;
  readonly order: Order;
}

/** The record of one element. */
export class AttemptRecord {
  readonly #holder: Holder;
  /** Card attempts of which this page knows how they ended. */
  readonly #settled = new Set<string | null>();

  constructor(holder: Holder) {
    this.#holder = holder;
  }

  /** The record, if it may still be resumed. */
  read(): StoredAttempt | null {
    const name = this.#name();
    return name === null ? null : readAttempt(this.#holder.environment, name);
  }

  /** Whether a record is of a card that another page has sent and whose outcome may be open. */
  isOpenCard(record: StoredAttempt | null): boolean {
    return record?.method === 'credit_card' && !this.#settled.has(record.attemptKey);
  }

  /** Stores an attempt. */
  remember(command: Extract<Command, { type: 'remember' }>): void {
    const name = this.#name();
    if (name === null) return;
    const { environment } = this.#holder;
    const { attemptKey, method, invoiceId, lookupToken, totalCents } = command;
    const former = readAttempt(environment, name);
    const isSame = former?.attemptKey === attemptKey;
    // Read and written in one go: two tabs take turns. That the proxy took another card says that it refused this one.
    const isNewCard = method === 'credit_card' && invoiceId !== null;
    if (!isSame && !isNewCard && this.isOpenCard(former)) return;
    // Sent again, it is open again.
    this.#settled.delete(attemptKey);
    const isKnown = isSame && former.invoiceId === invoiceId;
    const createdAt = isKnown ? former.createdAt : environment.wallClock().getTime();
    const record = { attemptKey, invoiceId, lookupToken, method, totalCents, createdAt };
    writeAttempt(environment, name, record);
  }

  /** Notes that an attempt is over. */
  forget({ attemptKey, keepsKey }: Extract<Command, { type: 'forget' }>): void {
    this.#settled.add(attemptKey);
    const name = this.#name();
    if (keepsKey || name === null || this.isOpenCard(this.read())) return;
    forgetAttempt(this.#holder.environment, name);
  }

  #name(): string | null {
    const { endpoint, externalId } = this.#holder.order;
    return endpoint === null || externalId === null ? null : attemptName(endpoint, externalId);
  }
}
