/** What a page does, by the types that openapi-typescript makes of the document. `contract.d.ts` is written by the test. */
import createClient from 'openapi-fetch';
import type { paths } from './contract.js';

type Creation = paths['/invoices']['post']['requestBody']['content']['application/json'];

/** Creates the code of an order, and has it paid. @returns what a look-up says then, or the code of the error */
export async function payOrder(
  endpoint: string,
  order: Creation,
  settle: (invoiceId: string) => Promise<unknown>,
): Promise<string | undefined> {
  const proxy = createClient<paths>({ baseUrl: endpoint });
  const header = { 'Idempotency-Key': crypto.randomUUID() };
  const created = await proxy.POST('/invoices', { params: { header }, body: order });
  if (created.error) return created.error.code;
  const { invoice_id, lookup_token } = created.data.data;
  await settle(invoice_id);
  const found = await proxy.GET('/invoices/{invoice_id}', {
    params: { path: { invoice_id } },
    headers: { 'lookup-token': String(lookup_token) },
  });
  return found.error ? found.error.code : found.data.data.status;
}
