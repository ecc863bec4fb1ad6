/**
 * What a look-up's answer means for the order, whether a page asked, a postback, a person, or the proxy by itself. The only way
 * to `paid`, and paid is never taken back.
 */

import { advanced, blocked } from './attempts.js';
import { made } from './charges.js';
import { withInvoice, withNew } from './invoices.js';
import { confirmed, heardMismatch, heardPaid, heardReturned } from './payments.js';
import { cardOf, findInvoice, isSent, isCard } from './questions.js';
import type {
  Given,
  KeptAttempt,
  KeptInvoice,
  MadeInvoice,
  NamedOutcome,
  Order,
  Step,
  WordTime,
} from './order.js';
import type { SaidOfPaid, Watching } from './payments.js';
import type { MismatchField } from './told/outbox-events.js';

/**
 * What an answer says of an invoice. `paid`: it was compared, and agrees. `refused`: a card that was not charged. `open`: not
 * decided. `foreign`: reference, total or method differ from what was created, so it is ignored. `mismatch`: our invoice is paid,
 * but differs: the merchant is told.
 */
export type Meaning = 'paid' | 'refused' | 'open' | 'foreign' | 'mismatch';

/** A look-up's answer, after it was compared with what was created. */
export interface Heard {
  /** With the total, the method and the word of the answer. */
  readonly invoice: MadeInvoice;
  readonly meaning: Meaning;
  /** The service's word; `unknown` where it is no plain word. */
  readonly word: string;
  /** What the word means for an invoice that was paid: `returned` is listed as one, `other` is in no list, `none` says nothing. */
  readonly wordIs: 'returned' | 'other' | 'none';
  /** In what it differs; null: it agrees. */
  readonly field: MismatchField | null;
  /** The Pix end-to-end id; null: none was given. */
  readonly endToEndId: string | null;
  /** Of when the answer is. Absent: of now. */
  readonly of?: WordTime;
  /** The service calls the code expired or canceled. It is offered no more, but may be paid all the same. */
  readonly isOver?: boolean;
  /** A postback, or a person, says that it is of this order: it need not be known. */
  readonly isNamed?: boolean;
}

/** What an answer changed. */
export interface HeardAnswer {
  /** Whether it is paid by now, whatever the service says. */
  readonly isPaid: boolean;
  /** What the merchant's server is told since; null: nothing new. */
  readonly news: 'paid' | 'returned' | null;
  /** The card that is refused since. */
  readonly refused: KeptAttempt | null;
  /** What a named invoice was found to be. */
  readonly is: NamedOutcome;
}

const nothing: HeardAnswer = { isPaid: false, news: null, refused: null, is: 'none' };

export function heard(order: Order, answer: Heard, given: Watching): Step<HeardAnswer> {
  const { invoice, meaning } = answer;
  const known = findInvoice(order, invoice.invoiceId);
  if (meaning === 'foreign') return [order, { ...nothing, isPaid: known?.isPaid ?? false }];
  if (known?.isPaid) return wordOfPaid(order, known, answer, given);
  switch (meaning) {
    case 'paid':
      return found(order, answer, given);
    case 'mismatch': {
      const { field } = answer;
      if (field === null) return [order, nothing];
      return [heardMismatch(order, { invoice, field }, given), { ...nothing, is: 'open' }];
    }
    case 'refused':
      return refused(order, answer, given);
    case 'open':
      return open(order, answer, known, given);
    default:
      return meaning satisfies never;
  }
}

/** Another word of a paid invoice: a return, or paid once more. */
function wordOfPaid(
  order: Order,
  known: KeptInvoice,
  answer: Heard,
  given: Given,
): Step<HeardAnswer> {
  const { meaning, word, wordIs, isNamed } = answer;
  const is = { ...nothing, isPaid: true, is: 'recorded' } as const;
  if (meaning !== 'paid' && wordIs === 'none') return [order, is];
  const status = meaning === 'paid' ? 'paid' : word;
  const said = { ...toSaid(answer), invoice: known, status };
  // One that a page asked for writes nothing.
  if (isNamed && status === (known.word ?? 'paid'))
    return [confirmed(order, known, given, answer.of), is];
  const [next, isNews] = heardReturned(order, said, given);
  return [next, { ...is, news: isNews ? 'returned' : null }];
}

function found(order: Order, answer: Heard, given: Watching): Step<HeardAnswer> {
  const { invoice, isNamed = false } = answer;
  const said = { ...toSaid(answer), status: 'paid', isListed: true };
  const [first] = heardPaid(order, said, given);
  // It went back before anyone knew that it was paid: it is paid again, or this is an old answer.
  const [paid] = heardReturned(first, said, given);
  const { invoiceId } = invoice;
  const card = cardOf(paid, invoiceId) ?? (isNamed ? sentCardOf(paid, invoice) : undefined);
  const next = card ? advanced(paid, card, { state: 'created', invoiceId }, given)[0] : paid;
  return [next, { isPaid: true, news: 'paid', refused: null, is: 'recorded' }];
}

function refused(order: Order, { invoice }: Heard, given: Given): Step<HeardAnswer> {
  const card = cardOf(order, invoice.invoiceId);
  if (!card) {
    const known = findInvoice(order, invoice.invoiceId);
    if (!known) return [order, nothing];
    // The person who released it was right.
    const next = known.isReleased ? withInvoice(order, { ...known, lookUpAtMs: null }) : order;
    return [next, { ...nothing, is: 'open' }];
  }
  const [next, isNew] = advanced(order, card, { state: 'refused' }, given);
  return [next, { ...nothing, refused: isNew ? card : null, is: 'recorded' }];
}

/** It is not decided. What the service calls returned was paid before anyone looked: that is told. */
function open(
  order: Order,
  answer: Heard,
  known: KeptInvoice | undefined,
  given: Given,
): Step<HeardAnswer> {
  const [next, is] = bound(order, answer, known, given);
  if (answer.wordIs !== 'returned' || is === 'none') return [next, { ...nothing, is }];
  const [told, isNews] = heardReturned(next, toSaid(answer), given);
  return [told, { ...nothing, is, news: isNews ? 'returned' : null }];
}

/** What an open invoice is to the order: its card's, a known one (a code, or a card that was refused or released), or a lost one. */
function bound(
  order: Order,
  { invoice, wordIs, isOver, isNamed }: Heard,
  known: KeptInvoice | undefined,
  given: Given,
): Step<NamedOutcome> {
  const card = cardOf(order, invoice.invoiceId);
  if (card?.progress.state === 'unknown')
    return [made(order, { invoice, attempt: card }, given), 'of_card'];
  if (card) return [order, 'busy'];
  if (!known) return isNamed ? adopted(order, invoice, given) : [order, 'none'];
  if (wordIs === 'returned') return [order, 'recorded'];
  if (isOver && !known.isOver) return [withInvoice(order, { ...known, isOver: true }), 'open'];
  const mayBlock = isNamed && isCard(known) && !known.isReleased;
  return mayBlock ? blocked(order, invoice, given) : [order, 'open'];
}

function toSaid({ invoice, word: status, wordIs, endToEndId, of }: Heard): SaidOfPaid {
  return { invoice, status, isListed: wordIs !== 'other', endToEndId, of };
}

/** An invoice of the order whose answer was lost: of a Pix creation that no page saw, or of a card. */
function adopted(order: Order, invoice: MadeInvoice, given: Given): Step<NamedOutcome> {
  // No payer was shown its code, and none is: it was not checked.
  if (!isCard(invoice)) return [withNew(order, { ...invoice, code: '' }, given), 'recorded'];
  const card = sentCardOf(order, invoice);
  if (card) return [made(order, { invoice, attempt: card }, given), 'of_card'];
  return blocked(withNew(order, invoice, given), invoice, given);
}

/** The card that has left, and of which nothing is known, if it was sent with this total. */
function sentCardOf({ attempts }: Order, invoice: MadeInvoice): KeptAttempt | undefined {
  return attempts.find(
    (one) => isSent(one) && one.method === invoice.method && one.totalCents === invoice.totalCents,
  );
}
