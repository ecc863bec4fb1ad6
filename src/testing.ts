/** Package entry `pix-checkout/testing`: a checkout without a server, for the merchant's own tests. */

export { addCypressCommand, fakeCheckout } from './testing/fake-checkout.js';
export type {
  CypressGlobals,
  FakeCheckoutOptions,
  FakedWindow,
  PlaywrightPage,
  PuppeteerPage,
} from './testing/fake-checkout.js';
export type { FakeCheckout, FakeInvoice, FakeProxyOptions } from './testing/fake-proxy.js';
export { payInSandbox } from './testing/pay-in-sandbox.js';
