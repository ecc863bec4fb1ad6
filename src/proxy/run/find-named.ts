/**
 * Puts the ask for an id that a postback named. If the order knows nothing that it could be, the store may have lost it: then
 * the proxy asks the shop what its order costs. The look-up logs an invoice that does not agree.
 */

import type { Method } from '../../contract/types.js';
import type { Settings } from '../set-up/options/read-options.js';
import type { NamedAsk } from '../order/asks/named.js';
import type { NamedOutcome, SentAs } from '../order/order.js';
import { priceOrder } from '../outside/merchant.js';
import { ProxyError, unavailable } from '../set-up/proxy-error.js';
import type { CallTerms, LookUps } from './look-up.js';
import type { RunAsk } from './run-ask.js';

const methods: readonly Method[] = ['pix', 'credit_card'];

interface FindNamedParts extends Pick<LookUps, 'lookUpNamed'> {
  readonly settings: Parameters<typeof priceOrder>[0] & Pick<Settings, 'log'>;
  readonly runAsk: RunAsk;
}

export type FindNamed = ReturnType<typeof createFindNamed>;

export function createFindNamed({ settings, runAsk, lookUpNamed }: FindNamedParts) {
  /** @throws ProxyError where the id cannot be looked up, or what was found cannot be written down */
  return async function findNamed(
    externalId: string,
    lookUpId: string,
    terms: CallTerms,
  ): Promise<NamedOutcome> {
    const ask = { kind: 'named', externalId, lookUpId, pricedAs: [] } as const;
    const is = await put(ask, terms);
    if (is !== 'unknown') return is;
    const pricedAs = await priceAll(externalId);
    const found = pricedAs.length > 0 ? await put({ ...ask, pricedAs }, terms) : 'none';
    if (found !== 'none' && found !== 'unknown') return found;
    const about = { externalId, invoiceId: lookUpId };
    settings.warn({ level: 'warn', event: 'postback_unknown', operation: 'postback', ...about });
    return 'none';
  };

  async function put(ask: NamedAsk, terms: CallTerms): Promise<NamedOutcome | 'unknown'> {
    const { externalId } = ask;
    const { is } = await runAsk(ask, {
      isAwaited: () => true,
      carryOut: {
        look_up_named: async (command) => {
          const told = await lookUpNamed({ ...command, externalId }, terms);
          if (!told.isWritten) throw unavailable();
          return { learned: { found: told.is } };
        },
      },
    });
    return is;
  }

  /** What the order costs by each method; 0: the shop names no price any more. Nothing: the shop does not know it. */
  async function priceAll(externalId: string): Promise<readonly SentAs[]> {
    const question = { externalId, orderToken: null, installment: 1, request: null };
    const prices = await Promise.allSettled(
      methods.map(async (method): Promise<SentAs> => {
        const order = await priceOrder(settings, { ...question, method });
        return { method, totalCents: typeof order === 'string' ? 0 : order.total_price_cents };
      }),
    );
    // A shop may refuse one of the methods.
    const failed = prices.find((one) => one.status === 'rejected' && !isUnknown(one.reason));
    const all = prices.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (all.length === 0 && failed?.status === 'rejected') throw failed.reason;
    return all;
  }
}

function isUnknown(thrown: unknown): boolean {
  return thrown instanceof ProxyError && thrown.code === 'unknown_order';
}
