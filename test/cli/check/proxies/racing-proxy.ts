/** A proxy on a port of its own whose only care is how it locks, before a service that takes its time. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { toPixCode } from '../../../proxy/support/pix-code.js';
import { order, totalCents } from '../checked-shop.js';

/** Where a lock is held. */
export type Locking =
  'nowhere' | 'for replaces' | 'for first codes' | 'in each process' | 'everywhere';

interface Invoice {
  readonly invoice_id: string;
  readonly qr_code_pix: string;
}

/** Processes that share a database, and requests by turns. */
const processes = 2;

/** Opens one. It creates, and no more. */
export async function openRacingProxy(locking: Locking, serviceMs: number) {
  let stored: Invoice | undefined;
  let count = 0;
  const locks = new Map<string, Promise<unknown>>();

  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    const mine = (count += 1) % processes;
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const { replaces } = JSON.parse(text || '{}') as { replaces?: string };
    const name = toLock(locking, replaces !== undefined, mine);
    const invoice = await (name === null ? getOrCreate(replaces) : locked(name, replaces));
    response.setHeader('content-type', 'application/json');
    const more = {
      order_code: 'A1',
      external_id: order,
      status: 'pending',
      total_cents: totalCents,
    };
    response.end(JSON.stringify({ data: { ...invoice, ...more, lookup_token: 'a-token-of-it' } }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/pix`,
    close: () => server.close().closeAllConnections(),
  };

  async function getOrCreate(replaces: string | undefined): Promise<Invoice> {
    const open = stored;
    if (open && open.invoice_id !== replaces) return open;
    await pause(serviceMs);
    const id = randomUUID();
    stored = { invoice_id: id, qr_code_pix: toPixCode({ totalCents, key: id }) };
    return stored;
  }

  function locked(name: string, replaces: string | undefined): Promise<Invoice> {
    const work = (locks.get(name) ?? Promise.resolve()).then(() => getOrCreate(replaces));
    locks.set(name, work);
    return work;
  }
}

function toLock(locking: Locking, isReplacing: boolean, mine: number): string | null {
  if (locking === 'everywhere') return 'one';
  if (locking === 'in each process') return `process ${mine}`;
  return locking === (isReplacing ? 'for replaces' : 'for first codes') ? 'one' : null;
}
