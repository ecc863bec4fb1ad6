/**
 * Finds out whether another payment of an order may begin: no invoice of it is paid, and no card charge is pending or of
 * unknown outcome. Only a look-up tells.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import type { TraceContext } from '../../service.js';
import { toFoundInvoice } from '../gateway/invoice-forms.js';
import { isOpen, toInvoiceId } from '../ledger/ledger-rules.js';
import type {
  IssuedInvoice,
  Ledger,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger/ledger.js';
import { OrderPaid, ProxyError, inProgress } from '../runtime/proxy-error.js';
import { isOther, recordCardStatus } from '../status/record-status.js';
import type { LookUps } from '../status/shared-look-ups.js';
import type { CardGuards } from './card-guards.js';

/** Pause between two look-ups of one unresolved charge that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** Unresolved charges of one proxy. */
export interface UnresolvedCharges {
  /**
   * @param order as it was read; it is read again if a charge of it is unresolved
   * @returns the order, neither paid nor with an unresolved charge
   * @throws OrderPaid; ProxyError `in_progress` unless a look-up now finds the charge refused
   */
  readonly refuseUnlessPayable: (
    externalId: string,
    order: OrderRecord,
    trace: TraceContext | null,
  ) => Promise<OrderRecord>;
  /**
   * Looks up every invoice of the order: a code can be paid after it was replaced, after its deadline, and after the price changed.
   * @param terms `open` is not looked up: it is about to be shown, and the page follows it
   * @throws OrderPaid; ProxyError `service_unavailable` if one cannot be looked up: without knowing, no second payment
   */
  readonly refuseIfPaid: (
    order: OrderRecord,
    terms: { readonly open: RememberedInvoice | null; readonly trace: TraceContext | null },
  ) => Promise<void>;
  /** Looks an attempt of unknown outcome up, and returns it as it is then. */
  refresh(attempt: RememberedAttempt, trace: TraceContext | null): Promise<RememberedAttempt>;
  /**
   * Tries an unverified match: an invoice that is said to be the order's unresolved charge. It is believed if a look-up agrees in
   * reference, total and method. A refused one only if it is known to be this charge's: it may belong to a former card of the
   * order, and then its refusal proves nothing.
   * @param lookUpId the id that the service takes in a look-up
   * @returns whether an unknown outcome is bound to it now, or the charge has ended
   * @throws ProxyError where it cannot be looked up
   */
  tryUnverifiedMatch(externalId: string, lookUpId: string): Promise<boolean>;
}

/** What it needs. */
interface UnresolvedChargeParts {
  readonly ledger: Ledger;
  readonly lookUp: LookUps['lookUp'];
  readonly lookUpNamed: LookUps['lookUpNamed'];
  readonly guards: CardGuards;
  readonly now: () => number;
}

/** Makes the look-ups of unresolved charges. */
export function createUnresolvedCharges(parts: UnresolvedChargeParts): UnresolvedCharges {
  const { ledger, lookUp, lookUpNamed, guards, now } = parts;
  const askedAtMs = new Map<string, number>();

  return {
    async refuseUnlessPayable(externalId, before, trace) {
      const open = before.cards.find(isOpen);
      if (open && !before.paid) await lookAgain(open, before, trace);
      const order = open ? await ledger.find(externalId) : before;
      if (order.paid) throw new OrderPaid(order.paid);
      if (order.cards.some(isOpen)) throw inProgress();
      return order;
    },

    async refuseIfPaid({ invoices }, { open, trace }) {
      for (const former of invoices.toReversed()) {
        if (former === open) continue;
        const result = await lookUp(former, { trace }).catch(nullIfUnknown);
        if (result?.classification === 'paid') throw new OrderPaid({ ...former, status: 'paid' });
        // The merchant has to look at it before the order can be paid again, unless that has happened.
        if (result?.classification === 'mismatch' && !former.isReleased) throw inProgress();
      }
    },

    async refresh(attempt, trace) {
      if (attempt.progress.state !== 'unknown') return attempt;
      await lookAgain(attempt, await ledger.find(attempt.externalId), trace);
      const known = await ledger.findAttempts(attempt.key);
      return known.find(({ scope }) => scope === attempt.scope) ?? attempt;
    },

    async tryUnverifiedMatch(externalId, lookUpId) {
      const record = await ledger.find(externalId);
      const card = record.cards.find(isOpen);
      if (!card || !invoiceIdPattern.test(lookUpId)) return false;
      const isNamed = (one: IssuedInvoice) => [one.invoiceId, one.lookUpId].includes(lookUpId);
      const own = findCardInvoice(card, record);
      if (own && isNamed(own)) return tryOwn(card, own);
      // A known invoice belongs to another card, or is a Pix code of the order.
      const mayBeAny = card.progress.state === 'sent' || card.progress.state === 'unknown';
      return mayBeAny && !record.invoices.some(isNamed) && tryNamed(card, lookUpId);
    },
  };

  /** The invoice that the charge's own create answer named. */
  async function tryOwn(card: RememberedAttempt, own: IssuedInvoice): Promise<boolean> {
    const found = await lookUp(own, { freshSinceMs: now() });
    // Recorded once more: a look-up does not say whether its result could be recorded.
    const refused = await recordCardStatus(ledger, own, found, now());
    if (refused) guards.note(refused, 'refused');
    const isBound = found.classification === 'open' && card.progress.state === 'unknown';
    return isBound || found.classification === 'paid' || found.classification === 'refused';
  }

  async function tryNamed(card: RememberedAttempt, lookUpId: string): Promise<boolean> {
    const { externalId, totalCents, method } = card;
    const named = { lookUpId, externalId, totalCents, method, deadlineMs: null };
    const { issued, result } = await lookUpNamed(named);
    if (isOther(result) || result.classification === 'refused') return false;
    await ledger.recordInvoice(toFoundInvoice(issued, result.data, now()), card);
    return true;
  }

  async function lookAgain(
    attempt: RememberedAttempt,
    record: OrderRecord,
    trace: TraceContext | null,
  ): Promise<void> {
    const invoice = findCardInvoice(attempt, record);
    if (!invoice || !isDue(invoice.invoiceId)) return;
    // A failed look-up changes nothing for the payer; it is in the log.
    await lookUp(invoice, { trace }).catch(() => undefined);
  }

  function isDue(invoiceId: string): boolean {
    for (const [id, atMs] of askedAtMs) {
      if (Math.abs(now() - atMs) >= pauseMs) askedAtMs.delete(id);
    }
    if (askedAtMs.has(invoiceId)) return false;
    askedAtMs.set(invoiceId, now());
    return true;
  }
}

/** The invoice of a charge: its own, or the unverified match while its outcome is unknown; null: none is known. */
export function findCardInvoice(
  attempt: RememberedAttempt,
  { invoices }: OrderRecord,
): IssuedInvoice | null {
  if (attempt.progress.state === 'unknown') return attempt.progress.candidate;
  return invoices.find(({ invoiceId }) => invoiceId === toInvoiceId(attempt.progress)) ?? null;
}

/** An invoice the service does not know cannot be paid, so it must not block its order. */
function nullIfUnknown(thrown: unknown): null {
  if (thrown instanceof ProxyError && thrown.code === 'not_found') return null;
  throw thrown;
}
