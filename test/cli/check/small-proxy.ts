/**
 * A right proxy in one file on the sandbox, and at each `has('…')` one way to be wrong, by the id of the point that names it.
 * Names with a space are ways in which a right proxy may differ.
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyOrder } from '../../../src/order-token.js';
import {
  endpoint,
  order,
  origin,
  secondOrder,
  secrets,
  textOf,
  totalCents,
} from './checked-shop.js';
import type { Answering, CheckedShop } from './checked-shop.js';

type Fields = Readonly<Record<string, unknown>>;

interface Invoice {
  readonly ref: string;
  readonly isPix: boolean;
  readonly token: string;
  /** As the service answered its creation. */
  readonly data: Fields;
}

/** A creation whose token and fields are right. */
interface Call {
  readonly body: Fields;
  readonly ref: string;
  readonly attempt: string;
  readonly price: number;
  readonly device: string;
}

class Problem extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail = '',
  ) {
    super(code);
  }
}

function need(isRight: unknown, code: string, status: number, detail?: string): asserts isRight {
  if (!isRight) throw new Problem(code, status, detail);
}

const contractFields =
  'method external_id order_token payer card expected_total_cents replaces'.split(' ');
const payerFields = 'name cpf_cnpj email'.split(' ');

const html = (status: number) =>
  new Response('<h1>Loja</h1>', { status, headers: { 'content-type': 'text/html' } });
const keysOf = (object: unknown) => Object.keys(object ?? {});

export function openSmallProxy(
  { sandbox }: CheckedShop,
  has: (name: string) => boolean,
): Answering {
  const invoices = new Map<string, Invoice>();
  const open = new Map<string, Invoice>();
  const replaced = new Map<string, number>();
  const attempts = new Map<string, Invoice | Problem>();
  const cards = new Map<string, Invoice | 'unknown'>();
  const barred = new Map<string, number>();
  const guesses = new Map<string, number>();
  const locks = new Map<string, Promise<unknown>>();
  let holding: Promise<unknown> = Promise.resolve();
  let count = 0;
  let inFlight = 0;
  let postbacks = '';

  return async (request) => {
    count += 1;
    const own = request.headers.get('origin');
    const front = answerInFront(request);
    if (front) return front;
    try {
      if (request.method === 'OPTIONS') return allow(request.headers, own);
      need(isOurs(own), 'invalid_request', 403, 'origin');
      return say(200, { data: await route(request), message: '' }, own);
    } catch (thrown) {
      if (thrown instanceof Response) return thrown;
      if (!(thrown instanceof Problem)) throw thrown;
      const { code, status, detail } = thrown;
      return say(status, { type: 'about:blank', title: code, status, code, detail }, own);
    }
  };

  /** What a web server does by itself. */
  function answerInFront({ url, method }: Request): Response | null {
    const { pathname } = new URL(url);
    const isForeign = pathname.endsWith('/payouts');
    if (has('errors of a web server') && isForeign) return html(404);
    if (has('a page for every other path') && isForeign) return html(200);
    if (has('a slash of Apache') && pathname.includes('%2F')) return html(404);
    if (has('foreign-path') && isForeign) return Response.json({ data: [] });
    if (has('reached') && method === 'GET' && /invoices\/./.test(pathname)) return html(200);
    if (!has('behind a wall')) return null;
    return method === 'POST' ? html(413) : html(200);
  }

  function isOurs(asked: string | null): boolean {
    if (asked === null || asked === origin) return true;
    if (has('a page on localhost') && asked === 'http://localhost:3000') return true;
    return has('foreign-origin') && asked.endsWith(new URL(origin).host);
  }

  function allow(headers: Headers, own: string | null): Response {
    const asked = headers.get('access-control-request-headers') ?? '';
    const all = 'content-type, idempotency-key, lookup-token, order-token';
    const names = has('preflight') ? 'content-type, idempotency-key' : has('an echo') ? asked : all;
    return new Response(has('a body for preflights') ? '{}' : null, {
      status: has('a body for preflights') ? 200 : 204,
      headers: {
        ...(isOurs(own) && own !== null && { 'access-control-allow-origin': own }),
        'access-control-allow-headers': has('a star') ? '*' : names,
      },
    });
  }

  function say(status: number, body: Fields, own: string | null): Response {
    const isError = status >= 400;
    const type = `application/${isError && !has('errors') ? 'problem+json' : 'json'}`;
    const isRead = isOurs(own) && own !== null && !(isError && has('readable'));
    return Response.json(body, {
      status,
      headers: {
        'content-type': has('a charset') ? `${type}; charset=utf-8` : type,
        ...(!has('no-store') && { 'cache-control': 'no-store' }),
        ...(isRead && { 'access-control-allow-origin': own }),
        ...(has('echo') && { link: '</pix?lookup_token=abc>; rel=self' }),
      },
    });
  }

  async function route(request: Request): Promise<Fields> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/pix/postbacks') return hear(await request.text());
    const id = /^\/pix\/invoices\/([\w-]+)$/.exec(pathname)?.[1];
    need(id !== undefined || pathname === '/pix/invoices', 'not_found', 404);
    const isGet = request.method === 'GET';
    need(isGet || (request.method === 'POST' && id === undefined), 'invalid_request', 405);
    if (id !== undefined) return lookUp(id, request.headers, searchParams);
    return isGet ? recover(request.headers, searchParams) : create(request);
  }

  function hear(text: string): Fields {
    if (has('sandbox-postback')) postbacks += text;
    return {};
  }

  async function lookUp(id: string, headers: Headers, query: URLSearchParams): Promise<Fields> {
    const invoice = invoices.get(id);
    const token = headers.get('lookup-token');
    const isIssued = [...invoices.values()].some((one) => one.token === token);
    need(invoice || !has('no look-up tokens'), 'not_found', 404);
    const isOpen =
      has('no look-up tokens') ||
      has('guessed ids') ||
      token === invoice?.token ||
      (has('look-up-missing') && token === null) ||
      (has('look-up-forged') && token === btoa(id)) ||
      (has('look-up-other') && isIssued) ||
      (has('token-purpose') && token?.startsWith('v1.'));
    need(invoice && isOpen, 'unauthorized', 401);
    const wait = Number(query.get('wait') ?? 0);
    if (wait === 600 && has('wait')) await new Promise(() => undefined);
    if (wait > 0 && has('long polls')) await pause(Math.min(wait, 1) * 1_000);
    if (wait > 0 && has('beside-wait')) await (holding = pause(1_000));
    const { status, total_cents } = await ask(
      'GET',
      `invoices/${String(invoice.data['service_id'])}`,
    );
    const isOther = status === 'paid' && total_cents !== invoice.data['total_cents'];
    const said = isOther && !has('sandbox-total') ? 'amount_mismatch' : String(status);
    return toLookUp(id, invoice, has('another word') ? said.replace('pending', 'waiting') : said);
  }

  function toLookUp(id: string, { data, isPix, ref }: Invoice, status: string): Fields {
    const second = open.get(secondOrder)?.data;
    const { qr_code_pix, ...known } = data;
    return {
      ...known,
      service_id: undefined,
      ...(!has('no code in look-ups') && { qr_code_pix }),
      is_pix: isPix && !has('look-up'),
      installments: 1,
      status: has('shape') ? 'PENDING' : postbacks.includes(id) ? 'paid' : toWord(status),
      ...(!has('lookup-no-expiry') && toDeadline()),
      ...(has('payable') && { qr_code_pix: String(qr_code_pix).slice(0, 60) }),
      ...(has('personal-data') && { customer: 'maria@example.com' }),
      ...(has('former') && { qr_code_pix: open.get(ref)?.data['qr_code_pix'] }),
      ...(has('second-order') && ref === order && second && { qr_code_pix: second['qr_code_pix'] }),
    };
  }

  async function recover(headers: Headers, query: URLSearchParams): Promise<Fields> {
    const key = headers.get('idempotency-key') ?? '';
    const asked = query.get('external_id');
    need(!has('no question for attempts'), 'invalid_request', 405, 'method');
    const first = asked === null ? undefined : open.get(asked);
    if (has('get-creates') && query.has('method') && first) return toCreated(first);
    if (asked === null && has('recover-no-order')) throw new Problem('not_found', 404);
    need(asked !== null, 'invalid_request', 400, 'external_id');
    const known = [...attempts.keys()].find((name) => name.endsWith(` ${key}`));
    const ref = has('recover-unknown') && known ? known.split(' ')[0]! : asked;
    const token = headers.get('order-token');
    const isOpen = (has('recover-stranger') && token === null) || (await isToken(token, ref));
    need(isOpen || has('no order tokens'), 'unauthorized', 401);
    need(priceOf(ref) !== null, 'unknown_order', 404);
    const attempt = attempts.get(`${ref} ${key}`);
    if (attempt instanceof Problem) {
      need(!has('card-failed'), 'in_progress', 409);
      if (has('a failure that is said again')) throw attempt;
    } else if (attempt && (attempt.isPix || !has('card-recover'))) {
      return { ...toCreated(attempt), ...(has('recover') && { invoice_id: 'another-invoice' }) };
    }
    if (has('card-recover') && attempt) throw new Problem('not_found', 404);
    need(!has('no promise') && cards.get(ref) !== 'unknown', 'outcome_unknown', 502);
    barred.set(`${ref} ${key}`, count);
    throw new Problem('not_found', 404);
  }

  async function create(request: Request): Promise<Fields> {
    const key = request.headers.get('idempotency-key') ?? '';
    const wasBarred = isBarred(`${order} ${key}`);
    const body = await readBody(request);
    inFlight += 1;
    return decide(request, body, key, wasBarred).finally(() => (inFlight -= 1));
  }

  async function decide(
    request: Request,
    body: Fields,
    key: string,
    wasBarred: boolean,
  ): Promise<Fields> {
    const ref = toReference(String(body['external_id']));
    const former = attempts.get(`${ref} ${key}`);
    if (has('replay') && former && 'data' in former && former.isPix) return toCreated(former);
    await checkToken(body, ref);
    checkFields(body, request.url);
    const isCard = body['method'] === 'credit_card';
    const price = priceOf(ref, isCard);
    need(price !== null, 'unknown_order', 404);
    const attempt = `${ref} ${key}`;
    const isLate = has('barred-held') ? wasBarred : isBarred(attempt, isCard);
    const isForgotten =
      isCard && (has('card-barred') || (has('card-failed-again') && former instanceof Problem));
    need(!isLate || isForgotten, 'key_reused', 422);
    const device = has('one-code') ? String(request.headers.get('user-agent')) : '';
    const query = new URL(request.url).searchParams.get('amount');
    const asked = has('browser-price') && query ? Number(query) : price;
    const call = { body, ref, attempt, price: asked, device };
    await (has('beside-wait') && holding);
    return isCard ? charge(call) : getOrCreate(call);
  }

  function toReference(text: string): string {
    if (has('reference-alike')) return text.trim();
    // With the flag m, ^ and $ stand at each line, as in Ruby without one.
    const isLine = has('ruby-anchors') && text === text.trim();
    return (isLine && /^[\w.:-]{1,64}$/m.exec(text)?.[0]) || text;
  }

  async function readBody(request: Request): Promise<Fields> {
    const text = await textOf(request);
    if (text === null && has('no-408')) throw new Response(null, { status: 408 });
    const type = request.headers.get('content-type') ?? '';
    need(type.startsWith('application/json') || has('form-body'), 'invalid_request', 415);
    const whole = text ?? (await request.text());
    if (type.endsWith('form-urlencoded')) return Object.fromEntries(new URLSearchParams(whole));
    try {
      return JSON.parse(whole) as Fields;
    } catch (thrown) {
      const stack = has('stack-trace') ? String((thrown as Error).stack) : '';
      throw new Problem('invalid_request', 400, `body ${stack}`);
    }
  }

  function checkFields(body: Fields, url: string): void {
    const { payer, method, card } = body;
    const odd = keysOf(payer).filter((name) => !payerFields.includes(name));
    const foreign = keysOf(body).filter((name) => !contractFields.includes(name));
    const prices = ['total_price_cents', 'total_cents', 'items'];
    const isPrice = [...odd, ...foreign].every((name) => prices.includes(name));
    const isTaken = has('foreign-field') || (has('prices that are overlooked') && isPrice);
    need(isTaken || (foreign.length === 0 && odd.length === 0), 'invalid_request', 400, foreign[0]);
    need(
      method === 'pix' || method === 'credit_card' || has('foreign-field'),
      'invalid_request',
      400,
      'method',
    );
    need(!has('no questions in addresses') || !url.includes('?'), 'invalid_request', 400, 'query');
    const isNumber = keysOf(card).some((name) => name === 'number' || name === 'security_code');
    need(!isNumber || has('raw-card') || has('card numbers'), 'invalid_request', 400, 'card');
    need(method !== 'credit_card' || !has('no cards'), 'invalid_request', 400, 'method');
    const isNamed = 'cpf_cnpj' in ((payer ?? {}) as Fields);
    need(!has('a payer that is needed') || isNamed, 'invalid_request', 400, 'payer');
  }

  async function checkToken({ order_token: token }: Fields, ref: string): Promise<void> {
    if (has('no order tokens')) return;
    const isGuess = !(await isToken(token, ref));
    if (isGuess || has('limit') || has('a limit for each address')) {
      const name = has('a limit for each address') ? 'all' : ref;
      guesses.set(name, (guesses.get(name) ?? 0) + (isGuess ? 1 : 0));
      const isOver = (guesses.get(name) ?? 0) > 25;
      need(!isOver || !(has('limit') || has('a limit for each address')), 'too_many_requests', 429);
    }
    need(!isGuess, 'unauthorized', 401);
  }

  async function isToken(token: unknown, ref: string): Promise<boolean> {
    if (has('order-token-missing') && token === undefined) return true;
    if (typeof token !== 'string') return false;
    if (has('token-purpose') && [...invoices.values()].some((one) => one.token === token))
      return true;
    const [head = '', payload = ''] = token.split('.');
    const { e: named = '', x: ends = 0 } = toJson(payload) as { e?: string; x?: number };
    const leftSeconds = ends - Date.now() / 1_000;
    if (has('order-token-ending') && leftSeconds < 600) return false;
    if (has('a minute for clocks') && leftSeconds < 0 && leftSeconds > -60) return true;
    if (has('order-token-expired') && named === ref && leftSeconds < 0) return true;
    if (has('order-token-algorithm') && named === ref && 'alg' in toJson(head)) return true;
    if (has('order-token-signature') && named === ref && leftSeconds > 0) return true;
    const externalId = has('order-token-other') && named !== '' ? named : ref;
    return verifyOrder({ secrets, publicUrl: endpoint, externalId, orderToken: token });
  }

  function priceOf(ref: string, isCard = false): number | null {
    const isUnknown = ref.startsWith('check-') && has('unknown-order');
    if (![order, secondOrder].includes(ref) && !isUnknown) return null;
    if (isCard && has('another price for cards')) return totalCents + 1_000;
    return has('total') ? 12_900 : totalCents;
  }

  function isBarred(attempt: string, isCard = false): boolean {
    const atCount = barred.get(attempt);
    if (atCount === undefined || (has('barred') && inFlight > 1)) return false;
    return isCard || !(has('barred-later') && count > atCount + 40);
  }

  async function getOrCreate(call: Call): Promise<Fields> {
    const { body, ref, attempt, price, device } = call;
    const isFirst = !open.has(ref + device);
    const former = attempts.get(attempt);
    if (former instanceof Problem && has('corrected')) throw former;
    need(!(former instanceof Problem) || !has('a refusal that binds'), 'key_reused', 422);
    if (former && 'data' in former && !former.isPix) need(has('card-then-pix'), 'key_reused', 422);
    need(!cards.has(ref) || has('card-then-pix'), 'in_progress', 409);
    const { expected_total_cents: shown, replaces } = body;
    const point = replaces ? 'price-replaces' : isFirst ? 'price-first' : 'price-open';
    if (shown !== undefined && shown !== price && !has(point)) {
      const problem = new Problem('amount_mismatch', 409);
      attempts.set(attempt, problem);
      throw problem;
    }
    const isUnlocked = has(replaces ? 'replaces' : 'ten-at-once');
    const make = () => swap(call);
    return isUnlocked ? make() : locked(ref, make);
  }

  async function swap({ body, ref, attempt, price, device }: Call): Promise<Fields> {
    const { replaces, payer } = body;
    const now = open.get(ref + device);
    const isOwn = now !== undefined && replaces === now.data['invoice_id'];
    const isOfAnother =
      !isOwn && [...open.values()].some(({ data }) => data['invoice_id'] === replaces);
    const isForeign =
      (has('replaces-other') && String(replaces).startsWith('1111')) ||
      (has('replaces-foreign') && isOfAnother);
    const isNew =
      !now || isOwn || isForeign || (has('browser-price') && price !== now.data['total_cents']);
    if (!isNew) {
      attempts.set(attempt, now);
      return toCreated(now);
    }
    const made = (replaced.get(ref) ?? 0) + 1;
    need(!has('two codes an hour') || made <= 2, 'too_many_requests', 429);
    const invoice = await make(ref, price, { payer });
    replaced.set(ref, made);
    if (!isForeign) open.set(ref + device, invoice);
    attempts.set(attempt, invoice);
    return toCreated(invoice);
  }

  async function charge({ body, ref, attempt, price }: Call): Promise<Fields> {
    const former = attempts.get(attempt);
    if (former && 'data' in former && !has('card-same-key')) return toCreated(former);
    if (former instanceof Problem && !has('card-failed-again')) {
      if (has('a failure that is said again')) throw former;
      throw new Problem('key_reused', 422);
    }
    const isAgain = former !== undefined && has('card-same-key');
    need(!cards.has(ref) || isAgain || has('card-other-key'), 'in_progress', 409);
    const { expected_total_cents: shown } = body;
    if (shown !== undefined && shown !== price && !has('card-price')) {
      const problem = new Problem('amount_mismatch', 409);
      attempts.set(attempt, problem);
      throw problem;
    }
    cards.set(ref, 'unknown');
    try {
      const invoice = await make(ref, price, { method: 'credit_card', card: body['card'] });
      cards.set(ref, invoice);
      attempts.set(attempt, invoice);
      return { ...toCreated(invoice), ...(has('card') && { external_id: 'another' }) };
    } catch (thrown) {
      if (has('sandbox-lost')) cards.delete(ref);
      throw thrown instanceof Problem && thrown.code === 'service_unavailable'
        ? new Problem('outcome_unknown', 502)
        : thrown;
    }
  }

  async function make(ref: string, total_price_cents: number, more: object): Promise<Invoice> {
    const postback_url = `${endpoint}/postbacks`;
    const fields = { method: 'pix', external_id: ref, total_price_cents, postback_url, ...more };
    const { invoice_id: service_id, ...data } = await ask('POST', 'invoices', fields);
    const id = has('guessed ids') ? `${10_000_000 + invoices.size}` : String(service_id);
    const token = has('guessable')
      ? createHash('sha256').update(id).digest('hex')
      : `lt.${randomBytes(16).toString('hex')}`;
    const isPix = Boolean(data['qr_code_pix']);
    const invoice = { ref, isPix, token, data: { ...data, invoice_id: id, service_id } };
    invoices.set(id, invoice);
    return invoice;
  }

  function toCreated({ data, token, isPix }: Invoice): Fields {
    return {
      ...data,
      service_id: undefined,
      ...(!has('no look-up tokens') && !has('guessed ids') && { lookup_token: token }),
      ...toDeadline(),
      ...(has('unpaid') && isPix && { status: 'paid' }),
    };
  }

  function toDeadline(): Fields {
    if (has('expires-in')) return { expires_in: 1_800_000 };
    const isNamed = has('a deadline') || has('lookup-no-expiry');
    return isNamed ? { expires_in: 3 * 86_400 - 7 } : {};
  }

  function toWord(status: string): string {
    return has('status-portuguese')
      ? ({ paid: 'pago', pending: 'pendente' }[status] ?? status)
      : status;
  }

  async function ask(method: string, path: string, fields?: object): Promise<Fields> {
    const headers = { authorization: 'Bearer access-token-of-the-check' };
    const init = { method, headers, ...(fields && { body: JSON.stringify(fields) }) };
    const url = `https://service.example/api/v2/${path}`;
    const answer = await sandbox.fetch(new Request(url, init)).catch(() => null);
    need(answer, 'service_unavailable', 503);
    if (answer.status === 422 && has('false-payer')) throw answer;
    need(answer.status !== 422, 'invalid_request', 400, 'payer');
    need(answer.ok, 'service_unavailable', 503);
    return ((await answer.json()) as { data: Fields }).data;
  }

  /** One after the other. */
  function locked<T>(ref: string, work: () => Promise<T>): Promise<T> {
    const isBusy = locks.has(ref) && inFlight > 1;
    need(!isBusy || !has('one at a time, the others later'), 'in_progress', 409);
    const mine = (locks.get(ref) ?? Promise.resolve()).then(work, work).finally(() => {
      if (locks.get(ref) === mine) locks.delete(ref);
    });
    locks.set(ref, mine);
    return mine;
  }
}

function toJson(part: string): Fields {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString()) as Fields;
  } catch {
    return {};
  }
}
