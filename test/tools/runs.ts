/** How long tests search: a little by default, longer with `CI=true`, and as long as one environment variable says. */

/** Whether tests search long. */
export const isThorough = process.env['CI'] === 'true';

/** Whether the tests to run were named: what is left out otherwise runs then. */
export const isChosen = process.env['TEST_CHOSEN'] === 'true';

/** Whether this is one of the other Nodes that the package is for (tools/runner/nodes.ts). */
export const isOtherNode = process.env['TEST_OTHER_NODE'] === 'true';

/** Whether this is the short tier (tools/runner/tiers.ts). */
export const isShort = !isThorough && !isChosen && !isOtherNode;

/**
 * Runs of a property test.
 * @param base runs with `CI=true`; a tenth of them without. The variable `PROPERTY_RUNS_FACTOR` multiplies them.
 */
export function numRuns(base: number): number {
  return Math.ceil(base * Number(process.env['PROPERTY_RUNS_FACTOR'] ?? (isThorough ? 1 : 0.1)));
}

/** Cases of a long table: all of them with `CI=true`, else those that stand for their like. */
export function chosenCases<T>(all: readonly T[], standsForOthers: (one: T) => boolean): T[] {
  return all.filter((one) => isThorough || standsForOthers(one));
}

/** Rounds of a test that is repeated. @param variable the environment variable that sets them for a long run */
export function rounds(variable: string, { quick, thorough }: Rounds): number {
  return Number(process.env[variable] ?? (isThorough ? thorough : quick));
}

/** Rounds without and with `CI=true`. */
interface Rounds {
  readonly quick: number;
  readonly thorough: number;
}
