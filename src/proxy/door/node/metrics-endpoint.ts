/**
 * Serves the metrics to Prometheus over prom-client, on a port of its own because payers must not read them. It declares each
 * metric at the start, so that an alert sees the first count.
 */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type * as PromClient from 'prom-client';
import { proxyMetrics } from '../../set-up/metrics.js';
import type { MetricLabels, MetricsSink } from '../../set-up/options/options.js';
import { requireVersion, toUnusableError } from '../../runtime/optional-package.js';
import { listen } from './server.js';

/** Upper bounds of the histograms, seconds: from a ledger on the same machine to the time-out of a hook. */
const buckets = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Options of {@link serveMetrics}. */
export interface MetricsOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default `127.0.0.1`. Do not let the internet reach it. */
  readonly host?: string;
}

/** A server of metrics. */
export interface MetricsServer {
  /** For `createProxy({metrics})`. */
  readonly metrics: MetricsSink;
  /** Address of the page for Prometheus, as seen from this machine. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Serves `GET /metrics`. Needs the package `prom-client`.
 * @throws Error if that package is missing, or if the port is taken
 */
export async function serveMetrics(options: MetricsOptions): Promise<MetricsServer> {
  const { port, host = '127.0.0.1' } = options;
  const client = await importPromClient();
  const registry = new client.Registry();
  const metrics = createPrometheusSink(client, registry);
  const answer = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    const isPage = method === 'GET' && url === '/metrics';
    const text = isPage ? await registry.metrics() : '';
    response.writeHead(isPage ? 200 : 404, { 'Content-Type': registry.contentType }).end(text);
  };
  const server = createServer((request, response) => {
    // An unhandled rejection would end the process, and payments with it.
    answer(request, response).catch(() => response.destroy());
  });
  const url = await listen(server, port, host);
  return { metrics, url: `${url}/metrics`, close: () => closeServer(server) };
}

async function importPromClient(): Promise<typeof PromClient> {
  try {
    requireVersion('serveMetrics', 'prom-client');
    // A CommonJS package has its exports in `default`.
    return (await import('prom-client')).default;
  } catch {
    throw toUnusableError('serveMetrics', 'prom-client');
  }
}

/** Declares each metric with the library, and makes the sink that updates them. */
function createPrometheusSink(client: typeof PromClient, registry: Registry): MetricsSink {
  for (const [name, { kind, text: help, labels }] of Object.entries(proxyMetrics)) {
    const settings = { name, help, labelNames: Object.keys(labels), registers: [registry] };
    if (kind === 'gauge') {
      const gauge = new client.Gauge(settings);
      // A gauge that has no value yet is not reported: a 0 would look healthy, even if no process does the background jobs.
      gauge.remove();
    }
    if (kind === 'counter') {
      const counter = new client.Counter(settings);
      for (const known of toCombinations(labels)) counter.inc(known, 0);
    }
    if (kind === 'histogram') {
      const histogram = new client.Histogram({ ...settings, buckets });
      for (const known of toCombinations(labels)) histogram.zero(known);
    }
  }
  return {
    count: (name, labels = {}) =>
      (registry.getSingleMetric(name) as Counter | undefined)?.inc(labels),
    observe: (name, seconds, labels = {}) =>
      (registry.getSingleMetric(name) as Histogram | undefined)?.observe(labels, seconds),
    set: (name, value) => (registry.getSingleMetric(name) as Gauge | undefined)?.set(value),
  };
}

/** Lists all combinations of the labels' known values. @returns none if a label has no known values */
function toCombinations(labels: Readonly<Record<string, readonly string[]>>): MetricLabels[] {
  return Object.entries(labels).reduce<MetricLabels[]>(
    (found, [label, values]) =>
      found.flatMap((one) => values.map((value) => ({ ...one, [label]: value }))),
    [{}],
  );
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
