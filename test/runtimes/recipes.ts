/** The recipes of src/proxy/RUNTIMES.md, as they stand there: each server creates, looks up, and holds a look-up. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, it, type TestContext } from 'vitest';
import { transform } from 'esbuild';
import { signOrder } from '../../src/order-token.js';
import type { LogEntry } from '../../src/proxy.js';
import { createSandbox, serveSandbox, type SandboxServer } from '../../src/sandbox.js';
import { root } from '../tools/tools.js';
import { folder } from './install.js';
import { toCreation, toLookUp } from '../support/payer.js';
import { serve } from '../support/proxy/node-servers.js';

type Send = (request: Request) => Response | Promise<Response>;

const secrets = ['a secret of the recipes, which is long enough'];
const publicUrl = 'https://shop.example/pix';
const accessToken = 'token-of-the-recipes';
const origin = 'https://shop.example';
const sandbox = createSandbox({ accessToken });
const recipes = new Map(
  [
    ...readFileSync(join(root, 'src/proxy/RUNTIMES.md'), 'utf8').matchAll(
      /<!-- recipe: (\w+) -->\s+```[jt]s\n(.*?)^```$/gms,
    ),
  ].map(([, name = '', code = '']) => [name, code]),
);

/** How what a recipe exports is asked. Servers listen; the others are functions. */
const ways: Readonly<Record<string, (exported: never, t: TestContext) => Send | Promise<Send>>> = {
  express: (app: { app: RequestListener }, t) => listen(t, app.app),
  express4: (app: { app: RequestListener }, t) => listen(t, app.app),
  koa: (app: { app: { callback(): RequestListener } }, t) => listen(t, app.app.callback()),
  async fastify({ app }: { app: Fastify }, t) {
    t.onTestFinished(() => app.close());
    return toSend(await app.listen({ port: 0, host: '127.0.0.1' }));
  },
  hono: ({ app }: { app: { fetch: Send } }) => app.fetch,
  async nest({ app }: { app: Nest }, t) {
    t.onTestFinished(() => app.close());
    await app.listen(0, '127.0.0.1');
    return toSend(await app.getUrl());
  },
  react_router: (module: object) => {
    const { createRequestHandler } = createRequire(join(folder, 'package.json'))('react-router');
    // As its build lists a route of pix/*.
    const root = { id: 'root', path: '', module: {} };
    const routes = { root, pix: { id: 'pix', parentId: 'root', path: 'pix/*', module } };
    return createRequestHandler({
      routes,
      entry: { module: {} },
      assets: { routes: {} },
      future: {},
      ssr: true,
      routeDiscovery: { mode: 'initial' },
    });
  },
  next: (route: Readonly<Record<string, Send>>) => (request) => route[request.method]!(request),
  worker:
    (worker: { default: { fetch(request: Request, ...more: object[]): Promise<Response> } }) =>
    (request) =>
      worker.default.fetch(request, {}, { waitUntil: () => undefined }),
};

interface Nest {
  listen(port: number, host: string): Promise<unknown>;
  getUrl(): Promise<string>;
  close(): Promise<void>;
}

interface Fastify {
  listen(options: object): Promise<string>;
  close(): Promise<void>;
}

/** Call it once the servers are installed. */
export function describeRecipes(): void {
  let service: SandboxServer;
  const place = join(folder, 'recipes');
  beforeAll(async () => {
    service = await serveSandbox(sandbox);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), '{"type":"module"}');
    const options = { serviceUrl: service.url, accessToken, secrets, publicUrl };
    writeFileSync(
      join(place, 'proxy.js'),
      `import { createProxy } from 'pix-checkout/proxy';
      export const log = [];
      export const proxy = createProxy({
        ...${JSON.stringify({ ...options, allowedOrigins: [origin], allowSandbox: true })},
        resolveOrder: () => ({ total_price_cents: 12_990 }),
        log: (entry) => log.push(entry),
      });`,
    );
  });
  afterAll(() => service.close());

  const load = async (name: string) =>
    (await import(pathToFileURL(join(place, `${name}.js`)).href)) as never;

  for (const [name, toSendOf] of Object.entries(ways)) {
    it(`${name} serves the proxy`, async (t) => {
      const code = recipes.get(name.replace(/\d$/, '')) ?? assert.fail('no such recipe');
      const file = join(place, `${name}.js`);
      const compilerOptions = { experimentalDecorators: true };
      const compiled = await transform(code, { loader: 'ts', tsconfigRaw: { compilerOptions } });
      const placed = compiled.code.replace('../proxy.js', './proxy.js');
      writeFileSync(file, placed.replace('from "express"', `from '${name}'`));
      const send = await toSendOf(await load(name), t);
      const externalId = `order-${randomUUID()}`;
      const orderToken = await signOrder({ secrets, publicUrl, externalId });
      const init = toCreation(origin, { external_id: externalId, order_token: orderToken });
      const created = await send(new Request(`${publicUrl}/invoices`, init));
      const made = await created.text();
      assert.equal(created.status, 200, made);
      const { invoice_id, lookup_token } = (JSON.parse(made) as { data: Record<string, string> })
        .data;
      for (const query of ['', '?wait=1']) {
        const url = `${publicUrl}/invoices/${invoice_id}${query}`;
        const found = await send(new Request(url, toLookUp(origin, lookup_token)));
        const { data } = (await found.json()) as { data: Record<string, unknown> };
        assert.deepEqual([found.status, data['status']], [200, 'pending']);
      }
      const { log } = (await load('proxy')) as { log: LogEntry[] };
      assert.deepEqual(
        log.filter(({ event }) => event !== 'started'),
        [],
      );
      const { request } = sandbox.invoices().at(-1)!;
      const isServer = ['express', 'express4', 'koa', 'fastify', 'nest'].includes(name);
      assert.equal(request.ip_payer, isServer ? '127.0.0.1' : undefined);
    });
  }

  it('a worker runs what is due on its schedule', async () => {
    const worker = (await load('worker')) as {
      default: { scheduled(...args: unknown[]): Promise<void> };
    };
    const waited: Promise<unknown>[] = [];
    const context = { waitUntil: (promise: Promise<unknown>) => waited.push(promise) };
    await worker.default.scheduled({}, {}, context);
    assert.deepEqual(await Promise.all(waited), [{ nextAt: null }]);
  });
}

/** Names of the recipes that the document has, and of those that are run. */
export function namesOfRecipes(): { written: string[]; run: string[] } {
  const run = Object.keys(ways).map((name) => name.replace(/\d$/, ''));
  return { written: [...recipes.keys()].toSorted(), run: [...new Set(run)].toSorted() };
}

async function listen(t: TestContext, listener: RequestListener): Promise<Send> {
  return toSend(await serve(t, listener));
}

/** Asks a server for what the whole world asks shop.example for. */
function toSend(address: string): Send {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const body = method === 'POST' ? { body: await request.text() } : {};
    return fetch(address + pathname + search, { method, headers, ...body });
  };
}
