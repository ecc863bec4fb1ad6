/** The shop's server: its orders, the proxy, and the sandbox as the service. `node start.js vite` runs a page's server beside it. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createNodeListener } from 'pix-checkout/node';
import { signOrder } from 'pix-checkout/order-token';
import { createProxy } from 'pix-checkout/proxy';
import { createSandbox, serveSandbox } from 'pix-checkout/sandbox';

const { PORT = '3000' } = process.env;
const origin = `http://localhost:${PORT}`;
const publicUrl = `${origin}/pix`; // the page's server passes /pix on
const secrets = [randomBytes(32).toString('hex')];
const items = [{ name: 'Café da Serra, 500 g', quantity: 1, unit_price: 12_990 }];
const orders = new Map([['1042', { totalCents: 12_990, items, payments: new Map() }]]);

const service = await serveSandbox(createSandbox({ accessToken: 'sandbox' }));
const proxy = createProxy({
  serviceUrl: service.url,
  accessToken: 'sandbox',
  allowSandbox: true, // the play money counts: never in production
  secrets,
  publicUrl,
  allowedOrigins: [origin],
  resolveOrder({ externalId }) {
    const order = orders.get(externalId);
    if (!order) return null;
    if (order.payments.size > 0) return { status: 'paid' };
    return { total_price_cents: order.totalCents, items };
  },
  onPaid({ externalId, deliveryId, totalCents }) {
    orders.get(externalId)?.payments.set(deliveryId, totalCents);
    console.log(`Order ${externalId}: ${totalCents} cents paid`);
  },
});
const pix = createNodeListener(proxy.fetch);

/** An order, for the page's server. A real shop first asks whose order it is. */
async function giveOrder(request, response) {
  const externalId = request.url.split('/').at(-1);
  const order = orders.get(externalId);
  const orderToken = order && (await signOrder({ secrets, publicUrl, externalId }));
  response.writeHead(order ? 200 : 404, { 'Content-Type': 'application/json' });
  response.end(
    JSON.stringify(order ? { externalId, orderToken, totalCents: order.totalCents, items } : null),
  );
}

const server = createServer((request, response) =>
  (request.url.startsWith('/pix/') ? pix : giveOrder)(request, response),
);

server.listen(0, '127.0.0.1', () => {
  const env = { ...process.env, PORT, SHOP_URL: `http://127.0.0.1:${server.address().port}` };
  const [command, ...args] = process.argv.slice(2);
  const page = spawn(command, args, { stdio: 'inherit', env });
  page.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => page.kill(signal));
  console.log(`Shop: ${origin}/orders/1042   Bank: ${service.url}/sandbox/`);
});
