/** Next beside the sandbox, for a first try: `npx pix-checkout sandbox` in one terminal and `npx next dev` in another do the same. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { createSandbox, serveSandbox } from 'pix-checkout/sandbox';

const { PORT = '3000' } = process.env;
const bank = await serveSandbox(createSandbox({ accessToken: 'sandbox' }));
const settings = parseEnv(readFileSync(new URL('.env.example', import.meta.url), 'utf8'));
const origin = `http://localhost:${PORT}`;
const env = {
  ...settings,
  ...process.env,
  PIX_SERVICE_URL: bank.url,
  PIX_PUBLIC_URL: `${origin}/pix`,
};
const page = spawn('next', ['dev', '--hostname', 'localhost'], { stdio: 'inherit', env });
page.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => page.kill(signal));
console.log(`Shop: ${origin}/orders/1042   Bank: ${bank.url}/sandbox/`);
