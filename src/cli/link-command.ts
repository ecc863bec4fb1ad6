/**
 * `pix-checkout link`: prints the payment link of one order. It needs the options with which the proxy signs; the proxy need
 * not run.
 */

import { toPaymentLink } from '../order-token.js';
import { UsageError, type Command } from './command.js';
import { requireSetting, readSetting } from './serve/gather-settings.js';

const longestAskMs = 3_000;

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

  async run({ values, positionals: [externalId = ''] }, { env, write, warn }) {
    const required = (await readSetting(env, 'requireOrderToken')) !== false;
    const life = values['expires-in'];
    const publicUrl = await requireSetting(env, 'publicUrl');
    const { url } = await toPaymentLink({
      externalId,
      publicUrl,
      secrets: required ? await requireSetting<string[]>(env, 'secrets') : [],
      requireOrderToken: required,
      ...(life === undefined ? {} : { expiresInSeconds: Number(life) }),
    }).catch(failAsUsage);
    if (await isPageMissing(url)) {
      warn(
        `The proxy at ${publicUrl} has no payment page: set paymentPage (with serve: PIX_PAYMENT_PAGE)`,
      );
      return 1;
    }
    write(url);
    return 0;
  },
};

/**
 * Asks the proxy whether it has a payment page. It may be out of reach from here, or not running yet, so only a 404 proves
 * that the page is missing.
 */
async function isPageMissing(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(longestAskMs);
    // The URL's fragment, which contains the order token, is never sent.
    const { status } = await fetch(url, { method: 'HEAD', redirect: 'manual', signal });
    return status === 404;
  } catch {
    return false;
  }
}

/** The command's names for the options. */
const namesOfOptions: Readonly<Record<string, string>> = {
  externalId: '<reference>',
  expiresInSeconds: '--expires-in',
  publicUrl: 'PIX_PUBLIC_URL',
  secrets: 'PIX_SECRETS',
  requireOrderToken: 'PIX_REQUIRE_ORDER_TOKEN',
};

/** Throws an option's TypeError as a UsageError, with the command's names for the options. */
function failAsUsage(thrown: unknown): never {
  if (!(thrown instanceof TypeError)) throw thrown;
  const text = thrown.message.replaceAll(/\b(\w+)\b(?:\[\d+\])?/g, (word, name: string) =>
    Object.hasOwn(namesOfOptions, name) ? namesOfOptions[name]! : word,
  );
  throw new UsageError(text);
}
