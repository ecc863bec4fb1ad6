/**
 * What a store costs as it grows: orders as rows, made by the order's own facts, in SQLite and in PostgreSQL. All that is due is
 * the same at each size, so that no time but that of the disk may grow.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { secondMs } from '../../src/domain/spans.js';
import { openLedger } from '../../src/ledger.js';
import { createProxy } from '../../src/proxy.js';
import type { OrderStore } from '../../src/proxy/store/order-store.js';
import { reportNumbers } from '../../src/proxy/run/due/numbers.js';
import { startPostgres } from '../tools/machine/postgres.js';
import { due, openPostgresFill, openSqliteFill } from './parts/order-rows.js';
import type { Fill } from './parts/order-rows.js';
import { toOrder } from './parts/samples.js';
import { median, table } from './table.js';

/** Times each question is asked. */
const rounds = 30;

const heads =
  'database,orders,bytes an order,read,change,feed,due,numbers,prune,longest /health'.split(',');

/** @returns lines of a Markdown table; times in ms */
export async function measureOrders(sizes: readonly number[]): Promise<string[]> {
  const rows: string[][] = [];
  const folder = mkdtempSync(join(tmpdir(), 'pix-bench-'));
  const server = await startPostgres();
  try {
    for (const size of sizes) {
      const path = join(folder, `${size}.db`);
      const bytes = () => statSync(path).size;
      rows.push(await measure('SQLite', size, `file:${path}`, openSqliteFill(path), bytes));
      rmSync(path);
    }
    for (const size of sizes) {
      const url = await server.createDatabase();
      const fill = openPostgresFill(url);
      rows.push(await measure('PostgreSQL', size, url, fill, fill.bytes));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  return table(heads, rows);
}

async function measure(
  name: string,
  size: number,
  url: string,
  fill: Fill,
  countBytes: () => number | Promise<number>,
): Promise<string[]> {
  const ledger = await openLedger({ url });
  const store = ledger as unknown as OrderStore;
  await fill.fill(size, store.now());
  const bytes = (await countBytes()) / size;
  const pages = watchHealth(ledger);
  const id = () => toOrder(Math.floor(Math.random() * size));
  const now = store.now;
  const own = { share: <T>(_name: string, _everyMs: number, make: () => Promise<T>) => make() };
  const sink = { count: () => undefined, observe: () => undefined, set: () => undefined };
  const times = [
    await time(() => store.read(id())),
    await time(() =>
      store.change(id(), (order, nowMs) => [{ ...order, aliveAtMs: nowMs }, null], {
        isRelaxed: true,
      }),
    ),
    await time(() =>
      store.search({ kinds: ['settled'], fromMs: now() - 60 * secondMs, most: 100_000 }),
    ),
    await time(
      () => store.search({ kinds: due, untilMs: now(), most: 1 }),
      async () => {
        for (const kind of due) await store.search({ kinds: [kind], untilMs: now(), most: 24 });
      },
    ),
    await time(() =>
      reportNumbers({ store: { ...store, ...own }, now }, ['paid', 'returned', 'lapsed'], sink),
    ),
  ];
  const startedAtMs = performance.now();
  await store.prune();
  times.push(performance.now() - startedAtMs);
  const longestMs = await pages.end();
  await ledger.close();
  await fill.end();
  const cells = [...times, longestMs].map((ms) => ms.toFixed(2));
  return [name, size.toLocaleString('en'), bytes.toFixed(0), ...cells];
}

/** The middle of all rounds. */
async function time(...steps: readonly (() => Promise<unknown>)[]): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAtMs = performance.now();
    for (const step of steps) await step();
    all.push(performance.now() - startedAtMs);
  }
  return median(all);
}

/** Asks a proxy in this process for its health all the time. */
function watchHealth(ledger: Awaited<ReturnType<typeof openLedger>>) {
  const publicUrl = 'https://shop.example/pix';
  const proxy = createProxy({
    ledger,
    publicUrl,
    serviceUrl: 'https://service.example',
    accessToken: 'benchmark',
    secrets: ['a secret of the benchmark, 32 bytes long'],
    allowedOrigins: ['https://shop.example'],
    resolveOrder: () => null,
    backgroundJobs: false,
  });
  const everyMs = 5;
  const its = { isOver: false, longestMs: 0 };
  const watching = watch();
  return {
    async end() {
      its.isOver = true;
      await watching;
      await proxy.close();
      return its.longestMs;
    },
  };

  async function watch(): Promise<void> {
    while (!its.isOver) {
      const wantedAtMs = performance.now() + everyMs;
      await pause(everyMs);
      await proxy.fetch(new Request(`${publicUrl}/health`));
      its.longestMs = Math.max(its.longestMs, performance.now() - wantedAtMs);
    }
  }
}
