/** Compares answers with what a point expects. The outcome is passed, failed, or not checked. */

import { isErrorCode, isRetryable } from '../../contract/codes.js';
import type { Ask, Point, PointResult, PointText, Values } from './point.js';
import type { Answer } from './send-request.js';
import { reasons } from './values.js';
import { findDifference, describeAnswer, describeExpected } from './words.js';

/** A point that judges every answer of the run, and sends nothing. */
export interface AnswerPoint extends PointText {
  readonly expected: string;
  /** Whether the point judges this answer. Default: all. */
  readonly isAbout?: (answer: Answer, values: Values) => boolean;
  /** Finds what is wrong with an answer, without quoting a value of it. */
  readonly findFault: (answer: Answer, values: Values) => string | null;
}

/** `severity` is set only if it differs from the point's. */
export type Outcome = Pick<PointResult, 'outcome' | 'expected' | 'came' | 'isOpen'> &
  Partial<Pick<PointResult, 'severity'>>;

/** The reason for an answer that does not follow the contract. The point `reached` reports it. */
export const answeredElsewhere = 'its request was not answered in words of the contract';

/** Judges the answers to one request of a point. */
export function judgeAsk(
  ask: Ask,
  came: readonly Answer[],
  values: Values,
  isStrict = false,
): Outcome {
  const outcome = judge(ask, came, values, isStrict);
  const isFailed = outcome.outcome === 'failed';
  return isFailed ? { ...outcome, expected: describeExpected(ask, values) } : outcome;
}

/** Judges what the proxy gave, or else its refusal. */
function judge(ask: Ask, came: readonly Answer[], values: Values, isStrict: boolean): Outcome {
  const { expect, heldFor } = ask;
  if (expect.isAnything) return passed;
  if (expect.allows) return toOutcome(findPreflightFault(expect.allows, came[0]!, values));
  if (expect.isUnread && came.some(isReadable)) return toFailed('leave to read it');
  if (ask.method === 'OPTIONS' || (expect.isUnread && ask.method === 'GET')) return passed;
  // Only `not_found` promises that the creation that is held back is never made.
  if (heldFor && came.some(({ other }) => other?.body['code'] !== 'not_found'))
    return toNotChecked('the question was not answered not_found');
  const given = came.filter(isGiven);
  const fault = expect.data ? findFault(ask, given, values) : given[0] && describeAnswer(given[0]);
  if (fault) return toFailed(fault);
  if (expect.data && given.length > 0 && (ask.times ?? 1) > 1) return passed;
  const refusal = came.find((answer) => !isGiven(answer));
  return refusal ? judgeRefusal(ask, refusal, values, isStrict) : passed;
}

/** Judges a refusal. Where the point demands data, only the named codes pass; elsewhere almost any refusal does. */
function judgeRefusal(
  { method, expect }: Ask,
  refusal: Answer,
  values: Values,
  isStrict: boolean,
): Outcome {
  const { status, body } = refusal;
  const { code } = body;
  const { codes = [], data, mayRefuse, never = [], without } = expect;
  const lacks = without?.[String(code)] ?? without?.[status];
  if (lacks !== undefined) return toNotChecked(lacks);
  if (isErrorCode(code) && never.includes(code)) return toFailed(describeAnswer(refusal));
  if (isErrorCode(code) && codes.includes(code)) return passed;
  if (code === 'too_many_requests')
    return toOpen('the proxy allows no more requests now (429): check again later');
  if (code === 'unauthorized' && method === 'POST' && !('order_token' in values))
    return toOpen('the proxy wants an order token: give --token');
  if (isForeignAnswer(refusal) && isStrict && !values['unread'])
    return toFailed(describeAnswer(refusal));
  if (!data || mayRefuse) return passed;
  if (isForeignAnswer(refusal)) return toOpen(answeredElsewhere);
  // A proxy may answer this to some of many requests at once.
  if (isErrorCode(code) && isRetryable(code))
    return toOpen(`the proxy told the page to come again (${code})`);
  // Without a code a payer loses no money, but cannot pay.
  return { ...toFailed(describeAnswer(refusal)), ...(method === 'POST' && { severity: 'breaks' }) };
}

/** Finds an answer that differs from the expected one or came too late, or answers with different invoices. */
function findFault(ask: Ask, given: readonly Answer[], values: Values): string | null {
  for (const answer of given) {
    const difference = findDifference(ask.expect, answer, values) ?? findDelay(ask, answer, values);
    if (difference !== null) return difference;
  }
  const ids = new Set(given.map(({ data }) => data?.['invoice_id']));
  return ids.size > 1 ? `${ids.size} different invoices` : null;
}

/** Finds a fault in a preflight's answer. A star allows all headers of the contract. */
function findPreflightFault(
  allows: readonly string[],
  { headers, status }: Answer,
  { origin }: Values,
): string | null {
  const named = (headers.get('access-control-allow-headers') ?? '').toLowerCase().split(/[\s,]+/);
  const hasStar = named.includes('*');
  const missing = allows.filter((one) => !named.includes(one) && !hasStar);
  if (status >= 300) return `${status}`;
  if (headers.get('access-control-allow-origin') !== origin) return 'no leave';
  return missing.length > 0 ? `no leave for ${missing.join(', ')}` : null;
}

/** Judges all answers of the run. */
export function judgeAnswers(point: AnswerPoint, all: readonly Answer[], values: Values): Outcome {
  const { isAbout = () => true, findFault: find, expected } = point;
  const about = all.filter((answer) => isAbout(answer, values));
  if (about.length === 0) return toNotChecked('there was no such answer');
  for (const answer of about) {
    const fault = find(answer, values);
    if (fault !== null)
      return { ...toFailed(`${answer.method} ${answer.path}: ${fault}`), expected };
  }
  return passed;
}

const passed: Outcome = { outcome: 'passed' };

const toFailed = (came: string): Outcome => ({ outcome: 'failed', came });

const toOutcome = (fault: string | null) => (fault === null ? passed : toFailed(fault));

/** The outcome of a point that was left out for a good reason: the proxy lacks something optional, or nothing came to judge. */
export function toNotChecked(came: string): Outcome {
  return { outcome: 'not_checked', came };
}

/** The outcome of a point that should have been checked, and could not be. */
export function toOpen(came: string): Outcome {
  return { outcome: 'not_checked', came, isOpen: true };
}

/** The outcome of a point that needs an unknown value. */
export function toMissingOutcome(name: string): Outcome {
  const reason = reasons[name];
  return reason === undefined ? toOpen('no code was created') : toNotChecked(reason);
}

/** Whether the proxy did what was asked, or gave data away: a success with JSON that is not an error. */
function isGiven({ status, body }: Answer): boolean {
  return status < 300 && 'data' in body && !isErrorCode(body['code']);
}

/** Whether a web server, a framework or another program answered: neither an invoice nor an error of the contract. */
export function isForeignAnswer(answer: Answer): boolean {
  return (
    answer.method !== 'OPTIONS' && !isInvoiceAnswer(answer) && !isErrorCode(answer.body['code'])
  );
}

export function isInvoiceAnswer(answer: Answer): boolean {
  return isGiven(answer) && answer.data?.['invoice_id'] !== undefined;
}

/** Whether the page that sent the request may read the answer. */
function isReadable({ headers, origin }: Answer): boolean {
  return [origin, '*'].includes(headers.get('access-control-allow-origin') ?? '');
}

/** Finds an answer that came only after the look-up that waits. @returns null if it came before, or if no look-up waits */
function findDelay({ during }: Ask, { tookMs, other }: Answer, values: Values): string | null {
  if (!during || !other) return null;
  const mostMs = (Number(values['wait_seconds']) * 1_000) / 2;
  const waitedForOther = other.tookMs >= mostMs && tookMs > other.tookMs - mostMs;
  const isLate = tookMs > Number(values['usual_ms'] ?? 0) + mostMs;
  return waitedForOther && isLate ? `only after ${(tookMs / 1_000).toFixed(1)} s` : null;
}

/** Compares the answers of a point with one another, once all its requests are answered. Until then it finds no fault. */
export function judgeTogether(
  { compare, asks }: Point,
  came: readonly Answer[],
  values: Values,
): Outcome {
  const fault = came.length < asks.length ? null : (compare?.(came) ?? null);
  return fault === null
    ? passed
    : { ...toFailed(fault), expected: describeExpected(asks[0]!, values) };
}
