/** `pix-checkout serve`: the proxy as a program, from its environment and a config module. */

import { createRequire } from 'node:module';
import { createNodeFetch, serveProxy, serveMetrics } from '../../node.js';
import type { OpenLedger } from '../../ledger.js';
import { createProxy, type PixProxy, type ProxyOptions, type MetricsSink } from '../../proxy.js';
import type { Command, ExitCode } from '../command.js';
import { toMerchantCalls } from '../merchant-server/merchant-calls.js';
import { waitForEnd, type Terminal } from '../terminal.js';
import { checkSettings, findMissing, toProxyData, toServeSettings } from './check-settings.js';
import { gatherSettings, type Gathered } from './gather-settings.js';
import { findMisspelt } from './misspelt-variables.js';
import { formatSetting, toVariableName, variables } from './serve-variables.js';
import type { Setting, ServeSettings } from './serve-variables.js';

const names = Object.keys(variables) as Setting[];

/** The width of the variables' names in the help. */
const width = Math.max(...names.map((one) => toVariableName(one).length)) + 2;

export const serveCommand: Command = {
  summary: 'Run the proxy, set up by variables and, if you like, a module with functions.',
  options: {
    'config <file>': 'An ES module: resolveOrder, onPaid, …',
    'check-config': 'Say what is wrong, and do not serve.',
    'port <port>': 'As the variable PIX_PORT.',
    'host <address>': 'As the variable PIX_HOST.',
    sandbox:
      'For a shop that you are building: on a sandbox of its own, with a line for every call.',
    'shop <url>': 'With --sandbox: where that shop listens.',
    'bank-port <port>': 'With --sandbox: where its bank listens. Default 8081.',
  },
  more: [
    'With --sandbox the shop is asked for prices at <shop>/order and told of payments at <shop>/events, where PIX_ORDER_URL and',
    'PIX_EVENTS_URL name no other addresses of it. The other variables count too, but for PIX_SERVICE_URL, PIX_ACCESS_TOKEN,',
    'PIX_ALLOW_SANDBOX, PIX_LEDGER_URL, PIX_ROLE, PIX_PORT and PIX_HOST.',
    '',
    'Variables; NAME_FILE names a file that holds the value:',
    ...names.map((one) => {
      const { isRequired, text } = variables[one];
      return `  ${toVariableName(one).padEnd(width)}${isRequired ? 'Required. ' : ''}${text}`;
    }),
  ].join('\n'),

  async run({ values, flags }, terminal) {
    if (flags.has('sandbox')) {
      const { serveOnSandbox } = await import('./serve-on-sandbox.js');
      return serveOnSandbox(values, terminal);
    }
    const gathered = await gatherSettings(terminal.env, values);
    const findings = checkSettings(gathered, terminal.env['NODE_ENV'] === 'production');
    const problems = [...findings.problems];
    const isChecked = flags.has('check-config') || problems.length > 0;
    const ledger = await openOwnLedger(gathered, isChecked).catch((thrown: Error) => {
      problems.push(`${gathered.nameOf('ledgerUrl')} cannot be opened: ${thrown.message}`);
      return undefined;
    });
    if (gathered.data.has('metricsPort') && !isUsable('prom-client')) {
      problems.push(`${gathered.nameOf('metricsPort')} ${promClientMissing}`);
    }
    const warnings = [...findings.warnings, ...findMisspelt(terminal.env)];
    if (!isUsable('undici')) warnings.push(undiciMissing);
    try {
      const isServed = problems.length === 0 && !flags.has('check-config');
      for (const problem of problems) terminal.warn(problem);
      for (const hint of warnings) terminal.warn(isServed ? toLogLine(hint) : `Warning: ${hint}`);
      if (problems.length > 0) {
        return !flags.has('check-config') && findMissing(gathered).length > 0 ? 2 : 1;
      }
      if (!isServed) return showSettings(gathered, terminal);
      return await serveWithNumbers(toServeSettings(gathered), terminal, (metrics) =>
        serve(gathered, { ledger, metrics }, terminal),
      );
    } finally {
      await ledger?.close();
    }
  },
};

const promClientMissing = 'needs the package prom-client, 14 or newer: npm install prom-client';

const undiciMissing =
  'undici cannot be loaded: cards need it, to prove that one was never sent (npm install undici@7)';

/**
 * Opens the ledger, which also checks it and creates its tables.
 * @param isChecked whether only the settings are checked. Then the default file is not created
 */
async function openOwnLedger(
  { data, functions }: Gathered,
  isChecked: boolean,
): Promise<OpenLedger | undefined> {
  const given = data.get('ledgerUrl');
  if (typeof given !== 'string' && isChecked) return undefined;
  // The module is imported on demand, because the operator installs the packages that it needs.
  const { defaultLedgerUrl, openLedger } = await import('../../ledger.js');
  const url = typeof given === 'string' ? given : defaultLedgerUrl;
  const now = functions.get('now') as ProxyOptions['now'];
  // Ledger and proxy share one clock, because claims and deadlines of both are compared.
  return openLedger({ url, ...(now && { now }) });
}

function showSettings({ data, functions }: Gathered, { write }: Terminal): ExitCode {
  write('ok');
  for (const [setting, value] of data) {
    write(`  ${toVariableName(setting)}=${formatSetting(setting, value)}`);
  }
  for (const name of functions.keys()) write(`  ${name} (config module)`);
  return 0;
}

/** Runs proxy and server until the terminal's signal aborts. */
async function serve(
  gathered: Gathered,
  own: { readonly [Name in 'ledger' | 'metrics']: ProxyOptions[Name] | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = toServeSettings(gathered);
  const { role, port, host } = settings;
  const publicUrl = String(gathered.data.get('publicUrl'));
  // Each card and each call to the merchant gets a new connection, because a request on a kept connection may be lost while
  // that is closing.
  const fetch = isUsable('undici') ? createNodeFetch() : globalThis.fetch;
  const proxy = createProxy({
    fetch,
    ...toProxyData(gathered),
    ...toMerchantCalls(settings, fetch),
    ...Object.fromEntries(gathered.functions),
    ...own,
    backgroundJobs: role !== 'web',
    // A worker serves nothing to browsers: no payment page and no files.
    ...(role === 'worker' && { paymentPage: undefined }),
  } as ProxyOptions);
  const handler = role === 'worker' ? toWorkerFetch(proxy, publicUrl) : proxy.fetch;
  const opening = serveProxy({ proxy: { fetch: handler, close: proxy.close }, port, host });
  const server = await opening.catch(({ code, message }: NodeJS.ErrnoException) => {
    const isOfOtherShop = code === 'OTHER_SHOP';
    const problem = `It cannot listen on ${host}, port ${port}: ${code}`;
    terminal.warn(isOfOtherShop ? `${gathered.nameOf('ledgerUrl')}: ${message}` : problem);
    return null;
  });
  if (!server) return 1;
  terminal.write(`pix-checkout serve (${role}) listens on ${server.url} for ${publicUrl}`);
  await waitForEnd(terminal.signal);
  await server.close();
  return 0;
}

/** Makes the handler of a worker, which answers only health checks. */
function toWorkerFetch(proxy: PixProxy, publicUrl: string): PixProxy['fetch'] {
  const base = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const own = new Set([`${base}/health`, `${base}/ready`]);
  return async (request, info) =>
    own.has(new URL(request.url).pathname)
      ? proxy.fetch(request, info)
      : new Response(null, { status: 404 });
}

/** Whether a package that the operator installs can be loaded. Without `undici`, Node's own `fetch` is used. */
function isUsable(name: string): boolean {
  try {
    createRequire(import.meta.url)(name);
    return true;
  } catch {
    return false;
  }
}

/** Writes a hint in the form of the proxy's log entries, for programs that collect them. */
function toLogLine(hint: string): string {
  return JSON.stringify({ level: 'warn', event: 'setting', hint });
}

// Serves the metrics for Prometheus on a port of its own, if one is set. It starts before the proxy and closes after it.

/** Runs the proxy by `run`, and serves its metrics meanwhile. @param run gets the metrics' sink; undefined if no port is set */
export async function serveWithNumbers(
  { metricsPort: port, metricsHost: host }: ServeSettings,
  terminal: Terminal,
  run: (metrics?: MetricsSink) => Promise<ExitCode>,
): Promise<ExitCode> {
  if (port === undefined) return run();
  const opening = serveMetrics({ port, host });
  const page = await opening.catch(({ code, message }: NodeJS.ErrnoException) => {
    terminal.warn(`It cannot show numbers on ${host}, port ${port}: ${code ?? message}`);
    return null;
  });
  if (!page) return 1;
  try {
    terminal.write(`Numbers for Prometheus: ${page.url}`);
    return await run(page.metrics);
  } finally {
    await page.close();
  }
}
