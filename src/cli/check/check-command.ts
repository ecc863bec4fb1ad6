/** `pix-checkout check`: holds any merchant's proxy against the contract, and says what is missing. */

import { externalIdPattern } from '../../contract/types.js';
import { parseBaseUrl, parseSecureUrl } from '../../service/secure-url.js';
import { UsageError } from '../command.js';
import type { Command, CommandCall } from '../command.js';
import type { Terminal } from '../terminal.js';
import { checkOption, readOption } from '../variables.js';
import { toReport } from './check-report.js';
import { runCheck } from './run-check.js';
import type { CheckedProxy } from './run-check.js';
import { NoAnswer } from './send-request.js';

/** Longest wait for an answer: a proxy may ask the service, and that may ask an acquirer. */
const timeoutMs = 30_000;

/** As long as common web servers wait for a body before they answer 408, and a little more. */
const stallMs = 65_000;

export const checkCommand: Command = {
  summary:
    'Check a proxy, in any language, against the contract. Needs an open order; pays nothing.',
  positionals: ['<endpoint>'],
  options: {
    order: { type: 'string', value: '<reference>', text: 'An order of a test that can be paid.' },
    token: { type: 'string', value: '<token>', text: 'Its order token, if the proxy wants one.' },
    origin: { type: 'string', value: '<origin>', text: 'Of a page that may call the proxy.' },
    'card-token': { type: 'string', value: '<token>', text: 'A card to charge with the order.' },
    json: { type: 'boolean', text: 'Write the result as JSON.' },
  },
  more: [
    'The tokens may also stand in ORDER_TOKEN and CARD_TOKEN: other users of a machine see the arguments of a command.',
    'Exit code: 0 no point failed, 1 some failed, 2 called wrongly, ended early, nothing answers, or no code was created.',
  ].join('\n'),

  async run(call, terminal) {
    const proxy = await readProxy(call, terminal);
    terminal.warn(toNotice(proxy));
    try {
      const results = await runCheck(proxy);
      terminal.write(toReport(results, call.values['json'] === true, terminal.style));
      if (results.some(({ outcome }) => outcome === 'failed')) return 1;
      // Without a code most was not asked: that must not look like a proxy that is right.
      return results.some(({ id, outcome }) => id === 'creation' && outcome !== 'passed') ? 2 : 0;
    } catch (thrown) {
      if (!(thrown instanceof NoAnswer)) throw thrown;
      const isEnded = terminal.signal.aborted;
      terminal.warn(isEnded ? 'Ended' : `The proxy cannot be reached: ${thrown.message}`);
      return 2;
    }
  },
};

/** @throws UsageError */
async function readProxy(
  { values, positionals: [endpoint] }: CommandCall,
  { env, signal }: Terminal,
): Promise<CheckedProxy> {
  const { order, token, origin, 'card-token': cardToken } = values;
  if (typeof order !== 'string' || !externalIdPattern.test(order)) {
    throw new UsageError('--order must be a reference of 1 to 64 letters, digits and . _ : -');
  }
  return {
    endpoint: checkOption(() => parseBaseUrl('<endpoint>', endpoint)),
    order,
    orderToken: await readOption(token, env, 'ORDER_TOKEN'),
    origin:
      origin === undefined
        ? undefined
        : checkOption(() => parseSecureUrl('--origin', origin).origin),
    cardToken: await readOption(cardToken, env, 'CARD_TOKEN'),
    timeoutMs,
    stallMs,
    signal,
  };
}

function toNotice({ order, endpoint, cardToken }: CheckedProxy): string {
  const card =
    cardToken === undefined
      ? 'Nothing is paid.'
      : 'Then it CHARGES the card of the token: once, or up to three times if the proxy is wrong.';
  return `This creates a Pix code of order ${order} at ${endpoint}, and one in its place. It takes a minute. ${card}`;
}
