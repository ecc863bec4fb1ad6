/**
 * Starts requests at the top of the script tag's file, before Lit runs. It does so only if a tag of the page names that file:
 * then no code of the page runs between this line and the element's first rendering. Code that imports `pix-checkout`, or that
 * is joined with the file, may first set the payer or listen.
 */

import { startAll } from './start-checkout.js';

if (
  !customElements.get('pix-checkout') &&
  document.querySelector('script[src$="/pix-checkout.min.js"]')
) {
  startAll();
}
