/** A part: the browsers. Sends ready-made requests over plain sockets, which costs less than what it measures. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { answerQuestions } from './parts.js';

/** One run of requests as fast as answers come. */
export interface Hammering {
  readonly port: number;
  readonly requests: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/** What came of it. Milliseconds. */
export type Rate = Awaited<ReturnType<typeof hammer>>;

async function hammer({ port, requests, connections, seconds }: Hammering) {
  const bytes = requests.map((request) => Buffer.from(request));
  const startedAtMs = performance.now();
  const endsAtMs = startedAtMs + seconds * 1_000;
  const latencies: number[] = [];
  let next = 0;
  let bad = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = await open(port);
      await new Promise<void>((resolve) => {
        let sentAtMs = 0;
        const send = () => {
          sentAtMs = performance.now();
          socket.write(bytes[(next += 1) % bytes.length]!);
        };
        readAnswers(socket, (isGood) => {
          const nowMs = performance.now();
          latencies.push(nowMs - sentAtMs);
          if (!isGood) bad += 1;
          if (nowMs < endsAtMs) return send();
          socket.destroy();
          resolve();
        });
        send();
      });
    }),
  );
  const elapsedMs = performance.now() - startedAtMs;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    count: sorted.length,
    /** Answers that were no 200. */
    bad,
    elapsedMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}

/** Requests sent at a steady pace, whether or not answers come. */
export interface Pacing {
  readonly port: number;
  readonly requests: readonly string[];
  readonly everyMs: number;
}

/** What came of it. Milliseconds. */
export type Pace = Awaited<ReturnType<typeof pace>>;

/** Each on a connection of its own, opened before: one that is late makes no other late. */
async function pace({ port, requests, everyMs }: Pacing) {
  let bad = 0;
  const send = async (request: string, index: number) => {
    const socket = await open(port);
    await pause(index * everyMs);
    const sentAtMs = performance.now();
    socket.write(request);
    const isGood = await new Promise<boolean>((resolve) => readAnswers(socket, resolve));
    socket.destroy();
    if (!isGood) bad += 1;
    return performance.now() - sentAtMs;
  };
  const latencies = (await Promise.all(requests.map(send))).toSorted((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
  return {
    /** Answers that were no 200. */
    bad,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    longestMs: latencies.at(-1) ?? Number.NaN,
  };
}

/** Milliseconds since 1970, by the order of what was sent. */
const answeredAtMs: (number | null)[] = [];

/** Sends each request on a connection of its own, and notes when it is answered. */
async function watch({ port, requests }: { port: number; requests: readonly string[] }) {
  for (const request of requests) {
    const at = answeredAtMs.push(null) - 1;
    const socket = await open(port);
    readAnswers(socket, () => {
      answeredAtMs[at] = Date.now();
      socket.destroy();
    });
    socket.write(request);
  }
}

/** What the service tells. */
async function postback({ port, path }: { port: number; path: string }): Promise<void> {
  const socket = await open(port);
  const head = ['Host: shop.example', 'Content-Type: application/json', 'Content-Length: 2'];
  socket.write([`POST ${path} HTTP/1.1`, ...head, '\r\n{}'].join('\r\n'));
  socket.once('data', () => socket.destroy());
}

/** How pages follow their invoices. */
export interface Following {
  readonly port: number;
  /** One page each. */
  readonly requests: readonly string[];
  /** Where an answer comes at once, the page asks again after this long, milliseconds; where it was held, at once. */
  readonly pauseMs: number;
  readonly seconds: number;
}

/** An answer that took longer was held, milliseconds: half of what the element asks for. */
const heldFromMs = 12_500;

/** @returns how many requests there were */
async function follow({ port, requests, pauseMs, seconds }: Following): Promise<number> {
  const endsAtMs = performance.now() + seconds * 1_000;
  let count = 0;
  const view = async (request: string, index: number) => {
    // Pages open at any time of the first seconds.
    await pause(((index * 7_919) % 1_000) * 4);
    const socket = await open(port);
    let heed: () => void = () => undefined;
    readAnswers(socket, () => heed());
    while (performance.now() < endsAtMs) {
      count += 1;
      const askedAtMs = performance.now();
      const answered = new Promise<void>((resolve) => (heed = resolve));
      socket.write(request);
      await Promise.race([answered, pause(Math.max(0, endsAtMs - askedAtMs))]);
      if (performance.now() - askedAtMs < heldFromMs) await pause(pauseMs);
    }
    socket.destroy();
  };
  await Promise.all(requests.map(view));
  return count;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.setNoDelay(true)));
    socket.on('error', reject);
  });
}

/** Tells of each whole answer whether it is a 200. Enough of HTTP/1.1 for what the subjects write. */
function readAnswers(socket: Socket, onAnswer: (isGood: boolean) => void): void {
  let pending: Buffer | null = null;
  socket.on('data', (chunk) => {
    pending = pending === null ? chunk : Buffer.concat([pending, chunk]);
    const headEnd = pending.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const head = pending.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isWhole =
      length === undefined
        ? pending.subarray(-5).equals(lastChunk)
        : pending.length >= headEnd + 4 + Number(length);
    if (!isWhole) return;
    pending = null;
    onAnswer(head.startsWith('HTTP/1.1 200 '));
  });
}

const lastChunk = Buffer.from('0\r\n\r\n');

const questions = {
  hammer,
  pace,
  follow,
  watch,
  postback,
  answeredAtMs: () => answeredAtMs,
};
answerQuestions(questions);

export type Load = typeof questions;
