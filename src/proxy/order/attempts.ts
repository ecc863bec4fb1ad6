/**
 * Requests with an idempotency key, and how far each has come: a card leaves once for its key, and one card of an order at a
 * time. A key that ended never sends again (`keys.ts`). Over 300 lines with what is said of each: whoever changes how one state
 * follows another has to see all of them.
 */

import { withQueued } from './told/outbox.js';
import { alive, hastened, reopened, settled, withInvoice, withNew } from './invoices.js';
import { withHistory } from './told/history.js';
import { endingOf, isBarred, withEnded, withRetired } from './keys.js';
import { alertedAnew, openedAnew } from './told/alerts.js';
import { toOutcomeUnknownNotice } from './told/notices.js';
import {
  blockingCardOf,
  findInvoice,
  hasEnded,
  invoiceOf,
  isCard,
  isOpen,
  standing,
  toInvoiceId,
} from './questions.js';
import { toFirstLookUpMs, toNextLookUpMs } from './due/times.js';
import { dayMs } from '../../domain/spans.js';
import type {
  Attempt,
  AttemptProgress,
  Given,
  IssuedInvoice,
  KeptAttempt,
  Order,
  KnownAttempt,
  MadeInvoice,
  Step,
} from './order.js';

/** How long a claimed attempt stands before it is sent or created, milliseconds. */
export const claimedForMs = 30_000;

/** Most attempts kept of one order. Above, the oldest that ended leave their keys, so that an order does not grow. */
const maxAttempts = 50;

/**
 * `new`: first seen, now in progress. `known`: the same request again. `reused`: the key belongs to another request, or ended.
 * `busy`: another card of this order is in flight, pending or unknown.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** A request came, and claims its key. */
export function claimed(order: Order, attempt: Attempt, { nowMs }: Given): Step<Claim> {
  const withKey = standingWith(order, attempt.key, nowMs);
  const same = withKey.find((one) => isSame(one, attempt));
  // A card may have come under another order token: pages that are loaded again sign anew.
  const known = same ?? (isCard(attempt) ? withKey.find(isCard) : undefined);
  const { totalCents, installment } = attempt;
  const isRepeated = known?.totalCents === totalCents && known.installment === installment;
  if (known) return [order, isRepeated ? 'known' : 'reused'];
  const ending = endingOf(order, attempt.key);
  // A page asks for its code again with the key that it got it with.
  if (ending === 'made' && !isCard(attempt)) return [order, 'known'];
  // Each press has a key of its own: what stands under this one is a request by the other method.
  const isOfOther = withKey.some(({ method }) => method !== attempt.method);
  if (ending !== null || isOfOther) return [order, 'reused'];
  if (isCard(attempt) && blockingCardOf(order, nowMs)) return [order, 'busy'];
  return [withAttempt(order, { ...attempt, progress: { state: 'claimed' } }, nowMs), 'new'];
}

/** An attempt from which nothing left gives up. Only for its holder, and not once it has an invoice or a refusal. */
export function withdrawn(order: Order, attempt: Attempt): Step<void> {
  const attempts = order.attempts.filter(
    (one) => !isSame(one, attempt) || one.holder !== attempt.holder || hasEnded(one),
  );
  return [attempts.length === order.attempts.length ? order : { ...order, attempts }, undefined];
}

/**
 * The page of a card is told that its key belongs to another request. Where that is one for a code, no card is ever sent for it,
 * whatever becomes of that request; where it has gone meanwhile, nothing is.
 */
export function bound(order: Order, key: string, given: Given): Order {
  const known = standingWith(order, key, given.nowMs);
  if (known.length === 0)
    return endingOf(order, key) === null ? barred(order, key, given)[0] : order;
  return known.some(isCard) ? order : withEnded(order, key, 'made', given);
}

/**
 * A page is told that there is no attempt with its key: whatever process still holds a request with it, that can neither
 * claim nor send any more. Changes nothing where one stands.
 * @returns the order as it stands then
 */
export function barred(order: Order, key: string, { nowMs }: Given): Step<Order> {
  if (standingWith(order, key, nowMs).length > 0) return [order, order];
  const ending = endingOf(order, key);
  if (ending !== null && ending !== 'made') return [order, order];
  const left = order.attempts.filter((one) => one.key !== key);
  const hasCome = left.length < order.attempts.length;
  const former = { ...order, attempts: left };
  const ended = withEnded(former, key, hasCome ? 'given_up' : 'barred', { nowMs });
  if (ended === former) return [order, order];
  const next = alive(withHistory(ended, 'barred', { nowMs }), { nowMs });
  return [next, next];
}

/** What stands under a key: attempts, or how the key ended. */
export function attemptsWith(order: Order, key: string, nowMs: number): readonly KnownAttempt[] {
  const known = standingWith(order, key, nowMs);
  if (known.length > 0) return known;
  const ending = endingOf(order, key);
  if (ending === null || ending === 'made') return [];
  const of = { key, scope: `ended ${order.externalId}`, externalId: order.externalId, holder: '' };
  const state = ending === 'refused' ? 'refused' : 'barred';
  const method = ending === 'refused' ? 'credit_card' : 'pix';
  return [{ ...of, method, totalCents: 0, installment: 0, progress: { state } }];
}

/**
 * The attempt that answers for a key; null: none is known. Card attempts go first: a payer who hears that nothing is known would
 * pay by card again.
 */
export function answeringFor(order: Order, key: string, nowMs: number): KnownAttempt | null {
  const known = attemptsWith(order, key, nowMs);
  const cards = known.filter(isCard);
  const attempts = cards.length > 0 ? cards : known;
  // An order may have several: a page that is loaded again sends its key with a newer order token.
  return (
    attempts.findLast(({ progress }) => progress.state === 'created') ??
    attempts.findLast(isOpen) ??
    attempts.at(-1) ??
    null
  );
}

/** An attempt moves to the right only. */
const states: readonly AttemptProgress['state'][] = [
  'claimed',
  'sent',
  'unknown',
  'created',
  'refused',
  'barred',
];

/**
 * Moves an attempt on. `sent` needs the holder of a claim that still stands. `unknown` queues `outcome_unknown`, once for each
 * holder; an unverified match becomes an invoice of the order. `refused` ends the look-ups of its card.
 * @returns whether its state changed: false for `sent` forbids to send
 */
export function advanced(
  order: Order,
  attempt: Attempt,
  progress: AttemptProgress,
  { nowMs, sentForMs = 0 }: Given & { readonly sentForMs?: number },
): Step<boolean> {
  const known = findSame(order, attempt, nowMs);
  if (!known) {
    // A second request shared a Pix attempt whose holder gave it up: the invoice is there all the same.
    const isRevived =
      !isCard(attempt) && progress.state === 'created' && !isBarred(order, attempt.key);
    if (!isRevived) return [order, false];
    return [withAttempt(order, { ...attempt, progress }, nowMs), true];
  }
  const steps = states.indexOf(progress.state) - states.indexOf(known.progress.state);
  const isOpened = isAfterRelease(order, known, progress, nowMs);
  const isNew =
    (steps > 0 && (progress.state !== 'sent' || known.holder === attempt.holder)) || isOpened;
  const saysMore = progress.state !== 'unknown' || progress.candidate !== null;
  if (!isNew && !(steps === 0 && saysMore))
    return [withMatch(order, known, progress, nowMs), false];
  const untilMs = isNew && progress.state === 'sent' ? nowMs + sentForMs : known.untilMs;
  const { released: _word, ...rest } = known;
  const isAlerted = known.progress.state === 'unknown' && progress.state === 'created';
  const next: KeptAttempt = {
    ...rest,
    ...(isOpened && openedAnew(order, known, known)),
    ...(isNew && isAlerted && alertedAnew(known)),
    progress,
    untilMs,
    changedAtMs: isNew ? nowMs : known.changedAtMs,
  };
  const moved = withMatch(replaced(order, next), next, progress, nowMs);
  return [isNew ? ended(moved, known, progress, nowMs) : moved, isNew];
}

/** A person said that this card was not charged. Named by its holder or its invoice: another one is never released. */
export function released(
  order: Order,
  { holder }: { readonly holder: string },
  { nowMs }: Given,
): Step<boolean> {
  const card = blockingCardOf(order, nowMs);
  const state = card?.progress.state;
  if (card?.holder !== holder || state === 'claimed' || state === 'sent') return [order, false];
  const invoice = invoiceOf(order, card);
  if (invoice?.isPaid) return [order, false];
  const [refused] = advanced(order, card, { state: 'refused' }, { nowMs });
  const saw = { invoiceId: toInvoiceId(card.progress) };
  const attempts = refused.attempts.map((one) =>
    isSame(one, card) ? { ...one, released: saw } : one,
  );
  const next = { ...refused, attempts };
  const charge = findInvoice(next, invoice?.invoiceId ?? null);
  if (!charge || !isCard(charge)) return [next, true];
  // The person may be wrong: it is looked up as any other.
  const lookUpAtMs = toNextLookUpMs(charge, null, nowMs);
  return [withInvoice(next, { ...charge, isReleased: true, lookUpAtMs }), true];
}

/**
 * Makes an attempt for a charge that has none, so that no other card of the order leaves until the charge is settled or a person
 * released it. No page can ask for its key, because that holds a space.
 */
export function blocked(
  order: Order,
  invoice: MadeInvoice,
  { nowMs }: Given,
): Step<'recorded' | 'busy'> {
  if (blockingCardOf(order, nowMs)) return [order, 'busy'];
  const { externalId, invoiceId, method, totalCents } = invoice;
  const names = { key: `named ${invoiceId}`, scope: `named ${externalId}`, holder: invoiceId };
  const card = { ...names, externalId, method, totalCents, installment: 1 };
  const former = order.attempts.find((one) => isSame(one, card));
  const progress: AttemptProgress = { state: 'created', invoiceId };
  const others = { ...order, attempts: order.attempts.filter((one) => !isSame(one, card)) };
  const alerts = openedAnew(order, card, former);
  const next = withAttempt(others, { ...card, ...alerts, progress }, nowMs);
  return [reopened(withNew(next, invoice, { nowMs }), invoice, { nowMs }), 'recorded'];
}

/** Sent attempts whose time ran out: their outcome is unknown. @returns how many */
export function expired(order: Order, { nowMs }: Given): Step<number> {
  const late = order.attempts.filter(
    ({ progress, untilMs }) => progress.state === 'sent' && untilMs <= nowMs,
  );
  const next = late.reduce(
    (before, one) => advanced(before, one, { state: 'unknown', candidate: null }, { nowMs })[0],
    order,
  );
  return [next, next === order ? 0 : late.length];
}

/** Called long after a card was sent: its look-ups do not end. Tells the merchant, once for each holder. */
export function undecided(
  order: Order,
  { invoiceId }: IssuedInvoice,
  { nowMs }: Given,
): Step<void> {
  const card = order.attempts.find(
    (one) =>
      isCard(one) && one.progress.state === 'created' && one.progress.invoiceId === invoiceId,
  );
  if (!card || findInvoice(order, invoiceId)?.isPaid) return [order, undefined];
  return [withUnknown(order, card, invoiceId, nowMs), undefined];
}

/** What follows from a state that an attempt came to. */
function ended(order: Order, former: KeptAttempt, progress: AttemptProgress, nowMs: number): Order {
  switch (progress.state) {
    case 'unknown':
      return withUnknown(order, former, toInvoiceId(progress), nowMs);
    case 'refused': {
      const invoice = invoiceOf(order, former);
      const isOver = invoice && isCard(invoice) && invoice.settledAtMs === null;
      return isOver ? settled(order, invoice, { nowMs }) : order;
    }
    case 'sent':
      return alive(order, { nowMs });
    case 'claimed':
    case 'created':
    case 'barred':
      return order;
    default:
      return progress satisfies never;
  }
}

function withUnknown(
  order: Order,
  card: KeptAttempt,
  invoiceId: string | null,
  nowMs: number,
): Order {
  const notice = toOutcomeUnknownNotice(card, invoiceId);
  return withQueued(order, { kind: 'outcome_unknown', notice }, { nowMs });
}

/** The service answers after a person's word: the card may be charged all the same, and blocks the order again. */
function isAfterRelease(
  order: Order,
  known: KeptAttempt,
  progress: AttemptProgress,
  nowMs: number,
): boolean {
  if (!known.released || blockingCardOf(order, nowMs)) return false;
  const invoiceId = toInvoiceId(progress);
  // A match that the person saw is no answer.
  return (
    progress.state === 'created' ||
    (invoiceId ?? known.released.invoiceId) !== known.released.invoiceId
  );
}

/** An unverified match becomes an invoice of the order, also when it comes late. Only then it does not open one again. */
function withMatch(
  order: Order,
  attempt: KeptAttempt,
  progress: AttemptProgress,
  nowMs: number,
): Order {
  if (progress.state !== 'unknown' || progress.candidate === null) return order;
  // Only the charge it was sent with is known, and its order is the one whose card it may be, not the one that the match names.
  const issued = { ...progress.candidate, externalId: order.externalId };
  const unknown = { orderCode: '', code: '', status: 'pending' };
  const invoice: MadeInvoice = { ...issued, ...unknown, createdAtMs: nowMs };
  const known = findInvoice(order, invoice.invoiceId);
  if (!known) return withNew(order, invoice, { nowMs });
  if (attempt.progress.state !== 'unknown') return order;
  return known.settledAtMs === null
    ? hastened(order, invoice, toFirstLookUpMs(nowMs))
    : reopened(order, invoice, { nowMs });
}

function findSame(order: Order, attempt: Attempt, nowMs: number): KeptAttempt | undefined {
  return standing(order, nowMs).find((one) => isSame(one, attempt));
}

function standingWith(order: Order, key: string, nowMs: number): readonly KeptAttempt[] {
  return standing(order, nowMs).filter((one) => one.key === key);
}

function isSame(one: Attempt, other: Attempt): boolean {
  return one.key === other.key && one.scope === other.scope;
}

function replaced(order: Order, attempt: KeptAttempt): Order {
  const attempts = order.attempts.map((one) => (isSame(one, attempt) ? attempt : one));
  return { ...order, attempts };
}

/** The order with a new attempt. Those that ended long ago, or are too many, leave their keys behind. */
function withAttempt(order: Order, attempt: KnownAttempt, nowMs: number): Order {
  const times = { untilMs: nowMs + claimedForMs, claimedAtMs: nowMs, changedAtMs: nowMs };
  const isOld = (one: KeptAttempt) => isDone(one) && nowMs - one.changedAtMs >= dayMs;
  const young = standing(order, nowMs).filter((one) => !isOld(one));
  const excess = young.length < maxAttempts ? undefined : young.find(isDone);
  const retired = order.attempts.filter((one) => isOld(one) || one === excess);
  const attempts = [...young.filter((one) => one !== excess), { ...attempt, ...times }];
  return withRetired(alive({ ...order, attempts }, { nowMs }), retired, { nowMs });
}

/** What the order can do without. */
function isDone(one: KeptAttempt): boolean {
  return isCard(one) ? !isOpen(one) : one.progress.state === 'created';
}
