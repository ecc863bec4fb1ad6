/**
 * Logs each status of the service that the options do not list, once: an order may wait for ever because of one. A status
 * that is not a plain word is logged without its text.
 */

import type { Log } from '../config/log.js';
import type { Settings } from '../config/read-options.js';
import { isStatusWord } from '../gateway/passed-on.js';
import type { LogEntry } from '../config/options.js';

/** Most words logged by one process. */
const maxLogged = 100;

/** What the look-up was about. */
export type Subject = Pick<LogEntry, 'operation' | 'externalId' | 'invoiceId'>;

/** Notes the status that a look-up named. */
export type NoteStatus = (status: string, subject: Subject) => void;

/** Makes the function that logs each word once. */
export function createUnknownStatuses(statuses: Settings['statuses'], log: Log): NoteStatus {
  const logged = new Set<string>();
  return function noteStatus(status, subject) {
    const isKnown = status === 'pending' || status === 'paid' || statuses.refused.has(status);
    if (isKnown || logged.size >= maxLogged) return;
    const serviceStatus = isStatusWord(status) ? status : null;
    const name = serviceStatus ?? '';
    if (logged.has(name)) return;
    logged.add(name);
    const entry = { level: 'warn', event: 'unknown_status', ...subject } as const;
    log(serviceStatus === null ? entry : { ...entry, serviceStatus });
  };
}
