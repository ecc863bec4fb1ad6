/** Finds everything that is wrong with the settings at once. Problems name a setting and never quote its value. */

import { resolve } from 'node:path';
import { readAll } from '../../proxy/set-up/options/option-schema.js';
import { optionSchema } from '../../proxy/set-up/options/read-options.js';
import { eventTypes } from '../merchant-server/event-calls.js';
import type { Gathered } from './gather-settings.js';
import { isProxyOption, toServeSchema, variables } from './serve-variables.js';
import type { ServeSettings, Setting } from './serve-variables.js';

/** What was found: with a problem nothing is served, warnings are told. */
export interface Findings {
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** @param isProduction `NODE_ENV` says so */
export function checkSettings(gathered: Gathered, isProduction: boolean): Findings {
  return {
    problems: [
      ...gathered.problems,
      ...findMissing(gathered),
      ...findWrong(gathered, () => readAll(optionSchema, toProxyData(gathered))),
      ...findWrong(gathered, () => toServeSettings(gathered)),
      ...findContradictions(gathered, isProduction),
    ],
    warnings: findWarnings(gathered, isProduction),
  };
}

/** The data of the settings that the proxy itself takes. */
export function toProxyData({ data }: Gathered): object {
  const movedFrom = {
    serviceUrl: data.get('movedFromServiceUrl'),
    publicUrl: data.get('movedFromPublicUrl'),
  };
  return { ...Object.fromEntries([...data].filter(([one]) => isProxyOption(one))), movedFrom };
}

/** The settings of serving itself. @throws TypeError with a line for each that is wrong */
export function toServeSettings({ data }: Gathered): ServeSettings {
  const own = [...data].filter(([setting]) => !isProxyOption(setting));
  return readAll(toServeSchema(data.get('plainHttpHosts')), Object.fromEntries(own));
}

function findMissing({ data, functions, nameOf }: Gathered): string[] {
  const required = (Object.keys(variables) as Setting[]).filter((one) => variables[one].isRequired);
  const isPriced = data.has('orderUrl') || functions.has('resolveOrder');
  const isSigned = data.has('webhookSecrets') || !(data.has('orderUrl') || data.has('eventsUrl'));
  return toTold([
    ...required.map((one) => [!data.has(one), `${nameOf(one)} is missing`] as const),
    [!isPriced, 'PIX_ORDER_URL is missing, or resolveOrder in a config module (--config)'],
    [!isSigned, `${nameOf('webhookSecrets')} is missing: it signs what your server gets`],
  ]);
}

/** A line for each that is wrong, which begins with its name. What is not there is missing, and not also wrong. */
function findWrong({ data, nameOf }: Gathered, read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    const lines = thrown.message.split('\n').map((line) => /^(\w+)(.*)/s.exec(line)!);
    return lines.flatMap(([, setting = '', rest = '']) =>
      data.get(setting as Setting) === undefined ? [] : [nameOf(setting) + rest],
    );
  }
}

function findContradictions(
  { data, functions, nameOf }: Gathered,
  isProduction: boolean,
): string[] {
  const both = [
    ...Object.keys(eventTypes).map((hook) => ['eventsUrl', hook] as const),
    ['orderUrl', 'resolveOrder'] as const,
  ];
  return toTold([
    ...both.map(
      ([setting, name]) =>
        [
          data.has(setting) && functions.has(name),
          `Set ${nameOf(setting)} or ${name} of the config module, not both`,
        ] as const,
    ),
    [
      isProduction && data.get('allowSandbox') === true,
      `${nameOf('allowSandbox')} must not be on where NODE_ENV is production: no money moves there`,
    ],
    [
      (data.get('role') ?? 'all') !== 'all' && !data.has('ledgerUrl'),
      `${nameOf('role')} needs ${nameOf('ledgerUrl')}: web and worker meet there`,
    ],
  ]);
}

function findWarnings({ data, functions, nameOf }: Gathered, isProduction: boolean): string[] {
  const publicUrl = String(data.get('publicUrl'));
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : '';
  return toTold([
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
  ]);
}

function toTold(lines: readonly (readonly [isTrue: boolean, line: string])[]): string[] {
  return lines.flatMap(([isTrue, line]) => (isTrue ? [line] : []));
}
