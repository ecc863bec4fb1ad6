/** Registers the class as `<pix-checkout>`, for the script tag's file and for `import 'pix-checkout'`. */

import { PixCheckout } from './pix-checkout.js';

export * from './pix-checkout.js';
export * from './events.js';

// A second copy of the script, or another version, does no harm, because the first one stays.
if (typeof customElements !== 'undefined' && !customElements.get('pix-checkout')) {
  customElements.define('pix-checkout', PixCheckout);
}

declare global {
  interface HTMLElementTagNameMap {
    'pix-checkout': PixCheckout;
  }
}
