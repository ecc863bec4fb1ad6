/**
 * Maps a failed call of the invoice service to a `ProxyError` and a log entry. Reads only kind, status and field name of an
 * error, never its message.
 */

import { ServiceError } from '../../service.js';
import type { ServiceErrorKind } from '../../service.js';
import type { Log } from '../config/log.js';
import { errorNameOf } from '../config/log.js';
import { ProxyError, broken, unavailable } from '../runtime/proxy-error.js';
import type { LogEntry, LogEvent } from '../config/options.js';

/** Which call failed, and about what. */
export interface Call {
  readonly operation: 'create' | 'look_up';
  readonly externalId?: string;
  readonly invoiceId?: string;
  /** The payer's data came from the browser, so that the payer can correct it. */
  readonly isPayerTyped?: boolean;
}

/** Maps failures of calls, and notes that calls succeed again. */
export interface ServiceErrors {
  toProxyError(thrown: unknown, call: Call): ProxyError;
  succeeded(): void;
}

/** @param log each failure is one entry; a refused access token is one entry until a call succeeds */
export function createServiceErrors(log: Log): ServiceErrors {
  let isTokenRefused = false;
  return {
    toProxyError(thrown, call) {
      if (thrown instanceof ProxyError) return thrown;
      if (!(thrown instanceof ServiceError)) {
        const errorName = errorNameOf(thrown);
        log({ level: 'error', event: 'unexpected_error', ...subjectOf(call), errorName });
        return broken();
      }
      const isUnauthorized = thrown.kind === 'unauthorized';
      if (!isUnauthorized || !isTokenRefused) log(toEntry(thrown, call));
      isTokenRefused ||= isUnauthorized;
      return meaningOf(thrown, call);
    },

    succeeded() {
      isTokenRefused = false;
    },
  };
}

const events: Partial<Record<ServiceErrorKind, LogEvent>> = {
  unauthorized: 'service_unauthorized',
  refused_request: 'service_refused',
  invalid_answer: 'invalid_answer',
};

function meaningOf({ kind, status, retryAfterSeconds }: ServiceError, call: Call): ProxyError {
  if (kind === 'not_found' && call.operation === 'look_up') return new ProxyError('not_found');
  // Assumed: 400 and 422 mean that the request's data is not accepted, most likely the payer's (service spec does not
  // show its validation errors). Sending the same again cannot help; a payer can correct what was typed.
  if (call.isPayerTyped && (status === 400 || status === 422)) {
    return new ProxyError('invalid_request', { field: 'payer' });
  }
  return unavailable(retryAfterSeconds);
}

function toEntry(error: ServiceError, call: Call): LogEntry {
  const { kind, status, field } = error;
  return {
    level: kind === 'unauthorized' ? 'error' : 'warn',
    event: events[kind] ?? 'service_failed',
    ...subjectOf(call),
    kind,
    ...(status === undefined ? {} : { status }),
    ...(field === undefined ? {} : { field }),
  };
}

function subjectOf({ operation, externalId, invoiceId }: Call) {
  return {
    operation,
    ...(externalId === undefined ? {} : { externalId }),
    ...(invoiceId === undefined ? {} : { invoiceId }),
  };
}
