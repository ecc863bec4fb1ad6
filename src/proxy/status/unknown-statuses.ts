/**
 * Tells operators of words for a status that nobody listed: an order may wait for ever because of one.
 *
 * Owns what is a word and how often each is told. Knows no invoice and no verdict.
 */

import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import type { LogEntry } from '../config/options.js';

/** A word that may stand in the log. Whatever else a service writes is told without it: it may hold anything. */
const word = /^[\w-]{1,64}$/;

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
    const serviceStatus = word.test(status) ? status : null;
    const name = serviceStatus ?? '';
    if (told.has(name)) return;
    told.add(name);
    const entry = { level: 'warn', event: 'unknown_status', ...subject } as const;
    log(serviceStatus === null ? entry : { ...entry, serviceStatus });
  };
}
