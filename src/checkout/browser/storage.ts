/**
 * The records of an order's attempts, so that after a reload, in a second tab or in an in-app browser that was closed, the
 * payer finds the same invoice.
 *
 * Each attempt has its own record, because two tabs may send a card at the same time, and neither may overwrite the other's
 * key. A record contains ids and tokens for 24 hours, and nothing about the payer. If storage is forbidden or full, memory
 * keeps the records for this page load.
 */

import { tryTo } from '../../contract/readers.js';
import { invoiceIdPattern } from '../../contract/types.js';
import type { KeptAttempt } from '../machine/state.js';
import type { Environment } from './environment.js';

export interface StoredAttempt extends KeptAttempt {
  /** Wall-clock milliseconds. */
  readonly createdAt: number;
}

const keepForMs = 24 * 60 * 60 * 1_000;

const memory = new Map<string, string>();

/** Makes the prefix of the names of an order's records, from its endpoint and reference. */
export function toRecordPrefix(endpoint: string, externalId: string): string {
  return `pix-checkout ${endpoint} ${externalId}`;
}

/**
 * Reads the records of an order, and removes records that are too old or malformed.
 *
 * @param order see {@link toRecordPrefix}
 */
export function readAttempts(
  environment: Environment,
  order: string,
): readonly (readonly [name: string, record: StoredAttempt])[] {
  // Storage may be missing, full, or throw whenever it is used.
  const names = tryTo(() => Object.keys(environment.storage()!)) ?? [];
  return [...memory.keys(), ...names].flatMap((name) => {
    if (!name.startsWith(`${order} `)) return [];
    const text = memory.get(name) ?? tryTo(() => environment.storage()!.getItem(name));
    const record: unknown = tryTo(() => JSON.parse(text ?? '') as unknown);
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
  // A record must not stay in memory once another tab, or the payer, has removed it from storage.
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
  tryTo(() => environment.storage()!.removeItem(name));
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
