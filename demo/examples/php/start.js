/** Runs a shop in PHP, which names the price and hears of the payment. `pix-checkout serve --sandbox` is its proxy and its bank. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { PORT = '3000', PIX_PORT = '8080', BANK_PORT = '8081' } = process.env;
const shop = `http://localhost:${PORT}`;
const file = fileURLToPath(new URL('../../shops/shop.php', import.meta.url));
const serve = ['serve', '--sandbox', '--shop', shop, '--port', PIX_PORT, '--bank-port', BANK_PORT];
const env = {
  ...process.env,
  PIX_PUBLIC_URL: `http://localhost:${PIX_PORT}/pix`,
  PIX_SECRETS: randomBytes(32).toString('hex'),
  PIX_WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
  SHOP_STATE: mkdtempSync(join(tmpdir(), 'shop-')),
};
const children = [
  spawn('php', ['-S', `localhost:${PORT}`, file], { stdio: 'inherit', env }),
  spawn('pix-checkout', serve, { stdio: 'inherit', env }),
];
const end = () => children.forEach((child) => child.kill());
for (const child of children) {
  child.once('exit', end).once('error', ({ message }) => {
    console.error(message); // PHP is not there
    end();
  });
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, end);
console.log(`Shop: ${shop}/orders/1042   Bank: http://127.0.0.1:${BANK_PORT}/sandbox/`);
