/**
 * Charges of cards: claimed (`attempts.ts`), `sentCard` before the first byte leaves, and `endedCard`. This is where it is decided
 * that a second card may not leave.
 */

import { advanced, withdrawn } from './attempts.js';
import { made } from './creations.js';
import { isInQuestion, toUnsure } from './invoices.js';
import type { Unsure } from './invoices.js';
import { isCard, isOpen, paidInvoiceOf, standing } from './questions.js';
import { leaving } from './sends.js';
import type {
  Attempt,
  Given,
  IssuedInvoice,
  KeptInvoice,
  Order,
  MadeInvoice,
  Step,
} from './order.js';

/** A card that is about to leave. */
export interface SentCard {
  readonly attempt: Attempt;
  /** The time in which its outcome will be recorded, milliseconds. After it, that is unknown. */
  readonly sentForMs: number;
  /** Invoices that were looked up since the request came, and are not paid. */
  readonly lookedUp: ReadonlySet<string>;
}

/**
 * Whether a card may leave. `unsure`: look these up first, for one may be paid. `stopped`: a person has to look at an invoice that
 * is paid and differs. `lost`: the claim ran out, and another request may be charging.
 */
export type MayLeave =
  | { readonly is: 'sent' | 'lost' | 'stopped' }
  | { readonly is: 'paid'; readonly invoice: KeptInvoice }
  | Unsure;

/** A card is about to leave: only for the holder of a claim that stands, while nothing else of the order is or may be paid. */
export function sentCard(order: Order, card: SentCard, given: Given): Step<MayLeave> {
  const { attempt, sentForMs, lookedUp } = card;
  const paid = paidInvoiceOf(order);
  if (paid) return [order, { is: 'paid', invoice: paid }];
  const unsure = toUnsure(order, lookedUp, null);
  if (unsure) return [order, unsure];
  if (order.invoices.some(isInQuestion)) return [order, { is: 'stopped' }];
  const { nowMs } = given;
  // Clocks disagree: to this one the claim may stand, to another it ran out, and a former card was opened again.
  if (standing(order, nowMs).some((one) => isCard(one) && isOpen(one) && one.key !== attempt.key)) {
    return [order, { is: 'lost' }];
  }
  const [next, isSent] = advanced(order, attempt, { state: 'sent' }, { nowMs, sentForMs });
  if (!isSent) return [order, { is: 'lost' }];
  const { method, totalCents } = attempt;
  return [leaving(next, { method, atMs: nowMs, totalCents }, given)[0], { is: 'sent' }];
}

/** How a charge ended; `failed`: nothing left, or the service did not take it. */
export type CardEnding =
  | { readonly state: 'created'; readonly invoice: MadeInvoice }
  | { readonly state: 'refused'; readonly invoice: MadeInvoice | null }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null }
  | { readonly state: 'failed' };

/** The service answered, or nobody knows what it would have answered. */
export function endedCard(
  order: Order,
  { attempt, ending }: { readonly attempt: Attempt; readonly ending: CardEnding },
  given: Given,
): Step<void> {
  switch (ending.state) {
    case 'created':
      return made(order, { attempt, invoice: ending.invoice }, given);
    case 'refused': {
      // The next payment looks it up first: a service may change its mind.
      const { invoice } = ending;
      const recorded = invoice ? made(order, { attempt, invoice }, given)[0] : order;
      return [advanced(recorded, attempt, { state: 'refused' }, given)[0], undefined];
    }
    case 'unknown': {
      const { candidate } = ending;
      return [advanced(order, attempt, { state: 'unknown', candidate }, given)[0], undefined];
    }
    case 'failed':
      return withdrawn(order, attempt);
    default:
      return ending satisfies never;
  }
}
