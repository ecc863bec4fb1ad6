/** Wrong proxies that charge a card that was called failed, or never say what came of one. */
import {
  changing,
  isCreation,
  isQuestion,
  knowingTokens,
  readingBody,
  withProblem,
  withHeader,
  without,
} from './wrong-proxy.js';
import type { Fields, PlantedFault } from './wrong-proxy.js';

const given = { cardToken: 'tok_pending' };
const isCard = (body: Fields) => body['method'] === 'credit_card';

/** Answers questions for attempts in another way. */
function asked(change: Parameters<typeof changing>[1], key?: (name: string) => boolean) {
  return changing(
    ({ method, url, headers }) =>
      isQuestion(method, url) && (key?.(headers.get('idempotency-key') ?? '') ?? true),
    change,
  );
}

export const plantedCards: readonly PlantedFault[] = [
  {
    name: 'answers the key of a charge whatever method is asked for',
    breaks: ['card-key-as-pix'],
    plant({ answer }) {
      const charged = new Map<string | null, Response>();
      return async (request) => {
        const key = isCreation(request) ? request.headers.get('idempotency-key') : null;
        const former = charged.get(key);
        const body = former ? ((await request.clone().json()) as Fields) : {};
        if (former && !isCard(body)) return former.clone();
        const came = await answer(request.clone());
        const sent = key === null ? {} : ((await request.json().catch(() => ({}))) as Fields);
        if (came.status === 200 && isCard(sent)) charged.set(key, came.clone());
        return came;
      };
    },
    given,
  },
  {
    name: 'takes a security code beside a token',
    breaks: ['security-code'],
    plant: readingBody((body) => {
      if (!JSON.stringify(body).includes('security_code')) return body;
      return { ...body, method: 'pix', card: undefined };
    }),
  },
  {
    name: 'charges a card whatever price the page shows',
    breaks: ['card-price', 'card'],
    plant: readingBody((body) => (isCard(body) ? without('expected_total_cents')(body) : body)),
    given,
  },
  {
    name: 'charges a card’s request that failed when it comes again',
    breaks: ['card-failed-again', 'card'],
    plant({ answer }) {
      const failed = new Set<string | null>();
      return async (request) => {
        const key = request.headers.get('idempotency-key');
        const isAgain = isCreation(request) && failed.has(key);
        const headers = withHeader(request, 'idempotency-key', crypto.randomUUID());
        const came = await answer(isAgain ? new Request(request, { headers }) : request);
        if (isCreation(request) && came.status === 409) failed.add(key);
        return came;
      };
    },
    given,
  },
  {
    name: 'never says what came of a card’s request that failed',
    breaks: ['card-failed'],
    plant({ answer }) {
      const failed = new Set<string>();
      const waiting = asked(withProblem('in_progress', 409), (key) => failed.has(key))({
        answer,
      } as Parameters<PlantedFault['plant']>[0]);
      return async (request) => {
        const came = await waiting(request);
        if (isCreation(request) && came.status === 409)
          failed.add(request.headers.get('idempotency-key') ?? '');
        return came;
      };
    },
    given,
  },
  {
    name: 'charges cards, and cannot be asked what came of one',
    breaks: ['card-recover'],
    plant: asked(withProblem('invalid_request', 405, 'method')),
    given,
  },
  {
    name: 'has forgotten a card by the time that it is asked for',
    breaks: ['card-recover'],
    plant: asked((answer) =>
      answer.status === 200 ? withProblem('not_found', 404)(answer) : answer,
    ),
    given,
  },
  {
    name: 'takes any look-up token for a card',
    breaks: ['card-look-up'],
    plant(shop) {
      const cards = new Set<string>();
      const looking = knowingTokens((request, token) => {
        const [, id = ''] = /invoices\/([\w-]+)/.exec(request.url) ?? [];
        const isOpen = cards.has(id) && request.headers.has('lookup-token');
        return isOpen ? withHeader(request, 'lookup-token', token) : null;
      })(shop);
      return async (request) => {
        const came = await looking(request);
        const { data } = (await came
          .clone()
          .json()
          .catch(() => ({}))) as { data?: Fields };
        if (data?.['qr_code_pix'] === '') cards.add(String(data['invoice_id']));
        return came;
      };
    },
    given,
  },
];
