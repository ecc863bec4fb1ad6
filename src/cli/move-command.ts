/** `pix-checkout move`: copies a ledger into an empty one, and says which settings to change then. */

import { LedgerError, moveLedger } from '../ledger.js';
import { UsageError, type Command } from './command.js';

const running = 'while-running';

export const moveCommand: Command = {
  summary: 'Copy all orders of one ledger into another one, which is empty.',
  positionals: ['<from>', '<to>'],
  options: {
    [running]:
      'Copies although proxies run: what they change from then on is not in the copy. For a rehearsal.',
  },
  more: [
    '<from> and <to> are file:… or postgres://…. End all proxies first, and wait two minutes.',
    'Exit codes: 0 all orders are there, 1 not all, or proxies run, 2 there is no such ledger.',
  ].join('\n'),

  async run({ flags, positionals: [from = '', to = ''] }, { write, warn }) {
    try {
      const moved = await moveLedger({ from, to, whileRunning: flags.has(running) });
      write(`${moved.from} orders in the old ledger, ${moved.to} in the new one`);
      if (moved.from !== moved.to) return 1;
      write('Set PIX_LEDGER_URL (or the url of openLedger) to the new one, and start the proxies.');
      write('Keep the old one as a backup; no proxy may run with it again.');
      return 0;
    } catch (thrown) {
      if (thrown instanceof TypeError) throw new UsageError(thrown.message);
      if (!(thrown instanceof LedgerError)) throw thrown;
      warn(`Nothing is moved: ${thrown.message}`);
      return thrown.code === 'IN_USE' || thrown.code === 'NOT_EMPTY' ? 1 : 2;
    }
  },
};
