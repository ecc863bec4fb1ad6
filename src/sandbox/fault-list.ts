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
  'server_error',
  'cut_before',
  'redirect',
] as const;

/** Faults that strike when the operation has had its effect: the caller cannot know. */
export const lateKinds = [
  'delay',
  'hang',
  'server_error_after_effect',
  'cut_after',
  'garbage',
  'empty',
  'invalid_json',
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
  /** `redirect`: which one. */
  http_status: z.exactOptional(z.literal([301, 302, 303, 307, 308])),
});

/** The body that sets all faults at once: of those that fit a call, the first that is not used up strikes. */
export const faultList = z.array(fault);

/** One fault that is set. */
export type Fault = z.infer<typeof fault>;
