/** A part: a stand-in for the service that answers as fast as `node:http` does, or after a while. An invoice is paid when it is told so. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerQuestions } from './parts.js';
import { toInvoiceId, toOrder, toWireAnswer, toWireCreation } from './samples.js';

let calls = 0;
const paid = new Set<string>();
const postbackUrls = new Map<string, string>();

async function start({ delayMs }: { delayMs: number }): Promise<string> {
  const server = createServer({ keepAliveTimeout: 120_000 }, async (incoming, outgoing) => {
    calls += 1;
    const id = incoming.url?.split('/').at(-1) ?? '';
    const body =
      incoming.method === 'POST'
        ? create(JSON.parse(await text(incoming)))
        : toWireAnswer(id, paid.has(id) ? 'paid' : 'pending');
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

function create(request: { external_id: string; postback_url: string }): string {
  postbackUrls.set(request.external_id, request.postback_url);
  return toWireCreation(request.external_id);
}

/** Its next look-up says paid. @returns the path of its postback, empty if it was not made here */
function pay(index: number): string {
  paid.add(toInvoiceId(index));
  const url = postbackUrls.get(toOrder(index));
  return url === undefined ? '' : new URL(url).pathname;
}

const questions = { start, countCalls: () => calls, pay };
answerQuestions(questions);

export type Upstream = typeof questions;
