/**
 * Requests that are refused because of how the merchant set the proxy up. No payer can correct that, so the operator is
 * told what to do.
 */

import type { ErrorCode } from '../../contract/codes.js';
import { ProxyError } from './proxy-error.js';

interface SetupFault {
  readonly code: ErrorCode;
  readonly status: number;
  /** What to look at: the `detail` of the problem. */
  readonly field: string;
  /** What to do. */
  readonly hint: string;
}

const faults = {
  origin_refused: {
    code: 'invalid_request',
    status: 403,
    field: 'allowedOrigins',
    hint: 'Add the origin of your page to allowedOrigins: scheme, host and port, as the browser sends it',
  },
  body_already_read: {
    code: 'invalid_request',
    status: 400,
    field: 'bodyUsed',
    hint: 'Mount the proxy before express.json() and everything else that reads request bodies',
  },
  path_outside_public_url: {
    code: 'not_found',
    status: 404,
    field: 'publicUrl',
    hint: 'Hand requests on with their whole path: it begins with the path of publicUrl',
  },
} as const satisfies Record<string, SetupFault>;

/** A refusal whose cause is the set-up of the proxy. */
export class SetupRefusal extends ProxyError {
  readonly event: keyof typeof faults;
  readonly hint: string;

  constructor(event: keyof typeof faults) {
    const { code, status, field, hint } = faults[event];
    super(code, { status, field });
    this.event = event;
    this.hint = hint;
  }
}
