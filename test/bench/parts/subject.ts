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
  | 'proxy'
  | 'proxy-metrics'
  | 'proxy-sqlite'
  | 'proxy-sqlite-web'
  | 'proxy-web'
  | 'proxy-worker';

type CreateListener = (
  serviceUrl: string,
  ledgerUrl: string,
) => RequestListener | Promise<RequestListener>;

/** When the merchant's code heard of each order's payment, milliseconds since 1970. */
const toldAtMs: Record<string, number> = {};

const subjects: Record<SubjectName, CreateListener> = {
  /** node:http in, undici's own client out, the body streamed. No guard, no filter. */
  forwarder(serviceUrl) {
    const pool = new Pool(serviceUrl, { connections: 64 });
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
  proxy: proxyOver,
  /** Its numbers are kept and served, and not read. */
  async 'proxy-metrics'(serviceUrl) {
    const { metrics } = await serveMetrics({ port: 0 });
    return proxyOver(serviceUrl, '', { metrics });
  },
  /** For pages and postbacks only. */
  'proxy-web': (serviceUrl, ledgerUrl) =>
    proxyOver(serviceUrl, ledgerUrl, { backgroundJobs: false }),
  /** Reconciliation and hooks. */
  'proxy-worker': (serviceUrl, ledgerUrl) =>
    proxyOver(serviceUrl, ledgerUrl, {
      onPaid({ externalId }) {
        toldAtMs[externalId] ??= Date.now();
      },
    }),
  'proxy-sqlite': (serviceUrl) =>
    proxyOver(serviceUrl, createFileUrl(), { onPaid: () => undefined }),
  /** The same without the look-ups that fall due: a creation alone. */
  'proxy-sqlite-web': (serviceUrl) =>
    proxyOver(serviceUrl, createFileUrl(), { onPaid: () => undefined, backgroundJobs: false }),
};

/** The file is beside this part's bundle, and is removed with it. */
function createFileUrl(): string {
  const folder = mkdtempSync(join(dirname(process.argv[1] ?? ''), 'ledger-'));
  return `file:${join(folder, 'pix.db')}`;
}

/** @param ledgerUrl empty: in memory */
async function proxyOver(
  serviceUrl: string,
  ledgerUrl: string,
  options: Partial<ProxyOptions> = {},
): Promise<RequestListener> {
  const ledger = ledgerUrl === '' ? {} : { ledger: await openLedger({ url: ledgerUrl }) };
  const proxy = createProxy({
    ...keys,
    serviceUrl,
    accessToken: 'a-token-of-its-own',
    allowedOrigins: [shopOrigin],
    resolveOrder: () => ({ total_price_cents: totalCents }),
    fetch: createNodeFetch(),
    ...ledger,
    ...options,
  });
  return createNodeListener(proxy.fetch);
}

async function start(question: {
  name: SubjectName;
  serviceUrl: string;
  /** Of several processes. */
  ledgerUrl?: string;
}): Promise<number> {
  const { name, serviceUrl, ledgerUrl = '' } = question;
  const listener = await subjects[name](serviceUrl, ledgerUrl);
  const server = createServer({ keepAliveTimeout: 120_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  return (server.address() as AddressInfo).port;
}

/** CPU time since the start, milliseconds. */
function measureCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

const questions = { start, measureCpuMs, toldAtMs: () => toldAtMs };
answerQuestions(questions);

export type Subject = typeof questions;
