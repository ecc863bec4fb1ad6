/**
 * `pix-checkout-start.min.js`: loaded before the element's file, or inlined, it saves the first request a round trip. Elements that
 * the parser has still to meet are started as it does.
 */

import { startAll } from './start-checkout.js';

// Where the element is defined already, it has begun by itself.
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
