/** Wrong proxies that let one request wait for another, tell a page what it cannot read, or show their inside. */
import { openCheckedShop, textOf } from '../checked-shop.js';
import type { Answering } from '../checked-shop.js';
import {
  changing,
  isCreation,
  isError,
  isLookUp,
  withBody,
  withData,
  withHeaders,
} from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';

/** A shop whose look-ups wait, and where the requests that are meant wait for one another. */
function queuing(isMeant: (request: Request) => boolean): PlantedFault['plant'] {
  return () => {
    const opened = openCheckedShop({ holdSeconds: 1 });
    let last: Promise<unknown> = Promise.resolve();
    return async (request) => {
      const { answer } = await opened;
      // A body that stalls keeps no other waiting, and one that is held back may come only after another is answered.
      const text = isCreation(request) ? await textOf(request) : '';
      if (!isMeant(request) || text === null) return answer(request);
      const mine = last.then(() => answer(request));
      last = mine.catch(() => undefined);
      return mine;
    };
  };
}

const isFound = (request: Request, { status }: Response) => isLookUp(request) && status === 200;

const traces: Readonly<Record<string, string>> = {
  PHP: 'Uncaught TypeError: x in /var/www/pix/proxy.php:12\nStack trace:\n#0 /var/www/pix/proxy.php(99): create()',
  Python: 'Traceback (most recent call last):\n  File "/srv/proxy.py", line 12, in create',
  Node: 'TypeError: x\n    at create (file:///srv/proxy.js:12:7)',
  Ruby: "/srv/proxy.rb:12:in `create': undefined method",
  Go: 'panic: x\n\ngoroutine 7 [running]:\nmain.create()\n\t/srv/proxy.go:12 +0x1d',
  Java: 'java.lang.NullPointerException\n\tat shop.Proxy.create(Proxy.java:12)',
};

const failing =
  (change: (body: Fields) => Fields): PlantedFault['plant'] =>
  ({ answer }): Answering =>
  async (request) => {
    const response = await answer(request.clone());
    if (response.status !== 400 || (await request.text()) !== '[]') return response;
    return withBody(change, 500)(response);
  };

export const plantedWaits: readonly PlantedFault[] = [
  {
    name: 'lets a creation wait for a look-up that waits',
    breaks: ['beside-wait'],
    plant: queuing((request) => isCreation(request) || request.url.includes('wait=')),
  },
  {
    name: 'serves one request at a time',
    breaks: ['beside-wait'],
    plant: queuing(({ method }) => method !== 'OPTIONS'),
  },
  ...['PENDING', 'Waiting', 'pending '].map((status) => ({
    name: `hands the service’s word on: ${JSON.stringify(status)}`,
    breaks: ['status-word'],
    plant: changing(isFound, withData({ status })),
  })),
  {
    name: 'calls what is not paid paid, in capital letters',
    breaks: ['status-word', 'unpaid'],
    plant: changing(isFound, withData({ status: 'PAID' })),
  },
  {
    name: 'cuts the code of a look-up off',
    breaks: ['payable'],
    plant: changing(isFound, async (answer) => {
      const { data } = (await answer.clone().json()) as { data: Fields };
      return withData({ qr_code_pix: String(data['qr_code_pix']).slice(0, 60) })(answer);
    }),
  },
  {
    name: 'knows preflights of creations only',
    breaks: ['preflight-look-up', 'errors', 'nosniff', 'readable'],
    plant: changing(
      (request) => request.method === 'OPTIONS' && /invoices\/./.test(request.url),
      () => new Response('Not Found', { status: 404 }),
    ),
  },
  {
    name: 'lets pages send no token with a look-up',
    breaks: ['preflight-look-up'],
    plant: changing(
      (request, { headers }) =>
        request.method === 'OPTIONS' &&
        headers.has('access-control-allow-headers') &&
        /invoices\/./.test(request.url),
      withHeaders({ 'access-control-allow-headers': 'content-type, idempotency-key' }),
    ),
  },
  ...Object.entries(traces).map(([language, trace]) => ({
    name: `shows where it failed: ${language}`,
    breaks: ['list', 'stack-trace'],
    plant: failing((body) => ({ ...body, code: 'service_unavailable', detail: trace })),
  })),
  {
    name: 'forwards every path, and the service knows none',
    breaks: ['unknown-path', 'errors'],
    plant: changing(
      (request, answer) => request.url.endsWith('/payouts') && isError(request, answer),
      (answer) => {
        const headers = new Headers(answer.headers);
        headers.set('content-type', 'application/json');
        return Response.json({ message: 'not found' }, { status: 404, headers });
      },
    ),
  },
];
