/**
 * Receives the service's postbacks. Each is only a hint: it is written into its order, which makes look-ups due, and answered
 * when that is durable, so that a process that dies loses nothing. The due work does the rest.
 */

import { createWarnings, logError } from '../../set-up/log.js';
import type { Settings } from '../../set-up/options/read-options.js';
import { recordPostback } from '../../order/due.js';
import type { PostbackOutcome } from '../../order/due.js';
import { ProxyError, toUnavailableError } from '../../set-up/proxy-error.js';
import type { FindNamed, PostbackWatch } from '../../run/look-up.js';
import { withTimeout } from '../../runtime/running.js';
import { LedgerError, record } from '../../store/order-store.js';
import type { OrderStore } from '../../store/order-store.js';
import type { PostbackReferences } from '../tokens/tokens.js';
import { invoiceIdPattern } from '../../../contract/types.js';
import { isAnnouncedTooLarge, readText } from '../../../service/body.js';
import type { LazyRequest } from '../request.js';

/** Longest the store may take before a postback is answered, milliseconds. */
const longestMs = 5_000;

/** How often it is logged that an order has no room, milliseconds: all who know its address can cause it. */
const droppedEveryMs = 60_000;

/** What postbacks need. */
interface PostbackParts {
  readonly settings: Settings;
  readonly store: Pick<OrderStore, 'change' | 'passThrottle'>;
  readonly references: Pick<PostbackReferences, 'open'>;
  readonly findNamed: FindNamed;
  /** Does what is due of an order. */
  readonly runOrder: (externalId: string) => Promise<void>;
  readonly postbackWatch: Pick<PostbackWatch, 'notePostback'>;
}

export type ReceivePostback = ReturnType<typeof createPostbacks>;

export function createPostbacks(parts: PostbackParts) {
  const { settings, store, references, findNamed, runOrder, postbackWatch } = parts;
  const { now, log, startTimer, backgroundJobs } = settings;
  const warn = createWarnings(log, now);

  /**
   * @param toRequest called only if the reference is good
   * @returns whether the reference is good. Then the postback is accepted, and the work goes on after the answer; without
   *   background jobs it is done before: nothing outlives the answer there.
   * @throws ProxyError `service_unavailable`: it could not be recorded, so that the service has to tell it again
   */
  return async function receive(reference: string, toRequest: () => PostbackRequest) {
    const externalId = await references.open(reference);
    if (externalId === null) return false;
    postbackWatch.notePostback(externalId);
    // Read before the answer: a server may drop the body of a request that was answered.
    const lookUpId = await readNamedInvoice(toRequest(), settings);
    const became = await write(externalId, lookUpId);
    if (became === 'unknown') await lookUpNamed(externalId, lookUpId);
    if (became === 'full') await logDropped(externalId, lookUpId);
    const work = runOrder(externalId);
    if (!backgroundJobs) await work;
    if (became === 'full') throw toUnavailableError();
    return true;
  };

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

  /** The store may have lost the order, and the service takes its payment: it hears 2xx once the order, or a person, knows. */
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

  async function logDropped(externalId: string, lookUpId: string | null): Promise<void> {
    const about = { operation: 'postback', externalId } as const;
    const invoiceId = lookUpId ?? '';
    const name = `postback dropped ${externalId}`;
    const isFirst = await store.passThrottle(name, droppedEveryMs).catch(() => true);
    if (isFirst) log({ level: 'warn', event: 'postback_dropped', ...about, invoiceId });
  }
}

// Reads which invoice a postback's body names, and nothing else of it. The id is only a hint. A body that cannot be read names
// no invoice.

/** Most bytes read of a body; a larger one is as if it were empty. */
const maxBodyBytes = 16 * 1024;

/** Longest a body may take, milliseconds; a slower one is as if it were empty. */
const longestBodyMs = 5_000;

/** What is read of a postback. */
export type PostbackRequest = Pick<LazyRequest, 'headers' | 'isBodyUsed' | 'openBody'>;

/**
 * @returns the invoice id in the field `postbackInvoiceField` of a JSON object, of any content type; null: there is none
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
    // Read already, too large, not UTF-8, not JSON, or a client that disconnected.
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
