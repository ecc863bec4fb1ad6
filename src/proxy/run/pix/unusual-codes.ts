/** Codes that some banks refuse though nothing is wrong with them: shown all the same, and logged once for each kind. */

import { findUnusualField } from '../../../domain/br-code.js';
import type { Log } from '../../set-up/log.js';
import type { MadeInvoice } from '../../order/order.js';

/** Makes what notes them. */
export function createUnusualCodes(log: Log): (made: MadeInvoice) => void {
  const noted = new Set<string>();
  return ({ code, externalId, invoiceId }) => {
    const field = findField(code);
    if (field === null || noted.has(field)) return;
    noted.add(field);
    const about = { operation: 'create', externalId, invoiceId, field } as const;
    log({ level: 'warn', event: 'code_unusual', ...about });
  };
}

/** Null, too, for a test environment's placeholder. */
function findField(code: string): string | null {
  try {
    return findUnusualField(code);
  } catch {
    return null;
  }
}
