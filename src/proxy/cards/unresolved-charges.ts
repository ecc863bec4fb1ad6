/**
 * Finds out how a card ended that is not known to have ended: pending, or of unknown outcome.
 *
 * Owns when one is looked up and what that does to its attempt. Never calls an outcome known that no look-up told.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import { toFoundInvoice } from '../gateway/browser-data.js';
import type { CardGuards } from './card-guards.js';
import type { StatusResult, LookUps } from '../status/shared-look-ups.js';
import { isOpen } from '../ledger/attempt-rules.js';
import { toInvoiceId } from '../ledger/invoice-changes.js';
import type {
  IssuedInvoice,
  Ledger,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
} from '../ledger/ledger.js';
import { inProgress } from '../runtime/proxy-error.js';
import type { ProxyError } from '../runtime/proxy-error.js';

/** Pause between two look-ups of one open card that repeated requests cause, milliseconds. */
const pauseMs = 2_000;

/** Open cards of one proxy. */
export interface UnresolvedCharges {
  /**
   * @returns the order, none of whose cards is open
   * @throws ProxyError `order_paid`, or `in_progress` unless the order's last card turns out to be refused
   */
  readonly refuseIfOpen: (externalId: string) => Promise<OrderRecord>;
  /** The attempt as it stands when everything that may be looked up for it was. */
  refresh(attempt: RememberedAttempt): Promise<RememberedAttempt>;
  /** Tells what a look-up found to the attempt it belongs to. */
  noteFound(issued: IssuedInvoice, finding: StatusResult): Promise<void>;
  /**
   * Somebody says that this invoice is the order's open card. It is believed if a look-up agrees in reference, total and
   * method. A refused one only if it is known to be this card's: it may belong to a former card of the order, whose
   * refusal proves nothing.
   * @param lookUpId the id that the service takes in a look-up
   * @returns whether an outcome that was unknown is bound to it now, or the card has ended
   * @throws ProxyError where it cannot be looked up
   */
  tryUnverifiedMatch(externalId: string, lookUpId: string): Promise<boolean>;
}

/** What open cards need. */
export interface UnresolvedChargeParts {
  readonly ledger: Ledger;
  /** Each finding must come back through {@link UnresolvedCharges.noteFound}. */
  readonly lookUp: LookUps['lookUp'];
  readonly lookUpNamed: LookUps['lookUpNamed'];
  readonly guards: CardGuards;
  readonly now: () => number;
  readonly toOrderPaid: (paid: RememberedInvoice) => Promise<ProxyError>;
}

/** Makes what watches open cards. */
export function createUnresolvedCharges(parts: UnresolvedChargeParts): UnresolvedCharges {
  const { ledger, lookUp, lookUpNamed, guards, now, toOrderPaid } = parts;
  const askedAtMs = new Map<string, number>();

  return {
    async refuseIfOpen(externalId) {
      const before = await ledger.find(externalId);
      const open = before.cards.find(isOpen);
      if (!open) return before;
      if (!before.paid) await lookAgain(open, before);
      const record = await ledger.find(externalId);
      if (record.paid) throw await toOrderPaid(record.paid);
      if (record.cards.some(isOpen)) throw inProgress();
      return record;
    },

    async refresh(attempt) {
      if (attempt.progress.state !== 'unknown') return attempt;
      await lookAgain(attempt, await ledger.find(attempt.externalId));
      const known = await ledger.findAttempts(attempt.key);
      return known.find(({ scope }) => scope === attempt.scope) ?? attempt;
    },

    noteFound,

    async tryUnverifiedMatch(externalId, lookUpId) {
      const record = await ledger.find(externalId);
      const card = record.cards.find(isOpen);
      if (!card || !invoiceIdPattern.test(lookUpId)) return false;
      const isNamed = (one: IssuedInvoice) => [one.invoiceId, one.lookUpId].includes(lookUpId);
      const own = findCardInvoice(card, record);
      if (own && isNamed(own)) return tryOwn(card, own);
      // One that is known was another card's, or is a code of the order.
      const mayBeAny = card.progress.state === 'sent' || card.progress.state === 'unknown';
      return mayBeAny && !record.invoices.some(isNamed) && tryNamed(card, lookUpId);
    },
  };

  async function noteFound(issued: IssuedInvoice, finding: StatusResult): Promise<void> {
    const { invoiceId, externalId, method } = issued;
    if (method !== 'credit_card' || isOther(finding)) return;
    const { cards } = await ledger.find(externalId);
    const card = cards.find((one) => toInvoiceId(one.progress) === invoiceId);
    if (!card) return;
    if (finding.classification === 'refused') {
      const isNew = await ledger.advanceAttempt(card, { state: 'refused' });
      if (isNew) guards.note(card, 'refused');
    } else if (card.progress.state === 'unknown') {
      await ledger.recordInvoice(toFoundInvoice(issued, finding.data, now()), card);
    }
  }

  /** The invoice that its own creation answer named. */
  async function tryOwn(card: RememberedAttempt, own: IssuedInvoice): Promise<boolean> {
    const finding = await lookUp(own, { freshSinceMs: now() });
    // Again, for the look-up does not say whether its finding could be recorded.
    await noteFound(own, finding);
    const isBound = finding.classification === 'open' && card.progress.state === 'unknown';
    return isBound || finding.classification === 'paid' || finding.classification === 'refused';
  }

  async function tryNamed(card: RememberedAttempt, lookUpId: string): Promise<boolean> {
    const { externalId, totalCents, method } = card;
    const named = { lookUpId, externalId, totalCents, method, deadlineMs: null };
    const { issued, finding } = await lookUpNamed(named);
    if (isOther(finding) || finding.classification === 'refused') return false;
    await ledger.recordInvoice(toFoundInvoice(issued, finding.data, now()), card);
    return true;
  }

  async function lookAgain(attempt: RememberedAttempt, record: OrderRecord): Promise<void> {
    const invoice = findCardInvoice(attempt, record);
    if (!invoice || !isDue(invoice.invoiceId)) return;
    // Who waits for a card learns no more from a failed look-up than from none; it is in the log.
    await lookUp(invoice).catch(() => undefined);
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

/** Not what was created, paid or not. */
function isOther({ classification }: StatusResult): boolean {
  return classification === 'foreign' || classification === 'mismatch';
}

/** The invoice of a card: its own, or the one that may be it while its outcome is unknown; null: none is known. */
export function findCardInvoice(
  attempt: RememberedAttempt,
  { invoices }: OrderRecord,
): IssuedInvoice | null {
  if (attempt.progress.state === 'unknown') return attempt.progress.candidate;
  return invoices.find(({ invoiceId }) => invoiceId === toInvoiceId(attempt.progress)) ?? null;
}
