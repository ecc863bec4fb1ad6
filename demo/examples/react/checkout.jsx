import { useState } from 'react';
import { PixCheckout } from 'pix-checkout/react';

export function Checkout({ order, payer }) {
  const [paid, setPaid] = useState(null);
  if (paid) return <h1>Obrigado! Pedido {paid} pago.</h1>;
  return (
    <PixCheckout
      endpoint="/pix"
      externalId={order.externalId}
      orderToken={order.orderToken}
      totalPriceCents={order.totalCents}
      items={order.items}
      payer={payer}
      onPixPaid={(event) => setPaid(event.detail.externalId)}
    >
      <a href={`/orders/${order.externalId}/boleto`}>Pagar de outro jeito</a>
    </PixCheckout>
  );
}
