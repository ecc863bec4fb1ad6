/**
 * `pix-checkout serve --sandbox`: proxy and sandbox beside a shop that is under development, in any language. It asks the
 * shop for prices, tells it of payments, and prints each request and event in a line. The sandbox's page plays the bank.
 */

import { serveProxy } from '../../node.js';
import { createProxy, type PixProxy, type ProxyOptions } from '../../proxy.js';
import { serveSandbox } from '../../sandbox.js';
import { loopbackHost } from '../../service/secure-url.js';
import { readPort, UsageError, type CommandCall, type ExitCode } from '../command.js';
import { openSandbox, sandboxToken } from '../sandbox-command.js';
import { toMerchantCalls } from '../merchant-server/merchant-calls.js';
import { checkSettings, toProxyData, toServeSettings } from './check-settings.js';
import { gatherSettings, type Gathered } from './gather-settings.js';
import { findMisspelt } from './misspelt-variables.js';
import { toVariableName, type Setting } from './serve-variables.js';
import { waitForEnd, type Terminal } from '../terminal.js';
import { createTrafficLines } from './traffic-lines.js';

/**
 * This secret is the same at each start, so that the shop's settings stay valid. It protects nothing, because no money moves
 * here.
 */
const devSecret = 'pix-checkout-dev-secret-never-in-production';
const devWebhookSecret = `whsec_${Buffer.from('pix-checkout-dev-only-never-real').toString('base64')}`;

/** Runs proxy and sandbox. @throws UsageError if the shop is on another host, or settings are wrong */
export async function serveOnSandbox(
  values: CommandCall['values'],
  terminal: Terminal,
): Promise<ExitCode> {
  const shop = readShop(values['shop']);
  const port = readPort('--port', values['port'] ?? '8080');
  const bankPort = readPort('--bank-port', values['bank-port'] ?? '8081');
  const sandbox = openSandbox(terminal.env);
  const lines = createTrafficLines(terminal);
  const bank = await serveSandbox(sandbox, { port: bankPort });
  try {
    const gathered = await gatherSettings(toVariables(terminal.env, shop, bank.url, port));
    const problems = [
      ...checkSettings(gathered, false).problems,
      ...findForeignShop(gathered, shop),
    ];
    for (const hint of findMisspelt(terminal.env)) terminal.warn(hint);
    if (problems.length > 0) throw new UsageError(problems.join('\n'));
    const proxy = createProxy({
      ...toProxyData(gathered),
      ...toMerchantCalls(toServeSettings(gathered), lines.watchCalls(globalThis.fetch)),
      log: lines.log,
    } as ProxyOptions);
    const served: PixProxy = { ...proxy, fetch: lines.watchRequests(proxy.fetch) };
    const server = await serveProxy({ proxy: served, port, graceMs: 1_000 });
    terminal.write(describeServed(gathered, bank.url));
    await waitForEnd(terminal.signal);
    await server.close();
    return 0;
  } finally {
    await bank.close();
  }
}

/** Reads the shop's address. @throws UsageError */
function readShop(value: string | undefined): string {
  if (value && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) {
    return value.replace(/\/+$/, '');
  }
  const problem =
    value === undefined
      ? 'is missing: where your shop listens, as in'
      : 'must be an address such as';
  throw new UsageError(`--shop ${problem} http://localhost:8000`);
}

/**
 * The variables of the environment, with defaults for this machine. The service is always the sandbox, because the
 * environment may be that of a real `serve` and name the real service.
 */
function toVariables(
  env: Terminal['env'],
  shop: string,
  serviceUrl: string,
  port: number,
): Record<string, string | undefined> {
  const defaults = {
    PIX_SECRETS: devSecret,
    PIX_PUBLIC_URL: `http://localhost:${port}/pix`,
    PIX_ALLOWED_ORIGINS: new URL(shop).origin,
    PIX_ORDER_URL: `${shop}/order`,
    PIX_EVENTS_URL: `${shop}/events`,
    PIX_WEBHOOK_SECRETS: devWebhookSecret,
  };
  const fixed = {
    PIX_SERVICE_URL: serviceUrl,
    PIX_ACCESS_TOKEN: sandboxToken,
    PIX_ALLOW_SANDBOX: 'true',
    PIX_LEDGER_URL: 'memory:',
    PIX_ROLE: '',
    PIX_PORT: '',
    PIX_HOST: '',
  };
  const isSet = (name: string) => env[name] || env[`${name}_FILE`];
  const files = Object.keys(fixed).map((name) => [`${name}_FILE`, undefined]);
  return {
    ...env,
    ...Object.fromEntries(Object.entries(defaults).filter(([name]) => !isSet(name))),
    ...fixed,
    ...Object.fromEntries(files),
  };
}

/**
 * Finds a shop on another host, to refuse it: it may be the real shop, and would ship orders for which only the sandbox was
 * paid.
 */
function findForeignShop({ data, nameOf }: Gathered, shop: string): string[] {
  return (['orderUrl', 'eventsUrl'] as const).flatMap((setting) => {
    const url = String(data.get(setting));
    const { hostname } = new URL(URL.canParse(url) ? url : shop);
    const isForeign = hostname !== new URL(shop).hostname && !loopbackHost.test(hostname);
    return isForeign ? [`${nameOf(setting)} must not be a shop elsewhere: --shop names yours`] : [];
  });
}

/** Writes where everything listens, and what the shop has to set. */
function describeServed({ data }: Gathered, bankUrl: string): string {
  const show = (setting: Setting) => String(data.get(setting));
  const publicUrl = show('publicUrl');
  const own = Object.entries({ secrets: devSecret, webhookSecrets: devWebhookSecret })
    .filter(([setting, secret]) => show(setting as Setting) === secret)
    .map(([setting, secret]) => `  ${toVariableName(setting)}=${secret}`);
  const heading = 'Set for your shop, to sign order tokens and to verify our calls:';
  return [
    `Proxy   ${publicUrl}   the endpoint of <pix-checkout>`,
    `Bank    ${bankUrl}/sandbox/`,
    `Prices  ${show('orderUrl')}`,
    `Events  ${show('eventsUrl')}`,
    ...(own.length > 0 ? ['', heading, `  PIX_PUBLIC_URL=${publicUrl}`, ...own] : []),
    '',
  ].join('\n');
}
