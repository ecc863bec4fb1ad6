/**
 * Creates the invoice of an order. `createCreateInvoice` has the checks in their order, `parseCreateRequest` reads the request
 * before them, and `answerWithToken` adds the look-up token afterwards.
 */

import type { CreatedInvoice, CreateRequest } from '../../contract/types.js';
import type { PayableOrder, CreateInvoiceInput, OrderQuestion } from '../set-up/options/options.js';
import type { Settings } from '../set-up/options/read-options.js';
import { toCreatedInvoice, type PricedPayment } from '../outside/invoice-forms.js';
import { claimedForMs } from '../order/attempts.js';
import type { MadeInvoice, Attempt, Order } from '../order/order.js';
import { findPaidInvoice, findInvoice, isCard, toInvoiceId } from '../order/order.js';
import { readOrder, type OrderStore } from '../store/order-store.js';
import type { ShopStore } from '../store/shop-store.js';
import { priceOrder, type PricedOrder, type LazyQuestion } from '../outside/merchant.js';
import { barIfFailed, type PayByCard } from '../run/card.js';
import type { PayByPix } from '../run/pix.js';
import type { RunAsk } from '../run/run-ask.js';
import { markNow } from '../runtime/running.js';
import {
  OrderPaid,
  ProxyError,
  toInProgressError,
  toOrderTokenError,
  toUnavailableError,
  SetupError,
  toFieldPath,
} from '../set-up/proxy-error.js';
import type { LookUps } from '../run/look-up.js';
import { readTrace } from '../../service/client.js';
import { BodyError, isAnnouncedTooLarge, readText } from '../../service/body.js';
import { createWarnings, type Log } from '../set-up/log.js';
import { isSignedForPayer, type LookUpTokens, type OrderTokens } from './tokens/tokens.js';
import type { CountRequest } from './address-limit.js';
import { maxBodyBytes, type LazyRequest } from './request.js';
import * as z from 'zod/mini';
import { createRequestSchema, type cardSchema } from '../../contract/schemas.js';
import { digest } from '../runtime/signatures.js';
import { dayMs } from '../../domain/spans.js';

interface Creation {
  readonly request: CreateRequest;
  /** Null for the merchant's own server, which needs neither a key nor an order token. */
  readonly fromBrowser: FromBrowser | null;
  readonly clientAddress: string | null;
}

interface FromBrowser {
  readonly key: string;
  readonly request: LazyRequest;
  /** Whether the proxy is closing. Then it sends no payment, because it could not record the outcome. */
  readonly isClosing: boolean;
}

/** A page's creation: `readPageCreation` reads its body and key, the handler adds the rest. */
interface PageCreation extends FromBrowser, Pick<Creation, 'clientAddress'> {
  readonly body: unknown;
}

interface CreateParts extends OrderParts {
  readonly payByPix: PayByPix;
  readonly payByCard: PayByCard;
  readonly runAsk: RunAsk;
}

export interface PageQuestion {
  /** The text of `?external_id=`; null if it is absent, because an order token also names the order. */
  readonly externalId: string | null;
  /** The browser's request, with its key and order token. The merchant's code gets it too. */
  readonly request: LazyRequest;
  readonly clientAddress: string | null;
}

/** The parts that all operations on an order share. */
export interface OrderParts {
  readonly settings: Settings;
  readonly store: ShopStore;
  readonly countRequest: CountRequest;
  readonly refuseReused: RefuseReused;
  readonly tokens: LookUpTokens;
  readonly orderTokens: OrderTokens;
  readonly notePaid: LookUps['notePaid'];
}

export type CreateInvoice = ReturnType<typeof createCreateInvoice>;

/** Creates `createInvoice` for the merchant's own server, and `createForPage` for pages. */
export function createCreateInvoice(parts: CreateParts) {
  const { settings, store, runAsk, countRequest, orderTokens } = parts;
  const { requireOrderToken, now, randomUuid, log } = settings;
  const warnOfTotal = createWarnings(log, now, ({ externalId = '' }) => externalId);

  return { createInvoice, createForPage };

  /** Creates the invoice for a page. @throws as `createInvoice` does; also `invalid_request` */
  async function createForPage({ body, clientAddress, ...fromBrowser }: PageCreation) {
    const request = parseCreateRequest(body, settings.rawCard);
    return createInvoice({ request, fromBrowser, clientAddress });
  }

  /**
   * Creates the invoice, or finds the existing one.
   * @throws ProxyError. `order_paid` carries the invoice that paid, if the order knows it
   */
  function createInvoice(creation: Creation): Promise<CreatedInvoice> {
    return countOutcome(creation, answerWithToken(parts, create(creation)));
  }

  /** Counts the creation in the metrics, by its outcome. */
  async function countOutcome<T>(
    { request: { method } }: Creation,
    answer: Promise<T>,
  ): Promise<T> {
    let outcome = 'ok';
    try {
      return await answer;
    } catch (thrown) {
      outcome = thrown instanceof ProxyError ? thrown.code : 'service_unavailable';
      throw thrown;
    } finally {
      settings.metrics?.count('pix_creations_total', { method, outcome });
    }
  }

  /** Checks the request and pays the order. If a page's card fails, its key is barred before the page gets the error. */
  async function create({ request, fromBrowser, clientAddress }: Creation): Promise<MadeInvoice> {
    const { external_id: externalId, order_token: orderToken = '', card } = request;
    const arrival = { cameAt: markNow(), isAwaited: createIsAwaited(fromBrowser) };
    if (fromBrowser && !requireOrderToken) countRequest({ externalId, clientAddress });
    const asking = {
      externalId,
      orderToken: orderToken || null,
      request: fromBrowser?.request ?? null,
    };
    const paid = parts.refuseReused(asking, pay());
    if (!card || !fromBrowser) return paid;
    const mayBar = async () =>
      !requireOrderToken || isSignedForPayer(await orderTokens.findFault(externalId, orderToken));
    return barIfFailed({ runAsk, log }, { key: fromBrowser.key, externalId, mayBar }, paid);

    /** Checks the order token, prices the order, and pays it by the method of the request. */
    async function pay(): Promise<MadeInvoice> {
      if (fromBrowser?.isClosing) throw toUnavailableError();
      const isChecked = fromBrowser && requireOrderToken;
      const fault = isChecked ? await orderTokens.findFault(externalId, orderToken) : null;
      if (fault) throw toOrderTokenError(fault);
      const order = await preferPaidError(store, externalId, price());
      const key = fromBrowser?.key ?? randomUuid();
      const payment: PricedPayment = {
        ...arrival,
        externalId,
        order,
        typedPayer: request.payer ?? {},
        clientAddress,
        idempotencyKey: key,
        trace: fromBrowser && readTrace(fromBrowser.request.headers),
      };
      const { replaces } = request;
      if (!card && !fromBrowser) return parts.payByPix({ ...payment, attempt: null, replaces });
      if (!card && !payment.isAwaited()) throw toInProgressError();
      const attempt = await toAttempt(key, request, order.total_price_cents, randomUuid());
      if (!card) return parts.payByPix({ ...payment, attempt, replaces });
      return parts.payByCard({ ...payment, attempt, card, request: asking.request });
    }

    /** Asks the merchant for the price, and compares it with the total that the page showed. */
    async function price(): Promise<PayableOrder> {
      const { method } = request;
      const question = { ...asking, method, installment: card?.installment ?? 1 };
      const order = requirePayable(await priceOrder(settings, question));
      checkExpectedTotal(request, order, warnOfTotal);
      return order;
    }
  }

  /**
   * Makes the function that says whether the page still waits. The wait counts from here, when the body has come. A page that
   * has left, or has waited for longer than a claim holds, asks again by its key, so the proxy creates nothing for this
   * request any more.
   */
  function createIsAwaited(fromBrowser: FromBrowser | null): PricedPayment['isAwaited'] {
    const cameAtMs = now();
    if (!fromBrowser) return () => true;
    const { signal } = fromBrowser.request;
    return () => !signal.aborted && now() - cameAtMs <= claimedForMs;
  }
}

/** Compares the total that the page shows with the merchant's. @throws ProxyError `amount_mismatch` if they differ */
function checkExpectedTotal(
  { external_id: externalId, expected_total_cents: shown }: CreateRequest,
  { total_price_cents: owed }: PayableOrder,
  warn: Log,
): void {
  if (shown === undefined || shown === owed) return;
  const totals = { got: String(shown), expected: String(owed) };
  warn({ level: 'warn', event: 'amount_mismatch', externalId, ...totals });
  throw new ProxyError('amount_mismatch', { field: `total_price_cents: ${owed}, not ${shown}` });
}

/** Checks that the order can be paid. @throws OrderPaid, or ProxyError `order_closed`, if there is nothing to pay */
export function requirePayable(order: PricedOrder): PayableOrder {
  if (order === 'closed') throw new ProxyError('order_closed');
  if (order === 'paid') throw new OrderPaid(null);
  return order;
}

/**
 * If the merchant's code fails, or no longer sells the order, reads the stored order, because the page of a paid order must
 * learn that it is paid.
 * @throws OrderPaid with the invoice that paid; otherwise what `priced` throws
 */
export async function preferPaidError<T>(
  store: Pick<OrderStore, 'read'>,
  externalId: string,
  priced: Promise<T>,
): Promise<T> {
  try {
    return await priced;
  } catch (thrown) {
    const paid = findPaidInvoice(await readOrder(store, externalId));
    throw paid ? new OrderPaid(paid) : thrown;
  }
}

type Answering = Pick<OrderParts, 'settings' | 'tokens' | 'notePaid'>;

/** Makes the page's answer of an invoice, with a new look-up token. @throws as {@link addPaidInvoice} does */
export async function answerWithToken(
  parts: Answering,
  invoice: Promise<MadeInvoice>,
): Promise<CreatedInvoice> {
  return addPaidInvoice(
    parts,
    invoice.then((found) => toCreatedAnswer(parts, found)),
  );
}

/** Turns `OrderPaid` into `order_paid` with the invoice that paid, and passes that invoice to `notePaid`. */
export async function addPaidInvoice<T>(parts: Answering, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof OrderPaid) || !thrown.paid) throw thrown;
    parts.notePaid(thrown.paid);
    throw new ProxyError('order_paid', { data: await toCreatedAnswer(parts, thrown.paid) });
  }
}

async function toCreatedAnswer(
  { settings, tokens }: Answering,
  found: MadeInvoice,
): Promise<CreatedInvoice> {
  return toCreatedInvoice(found, await tokens.issue(found), settings.now());
}

// Reads the data of a creation request, of a page or of the merchant's own server.

/** Reads the JSON body and the key of a page's creation. @throws ProxyError 415, 413 or 400 */
export async function readPageCreation(request: LazyRequest) {
  const body = await readJsonBody(request);
  return { body, key: readKey(request.headers), request };
}

async function readJsonBody(request: LazyRequest): Promise<unknown> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type)) {
    throw new ProxyError('invalid_request', { status: 415, field: 'Content-Type' });
  }
  if (isAnnouncedTooLarge(request.headers, maxBodyBytes)) throw toTooLargeError();
  if (request.isBodyUsed()) throw new SetupError('body_already_read');
  try {
    return JSON.parse(await readText(request.openBody(), maxBodyBytes));
  } catch (thrown) {
    const isTooLarge = thrown instanceof BodyError && thrown.problem === 'too_large';
    if (isTooLarge) throw toTooLargeError();
    // The body is not UTF-8 or not JSON, or the client disconnected.
    throw new ProxyError('invalid_request', { field: 'body' });
  }
}

function toTooLargeError(): ProxyError {
  return new ProxyError('invalid_request', { status: 413, field: 'body' });
}

/**
 * Reads a creation request.
 * @param rawCard whether card numbers may pass (option `rawCard`)
 * @throws ProxyError `invalid_request` naming the first field that is wrong, or the option that refuses a card's number
 */
function parseCreateRequest(value: unknown, rawCard: boolean): CreateRequest {
  const result = z.safeParse(createRequestSchema, value);
  if (!result.success) {
    const field = toFieldPath(result.error) || 'body';
    throw field === 'external_id' ? new SetupError('reference_refused') : toInvalidError(field);
  }
  const field = findCardFault(result.data, rawCard);
  if (field !== null) throw toInvalidError(field);
  // The schema allows undefined for absent fields, as JavaScript callers write them. JSON leaves such fields out.
  const request: CreateRequest = JSON.parse(JSON.stringify(result.data));
  return request;
}

/**
 * Reads the input of `createInvoice`.
 * @throws ProxyError `invalid_request`
 */
export function toCreateRequest(input: CreateInvoiceInput): CreateRequest {
  const { externalId, orderToken, method, payer, card, installment, replaces } = input;
  if (method === 'pix' && (installment ?? 1) !== 1) throw toInvalidError('installment');
  if (card && isRawCard(card)) throw toInvalidError('card.number');
  const request = {
    method,
    external_id: externalId,
    order_token: orderToken,
    payer,
    card: card && { ...card, installment },
    replaces,
  };
  return parseCreateRequest(request, false);
}

/**
 * Finds the field that is missing or does not suit the method; null if all do.
 * @throws SetupError `raw_card_refused` if a card number or a security code came and the option `rawCard` is off
 */
function findCardFault(
  { method, card, replaces }: z.infer<typeof createRequestSchema>,
  rawCard: boolean,
): string | null {
  if (method === 'pix') return card === undefined ? null : 'card';
  if (card === undefined) return 'card';
  if (replaces !== undefined) return 'replaces';
  if (isRawCard(card) && !rawCard) throw new SetupError('raw_card_refused');
  return card.token || card.number ? null : 'card.token';
}

function isRawCard(card: z.infer<typeof cardSchema>): boolean {
  return card.number !== undefined || card.security_code !== undefined;
}

function toInvalidError(field: string): ProxyError {
  return new ProxyError('invalid_request', { field });
}

// Reads the `Idempotency-Key` of a request, and makes its attempt. The scope of an attempt holds no personal data.

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * Reads the idempotency key.
 * @throws ProxyError `invalid_request` unless it is a random UUID: a key that can be guessed would hand one payer's invoice
 * to another
 */
export function readKey(headers: Pick<Headers, 'get'>): string {
  const key = headers.get('idempotency-key');
  if (key === null) throw new SetupError('header_missing', { expected: 'Idempotency-Key' });
  if (!uuid.test(key)) throw new ProxyError('invalid_request', { field: 'Idempotency-Key' });
  return key.toLowerCase();
}

/**
 * Makes the attempt of a request. Its scope is a digest, so the store never holds the order token.
 * @param holder a random id that is new for each request, also for a repeated one
 */
async function toAttempt(
  key: string,
  request: CreateRequest,
  totalCents: number,
  holder: string,
): Promise<Attempt> {
  const { method, external_id: externalId, order_token: orderToken = null, card } = request;
  const scope = await digest(JSON.stringify([externalId, orderToken, method]));
  const installment = card?.installment ?? 1;
  return { key, scope, externalId, method, totalCents, installment, holder };
}

// A reference names one debt. If a shop uses it again (May's fee is paid, and June's fee gets the same reference), the page
// would show June's fee as paid. So the proxy answers that the order is closed, and alerts the shop by the log and `onError`.

/**
 * How long after `onPaid` another price means another debt, milliseconds. Before that the shop may not have recorded the
 * payment.
 */
const knownAfterMs = dayMs;

export interface OrderRequest extends Pick<
  LazyQuestion<OrderQuestion>,
  'externalId' | 'orderToken' | 'request'
> {
  /** The key of the page's own attempt, if it has one. */
  readonly key?: string | null;
}

/**
 * Waits for `work`. @throws what `work` throws; but ProxyError `order_closed` in place of an OrderPaid that is about another
 * debt
 */
export type RefuseReused = <T>(asking: OrderRequest, work: Promise<T>) => Promise<T>;

export function createRefuseReused(
  settings: Settings,
  store: Pick<OrderStore, 'read' | 'now'>,
): RefuseReused {
  const { log, now, onError } = settings;
  const tell = createWarnings(alertShop, now, ({ externalId = '' }) => externalId);

  return async function refuseReused(asking, work) {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof OrderPaid && thrown.paid) await refuse(asking, thrown.paid);
      throw thrown;
    }
  };

  /** Throws `order_closed` and alerts the shop if it has known of the payment for a day and now asks another price. */
  async function refuse(asking: OrderRequest, paid: MadeInvoice): Promise<void> {
    const { key = null, ...question } = asking;
    const order = await store.read(asking.externalId).catch(() => null);
    if (!order || !isKnownToShop(order, paid, store.now()) || isOwnPayment(order, paid, key))
      return;
    const installment = toInstallment(order, paid);
    if (installment === null) return;
    const { method, totalCents } = paid;
    const owed = await priceOrder(settings, { ...question, method, installment }).catch(
      () => 'paid',
    );
    if (typeof owed === 'string' || owed.total_price_cents === totalCents) return;
    const totals = { got: String(owed.total_price_cents), expected: String(totalCents) };
    tell({ level: 'error', event: 'reference_reused', externalId: asking.externalId, ...totals });
    throw new ProxyError('order_closed');
  }

  function alertShop(entry: Parameters<typeof log>[0]): void {
    const { externalId = '', got, expected } = entry;
    log(entry);
    const what = `Order ${externalId} was paid with ${expected} cents, and resolveOrder says ${got}`;
    const error = new Error(`${what}: a reference is one debt, give each its own`);
    onError(error, { hook: 'resolveOrder', externalId });
  }
}

/**
 * Whether the shop has known of the payment for a day. The order forgets delivered events, so a paid invoice without an event
 * counts as delivered. A payment that the store does not have yet does not count.
 */
function isKnownToShop(order: Order, { invoiceId }: MadeInvoice, nowMs: number): boolean {
  const { events } = order;
  if (!findInvoice(order, invoiceId)?.isPaid) return false;
  const told = events.find(({ kind, notice }) => kind === 'paid' && notice.invoiceId === invoiceId);
  if (!told) return true;
  const { outcome, endedAtMs } = told;
  return outcome === 'delivered' && nowMs - (endedAtMs ?? nowMs) >= knownAfterMs;
}

/** Whether the page asks about its own payment. */
function isOwnPayment(
  { attempts }: Order,
  { invoiceId }: MadeInvoice,
  key: string | null,
): boolean {
  return attempts.some((one) => one.key === key && toInvoiceId(one.progress) === invoiceId);
}

/** Finds out in how many instalments the invoice was paid. @returns null if the order does not know */
function toInstallment({ attempts }: Order, paid: MadeInvoice): number | null {
  if (!isCard(paid)) return 1;
  const card = attempts.find((one) => toInvoiceId(one.progress) === paid.invoiceId);
  // The proxy made this key for a charge that only a postback named, so the number of instalments is unknown.
  return card && !card.key.startsWith('named ') ? card.installment : null;
}
