/**
 * A host for the checkout's controller without a browser: an order, an environment, and the few globals that page-life
 * listens to. What the element would dispatch is collected.
 */

import 'lit';
import { CheckoutController } from '../../src/checkout/element/controller.js';
import type { CheckoutHost } from '../../src/checkout/element/controller.js';
import type { Method } from '../../src/contract/types.js';
import { readOrder, silentPage } from '../../src/checkout/page/order.js';
import type { FakeEnvironment } from '../support/checkout/fake-environment.js';

// Node 20 has neither; page-life only listens here. Lit looks for a document as it is loaded: it comes first, for the other
// files of this process.
Object.assign(globalThis, {
  document: Object.assign(new EventTarget(), { hidden: false }),
  window: new EventTarget(),
});
Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true });

/** The events an element dispatches, in the order in which DESIGN lists them. */
const eventNames = ['created', 'status', 'copy', 'paid', 'expired', 'error'] as const;

export type NodeHost = ReturnType<typeof createNodeHost>;

/** What a test may decide of the element. */
export interface HostOptions {
  /** Makes the card ready; at once, if nothing else is said. */
  readonly prepareCard?: () => Promise<boolean>;
}

/** Puts a checkout of `order-1042`, R$ 129,90, into a page that does not exist. */
export function createNodeHost(
  environment: FakeEnvironment,
  { prepareCard = () => Promise.resolve(true) }: HostOptions = {},
) {
  const events: CustomEvent[] = [];
  const target = new EventTarget();
  for (const name of eventNames) {
    target.addEventListener(`pix-${name}`, (event) => events.push(event as CustomEvent));
  }
  const host: CheckoutHost = Object.assign(target, {
    environment,
    order: readOrder(words, 'https://shop.example/', () => {}),
    prepareCard,
    createRequest: (method: Method, replaces: string | null) => ({
      method,
      external_id: 'order-1042',
      expected_total_cents: 12_990,
      ...(replaces === null ? {} : { replaces }),
      ...(method === 'pix' ? {} : { card: { token: 'token-of-a-card', installment: 1 } }),
    }),
    warn: environment.warn,
    stateChanged() {},
    requestUpdate() {},
    addController() {},
    removeController() {},
    updateComplete: Promise.resolve(true),
  });
  const controller = new CheckoutController(host);
  controller.hostConnected();
  return {
    controller,
    /** Every event so far, `detail` and all. */
    events,
    /** Presses the button of Pix. */
    submit: () => controller.submit('pix'),
    /** Takes up what is stored, as a page that is loaded again. */
    resume() {
      const record = controller.record.read();
      if (record) controller.dispatch({ ...record, type: 'resumed', createdAtMs: null });
    },
    /** Presses the button of the card form. */
    submitCard: () => controller.submit('credit_card'),
  };
}

const words = {
  ...silentPage,
  endpoint: '/pix',
  externalId: 'order-1042',
  totalPriceCents: 12_990,
  methods: 'pix',
  payerFields: '',
};
