/** `pix-checkout sandbox`: runs the sandbox in place of the invoice service, with a page that plays the bank. */

import { createSandbox, serveSandbox, type Sandbox } from '../sandbox.js';
import { readPort, UsageError, type Command } from './command.js';
import { waitForEnd, type Terminal } from './terminal.js';

/** The access token of the sandbox that commands open. */
export const sandboxToken = 'sandbox';

/** Opens the sandbox. @throws UsageError in production */
export function openSandbox({ NODE_ENV: environment }: Terminal['env']): Sandbox {
  if (environment !== 'production') return createSandbox({ accessToken: sandboxToken });
  throw new UsageError('The sandbox never runs where NODE_ENV is production');
}

export const sandboxCommand: Command = {
  summary: 'Run a local stand-in for the invoice service. Its codes cannot be paid.',
  options: { 'port <port>': 'Where it listens, on loopback. Default 8081.' },

  async run({ values }, terminal) {
    const port = readPort('--port', values['port'] ?? '8081');
    const server = await serveSandbox(openSandbox(terminal.env), { port });
    terminal.write(
      [
        `The sandbox listens on ${server.url}`,
        `Its bank, to pay and to refuse: ${server.url}/sandbox/`,
        '',
        'Set for your proxy:',
        `  PIX_SERVICE_URL=${server.url}`,
        `  PIX_ACCESS_TOKEN=${sandboxToken}`,
        '  PIX_ALLOW_SANDBOX=true',
        '',
        'A proxy of your own calls POST and GET /api/v2/invoices there, with the bearer.',
      ].join('\n'),
    );
    await waitForEnd(terminal.signal);
    await server.close();
    return 0;
  },
};
