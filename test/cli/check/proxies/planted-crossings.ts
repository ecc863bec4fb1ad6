/** Wrong proxies that take a key, a token, a reference or a page for another, and codes that are told apart by too little. */
import { createHash } from 'node:crypto';
import { order, origin, secondOrder, textOf } from '../checked-shop.js';
import type { Answering, CheckedShop } from '../checked-shop.js';
import {
  believing,
  changing,
  isCreation,
  isLookUp,
  isQuestion,
  reading,
  readingBody,
  withData,
  withHeader,
  withProblem,
} from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';

const nowSeconds = () => Date.now() / 1_000;
const hourSeconds = 3_600;

/** Pages of which it believes that they are the shop's. */
function admitting(isAdmitted: (asked: string) => boolean): PlantedFault['plant'] {
  return ({ answer }) =>
    async (request) => {
      const asked = request.headers.get('origin') ?? '';
      if (asked === origin || !isAdmitted(asked)) return answer(request);
      const came = await answer(
        new Request(request, { headers: withHeader(request, 'origin', origin) }),
      );
      const headers = new Headers(came.headers);
      headers.set('access-control-allow-origin', asked);
      return new Response(came.body, { status: came.status, headers });
    };
}

/** Gives look-up tokens of its own making, and takes them. */
function issuing(toToken: (invoice: Fields) => string): PlantedFault['plant'] {
  return ({ answer }) => {
    const tokens = new Map<string, string>();
    return async (request) => {
      const own = request.headers.get('lookup-token') ?? '';
      const real = tokens.get(own);
      const headers = withHeader(request, 'lookup-token', real ?? 'none');
      const came = await answer(isLookUp(request) ? new Request(request, { headers }) : request);
      const { data } = (await came
        .clone()
        .json()
        .catch(() => ({}))) as { data?: Fields };
      if (data?.['lookup_token'] === undefined) return came;
      tokens.set(toToken(data), data['lookup_token'] as string);
      return withData({ lookup_token: toToken(data) })(came);
    };
  };
}

const sha256 = (text: unknown) => createHash('sha256').update(String(text)).digest('hex');

/** Answers of creations by key, whoever asks. */
function remembering({ answer }: CheckedShop): Answering {
  const known = new Map<string | null, Response>();
  return async (request) => {
    const key = isCreation(request) ? request.headers.get('idempotency-key') : null;
    const former = key === null ? undefined : known.get(key);
    if (former) return former.clone();
    const came = await answer(request);
    if (key !== null && came.status === 200) known.set(key, came.clone());
    return came;
  };
}

/** Takes another reference for that of the order. */
const renaming = (isMeant: (reference: string) => boolean) =>
  readingBody((body) =>
    isMeant(String(body['external_id'])) ? { ...body, external_id: order } : body,
  );

export const plantedCrossings: readonly PlantedFault[] = [
  {
    name: 'answers a repeated key before it looks at token, page and order',
    breaks: ['replay-no-token', 'replay-foreign', 'replay-other-order', 'second-order-key'],
    plant: remembering,
  },
  {
    name: 'overlooks a line break at the end of a reference',
    breaks: ['reference-line'],
    plant: renaming((reference) => reference === `${order}\n`),
  },
  {
    name: 'trims references',
    breaks: ['reference-line', 'reference-space'],
    plant: renaming((reference) => reference.trim() === order),
  },
  {
    name: 'compares the beginning of references',
    breaks: ['order-token-alike', 'reference-line'],
    plant: renaming((reference) => reference.startsWith(order)),
  },
  {
    name: 'takes order tokens an hour longer',
    breaks: ['order-token-expired-now', 'order-token-expired-hour'],
    plant: believing(({ x }) => x < nowSeconds() && x > nowSeconds() - hourSeconds),
  },
  {
    name: 'takes order tokens by the clock of Brasília',
    breaks: ['order-token-expired-now', 'order-token-expired-hour', 'order-token-expired-zone'],
    plant: believing(({ x }) => x < nowSeconds() && x > nowSeconds() - 3 * hourSeconds),
  },
  {
    name: 'refuses order tokens three hours too early',
    breaks: ['order-token-ending'],
    plant: reading(async (request) => {
      const text = isCreation(request) ? ((await textOf(request)) ?? '') : '';
      const [, payload = ''] = /"order_token":"v1\.([^."]*)/.exec(text) ?? [];
      const { x = Infinity } = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}');
      const isEarly = x > nowSeconds() && x < nowSeconds() + 3 * hourSeconds;
      return isEarly ? { body: text.replace(payload, 'e30') } : null;
    }),
  },
  {
    name: 'takes true for an order token',
    breaks: ['order-token-true'],
    plant: readingBody((body, { orderToken }) =>
      body['order_token'] === true ? { ...body, order_token: orderToken } : body,
    ),
  },
  {
    name: 'takes null in words for an order token',
    breaks: ['order-token-nonsense'],
    plant: readingBody((body, { orderToken }) =>
      body['order_token'] === 'null' ? { ...body, order_token: orderToken } : body,
    ),
  },
  {
    name: 'serves pages whose origin begins like the shop’s',
    breaks: ['prefix-preflight', 'prefix-page'],
    plant: admitting((asked) => asked.startsWith(origin)),
  },
  {
    name: 'serves pages whose origin ends like the shop’s',
    breaks: ['suffix-preflight', 'suffix-page'],
    plant: admitting((asked) => asked.endsWith(new URL(origin).hostname)),
  },
  {
    name: 'lets a page of another site look up',
    breaks: ['foreign-look-up'],
    plant: reading((request) =>
      isLookUp(request) ? { headers: withHeader(request, 'origin', origin) } : null,
    ),
  },
  ...[
    { what: 'a digest of the id', toToken: ({ invoice_id: id }: Fields) => sha256(id) },
    {
      what: 'a digest of reference and id',
      toToken: ({ external_id: e, invoice_id: id }: Fields) => sha256(`${String(e)}:${String(id)}`),
    },
    { what: 'a short number', toToken: ({ invoice_id: id }: Fields) => sha256(id).slice(0, 6) },
  ].map(({ what, toToken }) => ({
    name: `gives ${what} for a look-up token`,
    breaks: ['guessable'],
    plant: issuing(toToken),
  })),
  {
    name: 'takes any order token where an attempt is asked for',
    breaks: ['recover-tampered', 'recover-look-up-token', 'second-order-recover'],
    plant: reading((request, { orderToken }) =>
      isQuestion(request.method, request.url) && request.headers.has('order-token')
        ? { headers: withHeader(request, 'order-token', orderToken) }
        : null,
    ),
  },
  {
    name: 'finds attempts by their key, whatever the order',
    breaks: ['recover-other-order'],
    plant: reading((request) =>
      isQuestion(request.method, request.url)
        ? new Request(
            request.url.replace(/external_id=check-[\w-]+/, `external_id=${order}`),
            request,
          )
        : null,
    ),
  },
  {
    name: 'has one code for all orders',
    breaks: ['second-order', 'second-order-key', 'second-order-former', 'second-order-look-up'],
    plant:
      ({ answer, orderToken }) =>
      async (request) => {
        const text = isCreation(request) ? await textOf(request) : null;
        if (text?.includes(`"external_id":"${secondOrder}"`) !== true) return answer(request);
        const body = {
          ...(JSON.parse(text) as Fields),
          external_id: order,
          order_token: orderToken,
        };
        const came = await answer(
          new Request(request, { method: 'POST', body: JSON.stringify(body) }),
        );
        return came.status === 200 ? withData({ external_id: secondOrder })(came) : came;
      },
  },
  {
    name: 'shows one order the code of another, under an id of its own',
    breaks: ['second-order', 'second-order-key', 'second-order-former'],
    plant({ answer }) {
      let first: unknown;
      return async (request) => {
        const came = await answer(request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        first ??= data?.['qr_code_pix'];
        const isSecond = data?.['external_id'] === secondOrder;
        return isSecond ? withData({ qr_code_pix: first })(came) : came;
      };
    },
  },
  {
    name: 'gives the first order the code of the second once that has one',
    breaks: ['second-order-former'],
    plant({ answer }) {
      let latest: unknown;
      return async (request) => {
        const came = await answer(request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        if (data?.['external_id'] === secondOrder) latest = data['qr_code_pix'];
        const isFirst = isLookUp(request) && data?.['external_id'] === order && latest;
        return isFirst ? withData({ qr_code_pix: latest })(came) : came;
      };
    },
  },
  {
    name: 'takes the valid token of any order',
    breaks: ['second-order-token'],
    plant: readingBody((body, { orderToken }) => {
      const [, payload = ''] = String(body['order_token']).split('.');
      const isSecond = Buffer.from(payload, 'base64url').toString().includes(secondOrder);
      const isCrossed = isSecond && body['external_id'] === order;
      return isCrossed ? { ...body, order_token: orderToken } : body;
    }),
  },
  {
    name: 'shows the new code under the former id',
    breaks: ['former'],
    plant({ answer }) {
      const codes: unknown[] = [];
      return async (request) => {
        const came = await answer(request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        const isOfFirst = data?.['external_id'] === order;
        if (isCreation(request) && isOfFirst && !codes.includes(data['qr_code_pix']))
          codes.push(data['qr_code_pix']);
        return isLookUp(request) && isOfFirst
          ? withData({ qr_code_pix: codes[1] ?? codes[0] })(came)
          : came;
      };
    },
  },
  {
    name: 'shows the former code under the new id',
    breaks: ['replaces', 'former'],
    plant({ answer }) {
      let first: unknown;
      return async (request) => {
        const came = await answer(request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        const isOfFirst = data?.['external_id'] === order && Boolean(data['qr_code_pix']);
        if (isOfFirst) first ??= data['qr_code_pix'];
        return isOfFirst ? withData({ qr_code_pix: first })(came) : came;
      };
    },
  },
  {
    name: 'forgets the former code',
    breaks: ['former'],
    plant({ answer }) {
      let isReplaced = false;
      const forgetting = changing(
        (request, { status }) => isLookUp(request) && isReplaced && status === 200,
        withProblem('not_found', 404),
      )({ answer } as CheckedShop);
      return async (request) => {
        const text = isCreation(request) ? await textOf(request) : null;
        const came = await forgetting(request);
        if (text?.includes('"replaces"') === true && !text.includes('1111-4111')) isReplaced = true;
        return came;
      };
    },
  },
];
