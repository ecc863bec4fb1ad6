/** Proxies that differ from ours in what the contract leaves open, each a small wrapper around ours: none of them may be blamed. */
import { textOf } from '../checked-shop.js';
import type { Answering } from '../checked-shop.js';
import {
  believing,
  changing,
  isCreation,
  isLookUp,
  isQuestion,
  withBody,
  withData,
  withHeader,
  withHeaders,
  withProblem,
  without,
} from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';
import type { CheckedProxy } from '../../../../src/cli/check/values.js';
import type { ProxyOptions } from '../../../../src/proxy.js';

/** A right proxy. */
export interface RightVariant {
  readonly name: string;
  readonly plant?: PlantedFault['plant'];
  readonly options?: Partial<ProxyOptions>;
  readonly given?: Partial<CheckedProxy>;
  /** Ids of the points that cannot be checked then. */
  readonly left?: readonly string[];
  /** What is said of the web server in front. */
  readonly notes?: readonly RegExp[];
}

const isFound = (_: Request, { status }: Response) => status === 200;
/** While one creation of an order is on its way, others are told to come again. */
function turningAway(code: string, status: number): PlantedFault['plant'] {
  return ({ answer }): Answering => {
    let isBusy = false;
    return async (request) => {
      const text = isCreation(request) ? await textOf(request) : null;
      if (text?.startsWith('{"method":"pix"') !== true) return answer(request);
      if (isBusy) return withProblem(code, status)(await answer(toNothing(request)));
      isBusy = true;
      // As long as a service takes.
      for (let turn = 0; turn < 50; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      return answer(request).finally(() => (isBusy = false));
    };
  };
}

/** A request of the same page that creates nothing. */
function toNothing({ url, headers }: Request): Request {
  return new Request(url, { method: 'PUT', headers });
}

/** The web server in front answers such paths by itself. */
function fronted(isMeant: (path: string) => boolean): PlantedFault['plant'] {
  return ({ answer }) =>
    async (request) =>
      isMeant(new URL(request.url).pathname)
        ? new Response('<h1>404 Not Found</h1>', {
            status: 404,
            headers: { 'content-type': 'text/html' },
          })
        : answer(request);
}

const asking = changing(
  ({ method, url }) => isQuestion(method, url),
  (answer) => (answer.status === 404 ? withProblem('outcome_unknown', 502)(answer) : answer),
);

const noRecovery = [
  'recover',
  'preflight-recover',
  'recover-no-order',
  'recover-no-token',
  'recover-tampered',
  'recover-look-up-token',
  'recover-foreign',
  'recover-other-order',
  'recover-held',
  'recover-never',
  'second-order-recover',
];
const cardsLeft = ['card-never', 'card-failed', 'card-failed-again'];
const allCards = 'price recover look-up same-key other-key then-pix key-as-pix'
  .split(' ')
  .map((id) => `card-${id}`);
const pixOnly = { cardToken: undefined };
const withoutCards = [...cardsLeft, ...allCards, 'card'];

/** Each field of the answer to a preflight is what the browser asked for, and no more. */
const echoing: PlantedFault['plant'] = changing(
  ({ method }) => method === 'OPTIONS',
  (answer, { headers }) =>
    withHeaders({
      'access-control-allow-headers': headers.get('access-control-request-headers'),
      'access-control-allow-methods': headers.get('access-control-request-method'),
    })(answer),
);

export const rightVariants: readonly RightVariant[] = [
  { name: 'ours' },
  {
    name: 'has another price for cards',
    options: {
      resolveOrder: ({ externalId, method }) =>
        externalId.startsWith('check-')
          ? null
          : { total_price_cents: method === 'pix' ? 12_990 : 13_990 },
    },
  },
  {
    name: 'can promise nothing of an unknown key',
    plant: asking,
    left: [...noRecovery.slice(1), ...cardsLeft],
  },
  {
    name: 'has no question for attempts, and takes no cards',
    plant: changing(
      ({ method, url }) => method === 'GET' && /\/invoices(\?|$)/.test(url),
      withProblem('invalid_request', 405, 'method'),
    ),
    given: pixOnly,
    left: [...noRecovery, ...withoutCards],
  },
  {
    name: 'tells all but one of many creations at once to come again',
    plant: turningAway('in_progress', 409),
  },
  {
    name: 'gives up all but one of many creations at once, as a database does',
    plant: turningAway('service_unavailable', 503),
  },
  {
    name: 'stands behind a web server that knows its routes',
    plant: fronted((path) => path.endsWith('/payouts')),
    notes: [/^The web server in front answers GET \/payouts by itself \(404\)/],
  },
  {
    name: 'stands behind Apache, which refuses an encoded slash',
    plant: fronted((path) => path.includes('%2F')),
    notes: [/AllowEncodedSlashes NoDecode/, /AllowEncodedSlashes NoDecode/],
  },
  { name: 'allows what a preflight asks for, and no more', plant: echoing },
  {
    name: 'allows all headers by a star',
    plant: changing(
      ({ method }, { headers }) =>
        method === 'OPTIONS' && headers.has('access-control-allow-headers'),
      withHeaders({ 'access-control-allow-headers': '*' }),
    ),
  },
  {
    name: 'answers preflights with 200 and a body',
    plant: changing(
      ({ method }, { status }) => method === 'OPTIONS' && status === 204,
      ({ headers }) => new Response('{"data":null,"message":""}', { headers }),
    ),
  },
  {
    name: 'leaves out what a look-up may leave out',
    plant: changing(
      (request, answer) => isLookUp(request) && isFound(request, answer),
      withBody(({ data }) => ({ data: without('qr_code_pix')(data as Fields) })),
    ),
  },
  {
    name: 'names the charset of its types, and headers of its own',
    plant: changing(
      ({ method }) => method !== 'OPTIONS',
      (answer) =>
        withHeaders({
          'content-type': `${answer.headers.get('content-type')}; charset=utf-8`,
          'cache-control': 'private, no-store, max-age=0',
          vary: 'Accept-Encoding, Origin',
          'strict-transport-security': 'max-age=63072000',
          'x-powered-by': 'PHP/8.2.1',
        })(answer),
    ),
  },
  {
    name: 'has another word for what is not paid',
    plant: changing(
      (request, answer) => isLookUp(request) && isFound(request, answer),
      withBody((body) => {
        const data = body['data'] as Fields;
        return {
          ...body,
          data: {
            ...data,
            status: data['status'] === 'pending' ? 'waiting_payment' : data['status'],
          },
        };
      }),
    ),
  },
  {
    name: 'gives random letters for look-up tokens',
    plant: ({ answer }) => {
      const tokens = new Map<string, string>();
      const byReal = new Map<string, string>();
      return async (request) => {
        const own = request.headers.get('lookup-token') ?? '';
        const headers = withHeader(request, 'lookup-token', tokens.get(own) ?? 'none');
        const came = await answer(isLookUp(request) ? new Request(request, { headers }) : request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        const real = data?.['lookup_token'];
        if (typeof real !== 'string') return came;
        const random = byReal.get(real) ?? crypto.randomUUID().replaceAll('-', '');
        tokens.set(random, real);
        byReal.set(real, random);
        return withData({ lookup_token: random })(came);
      };
    },
    left: ['look-up-unsigned'],
  },
  {
    name: 'takes an order token for a minute more, as clocks differ',
    plant: believing(({ x }) => x < Date.now() / 1_000 && x > Date.now() / 1_000 - 60),
  },
  {
    name: 'binds a key by a refusal: a corrected request needs another',
    plant: ({ answer }) => {
      const refused = new Set<string | null>();
      return async (request) => {
        const key = isCreation(request) ? request.headers.get('idempotency-key') : null;
        const text = isCreation(request) ? await textOf(request) : '';
        const came = await answer(request);
        const isAgain = refused.has(key) && text?.includes('"pix"');
        if (key !== null && came.status === 409) refused.add(key);
        return isAgain && came.status === 200 ? withProblem('key_reused', 422)(came) : came;
      };
    },
  },
  {
    name: 'binds a card’s key by its failure, and says it again',
    plant: ({ answer }) => {
      const failed = new Set<string | null>();
      return async (request) => {
        const key = request.headers.get('idempotency-key');
        const text = isCreation(request) ? await textOf(request) : null;
        const isOfCard = text?.includes('credit_card') === true;
        const isBound = failed.has(key);
        const came = await answer(request);
        if (isOfCard && came.status === 409) failed.add(key);
        return isBound ? withProblem('amount_mismatch', 409)(came) : came;
      };
    },
  },
  {
    name: 'refuses questions in the address of a creation',
    plant: changing(
      ({ method, url }) => method === 'POST' && url.includes('?'),
      withProblem('invalid_request', 400, 'query'),
    ),
  },
  {
    name: 'gives two codes an hour',
    plant: changing(
      ({ method, url }) => method === 'POST' && url.includes('?'),
      withProblem('too_many_requests', 429),
    ),
    left: ['browser-query'],
  },
  {
    name: 'takes card numbers, in the scope of PCI DSS',
    options: { rawCard: true },
    given: { takesNumbers: true },
    left: ['raw-card', 'security-code'],
  },
  {
    name: 'holds a look-up, and nothing beside it',
    options: { holdSeconds: 1 },
  },
  {
    name: 'does not know what came of a card',
    options: { serviceTimeoutMs: 50 },
    given: { cardToken: 'tok_hang_after_effect' },
    left: ['card', 'card-look-up', 'card-same-key'],
  },
  {
    name: 'answers what it cannot find in the words of a gateway',
    plant:
      ({ answer }) =>
      async (request) =>
        request.url.endsWith('/payouts')
          ? Response.json(
              { message: 'Not Found' },
              { status: 404, headers: { 'apigw-requestid': 'x=' } },
            )
          : answer(request),
    notes: [/^The web server in front answers GET \/payouts by itself \(404\)/],
  },
];
