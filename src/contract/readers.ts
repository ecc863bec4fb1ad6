/**
 * Reads what a proxy answered: untrusted JSON in, exact types out. It is written by hand to keep the payer's download small:
 * zod/mini would be a third of the element. `schemas.ts` says the same in zod, and a property test proves that both agree.
 *
 * It reads own properties only (so that `__proto__` pollution cannot invent a status), safe integers, and known keys.
 */

import { isTotalCents } from '../domain/money.js';
import { isErrorCode, type ErrorCode } from './codes.js';
import { invoiceIdPattern, type CreatedInvoice, type InvoiceStatus } from './types.js';

/** An answer that does not follow this contract. `field` is a path such as `data.total_cents`; no value is ever quoted. */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer';
  constructor(readonly field: string) {
    super(`The answer's "${field}" is missing or not as the contract says`);
  }
}

/** The fields of an error answer that the contract defines. */
export interface ReadProblem {
  readonly code: ErrorCode;
  /** Names the wrong field to the page's developer; empty if it is missing, or has another form. */
  readonly detail: string;
  readonly data: CreatedInvoice | null;
}

/** Fields that hold personal data and must not be in an answer: `client`, `payer`, `end_to_end_id`. */
const personalKeys = ['client', 'payer', 'end_to_end_id'] as const;

/**
 * Reads the create answer: an envelope with `data`, or an `invoice` given by the page.
 * @throws InvalidAnswer naming the first field that is wrong
 */
export function parseCreatedInvoice(envelope: unknown): CreatedInvoice {
  return readCreated(readData(envelope));
}

/**
 * Reads the create answer's `data` on its own, as the page's `invoice` carries it.
 * @throws InvalidAnswer naming the first field that is wrong
 */
export function parseInvoiceData(data: unknown): CreatedInvoice {
  return readCreated(toRecord(data, 'data'));
}

/**
 * Reads the look-up answer.
 * @throws InvalidAnswer naming the first field that is wrong
 */
export function parseInvoiceStatus(envelope: unknown): InvoiceStatus {
  const data = readData(envelope);
  const { returned } = readOptional(data, 'returned', isBoolean);
  return {
    ...readCommon(data),
    is_pix: readRequired(data, 'is_pix', isBoolean, true),
    installments: readRequired(data, 'installments', isCount, 1),
    created_at: readRequired(data, 'created_at', isString, ''),
    updated_at: readRequired(data, 'updated_at', isString, ''),
    ...readOptional(data, 'qr_code_pix', isString),
    ...readOptional(data, 'expires_in', isCount),
    ...(returned && { returned }),
  };
}

/** A field's name, perhaps with two numbers. Any other detail is dropped, because it might contain a payer's data. */
const detailPattern = /^[a-z_.-]+( is missing|: \d{1,9}, not \d{1,9})?$/i;

/** Reads an error answer; `null` if it does not follow this contract, so that the HTTP status counts. */
export function parseProblem(value: unknown): ReadProblem | null {
  if (!isRecord(value)) return null;
  const code = readOwn(value, 'code');
  if (!isErrorCode(code)) return null;
  // A problem without usable data is still a problem.
  const data = tryTo(() => parseInvoiceData(readOwn(value, 'data'))) ?? null;
  const detail = readOwn(value, 'detail');
  return { code, data, detail: isString(detail) && detailPattern.test(detail) ? ` ${detail}` : '' };
}

/** Names the personal data that an answer must not have. The developer gets a loud warning, and the payment goes on. */
export function findPersonalData(envelope: unknown): readonly string[] {
  const data = isRecord(envelope) ? readOwn(envelope, 'data') : undefined;
  if (!isRecord(data)) return [];
  return personalKeys.filter((key) => (readOwn(data, key) ?? '') !== '');
}

function readCreated(data: Record<string, unknown>): CreatedInvoice {
  return {
    ...readCommon(data),
    qr_code_pix: readRequired(data, 'qr_code_pix', isString, ''),
    ...readOptional(data, 'lookup_token', isText(2048)),
    ...readOptional(data, 'expires_in', isCount),
  };
}

/** The fields of both answers. A proxy may leave `order_code` out; `external_id` is null for an order without a reference. */
function readCommon(data: Record<string, unknown>) {
  return {
    invoice_id: readRequired(data, 'invoice_id', isInvoiceId),
    order_code: readRequired(data, 'order_code', isString, ''),
    external_id: readRequired(data, 'external_id', isReference),
    status: readRequired(data, 'status', isText(64)),
    total_cents: readRequired(data, 'total_cents', isTotalCents),
  };
}

function readData(envelope: unknown): Record<string, unknown> {
  return toRecord(readOwn(toRecord(envelope, 'body'), 'data'), 'data');
}

function toRecord(value: unknown, field: string): Record<string, unknown> {
  if (!isRecord(value)) throw new InvalidAnswer(field);
  return value;
}

/** Runs a function that may throw. @returns its result; undefined if it threw */
export function tryTo<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** Whether the value is an object whose fields can be read. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readOwn(record: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/**
 * Reads an own field of the right type. With a fallback the field may be absent or null, because the service may leave it
 * out.
 */
function readRequired<T>(
  data: Record<string, unknown>,
  key: string,
  matches: (value: unknown) => value is T,
  fallback?: T,
): T {
  const value = readOwn(data, key);
  if (matches(value)) return value;
  if (fallback !== undefined && (value ?? null) === null) return fallback;
  throw new InvalidAnswer(`data.${key}`);
}

/** Reads an own field that may be absent or null. @returns the field alone in an object, which is empty without it */
function readOptional<K extends string, T>(
  data: Record<string, unknown>,
  key: K,
  matches: (value: unknown) => value is T,
): { [key in K]?: T } {
  if ((readOwn(data, key) ?? null) === null) return {};
  return { [key]: readRequired(data, key, matches) } as Record<K, T>;
}

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isReference = (value: unknown): value is string | null => value === null || isString(value);
const isText =
  (longest: number) =>
  (value: unknown): value is string =>
    isString(value) && value !== '' && value.length <= longest;
const isInvoiceId = (value: unknown): value is string =>
  isString(value) && invoiceIdPattern.test(value);
const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
