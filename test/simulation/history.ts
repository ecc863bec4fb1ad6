/**
 * One history from one seed: payers with their pages, processes over one ledger, the service, its postbacks, the merchant,
 * and all that goes wrong between them; then a calm in which everything that is owed must come.
 *
 * Owns who is there and when the trouble ends. Everything random comes from the seed, and all time is virtual.
 */

import { signOrder } from '../../src/order-token.js';
import { loadRenderer } from '../../src/proxy/door/pay/qr-image.js';
import { publicUrl, secrets } from '../support/proxy/shop.js';
import { createChance } from './chance.js';
import { calm, drawConditions } from './conditions.js';
import type { Conditions } from './conditions.js';
import { replaceGlobals } from './processes/globals.js';
import type { Order } from './people/merchant.js';
import { createOwed } from './rules/owed.js';
import { makeLink } from './people/payment-link.js';
import { openPage } from './people/page.js';
import { createPerson } from './people/person.js';
import { startProcesses } from './processes/processes.js';
import { createService } from './network/service.js';
import type { Service, ServiceInvoice } from './network/service.js';
import { createStore } from './network/store.js';
import type { Plant, Spoil, Store } from './network/store.js';
import { createStreet } from './network/street.js';
import type { Street } from './network/street.js';
import { letStrangerIn } from './people/stranger.js';
import { createTimeline } from './timeline.js';
import { createWatch } from './rules/watch.js';
import type { World } from './world.js';

/** What may differ from the real thing, to see whether it is found. */
export interface HistoryOptions {
  readonly spoil?: Spoil;
  /** What is planted in changes of orders. */
  readonly plant?: Plant;
  /** Worse conditions than the seed draws. */
  readonly conditions?: Partial<Conditions>;
  /** Keeps the event log. */
  readonly isTraced?: boolean;
}

/** What became of it. */
export type History = Awaited<ReturnType<typeof playHistory>>;

const startMs = Date.UTC(2026, 10, 21, 12);

/** How long things go wrong, milliseconds. */
const trouble = { leastMs: 20_000, mostMs: 100_000 };

/** Longest time in which what is owed must come once nothing goes wrong any more, milliseconds. */
const longestCalmMs = 2 * 3_600_000;

/** How often it is asked what is owed, milliseconds. */
const askEveryMs = 2_000;

/** Plays the history of a seed. */
export async function playHistory(
  seed: number,
  { spoil, plant, conditions: worse = {}, isTraced = false }: HistoryOptions = {},
) {
  // Loaded from the disk, in time that no history has.
  await loadRenderer();
  const chance = createChance(seed);
  const timeline = createTimeline(startMs);
  const lines: string[] = [];
  let conditions: Conditions = { ...drawConditions(chance), ...worse };
  const owed = createOwed(
    () => service,
    () => store,
  );
  const watch = createWatch({ now: timeline.now, invoices: () => service.invoices }, [owed.rule]);
  const note = (line: string) => {
    if (isTraced) lines.push(`${String(timeline.now() - startMs).padStart(8)} ${line}`);
  };
  const world: World = { timeline, chance, conditions: () => conditions, watch, note };
  const service: Service = createService(world, (...postback) =>
    sendPostback(world, street, ...postback),
  );
  const store: Store = createStore(world, { ...(spoil && { spoil }), ...(plant && { plant }) });
  const isOver = () => watch.violation() !== null;
  note(JSON.stringify(conditions));

  const restore = replaceGlobals(timeline, isTraced, (thrown) =>
    watch.fail('end', `no one waits for ${thrown instanceof Error ? thrown.stack : 'a rejection'}`),
  );
  const orders = await openOrders(world);
  const terms = {
    holdSeconds: chance.pick([0, 25, 25, 25]),
    serviceCallsPerMinute: chance.pick([Infinity, Infinity, 12, 60]),
  };
  const size = chance.happens(0.7) ? 2 : 1;
  const processes = startProcesses(world, { service, store, orders, terms }, size);
  const street = createStreet(world, processes.alive);
  const { travelling } = owed;
  watch.join(createPerson({ world, service, store, processes: processes.alive, travelling }));
  const pages = [...orders.values()].flatMap((order) => {
    if (chance.happens(0.1)) makeLink(world, processes, order);
    if (chance.happens(0.15)) letStrangerIn(world, street, service, order);
    if (chance.happens(0.1)) changeOrder(world, order);
    const count = conditions.rush > 0 ? 2 : chance.between(1, 2);
    return Array.from({ length: count }, (_, number) =>
      openPage({ world, street, service, order, number, holdSeconds: terms.holdSeconds }),
    );
  });

  try {
    const troubleMs = chance.between(trouble.leastMs, trouble.mostMs);
    await timeline.runUntil(startMs + troubleMs, isOver);
    note('calm');
    conditions = calm;
    for (const close of pages) close();
    processes.calmDown();
    await awaitWhatIsOwed();
    await close();
  } finally {
    restore();
  }
  return {
    seed,
    /** The rule that was broken; null: none. */
    violation: watch.violation(),
    lines,
    /** How often each thing was seen. */
    counts: watch.counts,
  };

  async function awaitWhatIsOwed(): Promise<void> {
    const endMs = timeline.now() + longestCalmMs;
    // Some payers pay long after their page is gone.
    const waitMs = chance.happens(0.08) ? 400_000 : chance.pick([1_000, 20_000]);
    await timeline.runUntil(timeline.now() + waitMs, isOver);
    for (let left = await owed.find(); left !== null; left = await owed.find()) {
      if (timeline.now() > endMs) watch.fail('owed', `no one hears of it: ${left}`);
      if (isOver()) return;
      await timeline.runUntil(timeline.now() + askEveryMs, isOver);
    }
  }

  /** After it, time goes on: a process that works on is seen. */
  async function close(): Promise<void> {
    if (isOver()) return;
    let isClosed = false;
    void processes.close().then(() => (isClosed = true));
    await timeline.runUntil(timeline.now() + 120_000, () => isOver() || isClosed);
    if (!isClosed) watch.fail('end', 'a process does not close');
    await timeline.runUntil(timeline.now() + 60_000, isOver);
  }
}

async function openOrders({ chance, timeline }: World): Promise<Map<string, Order>> {
  const orders = new Map<string, Order>();
  const count = chance.between(1, 3);
  for (let number = 1; number <= count; number += 1) {
    const externalId = `order-${number}`;
    const totalCents = 1_000 * chance.between(1, 9);
    const expiresIn = chance.happens(0.3) ? chance.between(20, 120) : null;
    const token = await signOrder({ secrets, publicUrl, externalId, now: timeline.now });
    const isMarkedPaid = chance.happens(0.3);
    orders.set(externalId, {
      externalId,
      totalCents,
      expiresIn,
      token,
      isMarkedPaid,
      status: 'open',
    });
  }
  return orders;
}

/** Another price, or none any more. */
function changeOrder({ timeline, chance }: World, order: Order): void {
  timeline.after(chance.between(5_000, 60_000), null, () => {
    if (chance.happens(0.3)) order.status = 'closed';
    else order.totalCents += 500;
  });
}

/** Lost, late, doubled, or in time. */
function sendPostback(
  { timeline, chance, conditions }: World,
  street: Street,
  { postbackUrl }: ServiceInvoice,
  body: Record<string, unknown>,
): void {
  const { postbackTrouble } = conditions();
  const what = chance.happens(postbackTrouble) ? chance.pick(['lost', 'late', 'doubled']) : 'sent';
  if (what === 'lost') return;
  for (let copy = 0; copy < (what === 'doubled' ? chance.between(2, 20) : 1); copy += 1) {
    const delayMs = what === 'sent' ? chance.between(0, 200) : chance.between(0, 60_000);
    const path = new URL(postbackUrl).pathname.replace(new URL(publicUrl).pathname, '');
    const headers = { 'content-type': 'application/json' };
    const request = { method: 'POST', path, headers, body, remoteAddress: '203.0.113.1' } as const;
    const send = () => void street.send({ ...request, patienceMs: 5_000 }, null);
    timeline.after(delayMs, null, send);
  }
}
