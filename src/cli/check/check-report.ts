/** Results for people, and for machines. */

import type { Terminal } from '../terminal.js';
import { groups, severities } from './point.js';
import type { PointResult } from './run-check.js';

/** @param isJson the form for machines: names of fields and ids of points stay as they are */
export function toReport(
  results: readonly PointResult[],
  isJson: boolean,
  style: Terminal['style'],
): string {
  const count = (outcome: PointResult['outcome'], among = results) =>
    among.filter((result) => result.outcome === outcome).length;
  const counts = {
    passed: count('passed'),
    failed: count('failed'),
    not_checked: count('not_checked'),
  };
  if (isJson) return JSON.stringify({ ...counts, points: results }, null, 2);
  const lines = Object.entries(groups).flatMap(([group, { title }]) => {
    const own = results.filter((result) => result.group === group);
    const left = count('not_checked', own);
    const asked = own.length - left;
    const passed = asked === 0 ? '–' : `${count('passed', own)} of ${asked}`;
    const more = left === 0 ? '' : style('dim', `  (${left} not checked)`);
    return [`${title.padEnd(14)}${passed}${more}`];
  });
  return [
    ...lines,
    ...toFailures(results, style),
    ...toUnchecked(results),
    '',
    unseen,
    style(counts.failed > 0 ? 'red' : 'green', toSummary(counts)),
    ...toWarnings(results),
  ].join('\n');
}

/** Points that failed alike stand together. */
function toFailures(results: readonly PointResult[], style: Terminal['style']): string[] {
  const alike = new Map<string, PointResult[]>();
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  const worstFirst = Object.keys(severities).flatMap((severity) =>
    failed.filter((one) => one.severity === severity),
  );
  for (const one of worstFirst) {
    const { group, severity, expected, came, why } = one;
    const key = JSON.stringify([group, severity, expected, came, why]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  return [...alike.values()].flatMap((failures) => {
    const [{ severity, expected, came, why, read } = failures[0]!] = failures;
    const { title } = severities[severity];
    return [
      '',
      ...failures.map(({ name }) => `${style('red', title)}  ${style('bold', name)}`),
      `  expected  ${expected}`,
      `  came      ${came}`,
      `  why       ${why}`,
      `  read      ${read}`,
    ];
  });
}

/** What a count always hides. */
const unseen = [
  'Not seen from outside: whether what was paid is compared with what was created, and whether the payment of a closed page',
  'reaches your shop (src/contract/README.md#paid).',
].join('\n');

/** What a count may hide: that it was no proxy, or that the most of it was never asked. */
function toWarnings(results: readonly PointResult[]): string[] {
  const outcomeOf = (wanted: string) => results.find(({ id }) => id === wanted)?.outcome;
  // A shop's error page, or its home page. Neither is known where one group was asked for alone.
  const [errors, shape] = [outcomeOf('errors'), outcomeOf('shape')];
  if (errors !== undefined && errors !== 'passed' && shape !== 'passed')
    return ['No answer was one of the contract: is the endpoint right?'];
  return outcomeOf('creation') === 'not_checked'
    ? ['No code was created: most was not checked.']
    : [];
}

/** By reason: a missing token leaves out many points at once. */
function toUnchecked(results: readonly PointResult[]): string[] {
  const left = results.filter(({ outcome }) => outcome === 'not_checked');
  const reasons = [...new Set(left.map(({ came }) => came))];
  return reasons.flatMap((reason) => [
    '',
    `Not checked: ${reason}`,
    ...left.filter(({ came }) => came === reason).map(({ name }) => `  ${name}`),
  ]);
}

function toSummary(counts: Readonly<Record<string, number>>): string {
  const { passed, failed, not_checked: left } = counts;
  return `${passed} passed, ${failed} failed, ${left} not checked`;
}
