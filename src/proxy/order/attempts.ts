/**
 * Requests with an idempotency key, and how far each has come: a card leaves once for its key, and one card of an order at a
 * time. A key that ended never sends again (`keys.ts`). Over 300 lines with what is said of each: whoever changes how one state
 * follows another has to see all of them.
 */

import { queueEvent, countAlert, reopenAlerts, toOutcomeUnknownEvent } from './told/outbox.js';
import {
  recordActivity,
  hastenLookUp,
  reopenInvoice,
  settleInvoice,
  replaceInvoice,
  addInvoice,
} from './invoices.js';
import {
  findKeyEnding,
  isKeyBarred,
  addEndedKey,
  retireKeys,
  findBlockingCard,
  findCardOfInvoice,
  findInvoice,
  hasEnded,
  findInvoiceOfAttempt,
  isCard,
  isBlocking,
  isSameRequest,
  findStandingAttempts,
  toInvoiceId,
  toIssued,
  isHandedOut,
} from './order.js';
import { toFirstLookUpMs, toNextLookUpMs } from './times.js';
import { dayMs, hourMs, isWithin, minuteMs } from '../../domain/spans.js';
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
  SentAs,
} from './order.js';
import { queueNamedId } from './due.js';

/** How long a claimed attempt stands before it is sent or created, milliseconds. */
export const claimedForMs = 30_000;

/** Most attempts kept of one order. Above, the oldest that ended leave their keys, so that an order does not grow. */
const maxAttempts = 50;

/** Most entries of an order's history, for support. Above, the oldest go. */
const maxHistory = 200;

/**
 * `new`: first seen, now in progress. `known`: the same request again. `reused`: the key belongs to another request, or ended.
 * `busy`: another card of this order is in flight, pending or unknown.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** A request came, and claims its key. */
export function claimAttempt(order: Order, attempt: Attempt, given: Given): Step<Claim> {
  const { nowMs } = given;
  const known = findRepeated(order, attempt, nowMs);
  const { totalCents, installment } = attempt;
  const isRepeated = known?.totalCents === totalCents && known.installment === installment;
  if (known) return [order, isRepeated ? 'known' : 'reused'];
  const ending = findKeyEnding(order, attempt.key);
  // A page asks for its code again with the key that it got it with.
  if (ending === 'made' && !isCard(attempt)) return [order, 'known'];
  // Each press has a key of its own: what stands under this one is a request by the other method.
  const isOfOther = findStandingWithKey(order, attempt.key, nowMs).some(
    ({ method }) => method !== attempt.method,
  );
  if (ending !== null || isOfOther) return [order, 'reused'];
  if (isCard(attempt) && findBlockingCard(order, nowMs)) return [order, 'busy'];
  return [addAttempt(order, { ...attempt, progress: { state: 'claimed' } }, given), 'new'];
}

/** The attempt that a request repeats. A card's may have come under another order token: pages that are loaded again sign anew. */
export function findRepeated(
  order: Order,
  attempt: Attempt,
  nowMs: number,
): KeptAttempt | undefined {
  const withKey = findStandingWithKey(order, attempt.key, nowMs);
  const same = withKey.find((one) => isSameRequest(one, attempt));
  return same ?? (isCard(attempt) ? withKey.find(isCard) : undefined);
}

/** An attempt from which nothing left gives up. Only for its holder, and not once it has an invoice or a refusal. */
export function withdrawAttempt(order: Order, attempt: Attempt): Order {
  const attempts = order.attempts.filter(
    (one) => !isSameRequest(one, attempt) || one.holder !== attempt.holder || hasEnded(one),
  );
  return attempts.length === order.attempts.length ? order : { ...order, attempts };
}

/**
 * The page of a card is told that its key belongs to another request. Where that is one for a code, no card is ever sent for it,
 * whatever becomes of that request; where it has gone meanwhile, nothing is.
 */
export function bindKey(order: Order, key: string, given: Given): Order {
  const known = findStandingWithKey(order, key, given.nowMs);
  if (known.length === 0)
    return findKeyEnding(order, key) === null ? barKey(order, key, given) : order;
  return known.some(isCard) ? order : addEndedKey(order, key, 'made', given);
}

/**
 * A page is told that there is no attempt with its key: whatever process still holds a request with it, that can neither
 * claim nor send any more. Changes nothing where one stands.
 */
export function barKey(order: Order, key: string, given: Given): Order {
  const standing = findAttemptOfKey(order, key, given.nowMs);
  if (standing !== null) return order;
  const left = order.attempts.filter((one) => one.key !== key);
  const hasCome = left.length < order.attempts.length;
  const former = { ...order, attempts: left };
  const ended = addEndedKey(former, key, hasCome ? 'given_up' : 'barred', given);
  if (ended === former) return order;
  const happened = { atMs: given.nowMs, what: 'barred' };
  return recordActivity(
    { ...ended, history: [...order.history, happened].slice(-maxHistory) },
    given,
  );
}

/**
 * What answers for a key: an attempt; `refused` or `barred`, where only that is known of how it ended; null: nothing. Card attempts
 * go first: a payer who hears that nothing is known would pay by card again.
 */
export function findAttemptOfKey(
  order: Order,
  key: string,
  nowMs: number,
): KeptAttempt | 'refused' | 'barred' | null {
  const known = findStandingWithKey(order, key, nowMs);
  const cards = known.filter(isCard);
  // An order may have several: a page that is loaded again sends its key with a newer order token.
  const attempts = cards.length > 0 ? cards : known;
  const created = attempts.findLast(({ progress }) => progress.state === 'created');
  const standing = created ?? attempts.at(-1);
  if (standing) return standing;
  if (isKeyBarred(order, key)) return 'barred';
  return findKeyEnding(order, key) === 'refused' ? 'refused' : null;
}

/** An attempt moves to the right only. */
const states = ['claimed', 'sent', 'unknown', 'created', 'refused'] as const;

/**
 * Moves an attempt on. `sent` needs the holder of a claim that still stands. `unknown` queues `outcome_unknown`, once for each
 * holder; an unverified match becomes an invoice of the order. `refused` ends the look-ups of its card.
 * @returns whether its state changed: false for `sent` forbids to send
 */
export function advanceAttempt(
  order: Order,
  attempt: Attempt,
  progress: AttemptProgress,
  given: Given & { readonly sentForMs?: number },
): Step<boolean> {
  const { nowMs, sentForMs = 0 } = given;
  const known = findStandingAttempts(order, nowMs).find((one) => isSameRequest(one, attempt));
  if (!known) {
    // A second request shared a Pix attempt whose holder gave it up: the invoice is there all the same.
    const isRevived =
      !isCard(attempt) && progress.state === 'created' && !isKeyBarred(order, attempt.key);
    return isRevived ? [addAttempt(order, { ...attempt, progress }, given), true] : [order, false];
  }
  const steps = states.indexOf(progress.state) - states.indexOf(known.progress.state);
  const isOpened = isAfterRelease(order, known, progress, nowMs);
  const isNew =
    (steps > 0 && (progress.state !== 'sent' || known.holder === attempt.holder)) || isOpened;
  const saysMore = progress.state !== 'unknown' || progress.candidate !== null;
  if (!isNew && !(steps === 0 && saysMore))
    return [recordMatch(order, known, progress, given), false];
  const untilMs = isNew && progress.state === 'sent' ? nowMs + sentForMs : known.untilMs;
  const { released: _word, ...rest } = known;
  const isAlerted = known.progress.state === 'unknown' && progress.state === 'created';
  const next: KeptAttempt = {
    ...rest,
    ...(isOpened && reopenAlerts(order, known, known)),
    ...(isNew && isAlerted && countAlert(known)),
    progress,
    untilMs,
    changedAtMs: isNew ? nowMs : known.changedAtMs,
  };
  const moved = recordMatch(replaceAttempt(order, next), next, progress, given);
  return [isNew ? applyEnding(moved, known, progress, given) : moved, isNew];
}

/** A person said that this card was not charged. Named by its holder or its invoice: another one is never released. */
export function releaseCard(
  order: Order,
  { holder }: { readonly holder: string },
  given: Given,
): Step<boolean> {
  const { nowMs } = given;
  const card = findBlockingCard(order, nowMs);
  const state = card?.progress.state;
  if (card?.holder !== holder || state === 'claimed' || state === 'sent') return [order, false];
  const invoice = findInvoiceOfAttempt(order, card);
  if (invoice?.isPaid) return [order, false];
  const [refused] = advanceAttempt(order, card, { state: 'refused' }, given);
  const saw = { invoiceId: toInvoiceId(card.progress) };
  const attempts = refused.attempts.map((one) =>
    isSameRequest(one, card) ? { ...one, released: saw } : one,
  );
  const next = { ...refused, attempts };
  const charge = findInvoice(next, invoice?.invoiceId ?? null);
  if (!charge || !isCard(charge)) return [next, true];
  // The person may be wrong: it is looked up as any other.
  const lookUpAtMs = toNextLookUpMs(charge, null, nowMs);
  return [replaceInvoice(next, { ...charge, isReleased: true, lookUpAtMs }), true];
}

/**
 * Makes an attempt for a charge that has none, so that no other card of the order leaves until the charge is settled or a person
 * released it. No page can ask for its key, because that holds a space.
 */
export function blockByCharge(
  order: Order,
  invoice: MadeInvoice,
  given: Given,
): Step<'recorded' | 'busy'> {
  if (findBlockingCard(order, given.nowMs)) return [order, 'busy'];
  const { externalId, invoiceId, method, totalCents } = invoice;
  const names = { key: `named ${invoiceId}`, scope: `named ${externalId}`, holder: invoiceId };
  const card = { ...names, externalId, method, totalCents, installment: 1 };
  const former = order.attempts.find((one) => isSameRequest(one, card));
  const progress: AttemptProgress = { state: 'created', invoiceId };
  const others = { ...order, attempts: order.attempts.filter((one) => !isSameRequest(one, card)) };
  const alerts = reopenAlerts(order, card, former);
  const next = addAttempt(others, { ...card, ...alerts, progress }, given);
  return [reopenInvoice(addInvoice(next, invoice, given), invoice, given), 'recorded'];
}

/** It blocks the order, and if another card of it has to end first, it is named: nothing else may be paid meanwhile. */
export function blockOrNameCharge(order: Order, invoice: MadeInvoice, given: Given): Order {
  const [next, is] = blockByCharge(order, invoice, given);
  return is === 'recorded'
    ? next
    : queueNamedId(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}

/** Sent attempts whose time ran out: their outcome is unknown. @returns how many */
export function expireSentAttempts(order: Order, given: Given): Step<number> {
  const late = order.attempts.filter(
    ({ progress, untilMs }) => progress.state === 'sent' && untilMs <= given.nowMs,
  );
  const next = late.reduce(
    (before, one) => advanceAttempt(before, one, { state: 'unknown', candidate: null }, given)[0],
    order,
  );
  return [next, late.length];
}

/** Called long after a card was sent: its look-ups do not end. Tells the merchant, once for each holder. */
export function reportUndecidedCard(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: Given,
): Order {
  const card = findCardOfInvoice(order, invoiceId);
  if (card?.progress.state !== 'created' || findInvoiceOfAttempt(order, card)?.isPaid) return order;
  return queueEvent(order, toOutcomeUnknownEvent(card, invoiceId), given);
}

/** What follows from a state that an attempt came to. */
function applyEnding(
  order: Order,
  former: KeptAttempt,
  progress: AttemptProgress,
  given: Given,
): Order {
  switch (progress.state) {
    case 'unknown':
      return queueEvent(order, toOutcomeUnknownEvent(former, toInvoiceId(progress)), given);
    case 'refused': {
      const invoice = findInvoiceOfAttempt(order, former);
      const isOver = invoice && isCard(invoice) && invoice.settledAtMs === null;
      return isOver ? settleInvoice(order, invoice, given) : order;
    }
    case 'sent':
      return recordActivity(order, given);
    case 'claimed':
    case 'created':
      return order;
    default:
      return progress satisfies never;
  }
}

/** The service answers after a person's word: the card may be charged all the same, and blocks the order again. */
function isAfterRelease(
  order: Order,
  known: KeptAttempt,
  progress: AttemptProgress,
  nowMs: number,
): boolean {
  if (!known.released || findBlockingCard(order, nowMs)) return false;
  const invoiceId = toInvoiceId(progress);
  // A match that the person saw is no answer.
  return (
    progress.state === 'created' ||
    (invoiceId ?? known.released.invoiceId) !== known.released.invoiceId
  );
}

/** An unverified match becomes an invoice of the order, also when it comes late. Only then it does not open one again. */
function recordMatch(
  order: Order,
  attempt: KeptAttempt,
  progress: AttemptProgress,
  given: Given,
): Order {
  if (progress.state !== 'unknown' || progress.candidate === null) return order;
  // Only the charge it was sent with is known, and its order is the one whose card it may be, not the one that the match names.
  const issued = { ...progress.candidate, externalId: order.externalId };
  const unknown = { orderCode: '', code: '', status: 'pending' };
  const invoice: MadeInvoice = { ...issued, ...unknown, createdAtMs: given.nowMs };
  const known = findInvoice(order, invoice.invoiceId);
  if (!known) return addInvoice(order, invoice, given);
  if (attempt.progress.state !== 'unknown') return order;
  return known.settledAtMs === null
    ? hastenLookUp(order, known, toFirstLookUpMs(given.nowMs))
    : reopenInvoice(order, invoice, given);
}

function findStandingWithKey(order: Order, key: string, nowMs: number): readonly KeptAttempt[] {
  return findStandingAttempts(order, nowMs).filter((one) => one.key === key);
}

function replaceAttempt(order: Order, attempt: KeptAttempt): Order {
  const attempts = order.attempts.map((one) => (isSameRequest(one, attempt) ? attempt : one));
  return { ...order, attempts };
}

/** The order with a new attempt. Those that ended long ago, or are too many, leave their keys behind. */
function addAttempt(order: Order, attempt: KnownAttempt, given: Given): Order {
  const { nowMs } = given;
  const times = { untilMs: nowMs + claimedForMs, claimedAtMs: nowMs, changedAtMs: nowMs };
  const isOld = (one: KeptAttempt) => isDispensable(one) && nowMs - one.changedAtMs >= dayMs;
  const young = findStandingAttempts(order, nowMs).filter((one) => !isOld(one));
  const excess = young.length < maxAttempts ? undefined : young.find(isDispensable);
  const retired = order.attempts.filter((one) => isOld(one) || one === excess);
  const attempts = [...young.filter((one) => one !== excess), { ...attempt, ...times }];
  return retireKeys(recordActivity({ ...order, attempts }, given), retired, given);
}

/** What the order can do without. */
function isDispensable(one: KeptAttempt): boolean {
  return isCard(one) ? !isBlocking(one) : one.progress.state === 'created';
}

// How charges of cards end. When one may leave stands in `asks/card.ts`.

/**
 * How a charge ended. `created`: there is an invoice, paid or pending. `refused`: the card or its data was not accepted; an
 * invoice that the answer named is kept, because it may be paid all the same. `unknown`: it may have charged; `candidate` is an
 * invoice that the answer named.
 */
export type CardEnding =
  | { readonly state: 'created'; readonly invoice: MadeInvoice }
  | { readonly state: 'refused'; readonly invoice: MadeInvoice | null }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null };

/** The service answered, or its answer is not known. */
export function recordCardEnding(
  order: Order,
  { attempt, ending }: { readonly attempt: Attempt; readonly ending: CardEnding },
  given: Given,
): Order {
  switch (ending.state) {
    case 'created': {
      const known = findInvoice(order, ending.invoice.invoiceId);
      // The service named the order's own code: what became of the card is not known.
      const isOther = known !== undefined && !isCard(known);
      if (!isOther) return recordCardInvoice(order, { attempt, invoice: ending.invoice }, given);
      return advanceAttempt(order, attempt, { state: 'unknown', candidate: null }, given)[0];
    }
    case 'refused': {
      // The next payment looks it up first: a service may change its mind.
      const { invoice } = ending;
      const recorded = invoice ? recordCardInvoice(order, { attempt, invoice }, given) : order;
      return advanceAttempt(recorded, attempt, { state: 'refused' }, given)[0];
    }
    case 'unknown': {
      const candidate = ending.candidate && toIssued(ending.candidate);
      return advanceAttempt(order, attempt, { state: 'unknown', candidate }, given)[0];
    }
    default:
      return ending satisfies never;
  }
}

/** The service made a card's invoice, or answered with one. One that is known, and not paid, is that card's then, and open again. */
export function recordCardInvoice(
  order: Order,
  { invoice, attempt }: { readonly invoice: MadeInvoice; readonly attempt: Attempt },
  given: Given,
): Order {
  const isKnown = findInvoice(order, invoice.invoiceId) !== undefined;
  const recorded = addInvoice(order, invoice, given);
  const opened = isKnown ? reopenInvoice(recorded, invoice, given) : recorded;
  const { invoiceId } = invoice;
  const [next, isNew] = advanceAttempt(opened, attempt, { state: 'created', invoiceId }, given);
  return isNew ? next : recordLateAnswer(next, invoice, attempt, given);
}

/** The answer came after a person's word: it blocks the order again, as soon as another card has ended. */
function recordLateAnswer(
  order: Order,
  invoice: MadeInvoice,
  attempt: Attempt,
  given: Given,
): Order {
  const known = order.attempts.find((one) => isSameRequest(one, attempt));
  if (!isCard(invoice) || (known && !known.released)) return order;
  return blockOrNameCharge(order, invoice, given);
}

// Creations that leave for the service: the order remembers how it sent each, and limits their number.

/** Most sends kept of one order and method: above, the oldest go. */
const maxSends = 50;

/** Most codes of one order in a day, and most that are looked up before anything leaves: what a request costs has an end. */
export const maxCodes = 20;

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: hourMs };

/**
 * Most creations sent for one order in ten minutes, successful or not. More than codes, in less time: a page sends three by
 * itself for each press of the button, and a payer must not wait an hour because the service was down for a minute. An
 * invoice that no payer saw harms no one.
 */
const sendLimit = { most: 10, withinMs: 10 * minuteMs };

/** A creation is about to leave. */
export function recordSending(order: Order, { method, totalCents }: SentAs, given: Given): Order {
  const { nowMs } = given;
  const young = [...order.sends, { method, atMs: nowMs }].filter((one) => nowMs - one.atMs < dayMs);
  const excess = new Set(young.filter((one) => one.method === method).slice(0, -maxSends));
  const isKnown = order.sentAs.some(
    (one) => one.method === method && one.totalCents === totalCents,
  );
  const next = {
    ...order,
    sends: young.filter((one) => !excess.has(one)),
    sentAs: isKnown ? order.sentAs : [...order.sentAs, { method, totalCents }],
  };
  return recordActivity(next, given);
}

/** When another code may be made, milliseconds since 1970; null: now. */
export function toNextCodeAtMs({ invoices, sends }: Order, nowMs: number): number | null {
  const codes = invoices.filter(isHandedOut).map(({ createdAtMs }) => createdAtMs);
  const sent = sends.filter(({ method }) => method === 'pix').map(({ atMs }) => atMs);
  for (const { most, withinMs, times } of [
    { most: maxCodes, withinMs: dayMs, times: codes },
    { ...codeLimit, times: codes },
    { ...sendLimit, times: sent },
  ]) {
    // The one that has to leave the span before another may enter it.
    const blocking = times.filter((atMs) => isWithin(atMs, withinMs, nowMs)).at(-most);
    if (blocking !== undefined) return blocking + withinMs;
  }
  return null;
}
