/** Prints the results: for people, or as JSON. */

import type { Terminal } from '../terminal.js';
import { groups, severities, type PointResult } from './point.js';

/** Writes the report. @param isJson for programs: names of fields and ids of points never change */
export function toReport(
  results: readonly PointResult[],
  isJson: boolean,
  style: Terminal['style'],
): string {
  const count = (outcome: PointResult['outcome'], among = results) =>
    among.filter((result) => result.outcome === outcome).length;
  const [passed, failed, left] = [count('passed'), count('failed'), count('not_checked')];
  if (isJson)
    return JSON.stringify({ passed, failed, not_checked: left, points: results }, null, 2);
  const lines = Object.entries(groups).map(([group, { title }]) => {
    const own = results.filter((result) => result.group === group);
    const open = count('not_checked', own);
    const asked = own.length - open;
    const good = asked === 0 ? '–' : `${count('passed', own)} of ${asked}`;
    const more = open === 0 ? '' : style('dim', `  (${open} not checked)`);
    return `${title.padEnd(14)}${good}${more}`;
  });
  const unasked = results.filter(isOpenMoney).length;
  return [
    ...lines,
    ...toFailures(results, style),
    ...toUnchecked(results),
    '',
    unseenFromOutside,
    style(failed > 0 ? 'red' : 'green', `${passed} passed, ${failed} failed, ${left} not checked`),
    // Points about money that were not checked are listed, because a count could hide them.
    ...(unasked > 0 ? [`${unasked} points that may lose money were not asked.`] : []),
  ].join('\n');
}

/** Lists failures, the worst first. */
function toFailures(results: readonly PointResult[], style: Terminal['style']): string[] {
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const worstFirst = Object.keys(severities).flatMap((severity) =>
    failed.filter((one) => one.severity === severity),
  );
  return worstFirst.flatMap(({ severity, name, expected, came, why, change, read }) => [
    '',
    `${style('red', severities[severity].title)}  ${style('bold', name)}`,
    `  expected  ${expected}`,
    `  came      ${came}`,
    `  why       ${why}`,
    `  Change:   ${change}`,
    `  read      ${read}`,
  ]);
}

/** Questions that no check from outside can answer, each with how a person can. */
const unseenFromOutside = [
  'Not seen from outside (src/contract/README.md#paid), and how you can look:',
  '  Is a closed page’s payment told?  Pay one whose page is closed: your shop hears of it within minutes',
  '  Is a former code’s too?       Pay a code that was replaced: your shop hears of it',
  '  Is the price read each time?  Change it in your shop after a code was shown: the next creation has the new one',
  '  Is a request sent on by forwarded path?  Read the log of your service: nothing but its invoices was asked for',
  '  Are secrets and payers in logs?  Search the proxy’s log for the order token and for a CPF you typed',
].join('\n');

/** Whether a point about money was not checked although the caller gave all that it needs. */
export function isOpenMoney({ severity, isOpen }: PointResult): boolean {
  return severity === 'money' && isOpen === true;
}

/** Groups points by the reason, because one missing token leaves out many points. */
function toUnchecked(results: readonly PointResult[]): string[] {
  const left = results.filter(({ outcome }) => outcome === 'not_checked');
  const reasons = [...new Set(left.map(({ came }) => came))];
  return reasons.flatMap((reason) => [
    '',
    `Not checked: ${reason}`,
    ...left.filter(({ came }) => came === reason).map(({ name }) => `  ${name}`),
  ]);
}
