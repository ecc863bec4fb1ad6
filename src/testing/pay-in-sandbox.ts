/** Pays in the sandbox, for tests of a whole shop. */

/**
 * Pays an invoice of a running sandbox, as a bank would: the shop hears of it at once, the page by its next look-up.
 * @param url of the sandbox, e.g. `http://localhost:5173`
 * @param invoiceId as `pix-created` told it
 * @throws Error if no sandbox answers there, or it does not know the invoice
 */
export async function payInSandbox(url: string, invoiceId: string): Promise<void> {
  const path = `sandbox/invoices/${encodeURIComponent(invoiceId)}/pay`;
  const response = await fetch(new URL(path, `${url.replace(/\/+$/, '')}/`), { method: 'POST' });
  if (response.ok) return;
  throw new Error(`The sandbox answered ${response.status}: is ${invoiceId} one of its invoices?`);
}
