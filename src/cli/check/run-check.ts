/** Holds one proxy against all points: one order, no hold of the service, and nothing is paid. */

import { randomUUID } from 'node:crypto';
import { createdAnswerSchema } from '../../contract/schemas.js';
import { answerPoints } from './answer-points.js';
import type { AnswerPoint } from './answer-points.js';
import { findDifference, toExpected } from './compare-answers.js';
import { contractPoints } from './contract-points.js';
import { groups, namesIn } from './point.js';
import type { Group, Point, PointText, Values } from './point.js';
import { NoAnswer, sendRequest } from './send-request.js';
import type { Answer, Target } from './send-request.js';
import { tamper, toTokenValues, toUnsigned } from './wrong-tokens.js';

/** A proxy to check, and what its merchant gives for it. */
export interface CheckedProxy extends Target {
  /** Reference of an order that is open. */
  readonly order: string;
  readonly orderToken?: string | undefined;
  /** An order token of that order whose life has ended. */
  readonly expiredToken?: string | undefined;
  /** An order that the shop does not know, with a valid token. Default: one without a token. */
  readonly otherOrder?: { readonly order: string; readonly orderToken: string } | undefined;
  /** Of a page that may call it. */
  readonly origin?: string | undefined;
  /** Will be charged. */
  readonly cardToken?: string | undefined;
  /** How long a body stalls, milliseconds. */
  readonly stallMs: number;
  /** The one group that is asked for. What its points need is sent all the same, and not told. */
  readonly only?: Group | undefined;
}

/** What came of a point. */
export interface PointResult extends PointText {
  readonly outcome: 'passed' | 'failed' | 'not_checked';
  /** Of a failure. */
  readonly expected?: string;
  /** Of a failure; of what was not checked: the reason. */
  readonly came?: string;
  /** Where to read, below the package. */
  readonly read: string;
}

type Outcome = Pick<PointResult, 'outcome' | 'expected' | 'came'>;

/** Answers that may be missing in a row before the rest is left out. */
const mostSilence = 3;

/** Why a value is not known. */
const reasons: Readonly<Record<string, string>> = {
  order_token: 'give --token; without order tokens, all who guess a reference see its code',
  tampered_token: 'give --token',
  rewritten_token: 'the order token has no payload that can be read',
  unsigned_token: 'the order token has no signature of its own',
  expired_token: 'give --expired-token, or --secret',
  other_order_token:
    'give --secret: it needs the valid token of an order that the shop does not know',
  origin: 'give --origin',
  card_token: 'give --card-token: it will be charged',
  barred_key: 'no attempt was answered not_found',
  card_invoice_id: 'no card was answered with an invoice',
  open_card: 'no card was charged',
  lookup_token: 'no creation gave a lookup_token',
  tampered_lookup_token: 'no creation gave a lookup_token',
  unsigned_lookup_token: 'no creation gave a lookup_token with a signature of its own',
  second_invoice_id: 'no code was replaced',
};

/** No proxy could make a code of this order, so that nothing can be said of this one. The message tells what to give. */
export class NotPayable extends Error {
  override readonly name = 'NotPayable';
}

/**
 * @throws NoAnswer if nothing answers at all, or it is ended
 * @throws NotPayable
 */
export async function runCheck(proxy: CheckedProxy): Promise<PointResult[]> {
  const values: Record<string, string | number> = toFirstValues(proxy);
  const answers: Answer[] = [];
  let stalled: Promise<Answer[]> | undefined;
  let silence = 0;

  const results: PointResult[] = [];
  const { only } = proxy;
  const isTold = ({ group }: PointText) => only === undefined || group === only;
  const isSent = (point: Point) =>
    only === 'answers' || isTold(point) || (point.keeps !== undefined && point.group !== 'cards');
  for (const point of contractPoints.filter(isSent)) {
    results.push(toResult(point, await checkPoint(point)));
    // Once something answers at all: the longest of the requests runs beside the others.
    if (only === undefined || only === 'answers') stalled ??= stall();
  }
  const ofServer = (await stalled) ?? [];
  if (proxy.signal?.aborted) throw new NoAnswer('the check was ended');
  const judged = answerPoints.map((point) => toResult(point, judge(point)));
  return [...results, ...judged].filter(isTold);

  async function checkPoint(point: Point): Promise<Outcome> {
    if (silence >= mostSilence) return notChecked('the proxy has stopped answering');
    const missing = namesIn(point).find((name) => !(name in values));
    if (missing !== undefined) return notChecked(reasons[missing] ?? 'no code was created');
    try {
      const { times = 1 } = point.request;
      const send = () => sendRequest(proxy, point.request, values);
      const came = await Promise.all(Array.from({ length: times }, send));
      silence = 0;
      answers.push(...came, ...came.flatMap(({ other }) => other ?? []));
      if (point.keeps !== undefined) Object.assign(values, toKept(point.keeps, came[0]!, values));
      if (point.keeps === 'invoice') refuseUnlessPayable(came, proxy);
      return compare(point, came);
    } catch (thrown) {
      const isOver = answers.length === 0 || proxy.signal?.aborted === true;
      if (!(thrown instanceof NoAnswer) || isOver) throw thrown;
      if (point.request.heldFor) return notChecked('a body in two parts was not taken');
      silence += 1;
      return { outcome: 'failed', expected: toExpected(point, values), came: thrown.message };
    }
  }

  function compare(point: Point, came: readonly Answer[]): Outcome {
    const { request, expect, without } = point;
    const answered = came.filter(({ status }) => status !== 429);
    const difference = findDifference(expect, values, answered);
    // Another answer to the question promises nothing.
    if (came.some(({ other }) => other && !isNotFound(other)))
      return notChecked('the question was not answered not_found');
    if (difference === null && answered.length === came.length) return { outcome: 'passed' };
    if (difference === null) {
      return notChecked('the proxy allows no more requests now (429): check again later');
    }
    const reason = came
      .map(({ status, body }) => without?.[String(body['code'])] ?? without?.[status])
      .find(Boolean);
    if (reason !== undefined) return notChecked(reason);
    const isTokenWanted = request.method === 'POST' && !('order_token' in values);
    if (isTokenWanted && came.some(({ status }) => status === 401)) {
      return notChecked('the proxy wants an order token: give --token');
    }
    return { outcome: 'failed', expected: toExpected(point, values), came: difference };
  }

  function judge(point: AnswerPoint): Outcome {
    const { isAbout = () => true, isOfServer, findFault, expected } = point;
    const all = isOfServer ? [...answers, ...ofServer] : answers;
    const about = all.filter((answer) => isAbout(answer, values));
    if (about.length === 0) return notChecked('there was no such answer');
    for (const answer of about) {
      const fault = findFault(answer, values);
      const came = `${answer.method} ${answer.path}: ${fault}`;
      if (fault !== null) return { outcome: 'failed', expected, came };
    }
    return { outcome: 'passed' };
  }

  async function stall(): Promise<Answer[]> {
    const request = { method: 'POST', path: '/invoices', stalls: true };
    try {
      const target = { ...proxy, timeoutMs: proxy.stallMs };
      return [await sendRequest(target, request, values)];
    } catch (thrown) {
      // No answer is as good as any but 408.
      if (thrown instanceof NoAnswer) return [];
      throw thrown;
    }
  }
}

/** What is known before any request. */
function toFirstValues(proxy: CheckedProxy) {
  const { order, orderToken, expiredToken, origin, cardToken } = proxy;
  const none = { order: `check-${randomUUID()}`, orderToken: orderToken === undefined ? '' : null };
  const other = proxy.otherOrder ?? none;
  const keys = ['key', 'lost_key', 'get_key', 'held_key', 'card_key'];
  return onlyKnown({
    order,
    other_order: other.order,
    other_order_token: other.orderToken ?? undefined,
    ...Object.fromEntries(keys.map((name) => [name, randomUUID()])),
    ...(orderToken !== undefined && {
      order_token: orderToken,
      ...toTokenValues(orderToken, order, other.order),
    }),
    expired_token: expiredToken,
    origin,
    card_token: cardToken,
  });
}

/** A value that is not known has no name: its points are not checked. */
function onlyKnown(given: Readonly<Record<string, Values[string] | undefined>>) {
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, Values[string]>;
}

/** What the points that follow need of a creation's answer. What cannot be read or sent is not kept. */
function toKept(
  name: NonNullable<Point['keeps']>,
  { status, body }: Answer,
  known: Values,
): Values {
  if (name === 'barred_key') {
    return isNotFound({ status, body }) ? { barred_key: known['lost_key'] ?? '' } : {};
  }
  if (name === 'card_invoice' && body['code'] === 'outcome_unknown') return { open_card: 1 };
  const read = createdAnswerSchema.safeParse(body);
  if (status !== 200 || !read.success) return {};
  const { invoice_id: id, lookup_token: token, total_cents: totalCents } = read.data.data;
  if (name === 'card_invoice') return { card_invoice_id: id, open_card: 1 };
  if (name === 'second_invoice') return id === known['invoice_id'] ? {} : { second_invoice_id: id };
  const isSendable = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token);
  return onlyKnown({
    invoice_id: id,
    total_cents: totalCents,
    wrong_total: totalCents + 1,
    base64_invoice_id: btoa(id),
    ...(isSendable && {
      lookup_token: token,
      tampered_lookup_token: tamper(token),
      unsigned_lookup_token: toUnsigned(token),
    }),
  });
}

/** @throws NotPayable if all answers to a creation say that it is the order, its token or the address that is wrong */
function refuseUnlessPayable(came: readonly Answer[], { order, orderToken }: CheckedProxy): void {
  const [code, ...others] = new Set(came.map(({ body }) => body['code']));
  if (others.length > 0) return;
  if (code === 'unknown_order') {
    throw new NotPayable(`The proxy does not know order ${order} (${code}): give one that is open`);
  }
  if (code === 'order_paid' || code === 'order_closed' || code === 'in_progress') {
    throw new NotPayable(`Order ${order} cannot be paid now (${code}): give one that is open`);
  }
  if (code === 'not_found') {
    throw new NotPayable(`POST /invoices is not there (${code}): is the endpoint right?`);
  }
  if (code === 'unauthorized' && orderToken !== undefined) {
    throw new NotPayable(`The order token is refused (${code}): is it of order ${order}?`);
  }
}

function isNotFound({ status, body }: Pick<Answer, 'status' | 'body'>): boolean {
  return status === 404 && body['code'] === 'not_found';
}

function notChecked(came: string): Outcome {
  return { outcome: 'not_checked', came };
}

function toResult(point: PointText, outcome: Outcome): PointResult {
  const { id, group, severity, name, why } = point;
  return { id, group, severity, name, ...outcome, why, read: groups[group].read };
}
