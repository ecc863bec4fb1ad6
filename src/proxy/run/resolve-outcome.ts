/** Puts a person's word to its order: `resolveOutcome`. What follows from it is decided in `order/asks/word.ts`. */

import type { PixProxy } from '../set-up/options/options.js';
import type { Settings } from '../set-up/options/read-options.js';
import { markNow } from '../runtime/moment.js';
import { nullIfNotFound } from '../set-up/proxy-error.js';
import type { LookUps } from './look-up.js';
import type { LookUpFirst } from './look-up-first.js';
import type { RunAsk } from './run-ask.js';

interface ResolvingParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly settings: Pick<Settings, 'watchReturns'>;
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
  /** Called when the merchant's server has to hear of a payment. */
  readonly onPayment: () => void;
}

export function createResolveOutcome(parts: ResolvingParts): PixProxy['resolveOutcome'] {
  const { settings, runAsk, lookUpFirst, lookUpNamed, onPayment } = parts;

  return async function resolveOutcome({ externalId, deliveryId, invoiceId }) {
    const requester = { cameAt: markNow(), trace: null };
    const { watchReturns: isWatched } = settings;
    const ask = { kind: 'word', externalId, deliveryId, invoiceId, isWatched } as const;
    const { isHeeded, isPaid } = await runAsk(ask, {
      isAwaited: () => true,
      carryOut: {
        look_up: (command, { learned }) => lookUpFirst(command, learned.said, requester),
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }).catch(nullIfNotFound);
          return { learned: { found: told?.is ?? 'none' } };
        },
      },
    });
    if (isPaid) onPayment();
    return isHeeded;
  };
}
