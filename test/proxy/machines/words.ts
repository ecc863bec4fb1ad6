/** What a test and the machines it starts say to each other. Types only. */

import type { LogEntry } from '../../../src/proxy.js';
import type { CrashPoint } from '../crash/crash-points.js';

/** How a machine is started. */
export interface MachineOptions {
  readonly ledgerUrl: string;
  readonly serviceUrl: string;
  /** Where it kills itself; null: nowhere. */
  readonly diesAt: CrashPoint | null;
  /** It stands still there instead, until it is told to go on. */
  readonly standsStill: boolean;
  /** The merchant's code listens here. */
  readonly hears: boolean;
}

/** What a machine is told to do. */
export type Order =
  | { readonly type: 'put_clock_forward'; readonly id: number; readonly byMs: number }
  | { readonly type: 'count_undelivered'; readonly id: number }
  | { readonly type: 'close' };

/** Something the merchant's code was told. */
export interface Told {
  readonly type: 'told';
  readonly hook: 'onPaid' | 'onReturned' | 'onOutcomeUnknown';
  readonly notice: { readonly externalId: string; readonly [field: string]: unknown };
}

/** What a machine tells. */
export type Report =
  | { readonly type: 'ready'; readonly port: number }
  | { readonly type: 'done'; readonly id: number; readonly undelivered?: number }
  | { readonly type: 'log'; readonly entry: LogEntry }
  | Told;
