/**
 * Reads which invoice a postback's body names, and nothing else of it. The id is only a hint. A body that cannot be read names
 * no invoice.
 */

import { invoiceIdPattern } from '../../../contract/types.js';
import { announcesMore, readText } from '../../../service/call.js';
import type { Settings } from '../../set-up/options/read-options.js';
import type { LazyRequest } from '../request.js';

/** Most bytes read of a body; a larger one is as if it were empty. */
const maxBodyBytes = 16 * 1024;

/** Longest a body may take, milliseconds; a slower one is as if it were empty. */
const longestMs = 5_000;

/** What is read of a postback. */
export type PostbackRequest = Pick<LazyRequest, 'headers' | 'isBodyUsed' | 'openBody'>;

/**
 * @returns the invoice id in the field `postbackInvoiceField` of a JSON object, of any content type; null: there is none
 */
export async function readNamedInvoice(
  { headers, openBody, isBodyUsed }: PostbackRequest,
  settings: Pick<Settings, 'postbackInvoiceField' | 'startTimer'>,
): Promise<string | null> {
  if (isBodyUsed() || announcesMore(headers, maxBodyBytes)) return null;
  try {
    const reader = openBody();
    const giveUp = () => void reader?.cancel().catch(() => undefined);
    const stopTimer = settings.startTimer(giveUp, longestMs);
    try {
      return findId(await readText(reader, maxBodyBytes), settings.postbackInvoiceField);
    } finally {
      stopTimer();
    }
  } catch {
    // Read already, too large, not UTF-8, not JSON, or a client that disconnected.
    return null;
  }
}

function findId(text: string, field: string): string | null {
  const value: unknown = JSON.parse(text);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || !Object.hasOwn(value, field)) return null;
  const id: unknown = Reflect.get(value, field);
  return typeof id === 'string' && invoiceIdPattern.test(id) ? id : null;
}
