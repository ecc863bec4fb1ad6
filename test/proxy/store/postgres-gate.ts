/** A way to a PostgreSQL server of the tests that can be cut or stopped, as a network or a firewall does it. */

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A way to the server that breaks off after some bytes from it, or stands still: what a database that hangs looks like. */
export async function openGate(url: string) {
  const folder = new URL(url).searchParams.get('host') ?? '';
  let left = Infinity;
  let isFrozen = false;
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    const upstream = connect(`${folder}/.s.PGSQL.5432`);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    if (isFrozen) client.pause();
    upstream.on('data', (data) => {
      left -= data.length;
      if (left < 0) client.destroy();
      else client.write(data);
    });
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  const address = new URL(url);
  address.searchParams.delete('host');
  address.host = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
  return {
    url: address.href,
    cutAfter(bytes: number) {
      left = bytes;
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    /** Lets new connections through; those that stand still do so for ever. */
    admit() {
      isFrozen = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      gate.close();
      await once(gate, 'close');
    },
  };
}
