/** `pix-checkout link`: prints the payment link of one order. Needs no running proxy, only what the proxy signs with. */

import { toPaymentLink } from '../order-token.js';
import { UsageError } from './command.js';
import type { Command } from './command.js';
import { needSetting, readSetting } from './serve/gather-settings.js';

export const linkCommand: Command = {
  summary: 'Print the payment link of an order.',
  positionals: ['<reference>'],
  options: { 'expires-in <seconds>': 'How long the link works. Default 86400, a day.' },
  more: [
    'Variables, with the values that the proxy has:',
    '  PIX_PUBLIC_URL           where browsers reach the proxy',
    '  PIX_SECRETS              or PIX_SECRETS_FILE: the current one first, separated by spaces',
    '  PIX_REQUIRE_ORDER_TOKEN  false where orders are public: the link names the order and has no end',
    '',
    'The link is printed alone. Its holder may pay the order: send it to the payer only.',
  ].join('\n'),

  async run({ values, positionals: [externalId = ''] }, { env, write }) {
    const required = (await readSetting(env, 'requireOrderToken')) !== false;
    const life = values['expires-in'];
    const { url } = await toPaymentLink({
      externalId,
      publicUrl: await needSetting(env, 'publicUrl'),
      secrets: required ? await needSetting<string[]>(env, 'secrets') : [],
      requireOrderToken: required,
      ...(life === undefined ? {} : { expiresInSeconds: Number(life) }),
    }).catch(explain);
    write(url);
    return 0;
  },
};

/** What the options are called here. */
const spelled: Readonly<Record<string, string>> = {
  externalId: '<reference>',
  expiresInSeconds: '--expires-in',
  publicUrl: 'PIX_PUBLIC_URL',
  secrets: 'PIX_SECRETS',
  requireOrderToken: 'PIX_REQUIRE_ORDER_TOKEN',
};

function explain(thrown: unknown): never {
  if (!(thrown instanceof TypeError)) throw thrown;
  const text = thrown.message.replaceAll(/\b(\w+)\b(?:\[\d+\])?/g, (word, name: string) =>
    Object.hasOwn(spelled, name) ? spelled[name]! : word,
  );
  throw new UsageError(text);
}
