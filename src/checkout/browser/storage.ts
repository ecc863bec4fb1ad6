/**
 * The records: which attempts are open for an order, so that a reload, a second tab or a killed in-app browser finds the
 * same invoice. One for each key: two tabs may send a card at the same time. Ids and tokens only, for 24 hours; nothing
 * about the payer. Where storage is barred or full, memory serves.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type { Method } from '../../contract/types.js';
import type { Environment } from './environment.js';

/** The record of an attempt. */
export interface StoredAttempt {
  readonly attemptKey: string;
  /** `null` while the create request has not been answered. */
  readonly invoiceId: string | null;
  readonly lookupToken: string | null;
  readonly method: Method;
  /** Integer cents; `null` where neither page nor answer has named a total yet. */
  readonly totalCents: number | null;
  /** Wall-clock milliseconds. */
  readonly createdAt: number;
}

const keepForMs = 24 * 60 * 60 * 1_000;

/** Used where storage is barred or full: for this page load only. */
const memory = new Map<string, string>();

/** The records of an order with their names: one for each key, and that of a former version, which is named as the order. */
export function readAttempts(
  environment: Environment,
  order: string,
): readonly (readonly [name: string, record: StoredAttempt])[] {
  const stored = attempt(() => Object.keys(environment.storage()!)) ?? [];
  return [...memory.keys(), ...stored].flatMap((name) => {
    const record = `${name} `.startsWith(`${order} `) && readAttempt(environment, name);
    return record ? [[name, record] as const] : [];
  });
}

/** Reads a record; `null` if there is none, or it is too old, or not of this form. */
export function readAttempt(environment: Environment, name: string): StoredAttempt | null {
  const text = attempt(() => environment.storage()?.getItem(name)) ?? memory.get(name);
  const record = text === undefined ? null : parseAttempt(text);
  const age = record && environment.wallClock().getTime() - record.createdAt;
  if (age !== null && age <= keepForMs) return record;
  if (text !== undefined) forgetAttempt(environment, name);
  return null;
}

/** Keeps a record. */
export function writeAttempt(environment: Environment, name: string, record: StoredAttempt): void {
  const text = JSON.stringify(record);
  const kept = attempt(() => {
    const storage = environment.storage();
    storage?.setItem(name, text);
    return storage !== null;
  });
  // Memory must not outlive what another tab, or the payer, has taken out of storage.
  if (kept) memory.delete(name);
  else memory.set(name, text);
}

/** Drops a record. */
export function forgetAttempt(environment: Environment, name: string): void {
  memory.delete(name);
  attempt(() => environment.storage()?.removeItem(name));
}

/** What the names of an order's records begin with: its endpoint and reference. */
export function attemptName(endpoint: string, externalId: string): string {
  return `pix-checkout ${endpoint} ${externalId}`;
}

/** Storage may be missing, full, or throw at any touch. */
function attempt<T>(touch: () => T): T | undefined {
  try {
    return touch();
  } catch {
    return undefined;
  }
}

function parseAttempt(text: string): StoredAttempt | null {
  const value: unknown = attempt(() => JSON.parse(text) as unknown);
  return isAttempt(value) ? value : null;
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
