/** The proxy, inside Next's own server. */
import { openLedger } from 'pix-checkout/ledger';
import { createProxy } from 'pix-checkout/proxy';
import { findOrder, markPaid } from './orders.js';

/** What the proxy and the pages both sign with. */
export function readKeys() {
  const { PIX_PUBLIC_URL: publicUrl, PIX_SECRETS: secrets = '' } = process.env;
  return { publicUrl, secrets: secrets.split(' ') };
}

/** One for the process: Next loads this file once for pages, once for routes, and again after each change. */
export function getProxy() {
  return (globalThis.pixProxy ??= startProxy());
}

async function startProxy() {
  const { env } = process;
  const keys = readKeys();
  return createProxy({
    ...keys,
    serviceUrl: env.PIX_SERVICE_URL,
    accessToken: env.PIX_ACCESS_TOKEN,
    allowSandbox: env.PIX_ALLOW_SANDBOX === 'true', // never in production
    allowedOrigins: [new URL(keys.publicUrl).origin],
    ledger: await openLedger({ url: env.PIX_LEDGER_URL }),
    // The only source of the price.
    resolveOrder({ externalId }) {
      const order = findOrder(externalId);
      if (!order) return null;
      return order.paidBy ? { status: 'paid' } : { total_price_cents: order.totalCents };
    },
    // The only reason to ship. It may come twice for one payment.
    onPaid({ externalId, deliveryId, totalCents, duplicate }) {
      const isEnough = !duplicate && totalCents >= findOrder(externalId).totalCents;
      if (isEnough && markPaid(externalId, deliveryId)) console.log('Ship', externalId);
      else console.warn('For a person:', externalId);
    },
  });
}
