/** What the bar does at bank and shop beside a plain payment: deadlines, too little money, two payments. */

import type { CreatedInvoice } from '../../src/index.js';
import { call, sendPostback, settle } from './api.js';
import { createFromPage } from './direct-request.js';
import { newestInvoiceId, readRecord } from './stage.js';
import type { Stage } from './stage.js';

/** Moves the deadline of the code on the screen: so many seconds from now. */
export async function moveDeadline(stage: Stage, seconds: number): Promise<void> {
  const { createdAt } = readRecord(stage);
  // A deadline counts from the creation of the code.
  const expiresIn = Math.ceil((Date.now() - createdAt) / 1_000) + seconds;
  await stage.reopen({ 'expires-in': String(Math.max(1, expiresIn)) });
}

/** Pays R$ 1,00 less than is owed. */
export async function payLess(stage: Stage): Promise<string> {
  const id = await newestInvoiceId(stage);
  await call('PUT', `/qa/short-payments/${id}`, {});
  await settle(id);
  return `${id}: paid R$ 1,00 too little`;
}

/** Asks for another code in place of the newest, then pays both, as a payer does who has two apps open. */
export async function payTwice(stage: Stage): Promise<string> {
  const first = await newestInvoiceId(stage);
  const second: CreatedInvoice = await createFromPage(stage.order, { replaces: first });
  for (const id of [first, second.invoice_id]) {
    await settle(id);
    await sendPostback(id);
  }
  return 'Two codes of this order are paid: see the bank';
}
