/**
 * A shop with nothing but web standards, bundled into one file for each runtime. `createProxy` stands at the top of the module,
 * where worker platforms refuse timers, chance and network.
 */
import { createProxy } from '../../src/proxy.js';

/** Written in by the bundler. */
declare const settings: {
  readonly serviceUrl: string;
  readonly accessToken: string;
  readonly secrets: readonly string[];
  readonly publicUrl: string;
  readonly origin: string;
  readonly port: number;
};

const { serviceUrl, accessToken, secrets, publicUrl, origin, port } = settings;
const paid: string[] = [];
let aheadMs = 0;

const proxy = createProxy({
  serviceUrl,
  accessToken,
  secrets,
  publicUrl,
  allowedOrigins: [origin],
  allowSandbox: true,
  backgroundJobs: false,
  now: () => Date.now() + aheadMs,
  resolveOrder: () => ({ total_price_cents: 12_990 }),
  onPaid: ({ externalId }) => void paid.push(externalId),
});

const app = {
  port,
  hostname: '127.0.0.1',
  /** Seconds, for Bun. */
  idleTimeout: 30,

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/cron') return proxy.fetch(request);
    // A test must not wait until a look-up falls due.
    aheadMs += Number(searchParams.get('ahead'));
    const { nextAt } = await proxy.runDue();
    return Response.json({ paid, nextAt });
  },
};

export { app as default };
