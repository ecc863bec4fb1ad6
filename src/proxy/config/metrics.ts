/** Counts what happens, for the log's entry of each minute. Owns the numbers only; who counts says what. */

import type { LedgerState } from '../ledger/ledger.js';
import type { Counts } from './options.js';

/** What is counted where it happens. The rest of {@link Counts} is asked of the ledger. */
export type CountName = Exclude<keyof Counts, keyof LedgerState>;

/** The numbers of one process. */
export interface Metrics {
  readonly count: (name: CountName) => void;
  /** The numbers since the last time this was called. */
  readonly take: () => Readonly<Record<CountName, number>>;
}

const zeros: Readonly<Record<CountName, number>> = {
  cardsCreated: 0,
  cardsRefused: 0,
  cardsUnknown: 0,
  codes: 0,
  lookUps: 0,
  lookUpCalls: 0,
  keptBack: 0,
  postbacks: 0,
  paid: 0,
};

/** Makes a tally of zeros. */
export function createMetrics(): Metrics {
  let numbers = { ...zeros };
  return {
    count(name) {
      numbers[name] += 1;
    },
    take() {
      const taken = numbers;
      numbers = { ...zeros };
      return taken;
    },
  };
}
