/**
 * The records of an order's attempts, so that a reload, a second tab or a killed in-app browser finds the same invoice.
 *
 * Each attempt has its own record, because two tabs may send a card at the same time, and neither may overwrite the other's
 * key. A record holds ids and tokens for 24 hours, and nothing about the payer. If storage is barred or full, memory keeps
 * the records for this page load.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type { KeptAttempt } from '../machine/state.js';
import type { Environment } from './environment.js';

export interface StoredAttempt extends KeptAttempt {
  /** Wall-clock milliseconds. */
  readonly createdAt: number;
}

const keepForMs = 24 * 60 * 60 * 1_000;

const memory = new Map<string, string>();

/** The prefix of the names of an order's records: its endpoint and reference. */
export function toRecordPrefix(endpoint: string, externalId: string): string {
  return `pix-checkout ${endpoint} ${externalId}`;
}

/**
 * Reads the records of an order, and removes those that are too old or malformed.
 *
 * @param order see {@link toRecordPrefix}
 */
export function readAttempts(
  environment: Environment,
  order: string,
): readonly (readonly [name: string, record: StoredAttempt])[] {
  const names = tryStorage(() => Object.keys(environment.storage()!)) ?? [];
  return [...memory.keys(), ...names].flatMap((name) => {
    if (!name.startsWith(`${order} `)) return [];
    const text = memory.get(name) ?? tryStorage(() => environment.storage()!.getItem(name));
    const record: unknown = tryStorage(() => JSON.parse(text ?? '') as unknown);
    if (isAttempt(record) && environment.wallClock().getTime() - record.createdAt <= keepForMs) {
      return [[name, record]];
    }
    forgetAttempt(environment, name);
    return [];
  });
}

/** Keeps a record of an order. */
export function writeAttempt(environment: Environment, order: string, record: StoredAttempt): void {
  const name = `${order} ${record.attemptKey}`;
  const text = JSON.stringify(record);
  // Memory must not outlive what another tab, or the payer, has taken out of storage.
  memory.delete(name);
  try {
    environment.storage()!.setItem(name, text);
  } catch {
    memory.set(name, text);
  }
}

/** Drops the record of this name. */
export function forgetAttempt(environment: Environment, name: string): void {
  memory.delete(name);
  tryStorage(() => environment.storage()!.removeItem(name));
}

/** Storage may be missing, full, or throw whenever it is used. */
function tryStorage<T>(touch: () => T): T | undefined {
  try {
    return touch();
  } catch {
    return undefined;
  }
}

function isAttempt(value: unknown): value is StoredAttempt {
  const { attemptKey, invoiceId, lookupToken, method, totalCents, createdAt } = Object(
    value,
  ) as Record<string, unknown>;
  return (
    typeof attemptKey === 'string' &&
    /^[0-9a-f-]{36}$/.test(attemptKey) &&
    (invoiceId === null || (typeof invoiceId === 'string' && invoiceIdPattern.test(invoiceId))) &&
    (lookupToken === null || typeof lookupToken === 'string') &&
    (method === 'pix' || method === 'credit_card') &&
    (totalCents === null || Number.isSafeInteger(totalCents)) &&
    Number.isFinite(createdAt)
  );
}
