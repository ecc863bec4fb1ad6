/** Tests that a machine cannot run, with the reason, which the end of a run repeats. */

declare module 'vitest' {
  interface TaskMeta {
    /** Why the test did not run. */
    leftOut?: string;
  }
}

/** Options of a test or a suite that is left out where there is a reason. */
export function leftOutIf(reason: string | false | null | undefined) {
  return typeof reason === 'string' && reason !== ''
    ? { skip: true, meta: { leftOut: reason } }
    : {};
}
