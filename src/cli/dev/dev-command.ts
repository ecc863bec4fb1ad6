/**
 * `pix-checkout dev`: proxy and sandbox beside a shop that is being built, in any language. It asks the shop for prices, tells
 * it of payments, and shows each request and event in a line. Its bank is the sandbox's page.
 */

import { serveProxy } from '../../node.js';
import { createProxy } from '../../proxy.js';
import type { PixProxy, ProxyOptions } from '../../proxy.js';
import { serveSandbox } from '../../sandbox.js';
import { loopbackHost } from '../../service/secure-url.js';
import { readPort, UsageError } from '../command.js';
import type { Command, CommandValues } from '../command.js';
import { openSandbox, sandboxToken } from '../sandbox-command.js';
import { toMerchantCalls } from '../merchant-server/merchant-calls.js';
import { checkSettings, toProxyData } from '../serve/check-settings.js';
import { gatherSettings } from '../serve/gather-settings.js';
import type { Gathered } from '../serve/gather-settings.js';
import { findMisspelt } from '../serve/misspelt-variables.js';
import type { ServeSettings } from '../serve/serve-variables.js';
import { untilEnded } from '../terminal.js';
import type { Terminal } from '../terminal.js';
import { createTrafficLines } from './traffic-lines.js';

/** The same at each start, so that the shop's settings stay. They are no secrets: only play money moves here. */
const devSecret = 'pix-checkout-dev-secret-never-in-production';
const devWebhookSecret = `whsec_${Buffer.from('pix-checkout-dev-only-never-real').toString('base64')}`;

export const devCommand: Command = {
  summary: 'Run proxy and sandbox for a shop that you are building, and see every call.',
  options: {
    shop: {
      type: 'string',
      value: '<url>',
      isRequired: true,
      text: 'Where your shop listens: http://localhost:8000',
    },
    port: { type: 'string', value: '<port>', text: 'Where the proxy listens. Default 8080.' },
    'bank-port': { type: 'string', value: '<port>', text: 'Where the bank listens. Default 8081.' },
  },
  more: [
    'Your shop is asked for prices at <shop>/order and told of payments at <shop>/events;',
    'ORDER_URL and EVENTS_URL name other addresses of it. The other variables of serve count here too (pix-checkout help',
    'serve), but for SERVICE_URL, ACCESS_TOKEN, ALLOW_SANDBOX, LEDGER_URL, ROLE, PORT and HOST: only the sandbox is asked.',
  ].join('\n'),

  async run({ values }, terminal) {
    const shop = readShop(values['shop']);
    const port = readPort('--port', values['port'], 8080);
    const bankPort = readPort('--bank-port', values['bank-port'], 8081);
    const sandbox = openSandbox(terminal.env);
    const lines = createTrafficLines(terminal);
    const bank = await serveSandbox(sandbox, { port: bankPort });
    try {
      const gathered = await gatherSettings({
        env: toVariables(terminal.env, shop, bank.url, port),
        flags: {},
        module: {},
      });
      const problems = [
        ...checkSettings(gathered, false).problems,
        ...findForeignShop(gathered, shop),
      ];
      for (const hint of findMisspelt(terminal.env)) terminal.warn(hint);
      if (problems.length > 0) throw new UsageError(problems.join('\n'));
      const settings = Object.fromEntries(gathered.data) as unknown as ServeSettings & ProxyOptions;
      const proxy = createProxy({
        ...toProxyData(gathered),
        ...toMerchantCalls(settings, lines.watchCalls(globalThis.fetch)),
        log: lines.log,
      } as ProxyOptions);
      const served: PixProxy = { ...proxy, fetch: lines.watchRequests(proxy.fetch) };
      const server = await serveProxy({ proxy: served, port, graceMs: 1_000 });
      terminal.write(toGreeting(settings, bank.url));
      await untilEnded(terminal.signal);
      await server.close();
      return 0;
    } finally {
      await bank.close();
    }
  },
};

function readShop(value: CommandValues[string]): string {
  if (typeof value !== 'string') throw new UsageError('--shop is missing: where your shop listens');
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new UsageError('--shop must be an address such as http://localhost:8000');
  }
  return value.replace(/\/+$/, '');
}

/**
 * What the environment says, over what fits this machine; but for the service, which is the sandbox whatever it says: where
 * `serve` is set up, its variables may name the real one.
 */
function toVariables(
  env: Terminal['env'],
  shop: string,
  serviceUrl: string,
  port: number,
): Record<string, string | undefined> {
  const defaults = {
    SECRETS: devSecret,
    PUBLIC_URL: `http://localhost:${port}/pix`,
    ALLOWED_ORIGINS: new URL(shop).origin,
    ORDER_URL: `${shop}/order`,
    EVENTS_URL: `${shop}/events`,
    WEBHOOK_SECRETS: devWebhookSecret,
  };
  const fixed = {
    SERVICE_URL: serviceUrl,
    ACCESS_TOKEN: sandboxToken,
    ALLOW_SANDBOX: 'true',
    LEDGER_URL: 'memory:',
    ROLE: '',
    PORT: '',
    HOST: '',
  };
  const variables: Record<string, string | undefined> = { ...env };
  for (const [name, value] of Object.entries(defaults)) {
    variables[name] = env[name] || (env[`${name}_FILE`] ? undefined : value);
  }
  for (const [name, value] of Object.entries(fixed)) {
    variables[name] = value;
    variables[`${name}_FILE`] = undefined;
  }
  return variables;
}

/** A shop on another host may be the real one: it would ship what the sandbox was paid. */
function findForeignShop({ data, nameOf }: Gathered, shop: string): string[] {
  return (['orderUrl', 'eventsUrl'] as const).flatMap((setting) => {
    const url = String(data.get(setting));
    const { hostname } = new URL(URL.canParse(url) ? url : shop);
    const isForeign = hostname !== new URL(shop).hostname && !loopbackHost.test(hostname);
    return isForeign ? [`${nameOf(setting)} must not be a shop elsewhere: --shop names yours`] : [];
  });
}

function toGreeting(settings: ServeSettings & ProxyOptions, bankUrl: string): string {
  const { publicUrl, orderUrl, eventsUrl, secrets, webhookSecrets } = settings;
  const own = [
    ...(secrets[0] === devSecret ? [`  SECRETS=${devSecret}`] : []),
    ...(webhookSecrets[0] === devWebhookSecret ? [`  WEBHOOK_SECRETS=${devWebhookSecret}`] : []),
  ];
  const heading = 'Set for your shop, to sign order tokens and to verify our calls:';
  return [
    `Proxy   ${publicUrl}   the endpoint of <pix-checkout>`,
    `Bank    ${bankUrl}/sandbox/`,
    `Prices  ${orderUrl}`,
    `Events  ${eventsUrl}`,
    ...(own.length > 0 ? ['', heading, `  PUBLIC_URL=${publicUrl}`, ...own] : []),
    '',
  ].join('\n');
}
