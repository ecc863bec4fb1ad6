/**
 * Requests with an idempotency key and how far each has come. A card is sent once for its key, an order has one card at a
 * time, and nothing is sent for a key that ended. All changes of an attempt's state stand in this file, so that they can be
 * read together.
 */

import { queueEvent, toNextAlert, toReopenedAlert, toOutcomeUnknownEvent } from './told/outbox.js';
import {
  findBlockingCard,
  findCardOfInvoice,
  findInvoice,
  hasEnded,
  findInvoiceOfAttempt,
  isCard,
  isBlocking,
  findStandingAttempts,
  toInvoiceId,
  toIssued,
  recordActivity,
  replaceInvoice,
  type Attempt,
  type AttemptProgress,
  type Given,
  type IssuedInvoice,
  type KeptAttempt,
  type KeptInvoice,
  type Order,
  type KnownAttempt,
  type MadeInvoice,
  type Step,
  type SentAs,
} from './order.js';
import { toFirstLookUpMs, toNextLookUpMs } from './times.js';
import { dayMs, isNear } from '../../domain/spans.js';
import { queueNamedId } from './due.js';

/** How long a claim holds until the attempt is sent or created, milliseconds. */
export const claimedForMs = 30_000;

/** Most attempts that an order keeps. Above this, the oldest ended ones are dropped, and only their keys are kept. */
const maxAttempts = 50;

/** Most history entries that an order keeps, for support. Above this, the oldest are dropped. */
const maxHistory = 200;

/**
 * The result of claiming a key. `new`: this request is the first. `known`: the same request came again. `reused`: the key
 * belongs to another request, or has ended. `busy`: another card blocks the order.
 */
export type Claim = 'new' | 'known' | 'reused' | 'busy';

/** Adds the attempt of a request, and so claims its key. Changes nothing unless the claim is `new`. */
export function claimAttempt(order: Order, attempt: Attempt, given: Given): Step<Claim> {
  const { nowMs } = given;
  const known = findRepeatedAttempt(order, attempt, nowMs);
  const { totalCents, installment } = attempt;
  const isRepeated = known?.totalCents === totalCents && known.installment === installment;
  if (known) return [order, isRepeated ? 'known' : 'reused'];
  const ending = findKeyEnding(order, attempt.key);
  // A page that asks for its code again uses the key with which it got the code.
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
 * Finds the attempt that a request repeats. A card's attempt may have come with another order token, because a reloaded
 * page has a new one.
 */
export function findRepeatedAttempt(
  order: Order,
  attempt: Attempt,
  nowMs: number,
): KeptAttempt | undefined {
  const withKey = findStandingWithKey(order, attempt.key, nowMs);
  const same = withKey.find((one) => isSameRequest(one, attempt));
  return same ?? (isCard(attempt) ? withKey.find(isCard) : undefined);
}

/**
 * Removes an attempt that charged nothing: it was not sent, or the service did not take it. Changes nothing if another
 * request holds the attempt, or if it has an invoice or was refused.
 */
export function withdrawAttempt(order: Order, attempt: Attempt): Order {
  const attempts = order.attempts.filter(
    (one) => !isSameRequest(one, attempt) || one.holder !== attempt.holder || hasEnded(one),
  );
  return attempts.length === order.attempts.length ? order : { ...order, attempts };
}

/**
 * Ensures that no other card is sent with this key, before a page is told that the key belongs to another request. If that
 * request is for a code, the key counts as ended; if it is gone meanwhile, the key is barred. Changes nothing if a card has
 * the key.
 */
export function closeKeyToCards(order: Order, key: string, given: Given): Order {
  const known = findStandingWithKey(order, key, given.nowMs);
  if (known.length === 0)
    return findKeyEnding(order, key) === null ? barKey(order, key, given) : order;
  return known.some(isCard) ? order : addEndedKey(order, key, 'made', given);
}

/**
 * Bars a key, and drops its attempt if the claim ran out, before a page is told that no attempt with the key exists. After
 * that no process that still holds a request with this key can claim or send it. Changes nothing if `findAttemptOfKey` has
 * an answer already. Nor does it if all kept keys are too young to make room: the page must not be told that no attempt
 * exists then.
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
 * Finds the attempt that answers for a key, or `refused` or `barred` if only that is known. A card's attempt goes first,
 * because a payer who does not learn of it would pay by card again.
 * @returns null if nothing is known of the key
 */
export function findAttemptOfKey(
  order: Order,
  key: string,
  nowMs: number,
): KeptAttempt | 'refused' | 'barred' | null {
  const known = findStandingWithKey(order, key, nowMs);
  const cards = known.filter(isCard);
  // There may be several attempts, because a reloaded page sends its key with a new order token.
  const attempts = cards.length > 0 ? cards : known;
  const created = attempts.findLast(({ progress }) => progress.state === 'created');
  const standing = created ?? attempts.at(-1);
  if (standing) return standing;
  if (isKeyBarred(order, key)) return 'barred';
  return findKeyEnding(order, key) === 'refused' ? 'refused' : null;
}

/** An attempt only moves to a later state of this list. */
const states = ['claimed', 'sent', 'unknown', 'created', 'refused'] as const;

/**
 * Moves an attempt to a later state, never back; the same state only brings its invoice up to date. `sent` needs the holder
 * of a valid claim, and lasts `sentForMs`: then the outcome is unknown. `unknown` queues `outcome_unknown`, and its
 * candidate becomes an invoice of the order. `refused` ends the look-ups of the card.
 *
 * Two exceptions: a card that a person released opens again if the service created its invoice or names one that the person
 * had not seen, and a Pix attempt that was dropped comes back if its code was created.
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
    // A second request may share a Pix attempt that its holder has given up. The invoice exists all the same.
    const isRevived =
      !isCard(attempt) && progress.state === 'created' && !isKeyBarred(order, attempt.key);
    return isRevived ? [addAttempt(order, { ...attempt, progress }, given), true] : [order, false];
  }
  const steps = states.indexOf(progress.state) - states.indexOf(known.progress.state);
  const isOpened = isReleaseUndone(order, known, progress, nowMs);
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
    ...(isOpened && toReopenedAlert(order, known, known)),
    ...(isNew && isAlerted && toNextAlert(known)),
    progress,
    untilMs,
    changedAtMs: isNew ? nowMs : known.changedAtMs,
  };
  const moved = recordCandidate(replaceAttempt(order, next), next, progress, given);
  // The alert needs the new number, but the invoice to settle is that of the former state.
  const former = { ...next, progress: known.progress };
  return [isNew ? applyNewState(moved, former, progress, given) : moved, isNew];
}

/**
 * Releases the card of this holder because a person said that it was not charged: it ends as refused, and its invoice is
 * still looked up.
 * @returns false if this card does not block the order, or is claimed, sent or paid
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
 * @returns `busy`, with nothing changed, if another card blocks the order
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
  const alerts = toReopenedAlert(order, card, former);
  const next = addAttempt(others, { ...card, ...alerts, progress }, given);
  return [reopenInvoice(addInvoice(next, invoice, given), invoice, given), 'recorded'];
}

/**
 * Lets a charge that no attempt of the order made block the order. If another card has to end first, queues the charge's id
 * for a look-up, which holds further cards and new codes back.
 */
export function blockOrQueueCharge(order: Order, invoice: MadeInvoice, given: Given): Order {
  const [next, is] = blockByCharge(order, invoice, given);
  return is === 'recorded'
    ? next
    : queueNamedId(order, { lookUpId: invoice.lookUpId, forMs: 0 }, given)[0];
}

/** Marks each sent card whose answer did not come in time as unknown. @returns how many */
export function markUnansweredCards(before: Order, given: Given): Step<number> {
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

/** Queues `outcome_unknown` about a card that is still pending. The caller has found that the service takes too long. */
export function reportUndecidedCard(
  order: Order,
  { invoiceId }: IssuedInvoice,
  given: Given,
): Order {
  const card = findCardOfInvoice(order, invoiceId);
  if (card?.progress.state !== 'created' || findInvoiceOfAttempt(order, card)?.isPaid) return order;
  return queueEvent(order, toOutcomeUnknownEvent(card, invoiceId), given);
}

/**
 * Applies what follows from an attempt's new state: `unknown` queues the alert, `refused` ends the look-ups of its invoice,
 * `sent` keeps the order longer.
 */
function applyNewState(
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
      const isOpen = invoice && isCard(invoice) && invoice.settledAtMs === null;
      return isOpen ? settleInvoice(order, invoice, given) : order;
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
 * Whether this new state undoes a person's release of the card: the service created its invoice, or named one that the
 * person had not seen. The card may be charged all the same. False while another card blocks the order.
 */
function isReleaseUndone(
  order: Order,
  known: KeptAttempt,
  progress: AttemptProgress,
  nowMs: number,
): boolean {
  if (!known.released || findBlockingCard(order, nowMs)) return false;
  const invoiceId = toInvoiceId(progress);
  // An invoice that the person saw is no new answer.
  return (
    progress.state === 'created' ||
    (invoiceId ?? known.released.invoiceId) !== known.released.invoiceId
  );
}

/**
 * Has the candidate looked up soon (the invoice that an unclear answer to the charge named): adds it to the order, or opens
 * it again if it had ended. A known invoice stays as it is once the attempt is no longer `unknown`.
 */
function recordCandidate(
  order: Order,
  attempt: KeptAttempt,
  progress: AttemptProgress,
  given: Given,
): Order {
  if (progress.state !== 'unknown' || progress.candidate === null) return order;
  // The candidate may name another reference. It is looked up as this order's card all the same.
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

/** Whether two attempts are of the same request: they have the same key in the same scope. */
export function isSameRequest(one: Attempt, other: Attempt): boolean {
  return one.key === other.key && one.scope === other.scope;
}

/** Finds the attempts with this key that still stand. */
function findStandingWithKey(order: Order, key: string, nowMs: number): readonly KeptAttempt[] {
  return findStandingAttempts(order, nowMs).filter((one) => one.key === key);
}

/** Replaces the attempt of the same request. */
function replaceAttempt(order: Order, attempt: KeptAttempt): Order {
  const attempts = order.attempts.map((one) => (isSameRequest(one, attempt) ? attempt : one));
  return { ...order, attempts };
}

/**
 * Adds an attempt and drops others: claims that ran out, attempts that have been dispensable for a day, and the oldest
 * dispensable one if there are `maxAttempts`. The order keeps the keys of those that ended.
 */
function addAttempt(order: Order, attempt: KnownAttempt, given: Given): Order {
  const { nowMs } = given;
  const times = { untilMs: nowMs + claimedForMs, claimedAtMs: nowMs, changedAtMs: nowMs };
  const isOld = (one: KeptAttempt) => isDispensable(one) && nowMs - one.changedAtMs >= dayMs;
  const young = findStandingAttempts(order, nowMs).filter((one) => !isOld(one));
  const excess = young.length < maxAttempts ? undefined : young.find(isDispensable);
  const retired = order.attempts.filter((one) => isOld(one) || one === excess);
  const attempts = [...young.filter((one) => one !== excess), { ...attempt, ...times }];
  return addKeysOfAttempts(recordActivity({ ...order, attempts }, given), retired, given);
}

/** Whether the order needs only the key of this attempt: its card was refused, or it has its Pix code. */
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
export type CardOutcome =
  | { readonly state: 'created'; readonly invoice: MadeInvoice }
  | { readonly state: 'refused'; readonly invoice: MadeInvoice | null }
  | { readonly state: 'unknown'; readonly candidate: IssuedInvoice | null };

/**
 * Records how a charge ended, or that its outcome is not known: moves its attempt, and adds the invoice that the answer
 * named. If the service named one of the order's own codes, the outcome is unknown.
 */
export function recordCardOutcome(
  order: Order,
  { attempt, ending }: { readonly attempt: Attempt; readonly ending: CardOutcome },
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

/**
 * Records the invoice of a card, whose attempt becomes `created`. An invoice that the order has is opened again unless it is
 * paid. If a person released the card, or the order dropped its attempt, the charge blocks the order again.
 */
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
 * If a person released the card, or the order has dropped its attempt, the charge blocks the order again: at once, or as soon
 * as another card that blocks it now has ended. Otherwise changes nothing.
 */
function blockByLateAnswer(
  order: Order,
  invoice: MadeInvoice,
  attempt: Attempt,
  given: Given,
): Order {
  const known = order.attempts.find((one) => isSameRequest(one, attempt));
  if (!isCard(invoice) || (known && !known.released)) return order;
  return blockOrQueueCharge(order, invoice, given);
}

// Invoices that creations and look-ups bring
//
// An invoice contains the time of its next look-up, until a look-up ends it.

/** Adds an invoice and schedules its first look-up. Changes nothing if the order has the invoice already. */
export function addInvoice(order: Order, invoice: MadeInvoice, { nowMs }: Given): Order {
  if (findInvoice(order, invoice.invoiceId)) return order;
  const added: KeptInvoice = {
    ...invoice,
    settledAtMs: null,
    lookUpAtMs: toFirstLookUpMs(nowMs),
    lapsedAtMs: null,
    shownAtMs: null,
  };
  return recordActivity({ ...order, invoices: [...order.invoices, added] }, { nowMs });
}

/**
 * Opens a known invoice again, with the fields of the service's new answer, and has it looked up soon. Changes nothing if
 * it is paid or of the other method, so that a card's answer never overwrites a code.
 */
function reopenInvoice(order: Order, invoice: MadeInvoice, { nowMs }: Given): Order {
  const known = findInvoice(order, invoice.invoiceId);
  if (!known || known.isPaid || known.method !== invoice.method) return order;
  const { lapsedAtMs, shownAtMs, differsIn, alert } = known;
  // A person has decided about the mismatch. If the invoice differs again, it gets a new alert.
  const asked = differsIn === undefined ? { ...(alert && { alert }) } : toNextAlert(known);
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, toFirstLookUpMs(nowMs));
  const open = { settledAtMs: null, lookUpAtMs, lapsedAtMs, shownAtMs };
  return replaceInvoice(order, { ...invoice, ...asked, ...open });
}

/** Marks an invoice as settled now and ends its look-ups. */
function settleInvoice(order: Order, invoice: KeptInvoice, { nowMs }: Given): Order {
  return replaceInvoice(order, { ...invoice, settledAtMs: nowMs, lookUpAtMs: null });
}

/** Makes an invoice's look-up due at this time, unless it is due before. */
export function hastenLookUp(order: Order, known: KeptInvoice, atMs: number): Order {
  const lookUpAtMs = Math.min(known.lookUpAtMs ?? Infinity, atMs);
  return lookUpAtMs === known.lookUpAtMs ? order : replaceInvoice(order, { ...known, lookUpAtMs });
}

// Creations that are sent
//
// The order remembers the creations of a day. `asks/pix.ts` and `run/card-guards.ts` limit their number.

/** Most sends of one method that an order keeps. Above this, the oldest are dropped. */
const maxSends = 50;

/**
 * Records that a creation is about to be sent: its method and time in `sends`, for the limits, and its method and total once
 * in `sentAs`, to compare named ids with. The order is kept longer.
 */
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

// Keys of requests that ended
//
// The order keeps a digest of each, so that nothing is sent with such a key, however late its request comes again.

/** Most keys that an order keeps, unless more of them are young. `dropExcessKeys` says which it drops first. */
export const maxKeys = 400;

/** How long a key is young after it ended, milliseconds. A service worker may repeat a request for a week. */
const youngForMs = 8 * dayMs;

/**
 * How a key ended. `barred`: its page was told that no attempt exists, and none had come. `given_up`: the same, but an
 * attempt had come, and its claim ran out. `refused`: its card was not charged. `made`: it got a Pix code, or
 * `closeKeyToCards` ended it.
 */
export type KeyEnding = 'barred' | 'given_up' | 'refused' | 'made';

/** The letter of each ending in the stored text. Keys are dropped in this order. */
const keyLetters: Readonly<Record<KeyEnding, string>> = {
  made: 'm',
  barred: 'b',
  given_up: 'g',
  refused: 'r',
};

const endings = Object.keys(keyLetters) as readonly KeyEnding[];

/** Finds how a key of this order ended; of several endings, the last of `endings`. @returns null if none is known */
export function findKeyEnding({ keys }: Pick<Order, 'keys'>, key: string): KeyEnding | null {
  const digest = toDigest(key);
  return endings.findLast((one) => keys.includes(`${keyLetters[one]}${digest}`)) ?? null;
}

/** Whether a page was told that no attempt with this key exists. The order then accepts none. */
export function isKeyBarred(order: Pick<Order, 'keys'>, key: string): boolean {
  const ending = findKeyEnding(order, key);
  return ending === 'barred' || ending === 'given_up';
}

/**
 * Adds a key that ended. If the order then has too many, it drops an old one. A bar is not added, and the order stays
 * unchanged, while all other keys are too young to be dropped.
 */
export function addEndedKey(order: Order, key: string, ending: KeyEnding, { nowMs }: Given): Order {
  const digest = toDigest(key);
  const ended = `${keyLetters[ending]}${digest}`;
  if (digest === '' || order.keys.includes(ended)) return order;
  const youngKeys = { ...findYoungKeys(order, nowMs), [ended]: nowMs };
  const next = dropExcessKeys({ ...order, keys: [...order.keys, ended], youngKeys });
  const isBar = ending === 'barred' || ending === 'given_up';
  return isBar && next.keys.length > maxKeys ? order : next;
}

/** Adds the keys of attempts that the order is about to drop. An attempt that did not end leaves no key. */
function addKeysOfAttempts(order: Order, retired: readonly KeptAttempt[], given: Given): Order {
  return retired
    .filter(hasEnded)
    .reduce(
      (before, one) => addEndedKey(before, one.key, isCard(one) ? 'refused' : 'made', given),
      order,
    );
}

/**
 * Drops one key if there are more than `maxKeys`: goes through the endings in the order of `keyLetters`, and drops the
 * first and oldest key that is not young or got a Pix code. If there is none, keeps them all.
 */
function dropExcessKeys(order: Order): Order {
  const { keys, youngKeys = {} } = order;
  if (keys.length <= maxKeys) return order;
  const mayGo = (one: string) => one.startsWith('m') || !Object.hasOwn(youngKeys, one);
  for (const letter of Object.values(keyLetters)) {
    const at = keys.findIndex((one) => one.startsWith(letter) && mayGo(one));
    if (at >= 0) return { ...order, keys: keys.filter((_, index) => index !== at) };
  }
  return order;
}

/** Finds the keys that are still young, each with the time at which it ended. */
function findYoungKeys(
  { keys, youngKeys = {} }: Order,
  nowMs: number,
): Readonly<Record<string, number>> {
  const young = Object.entries(youngKeys).filter(
    ([one, atMs]) => keys.includes(one) && isNear(atMs, youngForMs, nowMs),
  );
  return Object.fromEntries(young);
}

/**
 * Shortens a key to the random half of its UUID: 62 bits, which do not repeat among the pages of one order.
 * @returns an empty text for a key with a space, which the proxy made itself and no request has; any other text as it is
 */
function toDigest(key: string): string {
  if (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(key)) return key.slice(19).replace('-', '');
  return key.includes(' ') ? '' : key;
}
