/** The line that a proxy writes when it begins to listen: where the service's postbacks go, and whether they can come there. */

import { logHints } from '../set-up/log-hints.js';
import type { LogEntry } from '../set-up/options/options.js';
import { isPrivateAddress } from '../runtime/private-address.js';

type Reach = NonNullable<LogEntry['reach']>;

/** @param publicUrl as the options name it */
export function toStartEntry(publicUrl: string): LogEntry {
  const reach = toReach(new URL(publicUrl));
  const postbacksTo = `${publicUrl.replace(/\/+$/, '')}/postbacks/`;
  const hint = reach === 'public' ? {} : { hint: logHints.started };
  return { level: 'info', event: 'started', postbacksTo, reach, ...hint };
}

/** By the address alone: no name is looked up. */
function toReach({ hostname, port }: URL): Reach {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (/^(localhost|.+\.localhost|127\..+|::1)$/.test(host)) return 'loopback';
  const isName = !host.includes(':') && !/^[\d.]+$/.test(host);
  const isInner =
    isName && !/\.(?!local$|internal$|lan$|test$|home\.arpa$)[a-z][\w-]*$/i.test(host);
  if (isInner || (!isName && isPrivateAddress(host))) return 'private';
  return port === '' ? 'public' : 'other_port';
}
