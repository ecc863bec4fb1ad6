import { renderInvoice } from 'pix-checkout/html';
import { PixCheckout } from 'pix-checkout/react';
import { findOrder } from '../../orders.js';

/** A server component alone: no handlers, and a code that is drawn before any script. */
export default async function Page({ params }) {
  const { id } = await params;
  const { externalId, invoice, totalCents } = await findOrder(id);
  return (
    <PixCheckout
      endpoint="/pix"
      externalId={externalId}
      totalPriceCents={totalCents}
      invoice={invoice}
      dangerouslySetInnerHTML={{ __html: renderInvoice(invoice, { totalPriceCents: totalCents }) }}
    />
  );
}
