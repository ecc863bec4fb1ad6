/** Puts the ask for an id that a postback named. What does not agree with its order is logged by the look-up. */

import type { Log } from '../set-up/log.js';
import type { NamedOutcome } from '../order/order.js';
import type { CallTerms, LookUps } from './look-up.js';
import type { RunAsk } from './run-ask.js';

interface FindNamedParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly runAsk: RunAsk;
  readonly log: Log;
}

/** @throws ProxyError where the id cannot be looked up */
export type FindNamed = (
  externalId: string,
  lookUpId: string,
  terms: CallTerms,
) => Promise<NamedOutcome>;

export function createFindNamed({ runAsk, lookUpNamed, log }: FindNamedParts): FindNamed {
  return async function findNamed(externalId, lookUpId, terms) {
    const ask = { kind: 'named', externalId, lookUpId } as const;
    const { is } = await runAsk(ask, {
      isAwaited: () => true,
      carryOut: {
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }, terms);
          return { learned: { found: told.is } };
        },
      },
    });
    if (is !== 'unknown') return is;
    const about = { externalId, invoiceId: lookUpId };
    log({ level: 'warn', event: 'postback_unknown', operation: 'postback', ...about });
    return 'none';
  };
}
