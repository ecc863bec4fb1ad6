/** A part: a stand-in for the service that answers as fast as `node:http` does, or after a while. No invoice is ever paid. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerQuestions } from './parts.js';
import { toWireAnswer, toWireCreation } from './samples.js';

let calls = 0;

async function start({ delayMs }: { delayMs: number }): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, async (incoming, outgoing) => {
    calls += 1;
    const body =
      incoming.method === 'POST'
        ? toWireCreation(JSON.parse(await text(incoming)).external_id)
        : toWireAnswer(incoming.url?.split('/').at(-1) ?? '');
    const answer = () => {
      outgoing.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      });
      outgoing.end(body);
    };
    if (delayMs === 0) answer();
    else setTimeout(answer, delayMs);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 4_096, resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const questions = { start, countCalls: () => calls };
answerQuestions(questions);

export type Upstream = typeof questions;
