/**
 * Sends the contract's requests to the merchant's proxy, with time-outs. Each ends in a parsed answer or a `Failure`. If the
 * answer breaks the contract, `advice` tells the page's developer how, without any value of the request or the answer.
 */

import { isErrorCode, isRetryable } from '../../contract/codes.js';
import type { ErrorCode } from '../../contract/codes.js';
import {
  findPersonalData,
  InvalidAnswer,
  parseCreatedInvoice,
  parseInvoiceStatus,
  parseProblem,
  tryTo,
} from '../../contract/readers.js';
import type { ReadProblem } from '../../contract/readers.js';
import type { CreateRequest, CreatedInvoice, InvoiceStatus } from '../../contract/types.js';
import type { Environment } from './environment.js';
import type { Failure } from '../machine/state.js';
import { toFailure, silentPauseSeconds } from '../machine/state.js';

/** Longest time for a creation, because the proxy asks the service, perhaps after it has looked former invoices up. */
const createTimeoutMs = 25_000;

/** Longest pause between two look-ups, whatever `Retry-After` asks for. */
const longestPauseSeconds = 120;

/** Longest answer that is read, in characters. */
const maxAnswerLength = 262_144;

/**
 * The statuses for a refused origin, method, type or size (contract/codes.ts). They come from a mistake in the page's set-up,
 * not in the payer's typing.
 */
const pageStatuses: readonly number[] = [403, 405, 413, 415];

/** A parsed answer, with the names of personal data that it should not contain; or the failure. */
export type Answer<T> = (
  { readonly invoice: T; readonly leaked: readonly string[] } | { readonly failure: Failure }
) & {
  /** A web server in front of the proxy asks for a password of its own (HTTP Basic). */
  readonly reason?: 'http_basic' | undefined;
  /** A text for the page's developer; empty if there is nothing to say. */
  readonly advice: string;
};

/** Codes that say nothing about the page's set-up. All others are reported to its developer. */
const usualCodes = 'in_progress payment_refused order_paid';

/** How a request is made. */
export interface RequestOptions {
  readonly endpoint: string;
  readonly environment: Environment;
  /** Aborted when the answer is no longer wanted, and after the time-out. */
  readonly over: AbortController;
}

/**
 * Sends `POST {endpoint}/invoices`; without a body `GET {endpoint}/invoices`, which asks for the outcome of the attempt with
 * this key. The question names the order, so that the proxy can bar the key.
 */
export function requestInvoice(
  options: RequestOptions,
  attemptKey: string,
  { externalId, orderToken }: { externalId: string | null; orderToken: string | null },
  body: CreateRequest | null,
): Promise<Answer<CreatedInvoice>> {
  const key = { 'Idempotency-Key': attemptKey };
  const init = body
    ? {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...key },
        body: JSON.stringify(body),
      }
    : { headers: orderToken === null ? key : { ...key, 'Order-Token': orderToken } };
  const timeoutMs = body ? createTimeoutMs : 8_000;
  const question = `?external_id=${encodeURIComponent(externalId ?? '')}&n=${countQuestion(options)}`;
  const path = `/invoices${body ? '' : question}`;
  return request(options, path, init, timeoutMs, parseCreatedInvoice);
}

/** Sends `GET {endpoint}/invoices/{id}`. */
export function lookUpInvoice(
  options: RequestOptions,
  look: { invoiceId: string; lookupToken: string | null; waitSeconds: number; timeoutMs: number },
): Promise<Answer<InvoiceStatus>> {
  const wait = look.waitSeconds > 0 ? `&wait=${look.waitSeconds}` : '';
  // The token is not in `Authorization`, because a web server with HTTP Basic needs that header.
  const headers: Record<string, string> =
    look.lookupToken === null ? {} : { 'Lookup-Token': look.lookupToken };
  const path = `/invoices/${look.invoiceId}?n=${countQuestion(options)}${wait}`;
  return request(options, path, { headers }, look.timeoutMs, parseInvoiceStatus);
}

/**
 * The last value of `n`. It differs in each question, also after a reload, because a service worker may answer from its
 * cache.
 */
let last = 0;

function countQuestion({ environment }: RequestOptions): number {
  return (last = Math.max(last + 1, environment.wallClock().getTime()));
}

/** Sends a request, and reads its answer, or why there is none. It aborts after the time-out. */
async function request<T>(
  { endpoint, environment, over }: RequestOptions,
  path: string,
  init: RequestInit,
  timeoutMs: number,
  parse: (envelope: unknown) => T,
): Promise<Answer<T>> {
  const timer = environment.setTimer(() => over.abort(), timeoutMs);
  let answered = 'did not answer: is it there, does its CORS allow this page?';
  try {
    const response = await environment.fetch(endpoint + path, {
      ...init,
      cache: 'no-store',
      // Redirects are not followed: one could send a payment request to a host that the merchant did not choose.
      redirect: 'manual',
      signal: over.signal,
    });
    answered = 'was not heard whole: did the line break, does a script of this page replace fetch?';
    // The time-out includes the body, because a slow one must not hang the checkout.
    const body = parseJson(await response.text());
    const { ok, status, headers } = response;
    answered = `answered ${status}${headers.get('Content-Type')?.includes('html') ? ' with HTML' : ''}`;
    if (response.type === 'opaqueredirect') answered = 'answered with a redirect';
    const advice = findClockAdvice(endpoint, headers, environment);
    if (ok) return { invoice: parse(body), leaked: findPersonalData(body), advice };
    const problem = parseProblem(body);
    const failure = readFailure(response, problem, environment, parse === parseInvoiceStatus);
    const why = problem ? describeFailure(failure, problem.detail) : 'without a code';
    const isBasic = /^Basic\b/i.test(headers.get('WWW-Authenticate') ?? '');
    if (isBasic) answered += ' (WWW-Authenticate: Basic)';
    return {
      failure,
      reason: isBasic ? 'http_basic' : undefined,
      advice: why ? `${endpoint} ${answered} ${why}` : advice,
    };
  } catch (error) {
    const isAnswer = error instanceof InvalidAnswer;
    const why = isAnswer ? `${answered}. ${error.message}` : answered;
    // If the element gave the request up, its failure says nothing about the proxy.
    const advice = over.signal.aborted ? '' : `${endpoint} ${why}`;
    return { failure: toClientFailure(isAnswer ? 'invalid_answer' : 'network'), advice };
  } finally {
    environment.clearTimer(timer);
  }
}

/** Describes a failure that the payer cannot correct, with its code and detail; empty for other failures. */
function describeFailure({ code }: Failure, detail: string): string {
  return usualCodes.includes(code) ? '' : code + detail;
}

/** Makes a warning, or an empty text. Clocks of proxy and device over five minutes apart make tokens end too early. */
function findClockAdvice(endpoint: string, headers: Headers, environment: Environment): string {
  const apartMs = Date.parse(headers.get('Date') ?? '') - environment.wallClock().getTime();
  return Math.abs(apartMs) > 300_000 ? `${endpoint} has another time than this device` : '';
}

function parseJson(text: string): unknown {
  return text.length > maxAnswerLength ? undefined : tryTo(() => JSON.parse(text) as unknown);
}

/** Reads an error answer: its code, or else the code for its status, and when the request may be sent again. */
function readFailure(
  response: Response,
  problem: ReadProblem | null,
  environment: Environment,
  isLookUp: boolean,
): Failure {
  const code = problem?.code ?? toErrorCode(response.status, isLookUp);
  const isOfPage =
    code === 'invalid_request' &&
    (pageStatuses.includes(response.status) || /Idempotency-Key/.test(problem?.detail ?? ''));
  const seconds = parseRetryAfter(response.headers.get('Retry-After'), environment);
  return {
    ...toClientFailure(isOfPage ? 'configuration' : code),
    told: problem !== null,
    retryAfterSeconds: seconds && Math.min(longestPauseSeconds, seconds),
    ...(seconds !== null &&
      seconds > silentPauseSeconds && { retryAtMs: environment.now() + seconds * 1_000 }),
    invoice: problem?.data ?? null,
  };
}

function toClientFailure(
  code: ErrorCode | 'network' | 'invalid_answer' | 'configuration',
): Failure {
  const retryable = isErrorCode(code) ? isRetryable(code) : code !== 'configuration';
  return { ...toFailure(code), retryable };
}

/**
 * Finds the code for an error answer without one. It came from a gateway, a firewall or a wrong address, and may pass, so the
 * payer can go on.
 */
function toErrorCode(status: number, isLookUp: boolean): ErrorCode | 'invalid_answer' {
  if (status >= 500) return 'service_unavailable';
  if (status === 429) return 'too_many_requests';
  // Loading the page again shows the password prompt, or the firewall's challenge.
  if (status === 401 || (status === 403 && !isLookUp)) return 'unauthorized';
  return status === 404 && isLookUp ? 'not_found' : 'invalid_answer';
}

/**
 * Reads Retry-After: seconds or a date (RFC 9110 section 10.2.3), limited to 1 second to 12 hours; anything else is ignored.
 */
function parseRetryAfter(value: string | null, environment: Environment): number | null {
  if (value === null) return null;
  // `Date.parse` takes more than HTTP dates, so the text must end with their time zone.
  const date = value.endsWith(' GMT') ? Date.parse(value) : NaN;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : (date - environment.wallClock().getTime()) / 1_000;
  return Number.isNaN(seconds) ? null : Math.min(43_200, Math.max(1, seconds));
}
