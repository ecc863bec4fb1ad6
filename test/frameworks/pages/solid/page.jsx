/** What the test drives: the documented page, and one that sets everything and can change. */
import { createSignal, onMount, Show } from 'solid-js';
import { Checkout } from './checkout.jsx';
import { eventNames, everything, tell } from './everything.js';

export function Page(props) {
  return props.view === 'checkout' ? (
    <Checkout order={props.order} />
  ) : (
    <Everything order={props.order} />
  );
}

function Everything({ order }) {
  const [changes, change] = createSignal({});
  const [isShown, show] = createSignal(true);
  onMount(() => {
    globalThis.shop = { change, show };
    return import('pix-checkout');
  });
  const values = () =>
    Object.fromEntries(
      Object.entries({ ...everything, ...changes() }).map(([name, value]) => [
        `prop:${name}`,
        value,
      ]),
    );
  const handlers = Object.fromEntries(eventNames.map((name) => [`on:pix-${name}`, tell]));
  return (
    <Show when={isShown()}>
      <pix-checkout
        class="box"
        attr:endpoint="/pix"
        attr:external-id={order.externalId}
        attr:order-token={order.orderToken}
        {...handlers}
        {...values()}
      />
    </Show>
  );
}
