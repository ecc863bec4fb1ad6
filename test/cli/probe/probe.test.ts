/** `pix-checkout probe` against the sandbox, and against services that differ from each assumption. */
import assert from 'node:assert/strict';
import { describe, it, vi, type TestContext } from 'vitest';
import { toVariableName, variables } from '../../../src/cli/serve/serve-variables.js';
import { createProxy } from '../../../src/proxy.js';
import { createSandbox } from '../../../src/sandbox.js';
import { assertRefused, runCommand } from '../../support/cli/terminal.js';
import { column } from '../../support/rows.js';

const accessToken = 'access-token-of-the-probe';
const env = { PIX_SERVICE_URL: 'https://service.example', PIX_ACCESS_TOKEN: accessToken };

type Fields = Record<string, unknown>;
type Answering = (request: Request, sandbox: Answer) => Promise<Response>;
type Answer = (request: Request) => Promise<Response>;

interface Row {
  readonly id: string;
  readonly outcome: string;
  readonly found: string;
  readonly set?: string;
}

const isCreation = ({ method }: Request) => method === 'POST';
const hasId = ({ url }: Request, form: RegExp) => form.test(url.split('/').at(-1) ?? '');
const refusal = (status: number) => Response.json({ message: 'no' }, { status });

/** A sandbox that is changed. */
function open(t: TestContext, change: Answering = (request, answer) => answer(request)) {
  const sandbox = createSandbox({ accessToken });
  const answer: Answer = (request) => sandbox.fetch(request);
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) =>
    change(new Request(input, init), answer),
  );
  return sandbox;
}

/** The rows that are not as assumed, and what to set. */
async function probe(more: Readonly<Record<string, string>> = {}) {
  const run = runCommand(['probe', '--yes', '--json'], { ...env, ...more });
  const code = await run.code;
  const { assumptions, set } = JSON.parse(run.output()) as { assumptions: Row[]; set: string[] };
  assert.equal(code, assumptions.some(({ outcome }) => outcome === 'differs') ? 1 : 0);
  const differing = assumptions.filter(({ outcome }) => outcome === 'differs');
  return { assumptions, differing: differing.map(({ id }) => id), set, output: run.output() };
}

/** Changes the answers of invoices. */
function changing(
  change: (data: Fields, request: Request) => Fields,
  headers: Record<string, string> = {},
): Answering {
  return async (request, answer) => {
    const response = await answer(request);
    if (response.status !== 200) return response;
    const body = (await response.json()) as { data: Fields };
    const all = new Headers(response.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return Response.json({ ...body, data: change(body.data, request) }, { headers: all });
  };
}

const without = (name: string) => (data: Fields) =>
  Object.fromEntries(Object.entries(data).filter(([key]) => key !== name));

describe('the sandbox', () => {
  it('is as assumed, and marked', async (t) => {
    const sandbox = open(t);
    const { differing, set, assumptions } = await probe();
    assert.deepEqual([differing, set], [[], ['PIX_ALLOW_SANDBOX=true']]);
    const open_ = assumptions.filter(({ outcome }) => outcome === 'not_found_out');
    assert.deepEqual(column(open_, 'id'), ['postback', 'card', 'idempotency']);
    assert.equal(sandbox.invoices().length, 3);
    assert.equal(assumptions.find(({ id }) => id === 'refusal')?.found, 'refused, then refused');
    assert.equal(sandbox.charges().count, 0);
  });

  it('is told the payer that variables name, and nothing of it is said', async (t) => {
    const sandbox = open(t);
    const payer = {
      PIX_PAYER_NAME: 'Ana Souza',
      PIX_PAYER_CPF_CNPJ: '111.444.777-35',
      PIX_PAYER_PHONE: '11987654321',
    };
    const { output } = await probe(payer);
    const [sent] = sandbox.invoices().map(({ request }) => request.payer);
    assert.deepEqual([sent?.name, sent?.cpf_cnpj], ['Ana Souza', '11144477735']);
    assert.doesNotMatch(output, /Ana|111\.?444|98765|teste@|access-token/);
  });

  it('is shown as a table, with what to set', async (t) => {
    open(t, says({ qr_code_pix: 'placeholder' }));
    const run = runCommand(['probe', '--yes', '--total-cents', '250'], env);
    assert.equal(await run.code, 1);
    assert.match(run.output(), /^Order pix-checkout-probe-\w{8}: nothing was paid\.$/m);
    assert.match(
      run.output(),
      /^DIFFERS {2}The Pix code .* a placeholder \(tlv\) → PIX_ALLOW_UNVERIFIED_CODES=true$/m,
    );
    assert.match(
      run.output(),
      /^Set for your proxy:\n {2}PIX_ALLOW_UNVERIFIED_CODES=true\n {2}PIX_ALLOW_SANDBOX=true$/m,
    );
    assert.ok(!run.output().includes(accessToken));
  });
});

/** A service that takes a body only if it likes it. */
const taking =
  (isRight: (body: string) => boolean, change = (body: string) => body): Answering =>
  async (request, answer) => {
    if (!isCreation(request)) return answer(request);
    const { method, headers } = request;
    const body = await request.text();
    if (!isRight(body)) return refusal(422);
    return answer(new Request(request.url, { method, headers, body: change(body) }));
  };

const says = (fields: Fields) => changing((data) => ({ ...data, ...fields }));
const heads = (headers: Record<string, string>) => changing((data) => data, headers);
const lookingUp =
  (form: RegExp): Answering =>
  async (request, answer) =>
    isCreation(request) || hasId(request, form) ? answer(request) : refusal(404);
const isPix = (body: string) => body.includes('"PIX"');
const perTenSeconds = { 'ratelimit-limit': '50', 'ratelimit-policy': '"default";q=50;w=10' };

/** A service that answers every further creation otherwise. */
function afterFirst(again: (first: Promise<Response>) => Promise<Response>): Answering {
  let first: Promise<Response> | undefined;
  return async (request, answer) => {
    if (!isCreation(request)) return answer(request);
    if (first) return again(first);
    first = answer(request);
    return (await first).clone();
  };
}

const takesAnyToken: Answering = (request, answer) => {
  const headers = new Headers(request.headers);
  headers.set('authorization', `Bearer ${accessToken}`);
  return answer(new Request(request, { headers }));
};

const failsUnknown: Answering = async (request, answer) => {
  const response = await answer(request);
  return response.status === 404 ? refusal(500) : response;
};

const leavesOpen = changing((data, request) =>
  isCreation(request) ? data : { ...data, status: 'pending' },
);
const onlyUpperCase = taking(isPix, (body) => body.replace('"PIX"', '"pix"'));
const onlyMasked = taking((body) => body.includes('123.456.789-09'));
const justOnce = afterFirst(async (first) => (await first).clone());
const otherType = heads({ 'content-type': 'application/vnd.api+json' });
const placeholder = says({ qr_code_pix: 'pix copia e cola' });
const date = changing((data) =>
  data['created_at'] ? { ...data, created_at: '22/11/2026' } : data,
);
const longCode = changing((data, request) =>
  isCreation(request) ? { ...data, order_code: 'a b' } : data,
);
const forgetful = changing((data, request) =>
  isCreation(request) ? data : { ...data, external_id: null },
);
const noPix = changing((data) => ('is_pix' in data ? { ...data, is_pix: false } : data));

describe('a service that', () => {
  const callsPerMinute = 'SERVICE_CALLS_PER_MINUTE';
  const services: readonly [name: string, differing: string, set: string, change: Answering][] = [
    ['calls Pix otherwise', 'method', 'METHOD_NAMES=pix=PIX', onlyUpperCase],
    ['takes masked documents', 'format', 'FORMATS=cpf_cnpj=masked', onlyMasked],
    ['looks up by order_code', 'look-up-id', 'LOOK_UP_BY=order_code', lookingUp(/^SBX-/)],
    ['looks up by no id', 'look-up-id', '', lookingUp(/(?!)/)],
    ['has placeholder codes', 'code', 'ALLOW_UNVERIFIED_CODES=true', placeholder],
    ['has no codes', 'code', '', says({ qr_code_pix: '' })],
    ['limits calls', 'rate-limit', `${callsPerMinute}=60`, heads({ 'x-ratelimit-limit': '60' })],
    ['limits calls of ten seconds', 'rate-limit', `${callsPerMinute}=300`, heads(perTenSeconds)],
    ['makes one invoice of a reference', 'reference', '', justOnce],
    ['refuses a reference that it knows', 'reference', '', afterFirst(async () => refusal(409))],
    ['leaves refused cards open', 'refusal', 'REFUSAL_IS_FINAL=false', leavesOpen],
    ['says paid at once', 'status', '', says({ status: 'paid' })],
    ['says a person in its status', 'status', '', says({ status: 'Maria 52998224725' })],
    ['writes times otherwise', 'times', '', date],
    ['has long order codes', 'order-code', '', longCode],
    ['leaves a field out', 'look-up-fields', '', changing(without('installments'))],
    ['forgets the reference', 'agreement', '', forgetful],
    ['takes Pix for a card', 'agreement', '', noPix],
    ['fails on an unknown id', 'unknown-id', '', failsUnknown],
    ['answers any token', 'wrong-token', '', takesAnyToken],
    ['names another type', 'content-type', '', otherType],
  ];
  for (const [name, differing, set, change] of services) {
    it(name, async (t) => {
      open(t, change);
      const found = await probe();
      assert.deepEqual(found.differing, [differing]);
      const told = found.set.filter((one) => one !== 'PIX_ALLOW_SANDBOX=true');
      assert.deepEqual(told, set === '' ? [] : [`PIX_${set}`]);
      assert.doesNotMatch(found.output, /Maria|529982/);
    });
  }

  it('adds fields is told by their names, and nulls too', async (t) => {
    open(t, says({ neighbourhood: 'Centro' }));
    const { assumptions, differing } = await probe();
    assert.deepEqual(differing, []);
    const { found } = assumptions.find(({ id }) => id === 'look-up-fields') ?? { found: '' };
    assert.equal(found, 'null: end_to_end_id, payer; unknown, dropped: neighbourhood');
  });

  const headers = { location: 'https://evil.example' };
  const elsewhere = () => new Response(null, { status: 301, headers });
  const noData = () => Response.json({ id: 1 });
  const unusable: readonly [
    name: string,
    answer: () => Response,
    differing: string,
    found: RegExp,
  ][] = [
    ['redirects', elsewhere, 'creation address content-type', /301 redirect/],
    ['answers without data', noData, 'creation', /200 not readable \(data\)/],
    ['refuses every creation', () => refusal(422), 'creation', /422 refused/],
    ['fails', () => refusal(500), 'creation', /500 server/],
  ];
  for (const [name, answer, differing, found] of unusable) {
    it(`${name}: nothing else is found out`, async (t) => {
      open(t, async () => answer());
      const { differing: ids, output, assumptions } = await probe();
      assert.equal(ids.join(' '), differing);
      assert.match(output, found);
      assert.doesNotMatch(output, /evil/);
      assert.ok(assumptions.some(({ outcome }) => outcome === 'not_found_out'));
    });
  }

  it('another server: that is said, not that nothing is to be set', async (t) => {
    open(t, async () => Response.json({ hello: 'world' }));
    const run = runCommand(['probe', '--yes'], env);
    assert.equal(await run.code, 1);
    assert.match(run.output(), /No invoice came.*is PIX_SERVICE_URL the invoice service\?$/);
    assert.doesNotMatch(run.output(), /nothing to set/);
  });
});

const printed: Readonly<Record<string, string>> = {
  PIX_METHOD_NAMES: 'pix=PIX',
  PIX_FORMATS: 'cpf_cnpj=masked phone=masked',
  PIX_LOOK_UP_BY: 'order_code',
  PIX_ALLOW_UNVERIFIED_CODES: 'true',
  PIX_SERVICE_CALLS_PER_MINUTE: '60',
  PIX_ALLOW_SANDBOX: 'true',
};

it('what is printed to be set is what serve reads and the proxy takes', () => {
  const told = Object.entries(variables).flatMap(([option, { form }]) => {
    const text = printed[toVariableName(option)];
    return text === undefined ? [] : [[option, form.read(text)] as const];
  });
  assert.equal(told.length, Object.keys(printed).length);
  createProxy({
    ...Object.fromEntries(told),
    serviceUrl: 'https://service.example',
    accessToken,
    secrets: ['a-secret-of-the-tests-of-the-probe-command'],
    publicUrl: 'https://shop.example/pix',
    allowedOrigins: ['https://shop.example'],
    resolveOrder: () => null,
    log: () => undefined,
  });
});

describe('pix-checkout probe', () => {
  it('claims nothing when it is ended on its way', async (t) => {
    let resolve = () => {};
    const created = new Promise<void>((done) => (resolve = done));
    open(t, async (request, answer) => {
      if (isCreation(request)) return answer(request);
      resolve();
      request.signal.throwIfAborted();
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    });
    const run = runCommand(['probe', '--yes'], env);
    await created;
    assert.equal(await run.end(), 2);
    assert.match(run.warnings(), /^Ended: look for orders pix-checkout-probe-… at the service$/);
    assert.equal(run.output(), '');
  });

  const wrong: readonly [
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    said: RegExp,
  ][] = [
    [['--yes'], {}, /PIX_SERVICE_URL is not set/],
    [['--yes'], { PIX_SERVICE_URL: env.PIX_SERVICE_URL }, /PIX_ACCESS_TOKEN is not set/],
    [
      ['--yes'],
      { ...env, PIX_SERVICE_URL: 'http://service.example' },
      /PIX_SERVICE_URL must be https/,
    ],
    [['--yes'], { ...env, PIX_ACCESS_TOKEN: 'a secret' }, /PIX_ACCESS_TOKEN is not a bearer token/],
    [['--yes', '--total-cents', '1.5'], env, /--total-cents must be/],
    [[], env, /creates three invoices of 100 cents at https:\/\/service\.example.*--yes/],
  ];
  for (const [args, own, said] of wrong) {
    it(`asks nothing, and says: ${String(said)}`, async (t) => {
      const sandbox = open(t);
      assert.doesNotMatch(await assertRefused(['probe', ...args], own, said), /a secret/);
      assert.equal(sandbox.invoices().length, 0);
    });
  }

  const unreachable: readonly [name: string, answer: () => Promise<Response>, said: RegExp][] = [
    [
      'no connection',
      () => Promise.reject(new TypeError('x', { cause: { code: 'ECONNREFUSED' } })),
      /no connection/,
    ],
    ['a broken one', () => Promise.reject(new TypeError(`Bearer ${accessToken}`)), /broke/],
    ['a refused token', async () => refusal(401), /refuses PIX_ACCESS_TOKEN/],
    ['too many calls', async () => refusal(429), /no more calls/],
  ];
  for (const [name, answer, said] of unreachable) {
    it(`ends with a line for ${name}`, async (t) => {
      open(t, answer);
      assert.ok(!(await assertRefused(['probe', '--yes'], env, said)).includes(accessToken));
    });
  }
});
