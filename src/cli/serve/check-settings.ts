/** Finds everything that is wrong with the settings at once. Problems name a setting and never quote its value. */

import { resolve } from 'node:path';
import { createProxy } from '../../proxy.js';
import type { ProxyOptions } from '../../proxy.js';
import { eventTypes } from '../merchant-server/event-calls.js';
import type { EventHook } from '../merchant-server/event-calls.js';
import { parseMerchantUrl } from '../merchant-server/signed-post.js';
import { parseWebhookSecrets } from '../merchant-server/webhook-signature.js';
import type { Gathered } from './gather-settings.js';
import { isProxyOption, variables } from './serve-variables.js';
import type { Setting } from './serve-variables.js';

/** What was found: with a problem nothing is served, warnings are told. */
export interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** In place of what is wrong or missing, so that the rest can be checked. None of it is ever served. */
const samples: Partial<ProxyOptions> = {
  serviceUrl: 'https://service.example',
  accessToken: 'a-token',
  secrets: ['a-secret-that-stands-for-another'],
  publicUrl: 'https://shop.example/pix',
  allowedOrigins: ['https://shop.example'],
};

/** @param isProduction `NODE_ENV` says so */
export function checkSettings(gathered: Gathered, isProduction: boolean): Findings {
  return {
    problems: [
      ...gathered.problems,
      ...findMissing(gathered),
      ...findWrongOptions(gathered),
      ...findWrongAddresses(gathered),
      ...findContradictions(gathered, isProduction),
    ],
    warnings: findWarnings(gathered, isProduction),
  };
}

/** The data of the settings that the proxy itself takes. */
export function toProxyData({ data }: Gathered): Partial<ProxyOptions> {
  const moved = (['serviceUrl', 'publicUrl'] as const).flatMap((name) => {
    const from = data.get(name === 'serviceUrl' ? 'movedFromServiceUrl' : 'movedFromPublicUrl');
    return from === undefined ? [] : [[name, from] as const];
  });
  return {
    ...Object.fromEntries([...data].filter(([setting]) => isProxyOption(setting))),
    ...(moved.length > 0 && { movedFrom: Object.fromEntries(moved) }),
  };
}

function findMissing({ data, functions, nameOf }: Gathered): string[] {
  const required = (Object.keys(variables) as Setting[]).filter((one) => variables[one].isRequired);
  const missing = required.filter((setting) => !data.has(setting)).map(nameOf);
  const isPriced = data.has('orderUrl') || functions.has('resolveOrder');
  const isSigned = data.has('webhookSecrets') || !(data.has('orderUrl') || data.has('eventsUrl'));
  return [
    ...missing.map((name) => `${name} is missing`),
    ...(isPriced
      ? []
      : ['PIX_ORDER_URL is missing, or resolveOrder in a config module (--config)']),
    ...(isSigned ? [] : [`${nameOf('webhookSecrets')} is missing: it signs what your server gets`]),
  ];
}

/** What the proxy says of its options: a line for each that is wrong, which begins with its name. */
function findWrongOptions(gathered: Gathered): string[] {
  const options: Record<string, unknown> = { ...toProxyData(gathered), resolveOrder: () => null };
  for (const [name, sample] of Object.entries(samples)) options[name] ??= sample;
  try {
    createProxy(options as unknown as ProxyOptions);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    return thrown.message
      .split('\n')
      .map((line) => line.replace(/^movedFrom\.\w/, toCamel).replace(/^\w+/, gathered.nameOf));
  }
}

/** `movedFrom.publicUrl` is the setting `movedFromPublicUrl`. */
const toCamel = (text: string) => `movedFrom${text.slice(-1).toUpperCase()}`;

function findWrongAddresses({ data, nameOf }: Gathered): string[] {
  const hosts = data.get('plainHttpHosts') ?? [];
  const isList = Array.isArray(hosts) && hosts.every((host) => typeof host === 'string');
  const checks: Partial<Record<Setting, (name: string, value: unknown) => unknown>> = {
    orderUrl: (name, value) => parseMerchantUrl(name, value, isList ? hosts : []),
    eventsUrl: (name, value) => parseMerchantUrl(name, value, isList ? hosts : []),
    webhookSecrets: parseWebhookSecrets,
    plainHttpHosts: (name) => isList || fail(`${name} must be a list of hosts`),
    port: requirePort,
    metricsPort: requirePort,
    host: requireText,
    metricsHost: requireText,
    ledgerUrl: requireText,
    role: (name, value) =>
      ['all', 'web', 'worker'].includes(String(value)) ||
      fail(`${name} must be all or web or worker`),
  };
  return Object.entries(checks).flatMap(([setting, check]) => {
    const value = data.get(setting as Setting);
    if (value === undefined) return [];
    try {
      check(nameOf(setting), value);
      return [];
    } catch (thrown) {
      return [(thrown as TypeError).message];
    }
  });
}

function findContradictions(
  { data, functions, nameOf }: Gathered,
  isProduction: boolean,
): string[] {
  const hooks = (Object.keys(eventTypes) as EventHook[]).filter((hook) => functions.has(hook));
  const both = [
    ...hooks.map((hook) => ['eventsUrl', hook] as const),
    ['orderUrl', 'resolveOrder'] as const,
  ];
  const twice = both.filter(([setting, name]) => data.has(setting) && functions.has(name));
  const role = data.get('role') ?? 'all';
  return [
    ...twice.map(
      ([setting, name]) => `Set ${nameOf(setting)} or ${name} of the config module, not both`,
    ),
    ...(isProduction && data.get('allowSandbox') === true
      ? [
          `${nameOf('allowSandbox')} must not be on where NODE_ENV is production: no money moves there`,
        ]
      : []),
    ...(role !== 'all' && !data.has('ledgerUrl')
      ? [`${nameOf('role')} needs ${nameOf('ledgerUrl')}: web and worker meet there`]
      : []),
  ];
}

function findWarnings({ data, functions, nameOf }: Gathered, isProduction: boolean): string[] {
  const publicUrl = String(data.get('publicUrl'));
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : '';
  const warnings: readonly [isTrue: boolean, warning: string][] = [
    [
      !data.has('ledgerUrl'),
      `${nameOf('ledgerUrl')} is missing: orders are kept in ${resolve('pix-checkout.db')}`,
    ],
    [
      !data.has('eventsUrl') && !functions.has('onPaid'),
      `${nameOf('eventsUrl')} is missing: your server does not hear of payments`,
    ],
    [
      data.get('requireOrderToken') === false,
      `${nameOf('requireOrderToken')} is off: each who knows a reference can ask for its code`,
    ],
    [
      isProduction && data.get('allowUnverifiedCodes') === true,
      `${nameOf('allowUnverifiedCodes')} is on: payers may be shown codes that no bank can pay`,
    ],
    [
      isProduction && /^(localhost|127\.|\[::1\])/.test(host),
      `${nameOf('publicUrl')} is on this machine: neither payers nor postbacks reach it`,
    ],
  ];
  return warnings.flatMap(([isTrue, warning]) => (isTrue ? [warning] : []));
}

function requirePort(name: string, value: unknown): void {
  const isPort = Number.isInteger(value) && Number(value) >= 0 && Number(value) < 65_536;
  if (!isPort) fail(`${name} must be a port: 0 (any free one) to 65535`);
}

function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string') fail(`${name} must be a text`);
}

function fail(problem: string): never {
  throw new TypeError(problem);
}
