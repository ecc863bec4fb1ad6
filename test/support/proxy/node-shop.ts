/**
 * A process of its own for the tests of an ending: a proxy on the port it tells its parent, in front of the service at
 * `SERVICE_URL`, ended by SIGTERM as the README shows it.
 */

import { createNodeFetch, serveProxy } from '../../../src/node.js';
import { createProxy } from '../../../src/proxy.js';
import { leastOptions } from './shop.js';

const proxy = createProxy({
  ...leastOptions,
  serviceUrl: process.env['SERVICE_URL'] ?? '',
  resolveOrder: () => ({ total_price_cents: 12_345 }),
  allowSandbox: true,
  fetch: createNodeFetch(),
  log: () => undefined,
});
const server = await serveProxy({ proxy, port: 0, graceMs: Number(process.env['GRACE_MS']) });
process.once('SIGTERM', () => void server.close());
process.send?.(server.url);
// The channel to the parent is no work: the process ends by itself when the server has.
process.channel?.unref();
