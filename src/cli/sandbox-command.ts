/** `pix-checkout sandbox`: the invoice service's stand-in, with the page where one plays the bank. */

import { createSandbox, serveSandbox } from '../sandbox.js';
import { readPort, refuseProduction } from './command.js';
import type { Command } from './command.js';
import { untilEnded } from './terminal.js';

const accessToken = 'sandbox';

export const sandboxCommand: Command = {
  summary: 'Run a local stand-in for the invoice service. Its codes cannot be paid.',
  options: {
    port: { type: 'string', value: '<port>', text: 'Where it listens, on loopback. Default 8081.' },
  },

  async run({ values }, terminal) {
    const port = readPort('--port', values['port'], 8081);
    refuseProduction(terminal.env);
    const server = await serveSandbox(createSandbox({ accessToken }), { port });
    terminal.write(
      [
        `The sandbox listens on ${server.url}`,
        `Its bank, to pay and to refuse: ${server.url}/sandbox/`,
        '',
        'Set for your proxy:',
        `  SERVICE_URL=${server.url}`,
        `  ACCESS_TOKEN=${accessToken}`,
        '  ALLOW_SANDBOX=true',
      ].join('\n'),
    );
    await untilEnded(terminal.signal);
    await server.close();
    return 0;
  },
};
