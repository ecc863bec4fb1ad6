/** A part: what is measured. Our proxy with all its guards, and what a merchant would write who only forwards. */
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { Pool } from 'undici';
import { openLedger } from '../../../src/ledger.js';
import { createNodeFetch, createNodeListener, serveMetrics } from '../../../src/node.js';
import { createProxy } from '../../../src/proxy.js';
import type { ProxyOptions } from '../../../src/proxy.js';
import { answerQuestions } from './parts.js';
import { keys, shopOrigin, totalCents } from './samples.js';

export type SubjectName =
  | 'forwarder'
  | 'bare'
  | 'proxy'
  | 'proxy-global-fetch'
  | 'proxy-metrics'
  | 'proxy-sqlite'
  | 'proxy-web'
  | 'proxy-worker';

type CreateListener = (
  serviceUrl: string,
  connections: number,
  ledgerUrl: string,
) => RequestListener | Promise<RequestListener>;

/** When the merchant's code heard of each order's payment, milliseconds since 1970. */
const toldAtMs: Record<string, number> = {};

const subjects: Record<SubjectName, CreateListener> = {
  /** node:http in, undici's own client out, the body streamed. No guard, no filter. */
  forwarder(serviceUrl, connections) {
    const pool = new Pool(serviceUrl, { connections });
    const headers = { authorization: 'Bearer benchmark', accept: 'application/json' };
    return async (incoming, outgoing) => {
      try {
        const path = `/api/v2${incoming.url?.slice('/pay'.length)}`;
        const isPost = incoming.method === 'POST';
        const answer = await pool.request(
          isPost
            ? {
                path,
                method: 'POST',
                headers: { ...headers, 'content-type': 'application/json' },
                body: incoming,
              }
            : { path, method: 'GET', headers },
        );
        outgoing.writeHead(answer.statusCode, {
          'content-type': String(answer.headers['content-type']),
          'content-length': String(answer.headers['content-length']),
        });
        answer.body.pipe(outgoing);
      } catch {
        outgoing.writeHead(502).end();
      }
    };
  },
  /** What node:http can do at most: a fixed answer of the same length as the proxy's. */
  bare() {
    const body = Buffer.from(JSON.stringify({ data: 'x'.repeat(800), message: '' }));
    return (_incoming, outgoing) => {
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': body.byteLength,
      });
      outgoing.end(body);
    };
  },
  proxy: (serviceUrl) => proxyOver(createNodeFetch(), serviceUrl),
  /** Its numbers are kept and served, and not read. */
  async 'proxy-metrics'(serviceUrl) {
    const { metrics } = await serveMetrics({ port: 0 });
    return proxyOver(createNodeFetch(), serviceUrl, { metrics });
  },
  /** For pages and postbacks only. */
  async 'proxy-web'(serviceUrl, _connections, ledgerUrl) {
    const ledger = await openLedger({ url: ledgerUrl });
    return proxyOver(createNodeFetch(), serviceUrl, { ledger, backgroundJobs: false });
  },
  /** Reconciliation and hooks. */
  async 'proxy-worker'(serviceUrl, _connections, ledgerUrl) {
    const ledger = await openLedger({ url: ledgerUrl });
    const onPaid: ProxyOptions['onPaid'] = ({ externalId }) => {
      toldAtMs[externalId] ??= Date.now();
    };
    return proxyOver(createNodeFetch(), serviceUrl, { ledger, onPaid });
  },
  'proxy-global-fetch': (serviceUrl) => proxyOver(globalThis.fetch, serviceUrl),
  /** The file is beside this part's bundle, and is removed with it. */
  async 'proxy-sqlite'(serviceUrl) {
    const folder = mkdtempSync(join(dirname(process.argv[1] ?? ''), 'ledger-'));
    const ledger = await openLedger({ url: `file:${join(folder, 'pix.db')}` });
    return proxyOver(createNodeFetch(), serviceUrl, { ledger, onPaid: () => undefined });
  },
};

function proxyOver(
  fetch: typeof globalThis.fetch,
  serviceUrl: string,
  options: Partial<ProxyOptions> = {},
): RequestListener {
  const proxy = createProxy({
    ...keys,
    serviceUrl,
    accessToken: 'a-token-of-its-own',
    allowedOrigins: [shopOrigin],
    resolveOrder: () => ({ total_price_cents: totalCents }),
    fetch,
    ...options,
  });
  return createNodeListener(proxy.fetch);
}

/** @param question `connections`: of the forwarder to the service, as many as are under way at a time */
async function start(question: {
  name: SubjectName;
  serviceUrl: string;
  connections?: number;
  /** Of several processes. */
  ledgerUrl?: string;
}): Promise<number> {
  const { name, serviceUrl, connections = 64, ledgerUrl = '' } = question;
  const listener = await subjects[name](serviceUrl, connections, ledgerUrl);
  const server = createServer({ keepAliveTimeout: 120_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  return (server.address() as AddressInfo).port;
}

/** CPU time since the start, milliseconds; memory after a collection, bytes. */
function measure() {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  return { cpuMs: (user + system) / 1_000, rss, heapUsed };
}

const questions = { start, measure, toldAtMs: () => toldAtMs };
answerQuestions(questions);

export type Subject = typeof questions;
