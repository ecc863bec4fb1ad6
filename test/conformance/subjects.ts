/** The proxies of the demo in PHP and Python, as programs that run. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hourMs } from '../../src/domain/spans.js';
import { createSandbox, serveSandbox } from '../../src/sandbox.js';
import { startProgram } from '../support/program.js';
import { findProgram } from '../tools/machine/programs.js';
import { root } from '../tools/tools.js';
import { findPort, isListening } from '../support/proxy/node-servers.js';

/** What every order costs, integer cents. */
export const totalCents = 12_990;

/** What a proxy needs to know of the world. */
export interface World {
  readonly serviceUrl: string;
  readonly accessToken: string;
  readonly secrets: readonly string[];
  readonly origin: string;
  /** Absent: where it listens. */
  readonly publicUrl?: string;
}

/** A proxy of the demo. */
export type DemoProxy = 'php' | 'python';

/** Opens one with a sandbox of its own. */
export async function openDemo(name: DemoProxy) {
  const accessToken = 'token-of-the-conformance-tests';
  const sandbox = createSandbox({ accessToken });
  const server = await serveSandbox(sandbox);
  // A secret may hold any letter, but no space where they stand in a list.
  const secrets = ['a-secret-of-the-conformance-tests,-with-é'];
  const world = { serviceUrl: server.url, accessToken, secrets, origin: 'https://shop.example' };
  const demo = await startDemo(name, world);
  return {
    ...world,
    ...demo,
    sandbox,
    async close() {
      await demo.close();
      await server.close();
    },
  };
}

/** A proxy of the demo that runs. */
export type RunningDemo = Awaited<ReturnType<typeof startDemo>>;

/** Starts a proxy of the demo on a free port of loopback, with files of its own. */
export async function startDemo(name: DemoProxy, world: World) {
  const folder = mkdtempSync(join(tmpdir(), 'pix-proxy-'));
  const port = await findPort();
  const publicUrl = world.publicUrl ?? `http://127.0.0.1:${port}/pix`;
  const orders: Record<string, object | string> = {};
  const ordersPath = join(folder, 'orders');
  const writeOrders = () => writeFileSync(ordersPath, JSON.stringify(orders));
  writeOrders();
  const program = findProgram(name) ?? name;
  const file = join(root, 'demo/proxies', name === 'php' ? 'proxy.php' : 'proxy.py');
  const env = {
    ...process.env,
    PIX_PUBLIC_URL: publicUrl,
    PIX_SERVICE_URL: world.serviceUrl,
    PIX_ACCESS_TOKEN: world.accessToken,
    PIX_SECRETS: world.secrets.join(' '),
    PIX_ALLOWED_ORIGINS: world.origin,
    PIX_STATE: folder,
    PIX_ORDERS: ordersPath,
    PHP_CLI_SERVER_WORKERS: '8',
  };
  const serving = name === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file, String(port)];
  // PHP has workers.
  const server = startProgram(program, serving, { env, detached: true });
  let reconciled = '';
  await server.until(() => isListening(port));
  return {
    /** Where it listens, with the path of `publicUrl`. */
    url: `http://127.0.0.1:${port}${new URL(publicUrl).pathname}`,
    publicUrl,
    /** Where it keeps its state. */
    folder,
    /** All that it wrote on its standard output and error. */
    output: () => server.output() + reconciled,
    /** The shop's own books. Null: the order is not known there. */
    async price(reference: string, order: 'open' | 'paid' | 'closed' | null) {
      const items = [{ name: 'Café', quantity: 1, unit_price: totalCents }];
      if (order !== null)
        orders[reference] = order === 'open' ? { total_price_cents: totalCents, items } : order;
      writeOrders();
    },
    /** Lets an hour pass, and the proxy look for payments by itself. */
    async reconcile() {
      letAnHourPass(folder);
      const run = startProgram(program, [file, 'reconcile'], { env });
      const code = await run.ended;
      reconciled += run.output();
      if (code !== 0) throw new Error(`reconcile ended with ${code}\n${run.output()}`);
    },
    /** How often the shop was told that this order is paid. */
    async payments(reference: string) {
      const names = readdirSync(folder).filter((one) => one === 'payments');
      const lines = names.flatMap((one) =>
        readFileSync(join(folder, one), 'utf8').trim().split('\n'),
      );
      return lines.filter((line) => (JSON.parse(line) as unknown[])[0] === reference).length;
    },
    async close() {
      await server.end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Their clocks cannot be moved: what they remember is. */
function letAnHourPass(folder: string): void {
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.json'))) {
    const path = join(folder, name);
    const older = readFileSync(path, 'utf8').replaceAll(
      /"(made|looked)": ?([\d.]+)/g,
      (_, field: string, atSeconds: string) => `"${field}":${Number(atSeconds) - hourMs / 1_000}`,
    );
    writeFileSync(path, older);
  }
}
