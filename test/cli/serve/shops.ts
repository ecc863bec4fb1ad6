/** Starts the shops of the demo in PHP and Python, as processes on loopback. */
import { join } from 'node:path';
import { startProgram } from '../../support/program.js';
import { findProgram } from '../../tools/machine/programs.js';
import { root } from '../../tools/tools.js';
import { findPort, isListening } from '../../support/proxy/node-servers.js';

/** @param env beside this process's own */
export async function startShop(name: 'php' | 'python', env: Readonly<Record<string, string>>) {
  const port = await findPort();
  const file = join(root, 'demo/shops', name === 'php' ? 'shop.php' : 'shop.py');
  const args = name === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file, String(port)];
  const shop = startProgram(findProgram(name) ?? name, args, { env: { ...process.env, ...env } });
  await shop.until(() => isListening(port));
  return {
    url: `http://127.0.0.1:${port}`,
    output: shop.output,
    async close() {
      await shop.end();
    },
  };
}
