/**
 * Receives the service's postbacks. A postback is only a hint: the proxy records it in the order, which makes look-ups due, and
 * answers once that is durable, so that a process that dies loses nothing. The due work does the rest.
 */

import { createWarnings, logError } from '../../set-up/log.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { recordPostback, type PostbackOutcome } from '../../order/due.js';
import { ProxyError, toUnavailableError } from '../../set-up/proxy-error.js';
import type { FindNamed, PostbackWatch } from '../../run/look-up.js';
import { withTimeout } from '../../runtime/running.js';
import { LedgerError, record, type OrderStore } from '../../store/order-store.js';
import type { PostbackReferences } from '../tokens/tokens.js';
import { invoiceIdPattern } from '../../../contract/types.js';
import { isAnnouncedTooLarge, readText } from '../../../service/body.js';
import { maxBodyBytes, type LazyRequest } from '../request.js';

/** Longest time that the store may take before a postback is answered, milliseconds. */
const longestMs = 5_000;

/**
 * How often a dropped postback is logged for one order, milliseconds. Any client that knows the address could fill the log
 * otherwise.
 */
const droppedEveryMs = 60_000;

interface PostbackParts {
  readonly settings: Settings;
  readonly store: Pick<OrderStore, 'change' | 'passThrottle'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly findNamed: FindNamed;
  /** Runs the tasks of an order that are due. */
  readonly runOrder: (externalId: string) => Promise<void>;
  readonly postbackWatch: Pick<PostbackWatch, 'notePostback'>;
}

export type ReceivePostback = ReturnType<typeof createPostbacks>;

export function createPostbacks(parts: PostbackParts) {
  const { settings, store, references, findNamed, runOrder, postbackWatch } = parts;
  const { now, log, startTimer, backgroundJobs } = settings;
  const warn = createWarnings(log, now);

  /**
   * Records a postback.
   * @param toRequest called only if the reference is good
   * @returns whether the reference is good. Then the postback is accepted, and the due work of its order runs after the
   * answer; without background jobs it runs before, because the runtime may stop the process after the answer
   * @throws ProxyError `service_unavailable` if the postback could not be recorded, so that the service sends it again
   */
  return async function receive(reference: string, toRequest: () => PostbackRequest) {
    const externalId = await references.open(reference);
    if (externalId === null) return false;
    postbackWatch.notePostback(externalId);
    // The body is read before the answer is sent, because a server may drop it afterwards.
    const lookUpId = await readNamedInvoice(toRequest(), settings);
    const became = await write(externalId, lookUpId);
    if (became === 'unknown') await lookUpNamed(externalId, lookUpId);
    if (became === 'full') await logDropped(externalId, lookUpId);
    const work = runOrder(externalId);
    if (!backgroundJobs) await work;
    if (became === 'full') throw toUnavailableError();
    return true;
  };

  /** Records the postback in the order. @throws ProxyError `service_unavailable` if the store fails or is slow */
  async function write(externalId: string, lookUpId: string | null): Promise<PostbackOutcome> {
    try {
      return await withTimeout(
        startTimer,
        longestMs,
        () => record(store, externalId, recordPostback, { lookUpId }),
        () => new LedgerError('TIMEOUT'),
      );
    } catch (thrown) {
      logError(log, thrown, { operation: 'postback', externalId });
      throw toUnavailableError();
    }
  }

  /**
   * Looks up an invoice whose order the store does not know, because the store may have lost it. The service gets 2xx once
   * the invoice is in the order, or the log names it as `postback_unknown`.
   */
  async function lookUpNamed(externalId: string, lookUpId: string | null): Promise<void> {
    if (lookUpId === null) {
      warn({ level: 'warn', event: 'postback_unknown', operation: 'postback', externalId });
      return;
    }
    try {
      await findNamed(externalId, lookUpId, { priority: 'background' });
    } catch (thrown) {
      if (!(thrown instanceof ProxyError))
        logError(log, thrown, { operation: 'postback', externalId });
      throw toUnavailableError();
    }
  }

  /** Logs, once a minute for an order, that it has no room for the id. */
  async function logDropped(externalId: string, lookUpId: string | null): Promise<void> {
    const about = { operation: 'postback', externalId } as const;
    const invoiceId = lookUpId ?? '';
    const name = `postback dropped ${externalId}`;
    const isFirst = await store.passThrottle(name, droppedEveryMs).catch(() => true);
    if (isFirst) log({ level: 'warn', event: 'postback_dropped', ...about, invoiceId });
  }
}

// Reads the id of the invoice from a postback's body, and nothing else. A body that cannot be read, or is too large,
// names no invoice.

/** Longest time for a body, milliseconds. A slower one counts as empty. */
const longestBodyMs = 5_000;

export type PostbackRequest = Pick<LazyRequest, 'headers' | 'isBodyUsed' | 'openBody'>;

/**
 * Reads the invoice id.
 * @returns the id in the field `postbackInvoiceField` of a JSON object, of any content type; null if there is none
 */
async function readNamedInvoice(
  { headers, openBody, isBodyUsed }: PostbackRequest,
  settings: Pick<Settings, 'postbackInvoiceField' | 'startTimer'>,
): Promise<string | null> {
  if (isBodyUsed() || isAnnouncedTooLarge(headers, maxBodyBytes)) return null;
  try {
    const reader = openBody();
    const giveUp = () => void reader?.cancel().catch(() => undefined);
    const stopTimer = settings.startTimer(giveUp, longestBodyMs);
    try {
      return findInvoiceId(await readText(reader, maxBodyBytes), settings.postbackInvoiceField);
    } finally {
      stopTimer();
    }
  } catch {
    // The body was read before, is too large, not UTF-8 or not JSON, or the client disconnected.
    return null;
  }
}

function findInvoiceId(text: string, field: string): string | null {
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.hasOwn(value, field)) return null;
  const id: unknown = Reflect.get(value, field);
  return typeof id === 'string' && invoiceIdPattern.test(id) ? id : null;
}
