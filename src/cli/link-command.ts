/** `pix-checkout link`: prints the payment link of one order. Needs no running proxy, only what the proxy signs with. */

import { toPaymentLink } from '../order-token.js';
import { UsageError } from './command.js';
import type { Command } from './command.js';
import { readVariable } from './variables.js';

export const linkCommand: Command = {
  summary: 'Print the payment link of an order.',
  positionals: ['<reference>'],
  options: {
    'expires-in': {
      type: 'string',
      value: '<seconds>',
      text: 'How long the link works. Default 86400, a day.',
    },
  },
  more: [
    'Variables, with the values that the proxy has:',
    '  PUBLIC_URL           where browsers reach the proxy',
    '  SECRETS              or SECRETS_FILE: the current one first, separated by spaces',
    '  REQUIRE_ORDER_TOKEN  false where orders are public: the link names the order and has no end',
    '',
    'The link is printed alone. Its holder may pay the order: send it to the payer only.',
  ].join('\n'),

  async run({ values, positionals: [externalId = ''] }, { env, write }) {
    const required = (await readVariable(env, 'REQUIRE_ORDER_TOKEN')) ?? 'true';
    if (!/^(true|false)$/.test(required)) {
      throw new UsageError('REQUIRE_ORDER_TOKEN must be true or false');
    }
    const life = values['expires-in'];
    const { url } = await toPaymentLink({
      externalId,
      publicUrl: await need('PUBLIC_URL'),
      secrets: required === 'false' ? [] : (await need('SECRETS')).split(/\s+/),
      requireOrderToken: required !== 'false',
      ...(life === undefined ? {} : { expiresInSeconds: Number(life) }),
    }).catch(explain);
    write(url);
    return 0;

    async function need(name: string): Promise<string> {
      const value = await readVariable(env, name);
      if (value === undefined) throw new UsageError(`Set ${name}, as for the proxy`);
      return value;
    }
  },
};

/** What the options are called here. */
const spelled: readonly (readonly [option: RegExp, here: string])[] = [
  [/^externalId/, '<reference>'],
  [/^expiresInSeconds/, '--expires-in'],
  [/^publicUrl/, 'PUBLIC_URL'],
  [/^secrets(?:\[\d+\])?/, 'SECRETS'],
  [/requireOrderToken/, 'REQUIRE_ORDER_TOKEN'],
];

function explain(thrown: unknown): never {
  if (!(thrown instanceof TypeError)) throw thrown;
  const text = spelled.reduce(
    (words, [option, here]) => words.replace(option, here),
    thrown.message,
  );
  throw new UsageError(text);
}
