/** Bars the key of a card's request that failed, before its page is told. What is told is decided in `order/asks/card-failed.ts`. */

import { logError } from '../../set-up/log.js';
import type { Log } from '../../set-up/log.js';
import { isLastWord, needsBar } from '../../order/asks/card-failed.js';
import type { MadeInvoice } from '../../order/order.js';
import { inProgress, ProxyError } from '../../set-up/proxy-error.js';
import type { RunAsk } from '../run-ask.js';
import { toInvoice } from '../to-invoice.js';

interface KeyedRequest {
  readonly key: string;
  readonly externalId: string;
  /** Whether it may pay this order: others could use up what may be barred. */
  readonly mayBar: () => Promise<boolean>;
}

/** @throws what `charge` failed with, unless an attempt with its key stands: then as the order answers */
export async function barIfFailed(
  { runAsk, log }: { readonly runAsk: RunAsk; readonly log: Log },
  { key, externalId, mayBar }: KeyedRequest,
  charge: Promise<MadeInvoice>,
): Promise<MadeInvoice> {
  try {
    return await charge;
  } catch (thrown) {
    const code = thrown instanceof ProxyError ? thrown.code : 'service_unavailable';
    if (!needsBar(code) || !(await mayBar())) throw thrown;
    const ask = { kind: 'card_failed', externalId, key, code } as const;
    const answer = await runAsk(ask, { isAwaited: () => true, carryOut: {} }).catch(noteFailure);
    // Nothing keeps the request from coming again: the page asks by its key.
    if (!answer && isLastWord(code)) throw inProgress();
    if (!answer || answer.type === 'as_it_failed') throw thrown;
    return toInvoice(answer);
  }

  function noteFailure(failure: unknown): null {
    logError(log, failure, { operation: 'create', externalId });
    return null;
  }
}
