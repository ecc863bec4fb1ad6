/**
 * Chooses what a checkout begins with: a stored card whose outcome is unknown, or else an invoice that the page hands in or
 * names, or else the stored attempt, or else the form. Pure: it returns the first event for the machine.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type { Method } from '../../contract/types.js';
import type { CheckoutEvent, ShownErrorCode } from '../machine/state.js';
import type { Environment } from '../browser/environment.js';
import type { Order } from './order.js';
import type { StoredAttempt } from '../browser/storage.js';

/** The page's attributes about an invoice that already exists. */
export interface PageInvoice {
  readonly invoice: unknown;
  readonly invoiceId: string | null;
  readonly lookupToken: string | null;
  readonly method: unknown;
}

type Clocks = Pick<Environment, 'now' | 'wallClock'>;

/** The first event, with the method to show and a warning for the page's developer. */
interface Beginning {
  /** `null` if the form is shown. */
  readonly event: CheckoutEvent | null;
  /** The method to show first; `null` for the page's choice. */
  readonly method: Method | null;
  readonly warning?: string | undefined;
}

/**
 * Decides what to begin with.
 *
 * @param stored the record of this order
 * @param isUnresolved whether the record is of a card whose outcome may be unknown
 */
export function findBeginning(
  words: PageInvoice,
  order: Order,
  stored: StoredAttempt | null,
  isUnresolved: boolean,
  clocks: Clocks,
): Beginning {
  if (order.faults.length > 0) return beginWithFailure('configuration');
  if (order.method === null) return beginWithFailure('unsupported_method');
  // Beside a card that may have been charged, a code would be a second payment.
  if (stored && isUnresolved) return beginWithAttempt(stored, order, clocks);
  if (words.invoice !== null && words.invoice !== undefined) {
    return { event: { type: 'promised' }, method: 'pix' };
  }
  if (words.invoiceId) return beginWithInvoice(words.invoiceId, words, order, stored);
  if (order.externalId === null) return beginWithFailure('configuration', 'external-id is missing');
  return stored ? beginWithAttempt(stored, order, clocks) : { event: null, method: null };
}

function beginWithFailure(code: ShownErrorCode, warning?: string): Beginning {
  return { event: { type: 'failed', code }, method: null, warning };
}

/** Looks up the invoice that the page names. Its total is compared with the Pix price, unless the page names a method. */
function beginWithInvoice(
  invoiceId: string,
  { lookupToken: given, method }: PageInvoice,
  { terms, methods, expectedCents }: Order,
  stored: StoredAttempt | null,
): Beginning {
  // The id becomes part of a URL.
  if (!invoiceIdPattern.test(invoiceId)) {
    return beginWithFailure('configuration', 'invoice-id is not the id of an invoice');
  }
  const lookupToken = given ?? (stored?.invoiceId === invoiceId ? stored.lookupToken : null);
  const isPix = method === null && methods.includes('pix');
  const totalCents = isPix ? terms.pixCents : expectedCents;
  const named = { attemptKey: null, method: 'pix', totalCents, createdAtMs: null } as const;
  return {
    event: { type: 'resumed', ...named, invoiceId, lookupToken },
    method: isPix ? 'pix' : null,
  };
}

/** Resumes the stored attempt, unless the page now names another Pix price. */
function beginWithAttempt(
  stored: StoredAttempt,
  { terms }: Order,
  { now, wallClock }: Clocks,
): Beginning {
  const { createdAt, ...former } = stored;
  const { method, totalCents } = former;
  const { pixCents } = terms;
  // A card's total depends on the instalments that were chosen then, so only Pix totals are compared.
  const compared = method === 'pix' && pixCents !== null && totalCents !== null;
  // An old code is never shown for a new price. The next attempt overwrites the record.
  if (compared && pixCents !== totalCents) return { event: { type: 'reset' }, method: null };
  const createdAtMs = now() - Math.max(0, wallClock().getTime() - createdAt);
  return { event: { ...former, type: 'resumed', createdAtMs }, method };
}
