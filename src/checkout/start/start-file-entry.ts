/**
 * `pix-checkout-start.min.js`: loaded before the element's file, or written into the page, it saves the first request a round
 * trip. It also starts elements that the parser reaches later.
 */

import { startAll } from './start-checkout.js';

// If the element is defined already, it has begun by itself.
if (!customElements.get('pix-checkout')) {
  startAll();
  if (document.readyState === 'loading') {
    const parsed = new MutationObserver(startAll);
    parsed.observe(document, { childList: true, subtree: true });
    const stop = () => parsed.disconnect();
    document.addEventListener('DOMContentLoaded', stop);
    void customElements.whenDefined('pix-checkout').then(stop);
  }
}
