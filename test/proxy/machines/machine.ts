/**
 * One machine of a shop: a process with a proxy on a shared ledger, steered by the test that started it.
 *
 * Tells its parent what the merchant's code is told. Its clock may be put forward, so that no test waits; it dies where it is told to,
 * as a machine dies whose power fails.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openStore } from '../../../src/proxy/store/open-store.js';
import { createNodeListener } from '../../../src/node.js';
import { createProxy } from '../../../src/proxy.js';
import type { Hook, ProxyOptions } from '../../../src/proxy.js';
import { die, standStill, withCrash } from '../crash/crash-points.js';
import { countUndelivered } from '../../support/proxy/kept-order.js';
import { createJumpingClock } from './jumping-clock.js';
import { accessToken, publicUrl, secrets, shopOrigin, totalCents } from './shop-facts.js';
import type { MachineOptions, Order, Report, Told } from './words.js';

const { ledgerUrl, serviceUrl, diesAt, standsStill, hears }: MachineOptions = JSON.parse(
  process.argv[2] ?? '',
);
const { now, startTimer, putForward } = createJumpingClock();

const store = await openStore({ url: ledgerUrl, now });
const ledger = withCrash(diesAt, store, standsStill ? standStill : die);
const options: ProxyOptions = {
  serviceUrl,
  accessToken,
  secrets,
  publicUrl,
  allowedOrigins: [shopOrigin],
  allowSandbox: true,
  requireOrderToken: false,
  // All of them come from one address.
  addressRequestsPerMinute: 1_000_000,
  resolveOrder: () => ({ total_price_cents: totalCents }),
  ledger,
  now,
  startTimer,
  log: (entry) => void report({ type: 'log', entry }),
  ...(hears && {
    onPaid: tellParent('onPaid'),
    onReturned: tellParent('onReturned'),
    onOutcomeUnknown: tellParent('onOutcomeUnknown'),
    // Not told to the parent, but heard: what is not heard is never through.
    onPixWaiting: () => undefined,
  }),
};
const proxy = createProxy(options);
const server = createServer(createNodeListener(proxy.fetch));
// A connection that is closed while the next request is on its way is none of the crashes that are meant.
server.keepAliveTimeout = 600_000;

process.on('message', (order: Order) => void obey(order));
// A test that was killed leaves no machine behind.
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => {
  void report({ type: 'ready', port: (server.address() as AddressInfo).port });
});

async function obey(order: Order): Promise<void> {
  switch (order.type) {
    case 'put_clock_forward':
      putForward(order.byMs);
      return report({ type: 'done', id: order.id });
    case 'count_undelivered':
      return report({ type: 'done', id: order.id, undelivered: await countUndelivered(ledger) });
    case 'close':
      server.close();
      server.closeIdleConnections();
      await proxy.close();
      server.closeAllConnections();
      await ledger.close();
      process.disconnect();
      return;
    default:
      return order satisfies never;
  }
}

/** The parent has heard of it before the merchant's code is through. */
function tellParent(hook: Told['hook']): Hook<{ readonly externalId: string }> {
  return async (notice) => {
    await report({ type: 'told', hook, notice });
    if (diesAt === `inside ${hook}`) await die();
  };
}

function report(message: Report): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}
