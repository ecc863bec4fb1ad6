/**
 * Keeps a request that is repeated from having its effect twice: one attempt per `Idempotency-Key`, and one worker at a
 * time per order (order lock). Nothing personal is in a key's scope or fingerprint.
 */

import type { CreateRequest } from '../../contract/types.js';
import type { Settings } from '../config/read-options.js';
import { LedgerError } from '../store/ledger-error.js';
import { isOpen } from '../ledger/ledger-rules.js';
import type { Attempt, Ledger, RememberedAttempt, RememberedInvoice } from '../ledger/ledger.js';
import { startJobLoop } from '../runtime/work.js';
import { OrderPaid, PageLeft, ProxyError, inProgress } from '../runtime/proxy-error.js';

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** How long an order lock outlives its process, milliseconds. */
const leaseMs = 5_000;

/** How often the lease is renewed during the work, milliseconds. One renewal may fail. */
const renewEveryMs = 1_600;

/** How often a process asks for a lock that another one has, milliseconds. */
const askAgainMs = 150;

/** How long it asks, milliseconds: longer than the lease of a process that died. Then it answers the page when to come back. */
const patienceMs = 8_000;

/** How long a request looks first whether there is a code since another one came, milliseconds. */
const justMs = 30_000;

/** @throws ProxyError `invalid_request`: a key that can be guessed would hand one payer's invoice to another */
export function readKey(headers: Headers): string {
  const key = headers.get('idempotency-key') ?? '';
  if (!uuid.test(key)) throw new ProxyError('invalid_request', { field: 'Idempotency-Key' });
  return key.toLowerCase();
}

/**
 * The attempt of a request. Its scope is a digest, so the order token is not kept.
 * @param holder a new random id for each request, a repeated one too
 */
export async function toAttempt(
  key: string,
  request: CreateRequest,
  totalCents: number,
  holder: string,
): Promise<Attempt> {
  const { method, external_id: externalId, order_token: orderToken = null, card } = request;
  const name = new TextEncoder().encode(JSON.stringify([externalId, orderToken, method]));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', name));
  const scope = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const installment = card?.installment ?? 1;
  return { key, scope, externalId, method, totalCents, installment, holder };
}

/**
 * Runs the work of a Pix attempt, which may run again for a repeated request. `isNew`: the key was not seen before.
 * @throws ProxyError `key_reused`, or what the work throws; then the key is free again
 */
export async function runAttempt(
  ledger: Ledger,
  attempt: Attempt,
  work: (isNew: boolean) => Promise<RememberedInvoice>,
): Promise<RememberedInvoice> {
  const claim = await ledger.claimAttempt(attempt);
  if (claim === 'reused') throw new ProxyError('key_reused');
  try {
    const invoice = await work(claim === 'new');
    await ledger.advanceAttempt(attempt, { state: 'created', invoiceId: invoice.invoiceId });
    return invoice;
  } catch (thrown) {
    // A repeated request that fails leaves the first one's attempt as it is.
    if (claim === 'new') await ledger.releaseAttempt(attempt);
    throw thrown;
  }
}

/**
 * The attempt of a key; its being barred is one. Card attempts go first: a payer who hears that nothing is known would pay by
 * card again.
 * @param externalId null: a page of an older version, which names no order
 * @returns null: none is known, or it is not plain which: this promises nothing
 */
export async function findAttempt(
  ledger: Pick<Ledger, 'findAttempts'>,
  key: string,
  externalId: string | null,
): Promise<RememberedAttempt | null> {
  const isMeant = (one: RememberedAttempt) =>
    externalId === null ? one.progress.state !== 'barred' : one.externalId === externalId;
  const known = (await ledger.findAttempts(key, externalId ?? undefined)).filter(isMeant);
  const cards = known.filter(({ method }) => method === 'credit_card');
  const attempts = cards.length > 0 ? cards : known;
  // One order may have several: a page that is loaded again sends its key with a newer order token.
  const attempt =
    attempts.findLast(({ progress }) => progress.state === 'created') ??
    attempts.findLast(isOpen) ??
    attempts.at(-1);
  const isOfTwo = attempts.some((one) => one.externalId !== attempt?.externalId);
  return attempt && !isOfTwo ? attempt : null;
}

/**
 * The invoice that answers an attempt, however often it is asked for.
 * @throws ProxyError `in_progress`, `payment_refused`, `outcome_unknown`, `not_found` only where its key is barred; `OrderPaid`
 *   if another payment paid the order
 */
export async function toAttemptInvoice(
  ledger: Ledger,
  { externalId, progress }: RememberedAttempt,
): Promise<RememberedInvoice> {
  if (progress.state === 'claimed' || progress.state === 'sent') throw inProgress();
  const { invoices, paid } = await ledger.find(externalId);
  const ownId = progress.state === 'created' ? progress.invoiceId : null;
  if (paid && paid.invoiceId !== ownId) throw new OrderPaid(paid);
  if (progress.state === 'refused') throw new ProxyError('payment_refused');
  if (progress.state === 'barred') throw new ProxyError('not_found');
  const invoice = invoices.find(({ invoiceId }) => invoiceId === ownId);
  if (!invoice) throw new ProxyError('outcome_unknown');
  return invoice;
}

/**
 * Runs work on an order while no other work on it runs, in this process and in those that share the ledger. It spares the
 * service a second creation; that an order has one code rests on the ledger's `recordCode`, because a process that stood
 * still loses its lease without noticing.
 * @param findMade finds what the work would make, where another request has made it meanwhile; null: there is none
 * @throws ProxyError `in_progress`: another process is at work; or why the work that it waited for failed in an outage
 */
export type WithOrderLock = <T>(...wanted: Wanted<T>) => Promise<T>;

type Wanted<T> = [externalId: string, work: () => Promise<T>, findMade: () => Promise<T | null>];

/** Makes the order locks of one proxy. */
export function createOrderLock(
  ledger: Pick<Ledger, 'acquireOrderLock' | 'releaseOrderLock'>,
  { now, randomUuid, startTimer }: Pick<Settings, 'now' | 'randomUuid' | 'startTimer'>,
): WithOrderLock {
  const running = new Map<string, Promise<unknown>>();
  /** When this process worked on an order last. Who comes soon afterwards needs no lock. */
  const workedAtMs = new Map<string, number>();
  return async (externalId, work, findMade) => {
    if (hasJustWorked(externalId)) {
      const made = await findMade();
      if (made !== null) return made;
    }
    for (let former = running.get(externalId); former; former = running.get(externalId)) {
      // Those who waited share an outage: else a crowd would send one creation after another.
      await former.catch((thrown: unknown) => {
        if (isShared(thrown)) throw thrown;
      });
      const made = await findMade();
      if (made !== null) return made;
    }
    const own = withLease(externalId, work, findMade);
    running.set(externalId, own);
    try {
      return await own;
    } finally {
      running.delete(externalId);
      workedAtMs.delete(externalId);
      workedAtMs.set(externalId, now());
    }
  };

  function hasJustWorked(externalId: string): boolean {
    for (const [id, atMs] of workedAtMs) {
      if (Math.abs(now() - atMs) < justMs) break;
      workedAtMs.delete(id);
    }
    return workedAtMs.has(externalId);
  }

  async function withLease<T>(...[externalId, work, findMade]: Wanted<T>): Promise<T> {
    const owner = randomUuid();
    const acquire = () => ledger.acquireOrderLock(externalId, owner, leaseMs);
    // The work goes on if a renewal fails.
    const renew = () => acquire().then(nothing, nothing);
    try {
      const made = await waitFor(acquire, findMade);
      if (made !== null) return made;
      const times = { firstMs: renewEveryMs, everyMs: renewEveryMs };
      const renewal = startJobLoop(renew, times, startTimer);
      // Waits for a renewal in flight: it would acquire the lock again after its release.
      return await work().finally(renewal.close);
    } finally {
      // Also after a failed acquire: a ledger that rejects may have acted all the same. If this fails, the lease expires.
      await ledger.releaseOrderLock(externalId, owner).catch(nothing);
    }
  }

  /** @returns what the other process made meanwhile; null: the lock is ours */
  async function waitFor<T>(
    acquire: () => Promise<number>,
    findMade: () => Promise<T | null>,
  ): Promise<T | null> {
    const giveUpAtMs = now() + patienceMs;
    for (let freeInMs = await acquire(); freeInMs > 0; freeInMs = await acquire()) {
      if (now() >= giveUpAtMs) throw inProgress(Math.ceil(freeInMs / 1_000));
      await new Promise<void>((resolve) => void startTimer(resolve, askAgainMs));
      const made = await findMade();
      if (made !== null) return made;
    }
    return null;
  }
}

const nothing = () => undefined;

/** Whether the others who wait for the order would fail in the same way, each after a wait of its own. */
function isShared(thrown: unknown): boolean {
  if (thrown instanceof LedgerError) return true;
  if (thrown instanceof PageLeft) return false;
  return thrown instanceof ProxyError && /^(?:service_unavailable|in_progress)$/.test(thrown.code);
}
