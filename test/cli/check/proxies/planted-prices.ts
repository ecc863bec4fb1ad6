/** Wrong proxies that charge what a browser likes, or not what the order costs. */
import { toPixCode } from '../../../proxy/support/pix-code.js';
import { openCheckedShop, textOf } from '../checked-shop.js';
import { changing, isCreation, readingBody, splitBy, withData, without } from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';
import type { Answering } from '../checked-shop.js';

const costing = (totalCents: number) =>
  withData({ total_cents: totalCents, qr_code_pix: toPixCode({ totalCents }) });

/** Overlooks one field, where it has such a value. */
function overlooking(
  name: string,
  isMeant: (value: unknown) => boolean = () => true,
): PlantedFault['plant'] {
  return readingBody((body) => (isMeant(body[name]) ? without(name)(body) : body));
}

/** Has a price of its own for the order. */
function pricing(totalCents: number): PlantedFault['plant'] {
  return () => {
    const opened = openCheckedShop({
      resolveOrder: ({ externalId }) =>
        externalId.startsWith('check-') ? null : { total_price_cents: totalCents },
    });
    return async (request) => (await opened).answer(request);
  };
}

const pricedByQuery = ['total_price_cents', 'amount'].map((name) => ({
  name: `charges the ${name} in the address`,
  breaks: ['browser-query', 'total'],
  plant: changing(
    (request, { status }) =>
      isCreation(request) && status === 200 && new URL(request.url).searchParams.has(name),
    costing(3),
  ),
}));

export const plantedPrices: readonly PlantedFault[] = [
  ...pricedByQuery,
  ...(
    [
      ['a total', 'total_cents', 'browser-total'],
      ['items', 'items', 'browser-items'],
      ['an address for postbacks', 'postback_url', 'foreign-postback'],
      ['a kind of product', 'product_fisical', 'foreign-product'],
    ] as const
  ).map(([what, field, point]) => ({
    name: `overlooks ${what} of the browser`,
    breaks: [point],
    plant: overlooking(field),
  })),
  {
    name: 'overlooks a price among the fields of the payer',
    breaks: ['browser-payer'],
    plant: overlooking('payer', (payer) => JSON.stringify(payer)?.includes('cents') ?? false),
  },
  {
    name: 'reads a form, too',
    breaks: ['browser-form'],
    plant:
      ({ answer }) =>
      async (request) => {
        if (request.headers.get('content-type') !== 'application/x-www-form-urlencoded')
          return answer(request);
        const fields = Object.fromEntries(new URLSearchParams(await request.text()));
        const headers = new Headers(request.headers);
        headers.set('content-type', 'application/json');
        const body = JSON.stringify(without('total_price_cents')(fields));
        return answer(new Request(request.url, { method: 'POST', headers, body }));
      },
  },
  {
    name: 'compares only a higher price that the page shows',
    breaks: ['expected-total-below', 'expected-total-zero'],
    plant: overlooking('expected_total_cents', (cents) => Number(cents) < 12_990),
  },
  {
    name: 'takes a price of zero that the page shows for none',
    breaks: ['expected-total-zero'],
    plant: overlooking('expected_total_cents', (cents) => cents === 0),
  },
  {
    name: 'charges the price that the page shows',
    breaks: ['expected-total', 'expected-total-below', 'total', 'payable'],
    plant:
      ({ answer }) =>
      async (request) => {
        const text = isCreation(request) ? await textOf(request) : null;
        const body = (text?.startsWith('{"method":"') === true ? JSON.parse(text) : {}) as Fields;
        const shown = body['expected_total_cents'];
        if (body['method'] !== 'pix' || !shown) return answer(request);
        const own = JSON.stringify(without('expected_total_cents')(body));
        const created = await answer(new Request(request, { method: 'POST', body: own }));
        return withData({ total_cents: shown })(created);
      },
  },
  { name: 'cuts the cents off', breaks: ['total'], plant: pricing(12_900) },
  { name: 'multiplies by a hundred, and cuts', breaks: ['total'], plant: pricing(12_989) },
  {
    name: 'repeats a refusal for a request that was corrected',
    breaks: ['corrected'],
    plant({ answer }): Answering {
      const refusals = new Map<string | null, Response>();
      return async (request) => {
        const key = isCreation(request) ? request.headers.get('idempotency-key') : null;
        const former = key === null ? undefined : refusals.get(key);
        if (former) return former.clone();
        const came = await answer(request);
        if (key !== null && came.status === 409) refusals.set(key, came.clone());
        return came;
      };
    },
  },
  {
    name: 'makes another code when a request is corrected',
    breaks: ['corrected'],
    plant(shop) {
      const refused = new Set<string | null>();
      const answer = splitBy(({ headers }, { method }) =>
        method === 'pix' && refused.has(headers.get('idempotency-key')) ? 'corrected' : '',
      )(shop);
      return async (request) => {
        const came = await answer(request);
        if (came.status === 409 && isCreation(request))
          refused.add(request.headers.get('idempotency-key'));
        return came;
      };
    },
  },
];
