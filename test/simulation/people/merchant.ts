/**
 * The merchant of a history: prices orders, hears of payments, and finds out how cards of unknown outcome ended. The code
 * behind the hooks throws, hangs and brings its process down, as code does.
 */

import type { OrderAnswer, ProxyOptions } from '../../../src/proxy.js';
import { payer } from './canaries.js';
import { never } from '../network/store.js';
import type { World } from '../world.js';

/** An order of the shop. */
export interface Order {
  readonly externalId: string;
  totalCents: number;
  readonly expiresIn: number | null;
  readonly token: string;
  /** What the shop says of it. */
  status: 'open' | 'paid' | 'closed';
  /** The shop says so once it has heard of the payment. */
  readonly isMarkedPaid: boolean;
}

type Hooks = Pick<
  ProxyOptions,
  'onPaid' | 'onPixWaiting' | 'onLapsed' | 'onOutcomeUnknown' | 'onMismatch' | 'onUndelivered'
>;

/** What runs inside each process. */
export interface MerchantCode extends Required<Hooks> {
  readonly resolveOrder: ProxyOptions['resolveOrder'];
}

/** @param crash ends the process that the code runs in */
export function createMerchantCode(
  world: World,
  orders: ReadonlyMap<string, Order>,
  crash: () => void,
): MerchantCode {
  const { timeline, chance, conditions, watch } = world;
  const owner = () => timeline.owner();

  return {
    async resolveOrder({ externalId }): Promise<OrderAnswer> {
      const order = orders.get(externalId);
      if (!order) return null;
      if (chance.happens(conditions().pricingFails)) {
        if (chance.happens(0.3)) return never();
        throw new Error('the shop is down');
      }
      const { totalCents, expiresIn, status } = order;
      if (status !== 'open') return { status };
      const deadline = expiresIn === null ? {} : { expires_in: expiresIn };
      return { total_price_cents: totalCents, payer, ...deadline };
    },
    onPaid: hook('paid'),
    onPixWaiting: hook('waiting'),
    onLapsed: hook('lapsed'),
    onOutcomeUnknown: hook('outcome_unknown'),
    onMismatch: hook('mismatch'),
    async onUndelivered(notice) {
      watch.told('undelivered', notice);
    },
  };

  function hook(kind: string) {
    return async (notice: { readonly deliveryId: string; readonly externalId: string }) => {
      world.note(`merchant: told ${notice.deliveryId.slice(0, 40)}`);
      watch.told(kind, notice);
      const { hooksThrow, hooksHang, hooksCrash } = conditions();
      if (chance.happens(hooksCrash)) {
        crash();
        return never();
      }
      if (chance.happens(hooksHang)) return never();
      if (chance.happens(hooksThrow)) {
        await timeline.pause(chance.between(0, 5_000), owner());
        throw new Error('the shop is down');
      }
      const order = orders.get(notice.externalId);
      if (kind === 'paid' && order?.isMarkedPaid) order.status = 'paid';
      watch.heard(kind, notice);
      return undefined;
    };
  }
}
