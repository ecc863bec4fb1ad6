/** Faults that proxies have, each a small wrapper around ours, and the ids of exactly the points that it breaks. */
import { toPixCode } from '../../../proxy/support/pix-code.js';
import { openCheckedShop, order, origin, textOf } from '../checked-shop.js';
import {
  believing,
  changing,
  isCreation,
  isError,
  isLookUp,
  isQuestion,
  knowingTokens,
  reading,
  readingBody,
  splitBy,
  withBody,
  withData,
  withHeader,
  withHeaders,
  without,
} from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';
import { plantedCrossings } from './planted-crossings.js';
import { plantedPrices } from './planted-prices.js';
import { plantedWaits } from './planted-waits.js';
import { plantedCards } from './planted-cards.js';

const answers: readonly PlantedFault[] = [
  {
    name: 'lets caches keep everything',
    breaks: ['no-store'],
    plant: changing(() => true, withHeaders({ 'cache-control': null })),
  },
  {
    name: 'lets caches keep look-ups',
    breaks: ['no-store'],
    plant: changing(isLookUp, withHeaders({ 'cache-control': 'max-age=60' })),
  },
  {
    name: 'lets browsers guess types',
    breaks: ['nosniff'],
    plant: changing(() => true, withHeaders({ 'x-content-type-options': null })),
  },
  {
    name: 'answers a body that stalls with 408',
    breaks: ['no-408'],
    plant:
      ({ answer }) =>
      async (request) => {
        if (isCreation(request) && (await textOf(request)) === null) {
          return new Response('Request Timeout', { status: 408 });
        }
        return answer(request);
      },
    given: { stallMs: 60_000 },
  },
  {
    name: 'lets caches keep that an attempt is not known',
    breaks: ['no-store'],
    plant: changing(
      (request, answer) => request.method === 'GET' && isError(request, answer),
      withHeaders({ 'cache-control': null }),
    ),
  },
  {
    name: 'calls what it has created paid',
    breaks: ['unpaid'],
    plant: changing(
      (request, { status }) => isCreation(request) && status === 200,
      withData({ status: 'paid' }),
    ),
  },
  {
    name: 'calls what it looks up paid',
    breaks: ['unpaid'],
    plant: changing(
      (request, { status }) => isLookUp(request) && status === 200,
      withData({ status: 'paid' }),
    ),
  },
  ...['text/html; charset=utf-8', null].map((type) => ({
    name: `sends JSON as ${type ?? 'nothing'}`,
    breaks: ['type'],
    plant: changing((_, { status }) => status === 200, withHeaders({ 'content-type': type })),
  })),
  {
    name: 'leaks the payer in look-ups',
    breaks: ['look-up', 'personal-data'],
    plant: changing(isLookUp, withData({ payer: { name: 'Maria' } })),
  },
  {
    name: 'leaks the client in creations',
    breaks: ['creation', 'recover', 'personal-data'],
    plant: changing(
      (request, { status }) => !isLookUp(request) && request.method !== 'OPTIONS' && status === 200,
      withData({ client: { id: 7 } }),
    ),
  },
  {
    name: 'leaks a CPF in a message',
    breaks: ['personal-data'],
    plant: changing(
      (request) => isLookUp(request),
      withBody((body) => ({ ...body, message: 'Maria, 529.982.247-25' })),
    ),
  },
  {
    name: 'repeats what a payer typed in an error',
    breaks: ['personal-data'],
    plant: changing(
      isError,
      withBody((body) => ({ ...body, detail: 'maria@example.com is not valid' })),
    ),
  },
  {
    name: 'repeats the look-up token',
    breaks: ['echo'],
    plant: changing(isLookUp, (answer, request) =>
      withHeaders({ 'x-debug': request.headers.get('lookup-token') })(answer),
    ),
  },
  {
    name: 'repeats the order token in an error',
    breaks: ['echo'],
    plant: (shop) =>
      changing(
        isError,
        withBody((body) => ({ ...body, detail: `token ${shop.orderToken}` })),
      )(shop),
  },
  {
    name: 'puts a token into an address',
    breaks: ['address'],
    plant: changing(isLookUp, withHeaders({ link: '</pix?lookup_token=abc>; rel=self' })),
  },
  {
    name: 'says errors in HTML',
    breaks: ['errors'],
    plant: changing(isError, withHeaders({ 'content-type': 'text/html' })),
  },
  {
    name: 'says errors without a code',
    breaks: ['errors'],
    plant: changing(isError, withBody(without('code'))),
  },
  {
    name: 'answers another total with 400',
    breaks: ['expected-total', 'expected-total-below', 'errors'],
    plant: changing(
      (_, { status }) => status === 409,
      withBody((body) => body, 400),
    ),
  },
  {
    name: 'answers an error with 200',
    breaks: ['expected-total', 'expected-total-below', 'shape'],
    plant: changing(
      (_, { status }) => status === 409,
      withBody((body) => body, 200),
    ),
  },
  {
    name: 'writes numbers as texts',
    breaks: ['shape'],
    plant: changing(isLookUp, withData({ installments: '1' })),
  },
  {
    name: 'redirects preflights',
    breaks: [
      'preflight',
      'foreign-preflight',
      'no-redirect',
      'readable',
      'prefix-preflight',
      'preflight-look-up',
      'preflight-recover',
      'suffix-preflight',
    ],
    plant: changing(
      ({ method }) => method === 'OPTIONS',
      () => new Response(null, { status: 301, headers: { location: 'https://shop.example/' } }),
    ),
  },
  {
    name: 'adds a fee in look-ups',
    breaks: ['look-up', 'wait', 'former', 'second-order-former', 'payable', 'total'],
    plant: changing(
      (request, { status }) => isLookUp(request) && status === 200,
      withData({ total_cents: 13_000 }),
    ),
  },
  {
    name: 'forgets the reference in look-ups',
    breaks: ['look-up', 'wait', 'former', 'second-order-former'],
    plant: changing(
      (request, { status }) => isLookUp(request) && status === 200,
      withData({ external_id: null }),
    ),
  },
  {
    name: 'gives a code of another amount',
    breaks: ['replaces', 'second-order', 'second-order-key', 'payable'],
    plant: changing(
      (request, { status }) => isCreation(request) && status === 200,
      withData({ qr_code_pix: toPixCode({ totalCents: 1 }) }),
    ),
  },
  {
    name: 'gives a code that no bank takes',
    breaks: ['replaces', 'second-order', 'second-order-key', 'payable'],
    plant: changing(
      (request, { status }) => isCreation(request) && status === 200,
      withData({ qr_code_pix: 'pix copia e cola' }),
    ),
  },
  {
    name: 'never answers a look-up that may wait',
    breaks: ['wait'],
    plant:
      ({ answer }) =>
      async (request) => {
        if (request.url.includes('wait=')) throw new DOMException('', 'TimeoutError');
        return answer(request);
      },
  },
  {
    name: 'answers a look-up with a megabyte',
    breaks: ['look-up', 'wait', 'former', 'second-order-former'],
    plant: changing(
      (request, { status }) => isLookUp(request) && status === 200,
      withBody((body) => ({ ...body, message: 'x'.repeat(1_048_576) })),
    ),
  },
  {
    name: 'fails on ids that it does not know',
    breaks: ['look-up-other'],
    plant: changing(
      ({ url }) => url.includes('11111111-1111'),
      withBody((body) => ({ ...body, code: 'service_unavailable' }), 500),
    ),
  },
];

const crossOrigin: readonly PlantedFault[] = [
  {
    name: 'serves pages without an origin',
    breaks: ['null-origin'],
    plant: reading((request) =>
      request.headers.get('origin') === 'null'
        ? { headers: withHeader(request, 'origin', origin) }
        : null,
    ),
  },
  {
    name: 'lets caches mix the pages of the shop up',
    breaks: ['vary'],
    plant: changing(() => true, withHeaders({ vary: 'Accept-Encoding' })),
  },
  {
    name: 'lets any page read, with credentials',
    breaks: [
      'preflight',
      'foreign-preflight',
      'foreign-page',
      'null-origin',
      'wildcard',
      'readable',
      'foreign-look-up',
      'prefix-page',
      'prefix-preflight',
      'preflight-look-up',
      'preflight-recover',
      'recover-foreign',
      'replay-foreign',
      'suffix-page',
      'suffix-preflight',
    ],
    plant: changing(
      () => true,
      withHeaders({
        'access-control-allow-origin': '*',
        'access-control-allow-credentials': 'true',
      }),
    ),
  },
  {
    name: 'believes any origin',
    breaks: [
      'foreign-preflight',
      'foreign-page',
      'null-origin',
      'foreign-look-up',
      'prefix-page',
      'prefix-preflight',
      'recover-foreign',
      'replay-foreign',
      'suffix-page',
      'suffix-preflight',
    ],
    plant:
      ({ answer }) =>
      async (request) => {
        const response = await answer(
          new Request(request, { headers: withHeader(request, 'origin', origin) }),
        );
        const asked = request.headers.get('origin');
        return withHeaders({ 'access-control-allow-origin': asked })(response);
      },
  },
  {
    name: 'creates for a foreign page, which cannot read it',
    breaks: ['foreign-page', 'null-origin', 'prefix-page', 'replay-foreign', 'suffix-page'],
    plant:
      ({ answer }) =>
      async (request) => {
        if (request.headers.get('origin') === origin || !isCreation(request))
          return answer(request);
        const headers = withHeader(request, 'origin', origin);
        const response = await answer(new Request(request, { headers }));
        return withHeaders({ 'access-control-allow-origin': null })(response);
      },
  },
  {
    name: 'forgets a header in its preflight',
    breaks: ['preflight', 'preflight-recover'],
    plant: changing(
      ({ method, headers }) => method === 'OPTIONS' && headers.get('origin') === origin,
      withHeaders({ 'access-control-allow-headers': 'content-type, lookup-token' }),
    ),
  },
  {
    name: 'lets no page read its errors',
    breaks: ['readable'],
    plant: changing(isError, withHeaders({ 'access-control-allow-origin': null })),
  },
];

/** Fields that a careless proxy puts right, or leaves out. */
const forgiven: readonly [point: string, name: string, change: (body: Fields) => Fields][] = [
  ['method', 'takes every method for Pix', (body) => ({ ...body, method: 'pix' })],
  ['payer-field', 'overlooks a foreign field of the payer', without('payer')],
  ['payer-type', 'overlooks a payer field of another type', without('payer')],
  ['reference-path', 'cleans a reference', (body) => ({ ...body, external_id: order })],
  [
    'reference-number',
    'reads a number as a reference',
    (body) => ({ ...body, external_id: order }),
  ],
];

/** What marks the request of a point. */
const marks: Readonly<Record<string, string>> = {
  method: 'boleto',
  'payer-field': '"cpf"',
  'payer-type': '"name":7',
  'reference-path': '../',
  'reference-number': '"external_id":7',
};

const requests: readonly PlantedFault[] = [
  ...forgiven.map(([point, name, change]) => ({
    name,
    breaks: [point],
    plant: readingBody((body) =>
      JSON.stringify(body).includes(marks[point] ?? '') ? change(body) : body,
    ),
  })),
  {
    name: 'reads the first of a list',
    breaks: ['list'],
    plant: reading(async (request, { orderToken }) => {
      const isList = isCreation(request) && (await textOf(request)) === '[]';
      const body = { method: 'pix', external_id: order, order_token: orderToken };
      return isList ? { body: JSON.stringify(body) } : null;
    }),
  },
  {
    name: 'charges the price of the browser',
    breaks: ['browser-price', 'total', 'browser-form', 'payable'],
    plant:
      ({ answer }) =>
      async (request) => {
        const text = isCreation(request) ? await textOf(request) : null;
        if (text?.includes('total_price_cents') !== true) return answer(request);
        const body = JSON.stringify(without('total_price_cents')(JSON.parse(text) as Fields));
        return withData({ total_cents: 1 })(
          await answer(new Request(request, { method: 'POST', body })),
        );
      },
  },
  {
    name: 'overlooks the price of the browser',
    breaks: ['browser-price'],
    plant: readingBody(without('total_price_cents')),
  },
  {
    name: 'overlooks a foreign field',
    breaks: ['foreign-field'],
    plant: readingBody(without('ip_payer')),
  },
  {
    name: 'does not compare the price that the page shows',
    breaks: ['expected-total', 'expected-total-below', 'expected-total-zero'],
    plant: readingBody(without('expected_total_cents')),
  },
  {
    name: 'asks for no Idempotency-Key',
    breaks: ['no-key'],
    plant: reading((request) =>
      request.headers.has('idempotency-key')
        ? null
        : { headers: withHeader(request, 'idempotency-key', crypto.randomUUID()) },
    ),
  },
  {
    name: 'reads a body of any type',
    breaks: ['content-type'],
    plant: reading((request) => ({
      headers: withHeader(request, 'content-type', 'application/json'),
    })),
  },
  {
    name: 'reads a body of any size',
    breaks: ['size'],
    plant: reading(async (request) => {
      const text = isCreation(request) ? await textOf(request) : null;
      return text !== null && text.length > 16_384 ? { body: '"long"' } : null;
    }),
  },
  {
    name: 'fails on a body that is no JSON',
    breaks: ['no-json'],
    plant:
      ({ answer }) =>
      async (request) => {
        const isBroken = isCreation(request) && (await textOf(request)) === '{"method":';
        const response = await answer(request);
        if (!isBroken) return response;
        return withBody((body) => ({ ...body, code: 'service_unavailable' }), 500)(response);
      },
  },
  {
    name: 'creates by GET',
    breaks: ['get-creates', 'recover-unknown', 'recover-get'],
    plant: reading((request, { orderToken }) => {
      const { searchParams } = new URL(request.url);
      const external_id = searchParams.get('external_id');
      if (external_id === null) return null;
      const body = JSON.stringify({ method: 'pix', external_id, order_token: orderToken });
      const [url = ''] = request.url.split('?');
      return new Request(url, { method: 'POST', headers: request.headers, body });
    }),
  },
  {
    name: 'creates by GET, and says that there is nothing',
    breaks: ['recover-get'],
    plant:
      ({ answer, orderToken }) =>
      async (request) => {
        const { pathname, searchParams } = new URL(request.url);
        if (!searchParams.has('method')) return answer(request);
        const fields = Object.fromEntries(searchParams);
        const body = JSON.stringify({ ...fields, order_token: orderToken });
        const { headers } = request;
        await answer(
          new Request(new URL(pathname, request.url), { method: 'POST', headers, body }),
        );
        return answer(
          new Request(request, {
            headers: withHeader(request, 'idempotency-key', crypto.randomUUID()),
          }),
        );
      },
  },
  {
    name: 'forwards every path',
    breaks: ['unknown-path'],
    plant: changing(
      ({ url }) => url.endsWith('/payouts'),
      withBody(() => ({ data: [] }), 200),
    ),
  },
  {
    name: 'forwards ids that lead out',
    breaks: ['path-out', 'shape', 'type', 'path-back'],
    plant: changing(
      ({ url }) => url.includes('..%2F'),
      withBody(() => ({ data: { company: 1 } }), 200),
    ),
  },
  {
    name: 'takes every method for a GET',
    breaks: ['delete'],
    plant: reading((request) => (request.method === 'DELETE' ? { method: 'GET' } : null)),
  },
];

const tokens: readonly PlantedFault[] = [
  {
    name: 'reads order tokens, and verifies no signature',
    breaks: `tampered payload unsigned look-up forged`.split(' ').map((id) => `order-token-${id}`),
    plant: believing(({ e, x }) => e !== undefined && x > Date.now() / 1_000),
  },
  {
    name: 'overlooks that an order token has expired',
    breaks: [
      'order-token-expired',
      'order-token-expired-hour',
      'order-token-expired-now',
      'order-token-expired-zone',
    ],
    plant: believing(({ x }) => x < Date.now() / 1_000),
  },
  {
    name: 'takes any look-up token of its own for any invoice',
    breaks: ['look-up-crossed'],
    plant: (shop) => {
      const issued = new Set<string>();
      const answer = knowingTokens((request, token) => {
        if (token !== '') issued.add(token);
        const isIssued = issued.has(request.headers.get('lookup-token') ?? '');
        return isIssued && token !== '' ? withHeader(request, 'lookup-token', token) : null;
      })(shop);
      return answer;
    },
  },
  {
    name: 'takes the invoice’s id in base64 for a look-up token',
    breaks: ['look-up-base64'],
    plant: knowingTokens((request, token) => {
      const id = /invoices\/([\w-]+)/.exec(request.url)?.[1] ?? '';
      return request.headers.get('lookup-token') === btoa(id)
        ? withHeader(request, 'lookup-token', token)
        : null;
    }),
  },
  {
    name: 'asks for no order token',
    breaks: ['order-token-missing', 'replay-no-token'],
    plant: readingBody((body, { orderToken }) => ({ order_token: orderToken, ...body })),
  },
  {
    name: 'accepts a token for every order',
    breaks: ['order-token-other-order', 'replay-other-order', 'unknown-order'],
    plant: readingBody((body) =>
      String(body['external_id']).startsWith('check-') ? { ...body, external_id: order } : body,
    ),
  },
  {
    name: 'has a price for orders that there are not',
    breaks: ['unknown-order', 'second-order-recover', 'second-order-token'],
    plant: () => {
      const opened = openCheckedShop({ requireOrderToken: false });
      return async (request) => {
        const { answer } = await opened;
        const text = isCreation(request) ? ((await textOf(request)) ?? '') : '';
        const body = text.replace(/check-[\w-]+/, order);
        return answer(text === body ? request : new Request(request, { method: 'POST', body }));
      };
    },
    given: { orderToken: undefined },
  },
  {
    name: 'accepts any order token',
    breaks: [
      ...`tampered unsigned expired look-up forged`.split(' ').map((id) => `order-token-${id}`),
      'order-token-expired-hour',
      'order-token-expired-now',
      'order-token-expired-zone',
      'order-token-nonsense',
      'order-token-true',
      'second-order',
      'second-order-token',
      'unknown-order',
    ],
    plant: readingBody((body, { orderToken }) =>
      'order_token' in body ? { ...body, order_token: orderToken } : body,
    ),
  },
  {
    name: 'looks up without a token',
    breaks: ['look-up-no-token'],
    plant: knowingTokens((request, token) =>
      request.headers.has('lookup-token') ? null : withHeader(request, 'lookup-token', token),
    ),
  },
  {
    name: 'accepts any look-up token',
    breaks: [
      ...`tampered unsigned id base64 order-token crossed`.split(' ').map((id) => `look-up-${id}`),
      'look-up-nonsense',
      'second-order-look-up',
    ],
    plant: knowingTokens((request, token) =>
      request.headers.has('lookup-token') ? withHeader(request, 'lookup-token', token) : null,
    ),
  },
];

let count = 0;

const onceOnly: readonly PlantedFault[] = [
  {
    name: 'has no lock',
    breaks: [
      'ten-at-once',
      'same-key',
      'other-key',
      'other-device',
      'replaces-other',
      'replaces',
      'beside-wait',
      'corrected',
    ],
    plant: (shop) => {
      let inFlight = 0;
      const answer = splitBy(() => (inFlight > 1 ? `request ${(count += 1)}` : ''))(shop);
      return async (request) => {
        if (!isCreation(request)) return answer(request);
        inFlight += 1;
        return answer(request).finally(() => (inFlight -= 1));
      };
    },
  },
  {
    name: 'makes a code for each key',
    breaks: [
      'ten-at-once',
      'other-key',
      'other-device',
      'replaces-other',
      'replaces',
      'beside-wait',
      'corrected',
    ],
    plant: splitBy(({ headers }) => headers.get('idempotency-key') ?? ''),
  },
  {
    name: 'makes a code for each request',
    breaks: [
      'ten-at-once',
      'same-key',
      'other-key',
      'other-device',
      'replaces-other',
      'replaces',
      'beside-wait',
      'corrected',
    ],
    plant: splitBy((request) => (isCreation(request) ? `code ${(count += 1)}` : '')),
  },
  {
    name: 'makes a code for each device',
    breaks: ['other-device'],
    plant: splitBy(({ headers }) => headers.get('user-agent') ?? ''),
  },
  {
    name: 'replaces nothing',
    breaks: ['replaces'],
    plant: readingBody(without('replaces')),
  },
  {
    name: 'replaces whatever is open',
    breaks: ['replaces-other', 'replaces'],
    plant: splitBy(({ headers }, body) =>
      'replaces' in body ? (headers.get('idempotency-key') ?? '') : '',
    ),
  },
  {
    name: 'has lost the answers of its attempts',
    breaks: ['recover'],
    plant: changing(
      ({ method, url }, { status }) => isQuestion(method, url) && status === 200,
      withData({ invoice_id: 'another-invoice' }),
    ),
  },
  {
    name: 'promises of a key whose order it does not know',
    breaks: ['recover-no-order'],
    plant: changing(
      (_, { status }) => status === 502,
      withBody((body) => ({ ...body, code: 'not_found' }), 404),
    ),
  },
  {
    name: 'lets anyone ask for attempts',
    breaks: ['recover-no-token'],
    plant: reading(({ method, url, headers }, { orderToken }) => {
      const isOpen = isQuestion(method, url) && !headers.has('order-token');
      return isOpen ? { headers: [...headers, ['order-token', orderToken]] } : null;
    }),
  },
  {
    name: 'answers any key with the newest invoice',
    breaks: ['recover-unknown', 'recover-get'],
    plant: ({ answer }) => {
      let newest = '';
      return async (request) => {
        const isAsked = isQuestion(request.method, request.url);
        const key = request.headers.get('idempotency-key') ?? '';
        const response = await answer(request.clone());
        if (isCreation(request) && response.status === 200) newest ||= key;
        if (!isAsked || response.status !== 404) return response;
        return answer(
          new Request(request, { headers: withHeader(request, 'idempotency-key', newest) }),
        );
      };
    },
  },
];

/** A late request, which has been on its way since before the question, gets through by another key. */
function forgetting(isLate: (body: Fields) => boolean): PlantedFault['plant'] {
  return ({ answer }) => {
    const asked = new Set<string | null>();
    return async (request) => {
      const key = request.headers.get('idempotency-key');
      if (isQuestion(request.method, request.url)) asked.add(key);
      const text = isCreation(request) && asked.has(key) ? await textOf(request) : null;
      if (text === null || !isLate(JSON.parse(text) as Fields)) return answer(request);
      const headers = withHeader(request, 'idempotency-key', crypto.randomUUID());
      return answer(new Request(request, { headers }));
    };
  };
}

/** It looks a key up when a request begins, and not again when its body has come. */
const forgettingLate: PlantedFault['plant'] = ({ answer }) => {
  const asked = new Set<string | null>();
  return async (request) => {
    const key = request.headers.get('idempotency-key');
    const wasAsked = asked.has(key);
    if (isQuestion(request.method, request.url)) asked.add(key);
    if (!isCreation(request) || !request.headers.has('content-length')) return answer(request);
    const body = await request.text();
    const isForgotten = asked.has(key) && !wasAsked;
    const headers = isForgotten
      ? withHeader(request, 'idempotency-key', crypto.randomUUID())
      : request.headers;
    return answer(new Request(request.url, { method: 'POST', headers, body }));
  };
};

const card = { cardToken: 'tok_pending' };
const isCard = (body: Fields) => body['method'] === 'credit_card';
const cards: readonly PlantedFault[] = [
  {
    name: 'creates what was on its way when it said that it does not know the key',
    breaks: ['recover-held'],
    plant: forgettingLate,
  },
  {
    name: 'creates by a key of which it said that it does not know it',
    breaks: ['recover-never'],
    plant: forgetting((body) => !isCard(body)),
  },
  {
    name: 'charges by a key of which it said that it does not know it',
    breaks: ['card-never', 'card', 'card-failed', 'card-failed-again'],
    plant: forgetting(isCard),
    given: card,
  },
  {
    name: 'charges again for the same key',
    breaks: [
      'card-same-key',
      'card-other-key',
      'card-then-pix',
      'card-key-as-pix',
      'card-failed-again',
    ],
    plant: splitBy((_, body) => (isCard(body) ? `charge ${(count += 1)}` : '')),
    given: card,
  },
  {
    name: 'charges again for another key',
    breaks: ['card-other-key', 'card-then-pix', 'card-key-as-pix'],
    plant: splitBy(({ headers }, body) =>
      isCard(body) ? (headers.get('idempotency-key') ?? '') : '',
    ),
    given: card,
  },
  {
    name: 'forgets a card whose outcome is unknown',
    breaks: ['card-other-key', 'card-then-pix', 'card-key-as-pix'],
    plant: splitBy(({ headers }, body) =>
      isCard(body) ? (headers.get('idempotency-key') ?? '') : '',
    ),
    given: { cardToken: 'tok_reset_after_effect' },
  },
  {
    name: 'gives a Pix code beside a charge',
    breaks: ['card-then-pix', 'card-key-as-pix'],
    plant: splitBy((_, body) => (isCard(body) ? 'card' : '')),
    given: card,
  },
  {
    name: 'answers a charge with another reference',
    breaks: ['card'],
    plant: changing(
      (request, { status }) => isCreation(request) && status === 200,
      async (answer) => {
        const { data } = (await answer.clone().json()) as { data: Fields };
        return data['qr_code_pix'] === '' ? withData({ external_id: 'another' })(answer) : answer;
      },
    ),
    given: card,
  },
  {
    name: 'takes card numbers',
    breaks: ['raw-card'],
    plant: readingBody((body) =>
      JSON.stringify(body).includes('"number"')
        ? { ...body, card: { token: 'tok_pending' } }
        : body,
    ),
  },
];

/** All of them. */
export const plantedFaults: readonly PlantedFault[] = [
  ...answers,
  ...crossOrigin,
  ...requests,
  ...tokens,
  ...onceOnly,
  ...cards,
  ...plantedPrices,
  ...plantedCrossings,
  ...plantedWaits,
  ...plantedCards,
];
