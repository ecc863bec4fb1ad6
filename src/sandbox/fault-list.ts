/**
 * The faults that a sandbox can be told to have, and how one is written. Knows not what they do.
 */

import * as z from 'zod/mini';

/** The operation a fault strikes. */
export type Operation = 'create' | 'look_up';

/** Faults that strike first: the operation has no effect. */
export const earlyKinds = [
  'unauthorized',
  'rate_limited',
  'client_error',
  'server_error',
  'cut_before',
  'redirect',
] as const;

/** Faults that strike when the operation has had its effect: the caller cannot know. */
export const lateKinds = [
  'delay',
  'hang',
  'redirect_after_effect',
  'client_error_after_effect',
  'server_error_after_effect',
  'cut_after',
  'garbage',
  'empty',
  'invalid_json',
  'wrong_shape',
  'truncated',
  'oversize',
  'slow_body',
  'unknown_status',
  'wrong_total',
  'foreign_reference',
  'bad_crc',
  'no_invoice_id',
] as const;

/** All faults, for a panel to choose from. */
export const faultKinds = [...earlyKinds, ...lateKinds] as const;

/** First digit of the statuses that a kind may answer with: RFC 9110 section 15. */
const statusClasses: Partial<Record<(typeof faultKinds)[number], number>> = {
  redirect: 3,
  redirect_after_effect: 3,
  client_error: 4,
  client_error_after_effect: 4,
  server_error: 5,
  server_error_after_effect: 5,
};

const fault = z.strictObject({
  on: z.enum(['create', 'look_up']),
  kind: z.enum(faultKinds),
  /** How often it strikes; null or absent: until it is taken away. */
  times: z.exactOptional(z.nullable(z.int().check(z.minimum(0)))),
  /** `delay`, and each pause of `slow_body`: milliseconds. */
  ms: z.exactOptional(z.int().check(z.minimum(0), z.maximum(600_000))),
  /** `rate_limited`: the header's value. */
  retry_after: z.exactOptional(z.union([z.string(), z.int()])),
  /** `unknown_status`: the word. */
  status: z.exactOptional(z.string()),
  /** `redirect`, `client_error`, `server_error`, after the effect too: which one. */
  http_status: z.exactOptional(z.int()),
});

/** The body that sets all faults at once: of those that fit a call, the first that is not used up strikes. */
export const faultList = z.array(
  fault.check(z.refine(hasFittingStatus, { path: ['http_status'] })),
);

/** One fault that is set. */
export type Fault = z.infer<typeof fault>;

function hasFittingStatus({ kind, http_status: status }: Fault): boolean {
  return status === undefined || Math.floor(status / 100) === statusClasses[kind];
}
