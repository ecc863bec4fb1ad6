/** Says of answers whether they are what a point expects: passed, failed, or nothing that can be said. */

import { isErrorCode } from '../../contract/codes.js';
import { findDifference, asksForRetry, isNotFound, toExpected } from './compare-answers.js';
import type { Point, PointResult, PointText, Severity, Values } from './point.js';
import type { Answer } from './send-request.js';

/** A point that holds for every answer. It sends nothing. */
export interface AnswerPoint extends PointText {
  readonly expected: string;
  /** The point also judges the answer to the body that stalled, which a web server in front may give by itself. */
  readonly isOfServer?: true;
  /** Chooses the answers that the point judges; default: all. */
  readonly isAbout?: (answer: Answer, values: Values) => boolean;
  /** Says what is wrong with an answer, without quoting a value of it; null: nothing. */
  readonly findFault: (answer: Answer, values: Values) => string | null;
}

/** Severity: where it is another than the point's. */
export type Outcome = Pick<PointResult, 'outcome' | 'expected' | 'came' | 'note'> & {
  readonly severity?: Severity;
};

/** Of the answers to its request. */
export function judgePoint(point: Point, came: readonly Answer[], values: Values): Outcome {
  const { request, expect, without, isUnasked, whenTaken } = point;
  if (isUnasked && came.every(isOfWebServer)) return { outcome: 'passed', note: toNote(came[0]!) };
  // Another answer to the question promises nothing.
  if (request.heldFor && came.some(({ other }) => other && !isNotFound(other)))
    return notChecked('the question was not answered not_found');
  const isSome = (request.times ?? 1) > 1 && came.some(({ status }) => status === 200);
  const answered = came.filter(
    (answer) => answer.status !== 429 && !(isSome && asksForRetry(answer)),
  );
  const isSentOn = isUnasked === true && came.some(isOfService);
  const difference = isSentOn
    ? 'an answer in the words of the service'
    : (findDifference(expect, values, answered) ?? findDelay(point, came, values));
  const isLimited = came.some(({ status }) => status === 429);
  if (difference === null && !isLimited) return { outcome: 'passed' };
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
  const isTaken = whenTaken !== undefined && came.some(hasReachedService);
  const severity = isTaken ? { severity: whenTaken } : {};
  return { outcome: 'failed', expected: toExpected(point, values), came: difference, ...severity };
}

/** Of all answers of the run. */
export function judgeAnswers(point: AnswerPoint, all: readonly Answer[], values: Values): Outcome {
  const { isAbout = () => true, findFault, expected } = point;
  const about = all.filter((answer) => isAbout(answer, values));
  if (about.length === 0) return notChecked('there was no such answer');
  for (const answer of about) {
    const fault = findFault(answer, values);
    const came = `${answer.method} ${answer.path}: ${fault}`;
    if (fault !== null) return { outcome: 'failed', expected, came };
  }
  return { outcome: 'passed' };
}

export function notChecked(came: string): Outcome {
  return { outcome: 'not_checked', came };
}

/** Words of the invoice service, which a web server in front does not use. Those of some gateways are alike. */
function isOfService({ body, headers }: Answer): boolean {
  const names = Object.keys(body);
  const isAlike = names.includes('message') && names.every((name) => /^(message|data)$/.test(name));
  return isAlike && ![...headers.keys()].some((name) => /^(apigw|x-amzn|x-amz|x-kong)-/.test(name));
}

/** A refusal that is none of the contract: a path that no page asks for may end at the server in front of the proxy. */
export function isOfWebServer(answer: Answer): boolean {
  const { status, body } = answer;
  return status >= 400 && status < 500 && !isErrorCode(body['code']) && !isOfService(answer);
}

/** It went on to the service, with the access token. */
function hasReachedService(answer: Answer): boolean {
  return answer.status < 300 || isOfService(answer);
}

function toNote({ status, path }: Answer): string {
  const how = path.includes('%2F') ? ' Apache hands it on with: AllowEncodedSlashes NoDecode' : '';
  return `The web server in front answers GET ${path} by itself (${status}), and no page asks for it.${how}`;
}

/** How long an answer took that came only with a look-up that waits. Null: it came before, or the proxy lets none wait. */
function findDelay({ request }: Point, came: readonly Answer[], values: Values): string | null {
  const [{ tookMs, other } = { tookMs: 0 }] = came;
  if (!request.during || !other) return null;
  const mostMs = (Number(values['wait_seconds']) * 1_000) / 2;
  const waitedForOther = other.tookMs >= mostMs && tookMs > other.tookMs - mostMs;
  const isLate = tookMs > Number(values['usual_ms'] ?? 0) + mostMs;
  return waitedForOther && isLate ? `only after ${(tookMs / 1_000).toFixed(1)} s` : null;
}
