/**
 * The types of `pix-checkout/react`, as a shop's compiler sees them. What it does is driven in test/frameworks.
 * Needs `npm run build` first, for dist/.
 */
import assert from 'node:assert/strict';
import { it } from 'vitest';
import { compileAsShop } from './support/shop-types.js';

const shop = `
  import { createElement, createRef } from 'react';
  import { PixCheckout } from 'pix-checkout/react';
  import type { PixCheckout as Element } from 'pix-checkout';
  const order = { endpoint: '/pix', externalId: 'order-1042', totalPriceCents: 12_990, autoStart: true };
`;

it('pix-checkout/react takes properties, handlers with their events, and what any HTML element takes; nothing else', async () => {
  const told = await compileAsShop({
    right: `${shop}
        createElement(PixCheckout, {
          ...order,
          ref: createRef<Element>(),
          payer: { name: 'Ana' },
          installments: undefined,
          className: 'box',
          onPixPaid: (event) => console.log(event.detail.externalId.trim(), event.target),
          onPixSubmit: (event) => event.preventDefault(),
          onPixError: ({ detail }) => console.log(detail.code === 'network', detail.retryable),
        }, 'Pagar');`,
    'a handler of no event': `${shop} createElement(PixCheckout, { ...order, onPixPayed: () => undefined });`,
    'a total as a text': `${shop} createElement(PixCheckout, { ...order, totalPriceCents: '129' });`,
    'what cannot be written': `${shop} createElement(PixCheckout, { ...order, phase: 'paid' });`,
    'a detail that is not there': `${shop}
        createElement(PixCheckout, { onPixPaid: ({ detail }) => console.log(detail.cpf) });`,
  });
  const refused = Object.entries(told).filter(([, text]) => text !== '');
  assert.equal(told.right, '');
  assert.deepEqual(
    refused.map(([name]) => name),
    Object.keys(told).filter((name) => name !== 'right'),
  );
});
