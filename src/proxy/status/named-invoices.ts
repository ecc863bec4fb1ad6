/**
 * Looks up an id that is said to be an invoice of an order: by a postback to the order's own address, or by a person. What
 * agrees with what the order was sent as becomes an invoice of the order, whatever became of its attempt: the service may
 * have charged a card that it refused, or made a code whose answer was lost. What does not agree is logged by the look-up.
 */

import { invoiceIdPattern } from '../../contract/types.js';
import { errorNameOf, faultOf } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { toFoundInvoice } from '../gateway/invoice-forms.js';
import { Throttled } from '../gateway/rate-limit.js';
import { findCardInvoice, isNamedBy, isOpen } from '../ledger/ledger-rules.js';
import type {
  Attempt,
  IssuedInvoice,
  Ledger,
  NamedId,
  OrderRecord,
  RememberedAttempt,
  RememberedInvoice,
  SentAs,
} from '../ledger/ledger.js';
import { markNow } from '../runtime/moment.js';
import { ProxyError } from '../runtime/proxy-error.js';
import { toNextMs, toNextPaidMs } from './named-schedule.js';
import type { NamedOutcome } from './named-schedule.js';
import { isOther, recordCardStatus } from './record-status.js';
import type { AskForReturn } from './returns.js';
import type { CallTerms, LookUps } from './shared-look-ups.js';

/** Most look-ups of named ids of one order, over all processes. */
const limit = { most: 3, withinMs: 60_000 };

/** What it needs. */
interface NamedInvoiceParts {
  readonly settings: Pick<Settings, 'watchReturns' | 'now' | 'log'>;
  readonly ledger: Pick<
    Ledger,
    'find' | 'advanceAttempt' | 'claimAttempt' | 'recordInvoice' | 'passThrottle' | 'scheduleNamed'
  >;
  readonly lookUp: LookUps['lookUp'];
  readonly lookUpNamed: LookUps['lookUpNamed'];
  readonly askForReturn: AskForReturn;
  /** Counts how cards end. */
  readonly guards: { note(attempt: Attempt, outcome: 'refused'): void };
}

/** Look-ups of named ids. */
export interface NamedInvoices {
  /**
   * @param lookUpId the id that the service takes in a look-up
   * @throws ProxyError where it cannot be looked up
   */
  readonly tryNamed: (
    externalId: string,
    lookUpId: string,
    terms?: CallTerms,
  ) => Promise<NamedOutcome>;
  /** Looks up an id that this process has claimed, and tells the ledger when it is due again. Never rejects. */
  readonly lookUpDue: (named: NamedId, terms?: CallTerms) => Promise<void>;
}

/** Makes the look-ups of named ids. */
export function createNamedInvoices(parts: NamedInvoiceParts): NamedInvoices {
  const { ledger, lookUp, lookUpNamed, askForReturn, guards } = parts;
  const { watchReturns, now, log } = parts.settings;

  return { tryNamed, lookUpDue };

  async function lookUpDue(named: NamedId, terms?: CallTerms): Promise<void> {
    const about = { operation: 'postback', ...toSubject(named) } as const;
    try {
      if (!(await passLimit(named.externalId))) {
        await ledger.scheduleNamed(named, now() + limit.withinMs / limit.most);
        return;
      }
      const { invoices } = await ledger.find(named.externalId);
      const paid = invoices.find((one) => one.isPaid && isNamedBy(named.lookUpId, one));
      const asked = paid
        ? askAgain(paid, terms)
        : tryNamed(named.externalId, named.lookUpId, terms);
      const found = await asked.catch(toProxyError);
      const tries = found instanceof Throttled ? named.tries : named.tries + 1;
      const tried = { ...named, tries };
      const nextMs = paid
        ? toNextPaidMs(tried, found, now(), watchReturns)
        : toNextMs(tried, found, now());
      await ledger.scheduleNamed(tried, nextMs);
      const isAnswered = found === 'kept' || found === 'open' || found === 'none';
      if (nextMs === null && !isAnswered) {
        log({ level: 'warn', event: 'postback_dropped', ...about });
      }
    } catch (thrown) {
      // The claim runs out, and the id is due again.
      log({ level: 'error', event: faultOf(thrown), ...about, errorName: errorNameOf(thrown) });
    }
  }

  async function askAgain(paid: RememberedInvoice, terms?: CallTerms): Promise<'kept'> {
    await askForReturn(paid, terms);
    return 'kept';
  }

  /** Counts by throttles, which all processes share: one for each look-up that the limit allows in its time. */
  async function passLimit(externalId: string): Promise<boolean> {
    for (let slot = 1; slot <= limit.most; slot += 1) {
      const name = `postback ${externalId} ${slot}`;
      if (await ledger.passThrottle(name, limit.withinMs)) return true;
    }
    return false;
  }

  async function tryNamed(
    externalId: string,
    lookUpId: string,
    terms: CallTerms = {},
  ): Promise<NamedOutcome> {
    if (!invoiceIdPattern.test(lookUpId)) return 'none';
    const order = await ledger.find(externalId);
    const card = order.cards.find(isOpen);
    const isNamed = (one: IssuedInvoice) => isNamedBy(lookUpId, one);
    const ofCard = card ? findCardInvoice(card, order) : null;
    if (card && ofCard && isNamed(ofCard)) return tryOfCard(card, ofCard, terms);
    const known = order.invoices.find(isNamed);
    return known ? tryKnown(known, terms) : tryUnknown(order, { externalId, lookUpId }, terms);
  }

  /** Looks up the invoice that the open card's own create answer named. */
  async function tryOfCard(
    card: RememberedAttempt,
    invoice: IssuedInvoice,
    terms: CallTerms,
  ): Promise<NamedOutcome> {
    const found = await lookUp(invoice, { ...terms, begunAfter: markNow() });
    // Recorded once more: a look-up does not say whether its result could be recorded.
    const refused = await recordCardStatus(ledger, invoice, found, now());
    if (refused) guards.note(refused, 'refused');
    if (found.classification === 'open') {
      return card.progress.state === 'unknown' ? 'bound' : 'busy';
    }
    const hasEnded = found.classification === 'paid' || found.classification === 'refused';
    return hasEnded ? 'kept' : 'open';
  }

  /** Looks up an invoice that the order has already: a Pix code, or a card that was refused. Either may be paid since. */
  async function tryKnown(invoice: RememberedInvoice, terms: CallTerms): Promise<NamedOutcome> {
    const { classification } = await lookUp(invoice, { ...terms, begunAfter: markNow() });
    if (classification === 'paid') {
      const { paid } = await ledger.find(invoice.externalId);
      // A payment that could not be recorded is asked for once more.
      return paid?.invoiceId === invoice.invoiceId ? 'kept' : 'open';
    }
    const isCharge = invoice.method === 'credit_card' && !invoice.isReleased;
    return isCharge && classification === 'open' ? block(invoice) : 'open';
  }

  async function tryUnknown(
    order: OrderRecord,
    id: Pick<NamedId, 'externalId' | 'lookUpId'>,
    terms: CallTerms,
  ): Promise<NamedOutcome> {
    const sentAs = toSentAs(order);
    if (sentAs.length === 0) {
      // An earlier version sent the creation and did not record with which total, so that nothing can be compared.
      log({ level: 'warn', event: 'postback_unknown', operation: 'postback', ...toSubject(id) });
      return 'none';
    }
    const { issued, result } = await lookUpNamed({ ...id, deadlineMs: null, sentAs }, terms);
    if (isOther(result) || result.classification === 'refused') return 'none';
    const invoice = toFoundInvoice(issued, result.data, now());
    if (issued.method === 'pix') {
      // No payer was shown its code, and none is: it was not checked.
      await ledger.recordInvoice({ ...invoice, code: '' });
      return 'kept';
    }
    const card = order.cards.find(isSent);
    const isOfCard = card?.totalCents === issued.totalCents;
    await ledger.recordInvoice(invoice, isOfCard ? card : undefined);
    if (result.classification === 'paid') return 'kept';
    return isOfCard ? 'bound' : block(invoice);
  }

  /**
   * Makes an attempt for a charge that has none, so that no other card of the order leaves until the charge is settled or a
   * person released it. No page can ask for its key, because that holds a space.
   */
  async function block(invoice: RememberedInvoice): Promise<NamedOutcome> {
    const { externalId, invoiceId, method, totalCents } = invoice;
    const names = { key: `named ${invoiceId}`, scope: `named ${externalId}`, holder: invoiceId };
    const attempt = { ...names, externalId, method, totalCents, installment: 1 };
    if ((await ledger.claimAttempt(attempt)) === 'busy') return 'busy';
    await ledger.recordInvoice(invoice, attempt);
    return 'kept';
  }
}

/** What an unknown invoice of the order may be, the likeliest first: the card whose answer is missing, then the newest. */
function toSentAs({ cards, sentAs, invoices }: OrderRecord): SentAs[] {
  const newestFirst = [...invoices, ...sentAs, ...cards].toReversed();
  return [...cards.filter(isSent), ...newestFirst];
}

function toSubject({ externalId, lookUpId: invoiceId }: Pick<NamedId, 'externalId' | 'lookUpId'>) {
  return { externalId, invoiceId };
}

/** Whether a card has left, and nothing is known of it. */
function isSent({ progress: { state } }: RememberedAttempt): boolean {
  return state === 'sent' || state === 'unknown';
}

/** The failure of a look-up, which is in the log already. */
function toProxyError(thrown: unknown): ProxyError {
  if (thrown instanceof ProxyError) return thrown;
  throw thrown;
}
