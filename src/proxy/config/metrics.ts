/** Counts events for the log's entry of each minute. */

import type { LedgerState } from '../ledger/ledger.js';
import type { Counts } from './options.js';

/** Counts of this process. The rest of {@link Counts} comes from the ledger. */
type CountName = Exclude<keyof Counts, keyof LedgerState>;

export interface Metrics {
  readonly count: (name: CountName) => void;
  /** Returns the numbers since its last call. */
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
