/**
 * The script tag's file starts requests too, before Lit is evaluated. Only where the page names that file in a tag of its own: then
 * nothing of the page's runs between this line and the element's first rendering. Code that imports `pix-checkout`, or that is
 * joined with the file, may still set the payer or listen.
 */

import { startAll } from './start-checkout.js';

if (
  !customElements.get('pix-checkout') &&
  document.querySelector('script[src$="/pix-checkout.min.js"]')
) {
  startAll();
}
