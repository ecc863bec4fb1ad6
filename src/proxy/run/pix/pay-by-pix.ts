/** Puts the ask of a request for a Pix code, and says how each command is carried out. */

import type { CreationParts, PricedPayment } from '../../outside/invoice-forms.js';
import { codeMade } from '../../order/asks/pix.js';
import type { PixAsk } from '../../order/asks/pix.js';
import type { Answer } from '../../order/asks/reply.js';
import type { Attempt, MadeInvoice } from '../../order/order.js';
import { createCreateCode } from './create-code.js';
import { createCrowd } from './crowd.js';
import { unavailable } from '../../set-up/proxy-error.js';
import type { LookUpFirst } from '../look-up-first.js';
import type { RunAsk } from '../run-ask.js';
import { toInvoice } from '../to-invoice.js';

export interface PixParts extends CreationParts {
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
    const { externalId, attempt, order, replaces = null } = payment;
    const holder = attempt?.holder ?? settings.randomUuid();
    const totalCents = order.total_price_cents;
    const ask: PixAsk = { kind: 'pix', externalId, attempt, holder, totalCents, replaces };
    const ending: Promise<Answer> = Promise.resolve().then(() =>
      runAsk(ask, {
        isAwaited: payment.isAwaited,
        beforeAsking: () => crowd.follow(externalId, ending),
        carryOut: {
          look_up: (command, { learned }) => lookUpFirst(command, learned.said, payment),
          async create({ known, isNewKey }) {
            crowd.lead(externalId, ending);
            // A service that honours the key would answer a repeated one with the former code.
            const idempotencyKey = isNewKey ? payment.idempotencyKey : settings.randomUuid();
            const { invoice, isWrong } = await createCode({ ...payment, idempotencyKey });
            return {
              fact: (before, given) => codeMade(before, { ask, invoice, known, isWrong }, given),
              learned: { madeId: invoice.invoiceId },
              ...(isWrong && { failed: unavailable() }),
            };
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
}
