/**
 * Tells operators of words for a status that nobody listed: an order may wait for ever because of one.
 *
 * Owns how often each is told. One that is no word is told without it, for it may hold anything. Knows no invoice and no verdict.
 */

import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { isStatusWord } from '../gateway/passed-on.js';
import type { LogEntry } from '../config/options.js';

/** Most words told by one process. */
const maxTold = 100;

/** What the look-up was about. */
export type Subject = Pick<LogEntry, 'operation' | 'externalId' | 'invoiceId'>;

/** Notes the status that a look-up named. */
export type NoteStatus = (status: string, subject: Subject) => void;

/** Makes the function that tells each word once. */
export function createUnknownStatuses(statuses: Settings['statuses'], log: Log): NoteStatus {
  const told = new Set<string>();
  return function noteStatus(status, subject) {
    const isKnown = status === 'pending' || status === 'paid' || statuses.refused.has(status);
    if (isKnown || told.size >= maxTold) return;
    const serviceStatus = isStatusWord(status) ? status : null;
    const name = serviceStatus ?? '';
    if (told.has(name)) return;
    told.add(name);
    const entry = { level: 'warn', event: 'unknown_status', ...subject } as const;
    log(serviceStatus === null ? entry : { ...entry, serviceStatus });
  };
}
