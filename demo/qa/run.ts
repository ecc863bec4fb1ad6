/** How a panel's button does its work. */

/** Runs a step and then shows its note, or what went wrong, to QA. */
export type Run = (step: () => Promise<unknown>) => void;

/** @param after is called when a step has ended, well or not */
export function createRun(alert: HTMLElement, after: () => void): Run {
  return (step) => {
    step()
      .then((note) => (alert.textContent = typeof note === 'string' ? note : ''))
      .catch((error: unknown) => (alert.textContent = String(error)))
      .finally(after);
  };
}
