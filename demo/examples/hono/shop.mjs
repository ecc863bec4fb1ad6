import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { openLedger } from 'pix-checkout/ledger';
import { signOrder } from 'pix-checkout/order-token';
import { createProxy } from 'pix-checkout/proxy';
import { createSandbox, serveSandbox } from 'pix-checkout/sandbox';

const bank = await serveSandbox(createSandbox({ accessToken: 'test' })); // the sandbox: no real money
const service = { serviceUrl: bank.url, accessToken: 'test', allowSandbox: true, rawCard: true };
const publicUrl = 'http://localhost:3000/pix';
const secrets = ['for this machine only: 32 bytes or more'];
const ledger = await openLedger(); // SQLite, in ./pix-checkout.db

const newOrder = `order-${Date.now()}`; // each start sells another order
const orders = new Map([[newOrder, { totalCents: 12_990, paid: false }]]); // your database

const proxy = createProxy({
  ...service,
  publicUrl,
  secrets,
  ledger,
  allowedOrigins: [new URL(publicUrl).origin],
  // The only source of the price.
  resolveOrder({ externalId }) {
    const order = orders.get(externalId);
    if (!order) return null;
    return order.paid ? { status: 'paid' } : { total_price_cents: order.totalCents };
  },
  // The only reason to ship. It may come twice for one payment: store its deliveryId.
  onPaid({ externalId, totalCents, duplicate }) {
    const order = orders.get(externalId);
    if (duplicate || totalCents < order.totalCents)
      return console.warn('For a person:', externalId);
    order.paid = true;
    console.log('Ship', externalId);
  },
});

/** The page of an order. A real shop first checks whose order it is. */
async function renderOrder(externalId) {
  const order = orders.get(externalId);
  if (!order) return 'Pedido não encontrado';
  const orderToken = await signOrder({ secrets, publicUrl, externalId });
  return `<!doctype html>
    <meta name="viewport" content="width=device-width">
    <link rel="stylesheet" href="/pix/assets/pix-checkout.css">
    <script type="module" src="/pix/assets/pix-checkout.min.js"></script>
    <pix-checkout external-id="${externalId}" order-token="${orderToken}" total-price-cents="${order.totalCents}"
      methods="pix credit_card" accept-raw-card></pix-checkout>`;
}

const app = new Hono();
app.all('/pix/*', (context) => proxy.fetch(context.req.raw));
app.get('/orders/:id', async (context) => context.html(await renderOrder(context.req.param('id'))));
serve({ fetch: app.fetch, port: 3000 });
console.log(`Bank: ${bank.url}/sandbox/`);
console.log(`Order: ${new URL(`/orders/${newOrder}`, publicUrl)}`);
