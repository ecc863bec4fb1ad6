/** Carries out `look_up`. The look-up itself tells the order its answer; the request only learns what it said. */

import type { PricedPayment } from '../outside/invoice-forms.js';
import type { LookUp, Said } from '../order/asks/reply.js';
import type { IssuedInvoice } from '../order/order.js';
import { isCard } from '../order/questions.js';
import { isNear } from '../../domain/spans.js';
import { nullIfNotFound } from '../set-up/proxy-error.js';
import { createRecent } from '../runtime/recent.js';
import type { LookUps } from './look-up.js';
import type { Outcome } from './run-ask.js';

/** Pause between two look-ups of one unresolved charge that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** The request that asks: nothing older than it tells whether it may pay. */
type Requester = Pick<PricedPayment, 'cameAt' | 'trace'>;

export type LookUpFirst = (
  command: LookUp,
  said: ReadonlyMap<string, Said>,
  requester: Requester,
) => Promise<Outcome>;

export function createLookUpFirst(lookUp: LookUps['lookUp'], now: () => number): LookUpFirst {
  const lookedUpAtMs = createRecent<number>((atMs) => isNear(atMs, pauseMs, now()));

  return async ({ invoices, mayFail }, before, requester) => {
    const said = new Map(before);
    const heard = await Promise.allSettled(
      invoices.map(async (invoice) => {
        const word = await (mayFail ? look : mustLook)(invoice, requester);
        said.set(invoice.invoiceId, word);
        return isDecisive(invoice, word);
      }),
    );
    // What one of them says may be the answer, though another could not be looked up.
    if (heard.some((one) => one.status === 'fulfilled' && one.value)) return { learned: { said } };
    for (const one of heard) if (one.status === 'rejected') throw one.reason;
    return { learned: { said } };
  };

  /** One that the service does not know must not block its order. @throws where it may be paid */
  async function mustLook(invoice: IssuedInvoice, { cameAt, trace }: Requester): Promise<Said> {
    const found = await lookUp(invoice, { begunAfter: cameAt, trace }).catch(nullIfNotFound);
    return found?.meaning ?? 'none';
  }

  async function look(invoice: IssuedInvoice, { cameAt, trace }: Requester): Promise<Said> {
    if (lookedUpAtMs.get(invoice.invoiceId) !== undefined) return 'untold';
    lookedUpAtMs.set(invoice.invoiceId, now());
    // A failure is in the log. It permits nothing.
    return mustLook(invoice, { cameAt, trace }).catch(() => 'untold');
  }
}

/** Whether the order may have its answer now. */
function isDecisive(invoice: IssuedInvoice, said: Said): boolean {
  return said === 'paid' || said === 'mismatch' || (isCard(invoice) && said === 'open');
}
