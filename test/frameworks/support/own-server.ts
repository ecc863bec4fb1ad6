/**
 * A framework that builds its pages and serves them by itself, behind the shop's own address. It asks for its orders as a
 * shop's server asks its database.
 */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Shop } from '../../e2e/support/shop.js';
import type { Given, LayOut } from './framework-cases.js';

/** How a framework is built and started: files of its packages, with their arguments. */
export interface Commands {
  /** Its folder, and the path below which its pages lie. */
  readonly name: string;
  readonly build: readonly [file: string, ...rest: string[]];
  readonly start: readonly [file: string, ...rest: string[]];
}

/** Stays out of the answer: it is sent as it comes out of `fetch`. */
const encodings = ['content-encoding', 'content-length', 'transfer-encoding', 'connection'];

/** Every order that a page was laid out for, by its reference; one table for all frameworks. */
const orders = new Map<string, Given>();

/** Builds in the background; its first page waits for that. */
export function createOwnServer(shop: Shop, { name, build, start }: Commands) {
  const running: ChildProcess[] = [];
  let origin: Promise<string> | null = null;
  after(() => Promise.all(running.map(end)));

  async function serve(folder: string): Promise<string> {
    const building = run(folder, build);
    const printed = collect(building);
    const [code] = (await once(building, 'exit')) as [number | null];
    assert.equal(code, 0, printed());
    const serving = run(folder, start);
    const said = collect(serving);
    for (;;) {
      await Promise.race([once(serving.stdout!, 'data'), once(serving, 'exit')]);
      const found = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/.exec(said());
      if (found) return `http://127.0.0.1:${found[1]}`;
      assert.equal(serving.exitCode, null, said());
    }
  }

  function run(folder: string, [file, ...rest]: Commands['build']): ChildProcess {
    const child = spawn(process.execPath, [join(folder, 'node_modules', file), ...rest], {
      cwd: join(folder, 'pages', name),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        SHOP_URL: shop.origin,
        NEXT_TELEMETRY_DISABLED: '1',
        NODE_ENV: 'production',
      },
    });
    running.push(child);
    return child;
  }

  shop.server.handlers.set('/orders-api', async (request) =>
    Response.json(orders.get(new URL(request.url).pathname.split('/').at(-1) ?? '')),
  );
  shop.server.handlers.set(`/${name}`, async (request) => {
    const { pathname, search } = new URL(request.url);
    const answer = await fetch((await origin) + pathname + search);
    const headers = new Headers(answer.headers);
    for (const header of encodings) headers.delete(header);
    return new Response(answer.body, { status: answer.status, headers });
  });

  const layOut: LayOut = async (given) => {
    orders.set(given.order.externalId, given);
    await origin;
    return `/${name}/${given.view === 'checkout' ? 'orders' : 'everything'}/${given.order.externalId}`;
  };
  return {
    layOut,
    /** @param folder where the frameworks are installed */
    begin(folder: string): void {
      origin = serve(folder);
      // The first page fails of it.
      origin.catch(() => undefined);
    },
  };
}

/** What a process has printed so far. */
function collect(child: ChildProcess): () => string {
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  }
  return () => text;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}
