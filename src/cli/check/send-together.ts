/**
 * Sends one request several times, so that all come to their end in the same moment. A proxy begins its work with the last
 * byte of a body: if each request went out as its connection opens, the first would be over before the second came.
 */
import { sendRequest } from './send-request.js';
import type { Answer, Target } from './send-request.js';
import type { PointRequest, Values } from './point.js';

/** Longest wait of the first for the last, milliseconds: a server may take no more connections than it answers. */
const mostMs = 3_000;

/** @throws NoAnswer */
export async function sendTogether(
  target: Target,
  request: PointRequest,
  values: Values,
): Promise<Answer[]> {
  const { times = 1 } = request;
  if (times === 1) return [await sendRequest(target, request, values)];
  const gate = createGate(times, target.settleMs);
  const send = async () => {
    const seat = gate.take();
    // One that is answered early, or fails, keeps no other waiting.
    return sendRequest(target, request, values, seat.wait).finally(seat.arrive);
  };
  return Promise.all(Array.from({ length: times }, send));
}

/** Opens when all have arrived at it. */
function createGate(count: number, settleMs: number) {
  let missing = count;
  const { promise: opened, resolve: open } = createPromise();
  let latest: ReturnType<typeof setTimeout> | undefined;

  return {
    take() {
      let hasArrived = false;
      const arrive = () => {
        if (hasArrived) return;
        hasArrived = true;
        missing -= 1;
        latest ??= setTimeout(open, mostMs);
        if (missing === 0) finish();
      };
      const wait = async () => {
        arrive();
        await opened;
      };
      return { arrive, wait };
    },
  };

  /** What was sent last may still be on its way, and the connection not yet taken. */
  function finish(): void {
    clearTimeout(latest);
    if (settleMs === 0) open();
    else setTimeout(open, settleMs);
  }
}

/** `Promise.withResolvers` is newer than Node 20. */
function createPromise() {
  let resolve: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve: () => resolve() };
}
