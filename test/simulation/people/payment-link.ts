/** The merchant's own server asks for a code, for a payment link: without a browser, a key or an order token. */

import type { Order } from './merchant.js';
import type { Processes } from '../processes/processes.js';
import type { World } from '../world.js';

/** Somewhere in the history. */
export function makeLink(world: World, processes: Processes, { externalId }: Order): void {
  const { timeline, chance, watch } = world;
  timeline.after(chance.between(0, 60_000), null, () => {
    const [process] = processes.alive();
    process?.soon(() => {
      if (!process.isOpen) return;
      const receivedAtMs = timeline.now();
      process.proxy.createInvoice({ externalId, method: 'pix' }).then(
        (data) => {
          if (!process.isAlive) return;
          const asked = { method: 'POST', path: '/invoices', headers: {} } as const;
          const body = { method: 'pix' };
          const request = { ...asked, body, remoteAddress: '', patienceMs: 0 };
          const reply = { status: 200, code: '', data: { ...data } };
          watch.answered({ request, reply, receivedAtMs, processNumber: process.number });
        },
        (thrown: unknown) => {
          if (!(thrown instanceof Error && thrown.name === 'ProxyError'))
            watch.fail('end', 'createInvoice rejects with something else than a ProxyError');
        },
      );
    });
  });
}
