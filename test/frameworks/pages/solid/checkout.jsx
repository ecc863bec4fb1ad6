import { createSignal, onMount, Show } from 'solid-js';

export function Checkout(props) {
  const [paid, setPaid] = createSignal(null);
  // Once the page is Solid's: the element then begins with its properties and handlers.
  onMount(() => import('pix-checkout'));
  return (
    <Show when={!paid()} fallback={<h1>Obrigado! Pedido {paid()} pago.</h1>}>
      <pix-checkout
        attr:endpoint="/pix"
        attr:external-id={props.order.externalId}
        attr:order-token={props.order.orderToken}
        attr:total-price-cents={props.order.totalCents}
        prop:items={props.order.items}
        prop:payer={props.payer}
        on:pix-paid={(event) => setPaid(event.detail.externalId)}
      >
        <a href={`/orders/${props.order.externalId}/boleto`}>Pagar de outro jeito</a>
      </pix-checkout>
    </Show>
  );
}
