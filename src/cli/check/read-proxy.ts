/** Reads the arguments of `check`. */

import { randomUUID } from 'node:crypto';
import { externalIdPattern } from '../../contract/types.js';
import { daySeconds, hourSeconds } from '../../domain/spans.js';
import { parseBaseUrl, parseSecureUrl } from '../../service/secure-url.js';
import { signOrder } from '../../order-token.js';
import { UsageError, type CommandCall } from '../command.js';
import type { Terminal } from '../terminal.js';
import { checkOption, readOption } from '../variables.js';
import { payerSchema } from '../../contract/schemas.js';
import { parseObject } from '../json-object.js';
import { groups, type Group } from './point.js';
import { toReferencesAlike, type CheckedProxy } from './values.js';

const times = {
  // The element waits as long for a creation, which may call an acquirer.
  timeoutMs: 25_000,
  lookUpMs: 6_000,
  settleMs: 60,
  waitSeconds: 3,
  // Most web servers wait longer for a body, but the whole run takes only half a minute.
  stallMs: 10_000,
  // A proxy waits for up to 25 seconds, and its service takes some time as well.
  longestMs: 33_000,
};

const minuteMs = 61_000;

/** A CPF for tests, with valid check digits. */
export const testPayer = {
  name: 'Maria do Check',
  cpf_cnpj: '52998224725',
  email: 'check@example.com',
};

/**
 * When the tokens expire that must be refused, seconds from now. Clocks may differ by a minute; a clock without its time zone
 * is three hours off in Brazil.
 */
export const tokenEnds = {
  expired_token: -daySeconds,
  expired_now_token: -90,
  expired_hour_token: -50 * 60,
  expired_zone_token: -170 * 60,
  ending_token: 5 * 60,
};

/** Reads the proxy to check. @throws UsageError */
export async function readProxy(
  { values, flags, positionals: [endpoint] }: CommandCall,
  { env, signal }: Terminal,
): Promise<CheckedProxy> {
  const { only, origin, total, payer, sandbox } = values;
  const order = toReference('--order', values['order']);
  const publicUrl = checkOption(() => parseBaseUrl('<endpoint>', endpoint));
  return {
    endpoint: publicUrl,
    order,
    only: readGiven(only, toGroup),
    ...(await readTokens(values, env, { order, publicUrl })),
    totalCents: readGiven(total, toCents),
    origin: readGiven(origin, (url) => checkOption(() => parseSecureUrl('--origin', url).origin)),
    payer: readGiven(payer, toPayer) ?? testPayer,
    sandbox: readGiven(sandbox, (url) => checkOption(() => parseBaseUrl('--sandbox', url))),
    lateMs: flags.has('minute') ? minuteMs : 0,
    cardToken: await readOption(values['card-token'], env, 'PIX_CARD_TOKEN'),
    takesNumbers: flags.has('raw-card'),
    ...times,
    signal,
  };
}

/** Reads the order tokens, or makes them with the secret. @throws UsageError */
async function readTokens(
  values: CommandCall['values'],
  env: Terminal['env'],
  { order, publicUrl }: { readonly order: string; readonly publicUrl: string },
): Promise<Pick<CheckedProxy, 'orderToken' | 'madeTokens' | 'otherOrder' | 'secondOrder'>> {
  const secret = await readOption(values['secret'], env, 'SECRET');
  const sign = async (externalId: string, endsInSeconds = hourSeconds) => {
    const atMs = Date.now() + (endsInSeconds - hourSeconds) * 1_000;
    const what = { publicUrl, externalId, expiresInSeconds: hourSeconds, now: () => atMs };
    return secret ? signOrder({ secrets: [secret], ...what }).catch(refuseSecret) : undefined;
  };
  const read = async (option: string, variable: string) =>
    toSendable(`--${option}`, await readOption(values[option], env, variable));
  const alike = Object.entries(toReferencesAlike(order)).filter(([, one]) => isReference(one));
  const made = [
    ...Object.entries(tokenEnds).map(async ([name, end]) => [name, await sign(order, end)]),
    ...alike.map(async ([name, one]) => [`${name}_token`, await sign(String(one))]),
  ];
  const madeTokens = Object.fromEntries(await Promise.all(made)) as CheckedProxy['madeTokens'];
  const expired = toSendable('--expired-token', values['expired-token']);
  const other = `check-${randomUUID()}`;
  const second = readGiven(values['second-order'], (one) => toReference('--second-order', one));
  const secondToken = second && (await read('second-token', 'PIX_SECOND_TOKEN'));
  return {
    orderToken: await read('token', 'PIX_ORDER_TOKEN'),
    madeTokens: { ...madeTokens, ...(expired && { expired_token: expired }) },
    otherOrder: secret ? { order: other, orderToken: await sign(other) } : undefined,
    secondOrder:
      second === undefined
        ? undefined
        : { order: second, orderToken: secondToken ?? (await sign(second)) },
  };
}

function readGiven<T>(value: string | undefined, read: (value: string) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

/** Checks a reference. @throws UsageError */
function toReference(option: string, value: unknown): string {
  if (isReference(value)) return value;
  throw new UsageError(`${option} must be a reference of 1 to 64 letters, digits and . _ : -`);
}

function isReference(value: unknown): value is string {
  return typeof value === 'string' && externalIdPattern.test(value);
}

/** Reads the payer. @throws UsageError that quotes no value */
function toPayer(text: string): Readonly<Record<string, string>> {
  const read = payerSchema.safeParse(parseObject(text));
  if (read.success) return read.data as Readonly<Record<string, string>>;
  throw new UsageError('--payer must be JSON with fields of a payer: {"name": …, "cpf_cnpj": …}');
}

/** Reads an amount. @throws UsageError */
function toCents(value: string): number {
  if (/^[1-9]\d{0,11}$/.test(value)) return Number(value);
  throw new UsageError('--total must be whole cents, as in 12990');
}

/** Checks a token. @throws UsageError for a token that no header can contain, before anything is sent */
function toSendable(option: string, token: string | undefined): string | undefined {
  if (!token) return undefined;
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    `${option} must be letters that a header may hold, without spaces or line breaks`,
  );
}

function refuseSecret(thrown: unknown): never {
  throw thrown instanceof TypeError
    ? new UsageError('--secret must have at least 32 bytes')
    : thrown;
}

/** Finds a group of points. @throws UsageError */
function toGroup(name: string): Group {
  if (Object.hasOwn(groups, name)) return name as Group;
  throw new UsageError(`--only must be one of ${Object.keys(groups).join(', ')}`);
}
