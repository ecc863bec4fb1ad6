/** Turns errors that no step handled into a `ProxyError`: of the ledger, of the set-up, or of this package. */

import { createWarnings, errorNameOf, faultOf } from '../config/log.js';
import type { Log } from '../config/log.js';
import { LedgerError } from '../ledger/ledger-error.js';
import { ProxyError, SetupError, broken, unavailable } from './proxy-error.js';

/** Makes a `ProxyError` of any thrown value, and logs it where no other part has. */
export type ToProxyError = (thrown: unknown) => ProxyError;

export function createUnexpectedErrors(log: Log, now: () => number): ToProxyError {
  const warn = createWarnings(log, now);
  return function toProxyError(thrown) {
    if (thrown instanceof SetupError) {
      warn({ level: 'warn', event: thrown.event, hint: thrown.hint });
    }
    if (thrown instanceof ProxyError) return thrown;
    log({ level: 'error', event: faultOf(thrown), errorName: errorNameOf(thrown) });
    return thrown instanceof LedgerError ? unavailable() : broken();
  };
}
