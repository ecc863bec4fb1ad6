/** What a caller is told when something other than the service failed: our record of orders, the set-up, or we ourselves. */

import { createWarnings, errorNameOf, faultOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import { LedgerError } from '../ledger/ledger-error.js';
import { ProxyError, broken, unavailable } from './proxy-error.js';
import { SetupRefusal } from './setup-errors.js';

/** Makes a refusal of whatever was thrown, and logs what no part has logged yet. */
export type ToProxyError = (thrown: unknown) => ProxyError;

/** Makes the one exit for errors of one proxy. */
export function createUnexpectedErrors(log: Log, now: () => number): ToProxyError {
  const warn = createWarnings(log, now);
  return function toProxyError(thrown) {
    if (thrown instanceof SetupRefusal) {
      warn({ level: 'warn', event: thrown.event, hint: thrown.hint });
    }
    if (thrown instanceof ProxyError) return thrown;
    log({ level: 'error', event: faultOf(thrown), errorName: errorNameOf(thrown) });
    return thrown instanceof LedgerError ? unavailable() : broken();
  };
}
