/** Starts the shops of the demo in PHP and Python, as processes on loopback. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { untilListening } from '../../conformance/subjects.js';
import { findProgram } from '../../tools/machine/programs.js';
import { root } from '../../tools/tools.js';
import { findPort } from '../../proxy/support/node-servers.js';

/** @param env beside this process's own */
export async function startShop(name: 'php' | 'python', env: Readonly<Record<string, string>>) {
  const port = await findPort();
  const file = join(root, 'demo/shops', name === 'php' ? 'shop.php' : 'shop.py');
  const args = name === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file, String(port)];
  const child = spawn(findProgram(name) ?? name, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
  }
  await untilListening(
    port,
    () => child.exitCode !== null,
    () => written,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    /** All that it wrote on its standard output and error. */
    output: () => written,
    async close() {
      child.kill();
      await ended;
    },
  };
}
