/** Holds one proxy against all points: one order, no hold of the service, and nothing is paid. */

import { answerPoints } from './points/answers.js';
import { contractPoints } from './points/contract-points.js';
import { toCame, toExpected, toNoJson } from './compare-answers.js';
import { isOfWebServer, judgeAnswers, judgePoint, notChecked } from './judge.js';
import type { Outcome } from './judge.js';
import { groups, namesIn } from './point.js';
import type { Point, PointResult, PointText } from './point.js';
import { NoAnswer, sendRequest } from './send-request.js';
import type { Answer } from './send-request.js';
import { sendTogether } from './send-together.js';
import { reasons, toFirstValues, toKept } from './values.js';
import type { CheckedProxy } from './values.js';
import { isErrorCode } from '../../contract/codes.js';

/** Answers that may be missing in a row before the rest is left out. */
const mostSilence = 3;

/** Nothing can be said of this proxy: it is none, or no code of this order can be made. The message tells what to give. */
export class NotPayable extends Error {
  override readonly name = 'NotPayable';
}

/**
 * @throws NoAnswer if nothing answers at all, or it is ended
 * @throws NotPayable
 */
export async function runCheck(proxy: CheckedProxy): Promise<PointResult[]> {
  const values = toFirstValues(proxy);
  const answers: Answer[] = [];
  const ofServer: Answer[] = [];
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
  ofServer.push(...((await stalled) ?? []));
  if (proxy.signal?.aborted) throw new NoAnswer('the check was ended');
  const judged = answerPoints.map((point) =>
    toResult(
      point,
      judgeAnswers(point, point.isOfServer ? [...answers, ...ofServer] : answers, values),
    ),
  );
  return [...results, ...judged].filter(isTold);

  async function checkPoint(point: Point): Promise<Outcome> {
    if (silence >= mostSilence) return notChecked('the proxy has stopped answering');
    const missing = namesIn(point).find((name) => !(name in values));
    if (missing !== undefined) return notChecked(reasons[missing] ?? 'no code was created');
    try {
      const came = await sendTogether(proxy, point.request, values);
      silence = 0;
      const isForeign = point.isUnasked === true && came.every(isOfWebServer);
      (isForeign ? ofServer : answers).push(...came, ...came.flatMap(({ other }) => other ?? []));
      if (point.keeps === 'invoice') refuseUnlessPayable(came, answers, proxy);
      if (point.keeps !== undefined) Object.assign(values, toKept(point.keeps, came, values));
      return judgePoint(point, came, values);
    } catch (thrown) {
      const isOver = answers.length === 0 || proxy.signal?.aborted === true;
      if (!(thrown instanceof NoAnswer) || isOver) throw thrown;
      if (point.request.heldFor) return notChecked('a body in two parts was not taken');
      silence += 1;
      return { outcome: 'failed', expected: toExpected(point, values), came: thrown.message };
    }
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

/** @throws NotPayable if all answers to a creation say that it is the order, its token or the address that is wrong */
function refuseUnlessPayable(
  came: readonly Answer[],
  answers: readonly Answer[],
  { order, orderToken }: CheckedProxy,
): void {
  // A shop's error page, or its home page: nothing of it is a fault of a proxy.
  if (!answers.some(isOfContract)) {
    const how = `${toCame(came[0]!)}; ${toNoJson(came[0]!.text)}`;
    throw new NotPayable(`No answer was one of the contract (${how}): is the endpoint right?`);
  }
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

function isOfContract({ body, data }: Answer): boolean {
  return isErrorCode(body['code']) || data?.['invoice_id'] !== undefined;
}

function toResult(point: PointText, { severity = point.severity, ...rest }: Outcome): PointResult {
  const { id, group, name, why } = point;
  return { id, group, severity, name, ...rest, why, read: groups[group].read };
}
