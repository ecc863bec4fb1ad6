/** What a request for a Pix code carries out its commands with. */

import type { CreationParts, PricedPayment } from '../../outside/invoice-forms.js';
import { codeMade } from '../../order/asks/pix.js';
import type { PixAsk } from '../../order/asks/pix.js';
import type { Answer, Create } from '../../order/asks/reply.js';
import type { Attempt, MadeInvoice } from '../../order/order.js';
import { createCreateCode } from './create-code.js';
import { createCrowd } from './crowd.js';
import { unavailable } from '../../set-up/proxy-error.js';
import type { LookUpFirst } from '../look-up-first.js';
import type { Outcome, RunAsk } from '../run-ask.js';
import { toInvoice } from '../to-invoice.js';

interface PixParts extends CreationParts {
  readonly runAsk: RunAsk;
  readonly lookUpFirst: LookUpFirst;
}

interface PixPayment extends PricedPayment {
  /** Null: the merchant's own server asks. */
  readonly attempt: Attempt | null;
  /** Compare-and-set: the invoice that the payer wants replaced. */
  readonly replaces: string | undefined;
}

/**
 * @returns the order's one open invoice
 * @throws OrderPaid; ProxyError, as the order answers or as a command failed
 */
export type PayByPix = (payment: PixPayment) => Promise<MadeInvoice>;

export function createPayByPix(parts: PixParts): PayByPix {
  const { runAsk, lookUpFirst, settings } = parts;
  const createCode = createCreateCode(parts);
  const crowd = createCrowd(settings);

  return async function payByPix(payment) {
    const ask = toAsk(payment);
    const { externalId } = ask;
    const ending: Promise<Answer> = Promise.resolve().then(() =>
      runAsk(ask, {
        isAwaited: payment.isAwaited,
        beforeAsking: () => crowd.follow(externalId, ending),
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async create(command) {
            crowd.lead(externalId, ending);
            return create(ask, command, payment);
          },
          async wait() {
            await crowd.waitBriefly(externalId, ending);
            return {};
          },
        },
      }),
    );
    return toInvoice(await ending);
  };

  function toAsk({ externalId, attempt, order, replaces }: PixPayment): PixAsk {
    return {
      kind: 'pix',
      externalId,
      attempt,
      holder: attempt?.holder ?? settings.randomUuid(),
      totalCents: order.total_price_cents,
      replaces: replaces ?? null,
    };
  }

  async function create(
    ask: PixAsk,
    { known, isNewKey }: Create,
    payment: PricedPayment,
  ): Promise<Outcome> {
    // A service that honours the key would answer a repeated one with the former code.
    const idempotencyKey = isNewKey ? payment.idempotencyKey : settings.randomUuid();
    const { invoice, isWrong } = await createCode({ ...payment, idempotencyKey });
    return {
      fact: (order, given) => codeMade(order, { ask, invoice, known, isWrong }, given),
      learned: { madeId: invoice.invoiceId },
      ...(isWrong && { failed: unavailable() }),
    };
  }
}
