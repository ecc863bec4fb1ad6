/**
 * In jsdom, as Jest and Vitest have it for unit tests of a shop's page: it has no `ResizeObserver`, `matchMedia`, form-associated
 * internals or `adoptedStyleSheets`. The element is made, and its form drawn.
 *
 * @vitest-environment jsdom
 */

import assert from 'node:assert/strict';
import { it } from 'vitest';

it('the element is made, and its form is drawn', async () => {
  assert.deepEqual([typeof ResizeObserver, typeof matchMedia], ['undefined', 'undefined']);
  const { PixCheckout } = await import('../../../src/checkout/element/register.js');
  const made = document.createElement('pix-checkout');
  assert.ok(made instanceof PixCheckout);
  document.body.innerHTML = `<pix-checkout endpoint="https://shop.example/pix" external-id="order-1042"
    total-price-cents="12990"></pix-checkout>`;
  const element = document.querySelector('pix-checkout')!;
  for (let task = 0; task < 3; task++) {
    await new Promise((resolve) => {
      setTimeout(resolve);
    });
    await element.updateComplete;
  }
  const { shadowRoot } = element;
  assert.equal(element.phase, 'form');
  const fields = [...shadowRoot!.querySelectorAll('input[name]')].map((one) =>
    one.getAttribute('name'),
  );
  assert.deepEqual(fields, ['name', 'cpf_cnpj', 'email']);
  assert.match(shadowRoot!.textContent, /Gerar código Pix/);
  element.remove();
});
