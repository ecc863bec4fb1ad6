/**
 * Runs all points against one proxy, without access to the service. It pays nothing, unless the caller gives a card or the
 * address of the sandbox.
 */

import type { Point, Ask, PointResult, PointText } from './point.js';
import { cards } from './points/cards.js';
import { creations, limits, replacements, secondOrder } from './points/creations.js';
import { lookUps, lookUpsOfOthers } from './points/look-ups.js';
import { orderTokens } from './points/order-tokens.js';
import { pages } from './points/pages.js';
import { barredLater, recoveries } from './points/recoveries.js';
import { refusals } from './points/refusals.js';
import { sandboxed } from './points/sandboxed.js';
import { setTimeout as pause } from 'node:timers/promises';
import { isErrorCode } from '../../contract/codes.js';
import { answerPoints } from './points/answers.js';
import {
  answeredElsewhere,
  isForeignAnswer,
  judgeAnswers,
  judgeAsk,
  judgeTogether,
  toNotChecked,
  toOpen,
  toMissingOutcome,
} from './judge.js';
import type { Outcome } from './judge.js';
import { findMissing, groups } from './point.js';
import { NoAnswer, sendStalled, sendTogether, tellSandbox, type Answer } from './send-request.js';
import { toFirstValues, toKept, type CheckedProxy } from './values.js';
import { describeAnswer } from './words.js';

/** The points of the contract in the order in which they run. */
export const contractPoints: readonly Point[] = [
  ...creations,
  ...lookUps,
  ...refusals,
  ...orderTokens,
  ...recoveries,
  ...pages,
  ...secondOrder,
  ...replacements,
  ...lookUpsOfOthers,
  ...barredLater,
  ...cards,
  ...sandboxed,
  ...limits,
];

/** How many answers in a row may be missing before the run stops. */
const mostUnanswered = 3;

/** The proxy cannot be judged, because it creates no code for this order. The message tells what to give. */
export class NotPayable extends Error {
  override readonly name = 'NotPayable';
}

/**
 * Runs the check.
 * @throws NoAnswer if nothing answers at all, or if the run was aborted
 * @throws NotPayable
 */
export async function runCheck(proxy: CheckedProxy): Promise<PointResult[]> {
  const values = toFirstValues(proxy);
  const begunMs = performance.now();
  const answers: Answer[] = [];
  const unread: string[] = [];
  const slow: Promise<unknown>[] = [];
  let stalled: Promise<Answer[]> | undefined;
  const failed = new Set<string>();
  let silence = 0;
  /** False once the first code was asked for and no answer followed the contract. */
  let isReached = true;

  const results: Promise<readonly [Point, Outcome]>[] = [];
  const { only } = proxy;
  const isReported = ({ group }: PointText) => only === undefined || group === only;
  const isSent = (point: Point) =>
    only === 'answers' ||
    isReported(point) ||
    (point.group !== 'cards' && point.asks.some(({ keeps }) => keeps !== undefined));
  for (const point of contractPoints.filter(isSent)) {
    if (point.isLate) {
      await Promise.all(slow);
      await pause(Math.max(0, proxy.lateMs - (performance.now() - begunMs)));
    }
    const result = checkPoint(point).then((outcome) => [point, outcome] as const);
    results.push(result);
    if (point.isSlow) slow.push(result.catch(() => undefined));
    else await result;
    // The stalled request begins after the first answer, and runs beside the others.
    stalled ??= sendStalled(proxy, values);
  }
  const told = await Promise.all(results);
  const all = [...answers, ...((await stalled) ?? [])];
  if (proxy.signal?.aborted) throw new NoAnswer('the check was ended');
  const judged = answerPoints.map((point) => [point, judgeAnswers(point, all, values)] as const);
  const judgedAll = [...told, ...judged].map(([point, outcome]) =>
    toResult(point, isReached ? outcome : toOpen(answeredElsewhere)),
  );
  return [toResult(reached, judgeReached(unread)), ...judgedAll].filter(isReported);

  /** Sends a point's requests in turn, until one fails. A point is not checked if it cannot be asked. */
  async function checkPoint(point: Point): Promise<Outcome> {
    if (silence >= mostUnanswered) return toOpen('the proxy has stopped answering');
    const cause = point.unless?.find((id) => failed.has(id));
    if (cause !== undefined) return toNotChecked(`it would only repeat ${cause}`);
    const left: Outcome[] = [];
    const came: Answer[] = [];
    for (const ask of point.asks) {
      const missing = findMissing(ask, values);
      const outcome = !isReached
        ? toOpen(answeredElsewhere)
        : missing === undefined
          ? await checkAsk(point, ask, came)
          : toMissingOutcome(missing);
      if (outcome.outcome === 'failed') {
        failed.add(point.id);
        return outcome;
      }
      if (outcome.outcome === 'not_checked') left.push(outcome);
    }
    const [first] = left.toSorted(
      (one, other) => Number(other.isOpen ?? 0) - Number(one.isOpen ?? 0),
    );
    // A missing optional value, such as a second order, leaves out only its own requests.
    const isLeft = left.length === point.asks.length || point.compare || first?.isOpen;
    return first && isLeft ? first : judgeTogether(point, came, values);
  }

  /** Sends one request with its calls of the sandbox, judges the answers, and keeps answers and values for later points. */
  async function checkAsk(point: Point, ask: Ask, ofPoint: Answer[]): Promise<Outcome> {
    try {
      for (const call of ask.before ?? []) await tellSandbox(proxy, call, values);
      const came = await sendTogether(proxy, ask, values).finally(async () => {
        for (const call of ask.after ?? []) await tellSandbox(proxy, call, values);
      });
      silence = 0;
      ofPoint.push(came[0]!);
      if (ask.keeps === 'invoice') refuseUnlessPayable(came, proxy);
      const outcome = judgeAsk(ask, came, values, point.isStrict);
      const isRead = outcome.came !== answeredElsewhere;
      if (!isRead) unread.push(...came.filter(isForeignAnswer).map(describeUnread));
      if (!isRead) values['unread'] = 1;
      const isOfPage =
        isRead &&
        !point.isStrict &&
        ask.method !== 'OPTIONS' &&
        !ask.expect.isUnread &&
        point.group !== 'refusals';
      const others = came.flatMap(({ other }) => other ?? []);
      // The points that judge every answer do not see the answers that the sandbox spoiled on purpose.
      if (point.group !== 'sandbox')
        answers.push(...[...came, ...others].map((answer) => ({ ...answer, isOfPage })));
      if (ask.keeps === 'invoice') {
        isReached = answers.some((answer) => !isForeignAnswer(answer));
        if (!isReached) unread.push(...came.map(describeUnread));
      }
      if (ask.keeps !== undefined) Object.assign(values, toKept(ask.keeps, came, values));
      return outcome;
    } catch (thrown) {
      const isOver = answers.length === 0 || proxy.signal?.aborted === true;
      if (!(thrown instanceof NoAnswer) || isOver) throw thrown;
      if (ask.heldFor) return toOpen('a body in two parts was not taken');
      if (ask.before) return toOpen(thrown.message);
      silence += 1;
      if (point.isStrict) return { outcome: 'failed', expected: 'an answer', came: thrown.message };
      // A server may close the connection on such a request, because no page sends it.
      if (point.group === 'refusals') return toOpen(thrown.message);
      unread.push(`${ask.method} ${ask.path}: ${thrown.message}`);
      return toOpen(answeredElsewhere);
    }
  }
}

/** Fails if a web server, a framework or a program in between answers the requests of a page. */
const reached: PointText = {
  id: 'reached',
  group: 'answers',
  severity: 'breaks',
  name: 'The page’s requests reach the proxy, and are answered in words of the contract',
  why: 'The page stops at an answer that it cannot read',
  change:
    'Hand POST and GET below the endpoint to the proxy before try_files, redirections, passwords, limits of size and of rate, and catch its errors',
};

function judgeReached([first]: readonly string[]): Outcome {
  if (first === undefined) return { outcome: 'passed' };
  return { outcome: 'failed', expected: 'an invoice, or an error with a code', came: first };
}

function describeUnread(answer: Answer): string {
  return `${answer.method} ${answer.path}: ${describeAnswer(answer)}`;
}

/** What to do if no code can be created for the order, by the code that all answers have. */
const notPayable: Readonly<Record<string, string>> = {
  unknown_order: 'The proxy does not know order {order} ({code}): give one that is open',
  order_paid: 'Order {order} cannot be paid now ({code}): give one that is open',
  order_closed: 'Order {order} cannot be paid now ({code}): give one that is open',
  order_failed: 'The shop cannot price order {order} ({code}): give another, or look at its log',
  in_progress: 'Order {order} cannot be paid now ({code}): give one that is open',
  not_found: 'POST /invoices is not there ({code}): is the endpoint right?',
  service_unavailable: 'The proxy can make no code now ({code}): its log says why',
};

/**
 * Checks that the order can be paid. @throws NotPayable if all answers blame the order, its token, the payer or the address
 */
function refuseUnlessPayable(came: readonly Answer[], { order, orderToken }: CheckedProxy): void {
  const [code, ...others] = new Set(came.map(({ body }) => body['code']));
  if (others.length > 0 || !isErrorCode(code)) return;
  const said = notPayable[code];
  if (said) throw new NotPayable(said.replace('{order}', order).replace('{code}', code));
  if (code === 'unauthorized' && orderToken !== undefined)
    throw new NotPayable(`The order token is refused (${code}): is it of order ${order}?`);
  const detail = String(came[0]?.body['detail']);
  if (code === 'invalid_request' && /^payer[.\w]*$/.test(detail))
    throw new NotPayable(`The payer of the check is refused (${detail}): give one with --payer`);
}

function toResult(point: PointText, { severity = point.severity, ...rest }: Outcome): PointResult {
  const { id, group, name, why, change } = point;
  return { id, group, severity, name, ...rest, why, change, read: groups[group].read };
}
