/** Finds everything that is wrong with the settings at once. Problems name a setting and never quote its value. */

import { resolve } from 'node:path';
import { readAll } from '../../proxy/set-up/options/option-schema.js';
import { optionSchema } from '../../proxy/set-up/options/read-options.js';
import { eventTypes } from '../merchant-server/merchant-calls.js';
import type { Gathered } from './gather-settings.js';
import { isProxyOption, toServeSchema, variables } from './serve-variables.js';
import type { ServeSettings, Setting } from './serve-variables.js';

/**
 * Checks the settings.
 * @param isProduction from `NODE_ENV`
 * @returns problems, with which nothing is served, and warnings
 */
export function checkSettings(gathered: Gathered, isProduction: boolean) {
  return {
    problems: [
      ...gathered.problems,
      ...findMissing(gathered).map((name) => `${name} is missing`),
      ...findUnset(gathered),
      ...findWrong(gathered, () => readAll(optionSchema, toProxyData(gathered))),
      ...findWrong(gathered, () => toServeSettings(gathered)),
      ...findContradictions(gathered, isProduction),
    ],
    warnings: findWarnings(gathered, isProduction),
  };
}

/** The data that `createProxy` takes. */
export function toProxyData({ data }: Gathered): object {
  const movedFrom = {
    serviceUrl: data.get('movedFromServiceUrl'),
    publicUrl: data.get('movedFromPublicUrl'),
  };
  return { ...Object.fromEntries([...data].filter(([one]) => isProxyOption(one))), movedFrom };
}

/** Reads the settings of `serve` itself. @throws TypeError with a line for each wrong one */
export function toServeSettings({ data }: Gathered): ServeSettings {
  const own = [...data].filter(([setting]) => !isProxyOption(setting));
  return readAll(toServeSchema(data.get('plainHttpHosts')), Object.fromEntries(own));
}

/** Finds required settings that are missing. */
export function findMissing({ data, nameOf }: Gathered): string[] {
  const settings = Object.keys(variables) as Setting[];
  return settings.filter((one) => variables[one].isRequired && !data.has(one)).map(nameOf);
}

/** Finds what the settings lack together: a way to get prices, and the secret that signs calls to the merchant's server. */
function findUnset({ data, functions, nameOf }: Gathered): string[] {
  const isPriced = data.has('orderUrl') || functions.has('resolveOrder');
  const isSigned = data.has('webhookSecrets') || !(data.has('orderUrl') || data.has('eventsUrl'));
  return listTrue({
    'PIX_ORDER_URL is missing, or resolveOrder in a config module (--config)': !isPriced,
    [`${nameOf('webhookSecrets')} is missing: it signs what your server gets`]: !isSigned,
  });
}

/** Writes a line for each wrong setting, which begins with its name. A missing setting is not reported as wrong as well. */
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

/** Finds settings that may not stand together, or not in production. */
function findContradictions(
  { data, functions, nameOf }: Gathered,
  isProduction: boolean,
): string[] {
  const hooks = Object.keys(eventTypes).filter(
    (hook) => data.has('eventsUrl') && functions.has(hook),
  );
  const isPricedTwice = data.has('orderUrl') && functions.has('resolveOrder');
  const setTwice = (setting: Setting, name: string) =>
    `Set ${nameOf(setting)} or ${name} of the config module, not both`;
  const isPart = (data.get('role') ?? 'all') !== 'all';
  return [
    ...hooks.map((hook) => setTwice('eventsUrl', hook)),
    ...listTrue({
      [setTwice('orderUrl', 'resolveOrder')]: isPricedTwice,
      [`${nameOf('allowSandbox')} must not be on where NODE_ENV is production: no money moves there`]:
        isProduction && data.get('allowSandbox') === true,
      [`${nameOf('role')} needs ${nameOf('ledgerUrl')}: web and worker meet there`]:
        isPart && !data.has('ledgerUrl'),
    }),
  ];
}

function findWarnings({ data, functions, nameOf }: Gathered, isProduction: boolean): string[] {
  const publicUrl = String(data.get('publicUrl'));
  const host = URL.canParse(publicUrl) ? new URL(publicUrl).hostname : '';
  return listTrue({
    [`${nameOf('ledgerUrl')} is missing: orders are kept in ${resolve('pix-checkout.db')}`]:
      !data.has('ledgerUrl'),
    [`${nameOf('eventsUrl')} is missing: your server does not hear of payments`]:
      !data.has('eventsUrl') && !functions.has('onPaid'),
    [`${nameOf('requireOrderToken')} is off: each who knows a reference can ask for its code`]:
      data.get('requireOrderToken') === false,
    [`${nameOf('allowUnverifiedCodes')} is on: payers may be shown codes that no bank can pay`]:
      isProduction && data.get('allowUnverifiedCodes') === true,
    [`${nameOf('publicUrl')} is on this machine: neither payers nor postbacks reach it`]:
      isProduction && /^(localhost|127\.|\[::1\])/.test(host),
  });
}

/** Lists the lines whose condition is true. @param lines each with its condition */
function listTrue(lines: Readonly<Record<string, boolean>>): string[] {
  return Object.keys(lines).filter((line) => lines[line]);
}
