/** `pix-checkout check`: compares a merchant's proxy with the contract, and reports what is missing. */

import type { Command, ExitCode } from '../command.js';
import { isOpenMoney, toReport } from './check-report.js';
import { groups, severities } from './point.js';
import { readProxy } from './read-proxy.js';
import { NotPayable, runCheck } from './run-check.js';
import type { CheckedProxy } from './values.js';
import { NoAnswer } from './send-request.js';

export const checkCommand: Command = {
  summary:
    'Check a proxy, in any language, against the contract. Needs an open order; pays nothing.',
  positionals: ['<endpoint>'],
  options: {
    'order <reference>': 'Required. An order of a test that can be paid.',
    'total <cents>': 'What it costs by Pix, as in 12990: every amount is compared with it.',
    'token <token>': 'Its order token, if the proxy wants one.',
    'origin <origin>': 'Of a page that may call the proxy.',
    'card-token <token>':
      'A card to charge with the order; best one that stays pending (at the sandbox tok_pending).',
    'expired-token <token>': 'An order token that has expired.',
    'secret <secret>': 'Of the proxy: makes the tokens that lack.',
    'second-order <reference>':
      'Another open order: neither may get what is of the other. Its token: --second-token or --secret.',
    'second-token <token>': 'The order token of that one.',
    'payer <json>':
      'Whom the test invoices name, as in {"name": …, "cpf_cnpj": …, "email": …}. Default: one of a test.',
    'sandbox <url>':
      'The sandbox behind the proxy: also spoils payments, postbacks and answers there.',
    minute: 'Ask once more after a minute for what was barred.',
    'raw-card': 'The proxy is in PCI DSS scope and takes card numbers.',
    'only <group>': `One of ${Object.keys(groups).join(', ')}.`,
    json: 'Write the result as JSON.',
  },
  more: [
    'Tokens and secret may also stand in PIX_ORDER_TOKEN, PIX_SECOND_TOKEN, PIX_CARD_TOKEN and SECRET: other users of a machine see the arguments of a command.',
    'Exit code: 0 no point failed, else the worst that failed: 5 loses money, 4 leaks, 3 breaks;',
    '2 called wrongly, ended early, nothing answers, or a point that may lose money could not be asked.',
  ].join('\n'),

  async run(call, terminal) {
    const proxy = await readProxy(call, terminal);
    terminal.warn(describeRun(proxy));
    try {
      const results = await runCheck(proxy);
      terminal.write(toReport(results, call.flags.has('json'), terminal.style));
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      const codes = failed.map(({ severity }) => severities[severity].exitCode);
      const worst = Math.max(0, ...codes) as ExitCode;
      // A run that could not check points about money must not end like the run of a good proxy, or of a proxy that only
      // breaks a page.
      return worst < severities.leak.exitCode && results.some(isOpenMoney) ? 2 : worst;
    } catch (thrown) {
      if (!(thrown instanceof NotPayable || thrown instanceof NoAnswer)) throw thrown;
      const { message } = thrown;
      const cause = terminal.signal.aborted ? 'Ended' : `The proxy cannot be reached: ${message}`;
      terminal.warn(thrown instanceof NotPayable ? message : cause);
      return 2;
    }
  },
};

function describeRun({ order, secondOrder, endpoint, cardToken }: CheckedProxy): string {
  const second = secondOrder ? ` It also creates one of order ${secondOrder.order}.` : '';
  const card =
    cardToken === undefined
      ? 'Nothing is paid.'
      : 'Then it CHARGES the card of the token: once, or up to five times if the proxy is wrong.';
  return `This creates a Pix code of order ${order} at ${endpoint}, and two in its place.${second} It takes up to half a minute. ${card}`;
}
