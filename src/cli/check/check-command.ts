/** `pix-checkout check`: holds any merchant's proxy against the contract, and says what is missing. */

import { randomUUID } from 'node:crypto';
import { externalIdPattern } from '../../contract/types.js';
import { parseBaseUrl, parseSecureUrl } from '../../service/secure-url.js';
import { signOrder } from '../../order-token.js';
import { UsageError } from '../command.js';
import type { Command, CommandCall, ExitCode } from '../command.js';
import type { Terminal } from '../terminal.js';
import { checkOption, readOption } from '../variables.js';
import { toReport } from './check-report.js';
import { groups, severities } from './point.js';
import type { Group } from './point.js';
import { NotPayable, runCheck } from './run-check.js';
import type { CheckedProxy, PointResult } from './run-check.js';
import { NoAnswer } from './send-request.js';

/** How long the element waits: for a creation, which may ask an acquirer, and for a look-up. */
const waits = { timeoutMs: 25_000, lookUpMs: 6_000 };

/** As long as common web servers wait for a body before they answer 408, and a little more. */
const stallMs = 65_000;

export const checkCommand: Command = {
  summary:
    'Check a proxy, in any language, against the contract. Needs an open order; pays nothing.',
  positionals: ['<endpoint>'],
  options: {
    order: {
      type: 'string',
      value: '<reference>',
      isRequired: true,
      text: 'An order of a test that can be paid.',
    },
    token: { type: 'string', value: '<token>', text: 'Its order token, if the proxy wants one.' },
    origin: { type: 'string', value: '<origin>', text: 'Of a page that may call the proxy.' },
    'card-token': {
      type: 'string',
      value: '<token>',
      text: 'A card to charge with the order; best one that stays pending (at the sandbox tok_pending).',
    },
    'expired-token': { type: 'string', value: '<token>', text: 'An order token that has expired.' },
    secret: {
      type: 'string',
      value: '<secret>',
      text: 'Of the proxy: makes both tokens that lack.',
    },
    only: { type: 'string', value: '<group>', text: `One of ${Object.keys(groups).join(', ')}.` },
    json: { type: 'boolean', text: 'Write the result as JSON.' },
  },
  more: [
    'Tokens and secret may also stand in ORDER_TOKEN, CARD_TOKEN and SECRET: other users of a machine see the arguments of a command.',
    'Exit code: 0 no point failed, else the worst that failed: 5 loses money, 4 leaks, 3 breaks, 1 could be better;',
    '2 called wrongly, ended early, nothing answers, or no code was created.',
  ].join('\n'),

  async run(call, terminal) {
    const proxy = await readProxy(call, terminal);
    terminal.warn(toNotice(proxy));
    try {
      const results = await runCheck(proxy);
      terminal.write(toReport(results, call.values['json'] === true, terminal.style));
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      const codes = failed.map(({ severity }) => severities[severity].exitCode);
      if (codes.length > 0) return Math.max(...codes) as ExitCode;
      // Without a code most was not asked: that must not look like a proxy that is right.
      return results.some(isUnaskedCreation) ? 2 : 0;
    } catch (thrown) {
      if (thrown instanceof NotPayable) {
        terminal.warn(thrown.message);
        return 2;
      }
      if (!(thrown instanceof NoAnswer)) throw thrown;
      const isEnded = terminal.signal.aborted;
      terminal.warn(isEnded ? 'Ended' : `The proxy cannot be reached: ${thrown.message}`);
      return 2;
    }
  },
};

function isUnaskedCreation({ id, outcome }: PointResult): boolean {
  return outcome !== 'passed' && (id === 'creation' || id === 'ten-at-once');
}

/** @throws UsageError */
async function readProxy(
  { values, positionals: [endpoint] }: CommandCall,
  { env, signal }: Terminal,
): Promise<CheckedProxy> {
  const { order, token, origin, only, 'card-token': cardToken } = values;
  if (typeof order !== 'string' || !externalIdPattern.test(order)) {
    throw new UsageError('--order must be a reference of 1 to 64 letters, digits and . _ : -');
  }
  if (only !== undefined && !isGroup(only)) {
    throw new UsageError(`--only must be one of ${Object.keys(groups).join(', ')}`);
  }
  const publicUrl = checkOption(() => parseBaseUrl('<endpoint>', endpoint));
  const secret = await readOption(values['secret'], env, 'SECRET');
  const sign = (externalId: string, atMs: number) =>
    secret ? signAt({ secrets: [secret], publicUrl, externalId }, atMs) : undefined;
  const other = `check-${randomUUID()}`;
  const otherToken = await sign(other, Date.now());
  return {
    endpoint: publicUrl,
    order,
    only,
    orderToken: toSendable('--token', await readOption(token, env, 'ORDER_TOKEN')),
    expiredToken: toSendable(
      '--expired-token',
      values['expired-token'] ?? (await sign(order, Date.now() - 24 * 3_600_000)),
    ),
    otherOrder: otherToken === undefined ? undefined : { order: other, orderToken: otherToken },
    origin:
      origin === undefined
        ? undefined
        : checkOption(() => parseSecureUrl('--origin', origin).origin),
    cardToken: await readOption(cardToken, env, 'CARD_TOKEN'),
    ...waits,
    stallMs,
    signal,
  };
}

/** @throws UsageError for what cannot stand in a header, before anything is sent */
function toSendable(option: string, token: unknown): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(
    `${option} must be letters that a header may hold, without spaces or line breaks`,
  );
}

/** Lives for an hour. @throws UsageError */
async function signAt(options: Parameters<typeof signOrder>[0], atMs: number): Promise<string> {
  try {
    return await signOrder({ ...options, expiresInSeconds: 3_600, now: () => atMs });
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw new UsageError('--secret must have at least 32 bytes');
  }
}

function isGroup(name: unknown): name is Group {
  return typeof name === 'string' && Object.hasOwn(groups, name);
}

function toNotice({ order, endpoint, cardToken, only }: CheckedProxy): string {
  const card =
    cardToken === undefined
      ? 'Nothing is paid.'
      : 'Then it CHARGES the card of the token: once, or up to three times if the proxy is wrong.';
  const time = only === undefined || only === 'answers' ? ' It takes up to a minute.' : '';
  return `This creates a Pix code of order ${order} at ${endpoint}, and one in its place.${time} ${card}`;
}
