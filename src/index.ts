/** Package entry `pix-checkout`, and the script-tag file: the class, registered as `<pix-checkout>`. */

import { PixCheckout } from './checkout/element/pix-checkout.js';

export * from './element.js';

// A second copy of the script, or another version, does no harm: the first one stays.
if (typeof customElements !== 'undefined' && !customElements.get('pix-checkout')) {
  customElements.define('pix-checkout', PixCheckout);
}

declare global {
  interface HTMLElementTagNameMap {
    'pix-checkout': PixCheckout;
  }
}
