/**
 * Requests with an idempotency key and how far each has come. A key is sent once, an order has one card at a time, and a key
 * that ended is never sent again. All changes of an attempt's state stand in this file, so that one look shows them all.
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

/** How long a claim holds before the attempt is sent or created, milliseconds. */
export const claimedForMs = 30_000;

/** Most attempts kept of one order. Above this, the oldest ended ones go and only their keys are kept. */
const maxAttempts = 50;

/** Most history entries kept of one order, for support. Above this, the oldest go. */
const maxHistory = 200;

/**
 * What claiming a key led to. `new`: this request is the first. `known`: the same request came again. `reused`: the key
 * belongs to another request, or has ended. `busy`: another card of this order blocks it.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** Claims the key of a request. */
export function claimAttempt(order: Order, attempt: Attempt, given: Given): Step<Claim> {
  const { nowMs } = given;
  const known = findRepeated(order, attempt, nowMs);
  const { totalCents, installment } = attempt;
  const isRepeated = known?.totalCents === totalCents && known.installment === installment;
  if (known) return [order, isRepeated ? 'known' : 'reused'];
  const ending = findKeyEnding(order, attempt.key);
  // A page that asks for its code again uses the key that it got it with.
  if (ending === 'made' && !isCard(attempt)) return [order, 'known'];
  // Each press of the button makes a new key, so an attempt of the other method under this key is another request.
  const isOfOther = findStandingWithKey(order, attempt.key, nowMs).some(
    ({ method }) => method !== attempt.method,
  );
  if (ending !== null || isOfOther) return [order, 'reused'];
  if (isCard(attempt) && findBlockingCard(order, nowMs)) return [order, 'busy'];
  return [addAttempt(order, { ...attempt, progress: { state: 'claimed' } }, given), 'new'];
}

/**
 * Finds the attempt that a request repeats. A card's attempt may have come with another order token, because a reloaded page
 * signs a new one.
 */
export function findRepeated(
  order: Order,
  attempt: Attempt,
  nowMs: number,
): KeptAttempt | undefined {
  const withKey = findStandingWithKey(order, attempt.key, nowMs);
  const same = withKey.find((one) => isSameRequest(one, attempt));
  return same ?? (isCard(attempt) ? withKey.find(isCard) : undefined);
}

/** Withdraws an attempt before it was sent. Only its holder can, and only while it has no invoice and no refusal. */
export function withdrawAttempt(order: Order, attempt: Attempt): Order {
  const attempts = order.attempts.filter(
    (one) => !isSameRequest(one, attempt) || one.holder !== attempt.holder || hasEnded(one),
  );
  return attempts.length === order.attempts.length ? order : { ...order, attempts };
}

/**
 * Binds the key of a card whose page is told that the key belongs to another request. If that request is for a code, no card
 * is ever sent with this key. If it is gone meanwhile, the key is barred.
 */
export function bindKey(order: Order, key: string, given: Given): Order {
  const known = findStandingWithKey(order, key, given.nowMs);
  if (known.length === 0)
    return findKeyEnding(order, key) === null ? barKey(order, key, given) : order;
  return known.some(isCard) ? order : addEndedKey(order, key, 'made', given);
}

/**
 * Bars a key, because a page is about to hear that no attempt with it exists. After that no process that still holds a request
 * with this key can claim or send it. Changes nothing if an attempt stands, or if all kept keys are too young to make room. Then a
 * page must not hear that the key is barred.
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
 * Finds the attempt that answers for a key, or `refused` or `barred` if only that is known. A card's attempt goes first: a
 * payer who hears that nothing is known would pay by card again.
 * @returns null if nothing is known of the key
 */
export function findAttemptOfKey(
  order: Order,
  key: string,
  nowMs: number,
): KeptAttempt | 'refused' | 'barred' | null {
  const known = findStandingWithKey(order, key, nowMs);
  const cards = known.filter(isCard);
  // There may be several, because a reloaded page sends its key with a new order token.
  const attempts = cards.length > 0 ? cards : known;
  const created = attempts.findLast(({ progress }) => progress.state === 'created');
  const standing = created ?? attempts.at(-1);
  if (standing) return standing;
  if (isKeyBarred(order, key)) return 'barred';
  return findKeyEnding(order, key) === 'refused' ? 'refused' : null;
}

/** An attempt moves only to a later state of this list. */
const states = ['claimed', 'sent', 'unknown', 'created', 'refused'] as const;

/**
 * Moves an attempt to its next state. `sent` needs the holder of a valid claim. `unknown` queues `outcome_unknown`, once for
 * each holder, and its candidate becomes an invoice of the order. `refused` ends the look-ups of the card.
 * @returns whether the state changed; the card may be sent only if `sent` changed it
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
    // A second request may share a Pix attempt that its holder gave up. The invoice exists all the same.
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
    return [recordCandidate(order, known, progress, given), false];
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
  const moved = recordCandidate(replaceAttempt(order, next), next, progress, given);
  return [isNew ? applyEnding(moved, known, progress, given) : moved, isNew];
}

/**
 * Releases a card because a person said that it was not charged. The holder names the card, so that no other one is released.
 */
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
  // The person may be wrong, so the invoice is still looked up.
  const lookUpAtMs = toNextLookUpMs(charge, null, nowMs);
  return [replaceInvoice(next, { ...charge, isReleased: true, lookUpAtMs }), true];
}

/**
 * Adds an attempt for a charge that has none, so that no other card of the order is sent until the charge ends or a person
 * releases it. No page can ask by its key, because the key contains a space.
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

/**
 * Lets a charge block the order. If another card has to end first, queues the charge as a named id, so that nothing else is
 * paid meanwhile.
 */
export function blockOrNameCharge(order: Order, invoice: MadeInvoice, given: Given): Order {
  const [next, is] = blockByCharge(order, invoice, given);
  return is === 'recorded'
    ? next
    : queueNamedId(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}

/** Marks sent attempts whose time ran out as unknown. @returns how many */
export function expireSentAttempts(before: Order, given: Given): Step<number> {
  let order = before;
  let count = 0;
  for (const one of before.attempts) {
    if (one.progress.state !== 'sent' || one.untilMs > given.nowMs) continue;
    const [next, isNew] = advanceAttempt(order, one, { state: 'unknown', candidate: null }, given);
    order = next;
    if (isNew) count += 1;
  }
  return [order, count];
}

/** Tells the merchant of a card that has been undecided for long, once for each holder. */
export function reportUndecidedCard(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: Given,
): Order {
  const card = findCardOfInvoice(order, invoiceId);
  if (card?.progress.state !== 'created' || findInvoiceOfAttempt(order, card)?.isPaid) return order;
  return queueEvent(order, toOutcomeUnknownEvent(card, invoiceId), given);
}

/** Applies what follows from an attempt's new state. */
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

/**
 * Whether the service's answer comes after a person released the card. The card may be charged all the same, so it blocks the
 * order again.
 */
function isAfterRelease(
  order: Order,
  known: KeptAttempt,
  progress: AttemptProgress,
  nowMs: number,
): boolean {
  if (!known.released || findBlockingCard(order, nowMs)) return false;
  const invoiceId = toInvoiceId(progress);
  // A match that the person saw is no new answer.
  return (
    progress.state === 'created' ||
    (invoiceId ?? known.released.invoiceId) !== known.released.invoiceId
  );
}

/**
 * Adds the candidate, the invoice that an unclear answer to the charge named, so that it is looked up. If the attempt has moved
 * on meanwhile, a known invoice is not reopened.
 */
function recordCandidate(
  order: Order,
  attempt: KeptAttempt,
  progress: AttemptProgress,
  given: Given,
): Order {
  if (progress.state !== 'unknown' || progress.candidate === null) return order;
  // Only the charge that was sent is known. The match belongs to this order's card, whatever reference it names.
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

/**
 * Adds an attempt. Of attempts that ended a day ago or earlier, and of the oldest ended one if there are `maxAttempts` already,
 * only the key is kept.
 */
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

/** Whether the order can forget this attempt. */
function isDispensable(one: KeptAttempt): boolean {
  return isCard(one) ? !isBlocking(one) : one.progress.state === 'created';
}

// How charges of cards end
//
// `asks/card.ts` decides when a card may be sent.

/**
 * How a charge ended.
 *
 * - `created`: the service created an invoice, paid or pending.
 * - `refused`: the service did not accept the card or its data. An invoice in its answer is kept, because it may be paid all
 *   the same.
 * - `unknown`: the card may be charged; `candidate` is an invoice that the answer named.
 */
export type CardEnding =
  | { readonly state: 'created'; readonly invoice: MadeInvoice }
  | { readonly state: 'refused'; readonly invoice: MadeInvoice | null }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null };

/** Records how a charge ended, or that its answer is not known. */
export function recordCardEnding(
  order: Order,
  { attempt, ending }: { readonly attempt: Attempt; readonly ending: CardEnding },
  given: Given,
): Order {
  switch (ending.state) {
    case 'created': {
      const known = findInvoice(order, ending.invoice.invoiceId);
      // The service named the order's own Pix code, so the outcome of the card is not known.
      const isOther = known !== undefined && !isCard(known);
      if (!isOther) return recordCardInvoice(order, { attempt, invoice: ending.invoice }, given);
      return advanceAttempt(order, attempt, { state: 'unknown', candidate: null }, given)[0];
    }
    case 'refused': {
      // A later payment looks this invoice up first, because the service may change its mind.
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

/** Records the invoice of a card. A known invoice that is not paid becomes this card's, and is open again. */
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
  return isNew ? next : blockByLateAnswer(next, invoice, attempt, given);
}

/**
 * If a person released the card, or the order has dropped its attempt, the charge blocks the order again: at once, or as soon as
 * another card that blocks it now has ended. Otherwise changes nothing.
 */
function blockByLateAnswer(
  order: Order,
  invoice: MadeInvoice,
  attempt: Attempt,
  given: Given,
): Order {
  const known = order.attempts.find((one) => isSameRequest(one, attempt));
  if (!isCard(invoice) || (known && !known.released)) return order;
  return blockOrNameCharge(order, invoice, given);
}

// Creations that are sent
//
// The order remembers how it sent each creation, and limits their number.

/** Most sends kept of one order and method. Above this, the oldest go. */
const maxSends = 50;

/** Most codes of one order in a day, and most codes that one request looks up, which limits its cost. */
export const maxCodes = 20;

/** Most new codes of one order in an hour. */
const codeLimit = { most: 3, withinMs: hourMs };

/**
 * Most creations sent for one order in ten minutes, successful or not. The limit is higher than that of codes, and shorter: a
 * page sends three creations for each press of the button, and a payer must not wait an hour because the service was down for
 * a minute. No payer sees a surplus invoice.
 */
const sendLimit = { most: 10, withinMs: 10 * minuteMs };

/** Records that a creation is about to be sent. */
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

/** When another code may be created, milliseconds since 1970; null if now. */
export function toNextCodeAtMs({ invoices, sends }: Order, nowMs: number): number | null {
  const codes = invoices.filter(isHandedOut).map(({ createdAtMs }) => createdAtMs);
  const sent = sends.filter(({ method }) => method === 'pix').map(({ atMs }) => atMs);
  for (const { most, withinMs, times } of [
    { most: maxCodes, withinMs: dayMs, times: codes },
    { ...codeLimit, times: codes },
    { ...sendLimit, times: sent },
  ]) {
    // The time that has to leave the window before another code may be created.
    const blocking = times.filter((atMs) => isWithin(atMs, withinMs, nowMs)).at(-most);
    if (blocking !== undefined) return blocking + withinMs;
  }
  return null;
}
