/** How many runs a property test makes: fixed by default, raised by one environment variable for a long search. */

/** @param base runs without the variable `PROPERTY_RUNS_FACTOR`, which multiplies them */
export function numRuns(base: number): number {
  return Math.ceil(base * Number(process.env['PROPERTY_RUNS_FACTOR'] ?? 1));
}
